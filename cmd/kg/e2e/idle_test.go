package e2e

import (
	"testing"
	"time"

	"github.com/kappagraph/kappa/internal/pgtest"
)

// TestIdle_Slow counts the transactions of servers that have nothing to do and all run the
// lanes. Operators pay for them with each server, whatever it does.
func TestIdle_Slow(t *testing.T) {
	pgtest.SlowTier(t)
	t.Parallel()
	const (
		settled = 20 * time.Second // by then what a start does is done
		counted = 40 * time.Second
		most    = 3.0 // transactions in a second and server; docs/operations.md has what it takes
	)
	for name, servers := range map[string]int{"one server": 1, "three servers": 3} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dsn := pgtest.NewDSN(t)
			for range servers {
				startServer(t, map[string]string{"DATABASE_URL": dsn, "KG_LANES": "all", "KG_TEST_TYPES": "0"})
			}
			transactions := func() int {
				return rows(t, dsn, "SELECT xact_commit + xact_rollback FROM pg_stat_database WHERE datname = current_database()")
			}
			time.Sleep(settled)
			before, began := transactions(), time.Now()
			time.Sleep(counted)
			rate := float64(transactions()-before) / time.Since(began).Seconds() / float64(servers)
			t.Logf("%.2f transactions in a second and server", rate)
			if rate > most {
				t.Errorf("%.2f transactions in a second and server, want at most %.1f", rate, most)
			}
		})
	}
}
