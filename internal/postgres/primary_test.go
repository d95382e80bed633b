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
	defer beat.Close(context.WithoutCancel(t.Context())) //nolint:errcheck // the test is over
	leader, err := s.DialLeader(t.Context(), time.Second)
	must(t, err)
	defer leader.Close(context.WithoutCancel(t.Context())) //nolint:errcheck // the test is over
	_, won, err := leader.Campaign(t.Context(), workerA)
	if err != nil || !won {
		t.Fatalf("won %v, %v", won, err)
	}
	must(t, beat.Renew(t.Context(), workerA, lease))
	must(t, s.Ping(t.Context()))
	must(t, leader.Check(t.Context()))

	var system string
	conn, err := pgx.Connect(t.Context(), dsn)
	must(t, err)
	defer conn.Close(context.WithoutCancel(t.Context())) //nolint:errcheck // the test is over
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

// TestPromotionHoldsOff has a leader take its term on another timeline than the
// last one: from then on workers get the time of a lease to renew.
func TestPromotionHoldsOff(t *testing.T) {
	t.Parallel()
	_, dsn := newStore(t)
	s, err := postgres.Open(t.Context(), postgres.Config{DSN: dsn, JobConns: 4, GraphConns: 1, AuthConns: 1, HoldOff: time.Millisecond})
	must(t, err)
	defer s.Close()
	leader, err := s.DialLeader(t.Context(), time.Second)
	must(t, err)
	defer leader.Close(context.WithoutCancel(t.Context())) //nolint:errcheck // the test is over
	conn, err := pgx.Connect(t.Context(), dsn)
	must(t, err)
	defer conn.Close(context.WithoutCancel(t.Context())) //nolint:errcheck // the test is over
	for _, c := range []struct {
		last  int // timeline of the last leader; the test cluster is on 1
		moved bool
	}{{0, false}, {1, false}, {7, true}} {
		execSQL(t, dsn, "UPDATE kg_api.leader SET moved_at = '-infinity', timeline = $1", c.last)
		_, won, err := leader.Campaign(t.Context(), workerB)
		if err != nil || !won {
			t.Fatalf("won %v, %v", won, err)
		}
		var moved bool
		var timeline int
		must(t, conn.QueryRow(t.Context(), "SELECT moved_at > clock_timestamp() - interval '1 minute', timeline FROM kg_api.leader").Scan(&moved, &timeline))
		if moved != c.moved || timeline != 1 {
			t.Errorf("after timeline %d: moved %v to timeline %d, want %v to 1", c.last, moved, timeline, c.moved)
		}
	}

	register(t, s, workerA)
	job := submit(t, s, "polarity")
	claim(t, s, workerA, 1)
	execSQL(t, dsn, "UPDATE kg_api.workers SET lease_until = clock_timestamp() - interval '1 second'")
	execSQL(t, dsn, "UPDATE kg_api.leader SET term = 0, moved_at = clock_timestamp() + interval '1 minute'")
	if taken, err := s.Rescue(t.Context(), 0, 10); err != nil || len(taken) != 0 {
		t.Errorf("after a promotion %v was taken from its worker (%v)", taken, err)
	}
	execSQL(t, dsn, "UPDATE kg_api.leader SET moved_at = clock_timestamp() - interval '1 minute'")
	if taken, err := s.Rescue(t.Context(), 0, 10); err != nil || taken[job.ID] != kappa.StatusApproved {
		t.Errorf("later %v was taken (%v), want %s", taken, err, job.ID)
	}
}
