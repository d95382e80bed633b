package e2e

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/internal/pgtest"
	"github.com/kappagraph/kappa/work"
)

// TestIdle_Slow counts the transactions of servers that have nothing to do and all run the
// lanes, and of those that had much to do before. Operators pay for them with each server,
// whatever it does. bench/ingest -only lanes says the same of servers on machines of their own.
func TestIdle_Slow(t *testing.T) {
	pgtest.SlowTier(t)
	t.Parallel()
	const (
		settled   = 20 * time.Second // by then what a start does is done
		counted   = 40 * time.Second
		most      = 3.5 // transactions in a second and server; docs/figures.md has what it takes
		documents = 40
	)
	for name, c := range map[string]struct{ servers, documents int }{
		"one server": {servers: 1}, "three servers": {servers: 3}, "three servers after an ingestion": {servers: 3, documents: documents},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dsn, log := loggingCluster(t)
			var first *testServer
			for range c.servers {
				first = startServer(t, map[string]string{"DATABASE_URL": dsn, "KG_LANES": "all", "KG_TEST_TYPES": "0"})
			}
			ingestMany(t, first.client, c.documents)
			time.Sleep(settled)
			before, began := transactions(t, log), time.Now()
			time.Sleep(counted)
			rate := float64(transactions(t, log)-before) / time.Since(began).Seconds() / float64(c.servers)
			t.Logf("%.2f transactions in a second and server", rate)
			if rate > most {
				t.Errorf("%.2f transactions in a second and server, want at most %.1f", rate, most)
			}
		})
	}
}

// loggingCluster starts a PostgreSQL that logs each statement, and returns the path of its log.
func loggingCluster(t *testing.T) (dsn, log string) {
	t.Helper()
	dsn, log = pgtest.NewCluster(t)
	conn, err := pgx.Connect(t.Context(), dsn)
	check(t, err)
	for _, statement := range []string{"ALTER SYSTEM SET log_min_duration_statement = 0", "SELECT pg_reload_conf()"} {
		_, err := conn.Exec(t.Context(), statement)
		check(t, err)
	}
	check(t, conn.Close(t.Context()))
	return dsn, log
}

// logged is a statement of a session in the log of PostgreSQL, but for what prepares it.
var logged = regexp.MustCompile(`(?m)^\S+ \S+ \S+ \[(\d+)\] LOG:  duration: \S+ ms  (?:statement|execute [^:]*): (begin|commit|rollback)?`)

// transactions counts those that the log shows. PostgreSQL's own count has those of autovacuum,
// and those in which each connection prepares each statement once.
func transactions(t *testing.T, log string) (n int) {
	t.Helper()
	text, err := os.ReadFile(log)
	check(t, err)
	open := map[string]bool{}
	for _, found := range logged.FindAllSubmatch(text, -1) {
		session, word := string(found[1]), string(found[2])
		if !open[session] {
			n++
		}
		open[session] = word == "begin" || open[session] && word == ""
	}
	return n
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
