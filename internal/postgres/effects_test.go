package postgres_test

import (
	"errors"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/work"
)

// TestQ02_Effects records steps under a claim that becomes stale.
func TestQ02_Effects(t *testing.T) {
	t.Parallel()
	s, dsn := newStore(t)
	register(t, s, workerA, workerB)
	job := submit(t, s, "polarity")
	first := claim(t, s, workerA, 1)[0]
	after := func(step string) work.Checkpoint {
		return work.Checkpoint{State: []byte(`{"done":"` + step + `"}`), Progress: work.Progress{Stage: step}, Emit: true}
	}
	must(t, s.Claims().Effect(t.Context(), first, "1", after("1")))
	must(t, s.Claims().Effect(t.Context(), first, "1", after("1"))) // the answer was lost
	takeBack(t, s, dsn, workerA)
	second := claim(t, s, workerB, 1)[0]
	if string(second.Checkpoint) != `{"done": "1"}` {
		t.Errorf("the second attempt goes on after %s", second.Checkpoint)
	}
	if err := s.Claims().Effect(t.Context(), first, "2", after("2")); !errors.Is(err, kappa.ErrStale) {
		t.Errorf("a stale claim's effect: %v, want ErrStale", err)
	}
	must(t, s.Claims().Effect(t.Context(), second, "1", after("1")))
	must(t, s.Claims().Effect(t.Context(), second, "2", after("2")))
	_, err := s.Jobs().Cancel(t.Context(), job.ID)
	must(t, err)
	if err := s.Claims().Effect(t.Context(), second, "3", after("3")); !errors.Is(err, kappa.ErrCancelled) {
		t.Errorf("an effect after a cancel: %v, want ErrCancelled", err)
	}

	conn, err := pgx.Connect(t.Context(), dsn)
	must(t, err)
	defer conn.Close(t.Context())
	ledger := map[string]int64{}
	rows, err := conn.Query(t.Context(), "SELECT step, claim_token FROM kg_api.job_effects WHERE job_id = $1", job.ID)
	must(t, err)
	var step string
	var token int64
	_, err = pgx.ForEachRow(rows, []any{&step, &token}, func() error { ledger[step] = token; return nil })
	must(t, err)
	want := map[string]int64{"1": first.Token, "2": second.Token, "3": second.Token}
	for step, token := range want {
		if ledger[step] != token || len(ledger) != len(want) {
			t.Errorf("the ledger is %v, want %v", ledger, want)
		}
	}
	checkHistory(t, s, job.ID)
}
