package postgres_test

import (
	"slices"
	"testing"

	"github.com/kappagraph/kappa/internal/postgres"
	"github.com/kappagraph/kappa/work"
)

// TestRW04_Plans has the order of claims under statistics that say that nothing waits, and
// with plans that are forced each way: a limit must not come before the order.
func TestRW04_Plans(t *testing.T) {
	t.Parallel()
	for name, settings := range map[string][]string{
		"as planned":                {},
		"without nested loops":      {"enable_nestloop = off"},
		"without scans of indexes":  {"enable_indexscan = off", "enable_indexonlyscan = off", "enable_bitmapscan = off"},
		"without scans of places":   {"enable_tidscan = off"},
		"without scans of tables":   {"enable_seqscan = off"},
		"neither places nor tables": {"enable_tidscan = off", "enable_seqscan = off"},
		"places and hashes":         {"enable_hashjoin = on", "enable_nestloop = off"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, dsn := newStore(t)
			conn := connect(t, dsn)
			for _, set := range settings {
				_, err := conn.Exec(t.Context(), "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET "+set+"', current_database()); END $$")
				must(t, err)
			}
			addJobs(t, conn, 0, 2000, "'exec'", "0")
			_, err := conn.Exec(t.Context(), "UPDATE kg_api.jobs SET status = 'completed', completed_at = now(); ANALYZE kg_api.jobs")
			must(t, err)
			s, err := postgres.Open(t.Context(), postgres.Config{DSN: dsn, JobConns: 4, GraphConns: 2, AuthConns: 2, AcquireTimeout: connectLimit})
			must(t, err)
			defer s.Close()
			w := remoteWorker(t, s, "plans", workerA)
			register(t, s, workerB)
			var preferred, others, lane []string
			for range 5 {
				preferred = append(preferred, submit(t, s, "exec", remote("manual", 0)).ID)
				others = append(others, submit(t, s, "exec", remote("default", 0)).ID)
				lane = append(lane, submit(t, s, "polarity").ID)
			}
			var got []string
			for _, demand := range []int{4, 1, 1, 4} {
				for _, r := range claimRemote(t, s, w, demand, "manual", "*") {
					got = append(got, r.JobID)
				}
			}
			if want := slices.Concat(preferred, others); !slices.Equal(got, want) {
				t.Errorf("remote workers got %v, want %v", got, want)
			}
			var inLane []string
			for range 5 {
				batch, err := s.Claims().Claim(t.Context(), work.ClaimRequest{Lane: "interactive", Worker: workerB, Types: []string{"polarity"}, Most: 1, Spare: 16})
				must(t, err)
				inLane = append(inLane, batch.Claims[0].JobID)
				_, err = s.Claims().Finish(t.Context(), workerB, []work.Outcome{completed(batch.Claims[0])})
				must(t, err)
			}
			if !slices.Equal(inLane, lane) {
				t.Errorf("the lane got %v, want %v", inLane, lane)
			}
		})
	}
}
