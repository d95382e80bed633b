package postgres_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/postgres"
)

// TestPrimary has servers say who they are, one after the other.
func TestPrimary(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		systems   []string
		timelines []int
		want      string // of the last one's refusal; empty: accepted
	}{
		"the first one":              {[]string{"7"}, []int{3}, ""},
		"the same again":             {[]string{"7", "7"}, []int{3, 3}, ""},
		"one that was promoted":      {[]string{"7", "7"}, []int{3, 4}, ""},
		"an old primary":             {[]string{"7", "7"}, []int{4, 3}, "on timeline 3, and timeline 4 has been seen"},
		"one of another cluster":     {[]string{"7", "8"}, []int{3, 3}, "another PostgreSQL cluster (system identifier 8)"},
		"nor one that was refused":   {[]string{"7", "8", "7"}, []int{3, 9, 3}, ""},
		"an old one after a refusal": {[]string{"7", "7", "7"}, []int{4, 3, 4}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var p postgres.Primary
			var err error
			for i := range c.systems {
				err = p.See(c.systems[i], c.timelines[i])
			}
			refused := (*postgres.NotPrimaryError)(nil)
			switch {
			case c.want == "" && err != nil:
				t.Errorf("refused: %v", err)
			case c.want != "" && (!errors.As(err, &refused) || !strings.Contains(err.Error(), c.want)):
				t.Errorf("got %v, want a refusal with %q", err, c.want)
			}
		})
	}
}

// TestPromotionSeen has the store learn of a promotion: what was connected before
// it leads to an old primary, and is not used any more.
func TestPromotionSeen(t *testing.T) {
	t.Parallel()
	s, dsn := newStore(t)
	register(t, s, workerA)
	beat, err := s.DialHeartbeat(t.Context(), time.Second)
	must(t, err)
	defer beat.Close(context.WithoutCancel(t.Context()))
	leader, err := s.DialLeader(t.Context(), time.Second)
	must(t, err)
	defer leader.Close(context.WithoutCancel(t.Context()))
	_, won, err := leader.Campaign(t.Context(), workerA)
	if err != nil || !won {
		t.Fatalf("won %v, %v", won, err)
	}
	must(t, beat.Renew(t.Context(), workerA, lease))
	must(t, s.Ping(t.Context()))
	must(t, leader.Check(t.Context()))

	registered := func(timeline int) error {
		s.Primary().RegisteredOn(timeline)
		return beat.Renew(t.Context(), workerA, lease)
	}
	must(t, registered(0)) // it was another store that registered the worker
	if err := registered(-1); !errors.Is(err, kappa.ErrLeaseLost) {
		t.Errorf("a worker from before the promotion: %v, want that its lease is lost", err)
	}
	must(t, registered(1))

	var system string
	conn, err := pgx.Connect(t.Context(), dsn)
	must(t, err)
	defer conn.Close(context.WithoutCancel(t.Context()))
	must(t, conn.QueryRow(t.Context(), "SELECT system_identifier::text FROM pg_control_system()").Scan(&system))
	must(t, s.Primary().See(system, 2)) // the test cluster is on timeline 1

	for what, err := range map[string]error{
		"a heartbeat": beat.Renew(t.Context(), workerA, lease), "the leader's check": leader.Check(t.Context()),
		"a pool's connection": s.Ping(t.Context()),
	} {
		if kappa.ErrorCode(err) != kappa.CodeUnavailable || !strings.Contains(err.Error(), "old primary") {
			t.Errorf("%s: %v, want that the server is an old primary", what, err)
		}
	}
}
