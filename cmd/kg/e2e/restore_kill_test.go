package e2e

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/internal/graphgen"
	"github.com/kappagraph/kappa/internal/pgtest"
	"github.com/kappagraph/kappa/storage"
	"github.com/kappagraph/kappa/work"
)

// TestKillDuringRestore_Slow kills the server with SIGKILL at several points of a restore
// that replaces the whole graph: what is then in the database is the old graph or the new
// one and nothing between, and the next server finishes the job.
func TestKillDuringRestore_Slow(t *testing.T) {
	pgtest.SlowTier(t)
	dsn, dir := newDSN(t), t.TempDir()
	shape := graphgen.Shape{Concepts: 2000, Edges: 30_000, Types: 10, Seed: 5}
	check(t, graphgen.Fill(t.Context(), dsn, shape.Concepts, shape.Make()))
	start := func() (*childServer, *client.Client) {
		server := startChild(t, filepath.Join(dir, "data"), "DATABASE_URL="+dsn)
		return server, login(t, server.url)
	}
	server, api := start()
	var archive bytes.Buffer
	_, err := api.Backups.Download(t.Context(), "", &archive)
	check(t, err)
	path := filepath.Join(dir, "graph.zst")
	check(t, os.WriteFile(path, archive.Bytes(), 0o600))
	restored := graphDigest(t, dsn)

	points := []struct {
		name    string
		reached func(work.Job) bool
	}{
		{"before the first row", func(j work.Job) bool { return j.Status == work.StatusProcessing }},
		{"while it is checked", func(j work.Job) bool { return stageOf(j) != "" }},
		{"after the first rows", func(j work.Job) bool { return stageOf(j) == "restoring" }},
		{"in the middle of the edges", func(j work.Job) bool { return restoredRows(j) > 15_000 }},
		{"after the last rows", func(j work.Job) bool { return restoredRows(j) > 31_000 }},
		{"after the commit", func(j work.Job) bool { return stageOf(j) == "restored" || j.Status == work.StatusCompleted }},
	}
	unfinished := 0
	for _, point := range points {
		change(t, dsn)
		old := graphDigest(t, dsn)
		job, err := api.Backups.Restore(t.Context(), path, storage.RestoreReplace)
		check(t, err)
		awaitPoint(t, api, job.JobID, point.name, point.reached)
		server.kill()
		found := graphDigest(t, dsn)
		switch found {
		case old:
			unfinished++
		case restored:
		default:
			t.Errorf("killed %s: the graph is neither the old nor the new one", point.name)
		}
		t.Logf("killed %s: the graph is the old one: %t", point.name, found == old)
		server, api = start()
		await(t, api, job.JobID, work.StatusCompleted)
		if graphDigest(t, dsn) != restored {
			t.Errorf("killed %s: the next attempt came to another graph", point.name)
		}
	}
	if unfinished == 0 {
		t.Error("no kill came in time to interrupt a restore")
	}
	check(t, server.stop())
}

func stageOf(j work.Job) string {
	if j.Progress == nil {
		return ""
	}
	return j.Progress.Stage
}

// restoredRows is how many rows a restore has written.
func restoredRows(j work.Job) int {
	if stageOf(j) != "restoring" {
		return 0
	}
	return j.Progress.ItemsProcessed
}

// awaitPoint waits until a job is where it is to be interrupted, or is over.
func awaitPoint(t *testing.T, api *client.Client, id, name string, reached func(work.Job) bool) {
	t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); ; time.Sleep(2 * time.Millisecond) { // polled, to kill at an odd moment
		job, err := api.Jobs.Get(t.Context(), id)
		check(t, err)
		if reached(job) || job.Status.Terminal() {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s is never %s", id, name)
		}
	}
}

// change makes the graph another one.
func change(t *testing.T, dsn string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), dsn)
	check(t, err)
	defer conn.Close(t.Context())
	_, err = conn.Exec(t.Context(), `BEGIN; SELECT pg_advisory_xact_lock(100000002); DELETE FROM kg_api.edges WHERE src % 3 = 0;
		INSERT INTO kg_api.concepts (concept_id, label, term_keys) SELECT 'old_' || n, 'Old ' || n, '{}' FROM generate_series(1, 50) n; COMMIT`)
	check(t, err)
}

// graphDigest sums up the concepts and the relationships by their names, as they are at one
// moment.
func graphDigest(t *testing.T, dsn string) string {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), dsn)
	check(t, err)
	defer conn.Close(t.Context())
	var lines int
	var sum string
	check(t, conn.QueryRow(t.Context(), `SELECT count(*), coalesce(md5(string_agg(line, E'\n' ORDER BY line COLLATE "C")), '') FROM (
		SELECT 'concept ' || c.concept_id || ' ' || c.label AS line FROM kg_api.concepts c
		UNION ALL SELECT 'edge ' || a.concept_id || ' ' || t.name || ' ' || b.concept_id || ' ' || e.confidence FROM kg_api.edges e
			JOIN kg_api.concepts a ON a.id = e.src JOIN kg_api.concepts b ON b.id = e.dst JOIN kg_api.relationship_types t ON t.id = e.type) l`).Scan(&lines, &sum))
	return fmt.Sprintf("%d lines, %s", lines, sum)
}
