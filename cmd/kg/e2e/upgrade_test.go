package e2e

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kappagraph/kappa/migrations"
	"github.com/kappagraph/kappa/work"
)

// expansion is the migrations of a later version that only add: what each kind of
// change does to the tables that the servers use all the time. Each is a
// transaction, and changes one of these tables; see CONTRIBUTING.md.
var expansion = []string{
	`ALTER TABLE kg_api.jobs ADD COLUMN later_nullable text, ADD COLUMN later_default integer NOT NULL DEFAULT 7;
	CREATE INDEX later_idx ON kg_api.jobs (later_default) WHERE status = 'approved'`,
	"ALTER TABLE kg_api.job_events ADD COLUMN later_default jsonb NOT NULL DEFAULT '{}'",
	"ALTER TABLE kg_api.worker_lanes ADD COLUMN later_default boolean NOT NULL DEFAULT true",
	"ALTER TABLE kg_api.workers ADD COLUMN later_default text NOT NULL DEFAULT 'x'",
	"ALTER TABLE kg_api.concepts ADD COLUMN later_nullable text",
	`CREATE TABLE kg_api.later (job_id text PRIMARY KEY);
	INSERT INTO kg_api.schema_migrations (version_id, is_applied) VALUES (9999, true)`,
}

// TestQ19_TwoVersions has a later version change the schema beside servers of
// this one, which go on, and start anew, while jobs run. It is the other half of
// what a migration promises that leaves the floor as it is.
func TestQ19_TwoVersions(t *testing.T) {
	t.Parallel()
	first := startServer(t, nil)
	var jobs []string
	submit := func(s *testServer, n int) {
		t.Helper()
		for range n {
			reply, err := s.client.Jobs.Submit(t.Context(), work.NewJob{Type: work.TypeSleep, Data: []byte(`{"ms":300,"steps":6}`), AutoApprove: true})
			check(t, err)
			jobs = append(jobs, reply.JobID)
		}
	}
	submit(first, 10)
	oldest := jobs[0]                                    // jobs itself grows while it is asked for
	await(t, first.client, oldest, work.StatusCompleted) // the statements are prepared, for the old tables
	stop := make(chan struct{})
	var asking sync.WaitGroup
	asking.Go(func() { // reads everything, again and again
		for {
			select {
			case <-stop:
				return
			case <-time.After(20 * time.Millisecond):
			}
			_, err1 := first.client.Workers.Status(t.Context())
			_, err2 := first.client.Workers.Lanes(t.Context())
			_, err3 := first.client.Jobs.List(t.Context(), work.JobFilter{Limit: 5})
			_, err4 := first.client.Jobs.Get(t.Context(), oldest)
			if err1 != nil || err2 != nil || err3 != nil || err4 != nil {
				t.Errorf("while the schema changes: %v, %v, %v, %v", err1, err2, err3, err4)
			}
		}
	})
	execute(t, first.dsn, expansion...)
	submit(first, 10)
	second := startServer(t, map[string]string{"DATABASE_URL": first.dsn}) // as when an old server is started again
	submit(second, 10)
	slots := 1
	_, err := second.client.Workers.UpdateLane(t.Context(), "interactive", work.LaneUpdate{MaxSlots: &slots})
	check(t, err)
	more := 2
	_, err = first.client.Workers.UpdateLane(t.Context(), "interactive", work.LaneUpdate{MaxSlots: &more})
	check(t, err)
	report, _ := awaitReady(t, first, "ready", longestFlip)
	if want := fmt.Sprintf("schema version 9999, with which this program, made for %d, works", migrations.Version()); !strings.Contains(report.Checks["schema"].Detail, want) {
		t.Errorf("the probe says %+v", report.Checks["schema"])
	}
	close(stop)
	asking.Wait()
	first.stop()
	submit(second, 5)
	for _, id := range jobs {
		await(t, second.client, id, work.StatusCompleted)
	}
	if n := rows(t, second.dsn, "SELECT count(*) FROM kg_api.jobs WHERE retries > 0 OR attempt > 2"); n != 0 {
		t.Errorf("%d jobs failed an attempt", n)
	}
	for name, s := range map[string]*testServer{"first": first, "second": second} {
		for line := range strings.Lines(s.logs.String()) {
			if strings.Contains(line, "level=ERROR") || strings.Contains(line, "SQLSTATE") {
				t.Errorf("the %s server logs %s", name, line)
			}
		}
	}
}
