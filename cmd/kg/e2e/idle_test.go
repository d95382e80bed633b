package e2e

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/internal/pgtest"
	"github.com/kappagraph/kappa/work"
)

// transactions counts those of a database, where autovacuum makes none. A session reports its
// own once a second, and the last ones when it has been quiet for ten seconds: so long after work
// they are still counted.
const transactions = `SELECT xact_commit + xact_rollback FROM pg_stat_database WHERE datname = current_database()`

// TestIdle_Slow counts the transactions of servers that have nothing to do and all run the
// lanes, and of those that had much to do before. Operators pay for them with each server,
// whatever it does. bench/ingest -only lanes says the same of servers on machines of their own.
func TestIdle_Slow(t *testing.T) {
	pgtest.SlowTier(t)
	t.Parallel()
	const (
		settled   = 90 * time.Second // by then what a start does is done, what is asked is prepared on each connection, and what was done is counted
		counted   = 40 * time.Second
		most      = 3.0 // transactions in a second and server; docs/figures.md has what it takes
		documents = 40
	)
	for name, c := range map[string]struct{ servers, documents int }{
		"one server": {servers: 1}, "three servers": {servers: 3}, "three servers after an ingestion": {servers: 3, documents: documents},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dsn := quietCluster(t)
			var first *testServer
			for range c.servers {
				first = startServer(t, map[string]string{"DATABASE_URL": dsn, "KG_LANES": "all", "KG_TEST_TYPES": "0"})
			}
			ingestMany(t, first.client, c.documents)
			time.Sleep(settled)
			before, began := rows(t, dsn, transactions), time.Now()
			time.Sleep(counted)
			rate := float64(rows(t, dsn, transactions)-before) / time.Since(began).Seconds() / float64(c.servers)
			t.Logf("%.2f transactions in a second and server", rate)
			if rate > most {
				t.Errorf("%.2f transactions in a second and server, want at most %.1f", rate, most)
			}
		})
	}
}

// quietCluster starts a PostgreSQL in which only clients have transactions.
func quietCluster(t *testing.T) (dsn string) {
	t.Helper()
	dsn = pgtest.NewClusterDSN(t)
	conn, err := pgx.Connect(t.Context(), dsn)
	check(t, err)
	for _, statement := range []string{"ALTER SYSTEM SET autovacuum = off", "SELECT pg_reload_conf()"} {
		_, err := conn.Exec(t.Context(), statement)
		check(t, err)
	}
	check(t, conn.Close(t.Context()))
	return dsn
}

// ingestMany ingests documents at once, each with names of its own.
func ingestMany(t *testing.T, api *client.Client, documents int) {
	t.Helper()
	ids := make([]string, documents)
	for n := range ids {
		text := strings.ReplaceAll(lanesText, "lane", fmt.Sprintf("lane%d", n))
		submitted, err := api.Documents.Submit(t.Context(), client.Document{Body: []byte(text), Filename: fmt.Sprintf("lanes-%d.txt", n), Ontology: "idle", AutoApprove: true})
		check(t, err)
		ids[n] = submitted.JobID
	}
	for _, id := range ids {
		await(t, api, id, work.StatusCompleted)
	}
}
