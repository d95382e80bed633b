package postgres_test

import (
	"context"
	"testing"

	"github.com/kappagraph/kappa/internal/postgres/db"
	"github.com/kappagraph/kappa/work"
)

// TestM05_NotifyingProgressLocksTheDatabase stores progress with a notification in
// its transaction: each of them then takes a lock at its commit that the whole
// database shares, and notifies the listeners, as often as there is progress.
func TestM05_NotifyingProgressLocksTheDatabase(t *testing.T) {
	t.Parallel()
	const reporters, reports = 4, 200
	notifying := replaced(t, db.JobCheckpoint, `FROM saved s LEFT JOIN logged l ON true\s*$`, "FROM saved s LEFT JOIN logged l ON true WHERE pg_notify('kg_events', s.job_id)::text IS NOT NULL")
	for name, c := range map[string]struct {
		sql      string
		notified int
	}{
		"as it is, it notifies nobody and locks nothing": {db.JobCheckpoint, 0},
		"with a notification it does both":               {notifying, reporters * reports},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, dsn := newStore(t)
			slots := reporters
			_, err := s.Lanes().UpdateLane(t.Context(), "interactive", work.LaneUpdate{MaxSlots: &slots})
			must(t, err)
			register(t, s, workerA)
			for range reporters {
				submit(t, s, "polarity")
			}
			claims := claim(t, s, workerA, reporters)
			listener := connect(t, dsn)
			_, err = listener.Exec(t.Context(), "LISTEN kg_events")
			must(t, err)
			locked := watchCommits(t, dsn)
			together(reporters, func(i int) {
				conn := connect(t, dsn)
				for range reports {
					if err := report(t.Context(), mutant{conn, db.JobCheckpoint, c.sql}, claims[i]); err != nil {
						t.Error(err)
						return
					}
				}
			})
			if seen := locked(); seen != (c.notified > 0) {
				t.Errorf("the lock of notifications was taken: %v", seen)
			}
			must(t, s.Notify(t.Context(), "kg_events", "end"))
			notified := 0
			for n, err := listener.WaitForNotification(t.Context()); n == nil || n.Payload != "end"; n, err = listener.WaitForNotification(t.Context()) {
				must(t, err)
				notified++
			}
			if notified != c.notified {
				t.Errorf("%d notifications for %d reports, want %d", notified, reporters*reports, c.notified)
			}
		})
	}
}

// report stores progress under a claim, as Store.Checkpoint does.
func report(ctx context.Context, d db.DBTX, c work.Claim) error {
	_, err := db.New(d).JobCheckpoint(ctx, db.JobCheckpointParams{JobID: c.JobID, ClaimToken: c.Token, Worker: c.Worker, Progress: progress, Emit: 1})
	return err
}

// watchCommits reads the locks of this database's sessions until it is called
// back, and says then whether one was seen at the lock under which commits that
// notify follow each other, one at a time in all databases.
func watchCommits(t *testing.T, dsn string) func() bool {
	t.Helper()
	conn := connect(t, dsn)
	seen, over := make(chan bool, 1), make(chan struct{})
	go func() {
		found := false
		for {
			select {
			case <-over:
				seen <- found
				return
			default:
			}
			var now bool
			if err := conn.QueryRow(t.Context(), `SELECT EXISTS (SELECT 1 FROM pg_locks l JOIN pg_stat_activity a USING (pid)
				WHERE a.datname = current_database() AND l.locktype = 'object' AND l.database = 0
					AND l.classid = 'pg_database'::regclass AND l.objid = 0)`).Scan(&now); err != nil {
				t.Error(err)
			}
			found = found || now
		}
	}()
	return func() bool {
		close(over)
		return <-seen
	}
}
