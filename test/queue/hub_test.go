package queue_test

import (
	"log/slog"
	"testing"
	"time"

	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/internal/notify"
	"github.com/kappagraph/kappa/internal/pgtest"
	"github.com/kappagraph/kappa/internal/postgres"
	"github.com/kappagraph/kappa/work"
)

// TestOwnProgressIsNotReadBack has a hub watch a job whose handler reports progress
// through the same database connections.
func TestOwnProgressIsNotReadBack(t *testing.T) {
	t.Parallel()
	var hub *notify.Hub
	db, err := postgres.Open(t.Context(), postgres.Config{
		DSN: pgtest.NewDSN(t), JobConns: 3, GraphConns: 1, AuthConns: 1, AcquireTimeout: 20 * time.Second,
		Committed: func(events []work.Event, jobIDs []string) {
			hub.Publish(events)
			hub.Hint(jobIDs...)
		},
	})
	must(t, err)
	t.Cleanup(db.Close)
	hub = notify.NewHub(db.Events(), slog.New(slog.DiscardHandler))
	go func() { _ = hub.Run(t.Context()) }()

	claim := claimOne(t, db)
	sub, err := hub.Subscribe()
	must(t, err)
	defer sub.Close()
	must(t, sub.Watch(t.Context(), claim.JobID))
	began, before := time.Now(), hub.Stats().Reads
	const reports = 20
	var got []*work.Event
	for i := range reports {
		checkpoint := work.Checkpoint{Progress: work.Progress{Stage: "working", Percent: 5 * i}, State: []byte(`{}`), Emit: true}
		if i%2 == 0 {
			must(t, db.Claims().Checkpoint(t.Context(), claim, checkpoint))
		} else {
			must(t, db.Claims().Effect(t.Context(), claim, "step", checkpoint))
		}
		select {
		case <-sub.Ready():
		case <-time.After(time.Minute):
			t.Fatalf("report %d did not arrive", i)
		}
		got = append(got, sub.Take().Events...)
	}
	polls := int64(time.Since(began)/(5*time.Second)) + 1
	if reads := hub.Stats().Reads - before; reads > polls {
		t.Errorf("%d reports cost %d reads", reports, reads)
	}
	stored, err := db.Events().EventsAfter(t.Context(), claim.JobID, claim.EventSeq, 100)
	must(t, err)
	if len(got) != reports || len(stored) != reports {
		t.Fatalf("%d events arrived, %d are stored, want %d", len(got), len(stored), reports)
	}
	for i, want := range stored {
		if g := got[i]; g.Seq != want.Seq || g.Kind != want.Kind || string(g.Payload) != string(want.Payload) || !g.At.Equal(want.At.Time) {
			t.Errorf("%+v arrived, %+v is stored", *g, want)
		}
	}
}

// claimOne returns the claim of a new job.
func claimOne(t *testing.T, db *postgres.DB) work.Claim {
	t.Helper()
	const worker = "00000000-0000-4000-8000-00000000000a"
	must(t, db.Workers().Register(t.Context(), work.Worker{ID: worker, Hostname: "test", PID: 1}, "test", time.Minute))
	_, err := db.Jobs().SubmitJob(t.Context(), work.NewJob{Type: "polarity", Queue: work.DefaultQueue, AutoApprove: true, UserID: access.SystemUserID})
	must(t, err)
	batch, err := db.Claims().Claim(t.Context(), work.ClaimRequest{Lane: "interactive", Worker: worker, Types: []string{"polarity"}, Most: 1})
	must(t, err)
	if len(batch.Claims) != 1 {
		t.Fatalf("claimed %d jobs, want 1", len(batch.Claims))
	}
	return batch.Claims[0]
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
