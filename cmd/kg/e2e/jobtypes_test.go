package e2e

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kappagraph/kappa/artifacts"
	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/corpus/datasets"
	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/internal/pgtest"
	"github.com/kappagraph/kappa/knowledge/curation"
	"github.com/kappagraph/kappa/knowledge/ontologies"
	"github.com/kappagraph/kappa/knowledge/projection"
	"github.com/kappagraph/kappa/knowledge/questions"
	"github.com/kappagraph/kappa/knowledge/vocabulary"
	"github.com/kappagraph/kappa/storage"
	"github.com/kappagraph/kappa/work"
)

// interrupted is a job type that is stopped in the middle of its work: at the first
// statement that touches a table, which the test locks.
type interrupted struct {
	data   string
	table  string // in kg_api
	submit func(t *testing.T, api *client.Client, archive string) string
	why    string // it cannot be stopped here
}

// interruptedTypes are all job types that a lane may have.
var interruptedTypes = map[string]interrupted{
	"ingestion":                    {why: "TestKillDuringJob kills it between its chunks"},
	projection.TypeProjection:      {table: "projections", data: `{"ontology":"ops/notes","force":true,"n_components":2}`},
	questions.TypePolarity:         {table: "artifacts", submit: submitPolarity},
	vocabulary.TypeRemeasurement:   {table: "type_measures"},
	vocabulary.TypeRefresh:         {table: "relationship_types", data: `{"only_computed":false}`},
	vocabulary.TypeEmbedding:       {table: "type_embeddings", data: `{"only_missing":false}`},
	vocabulary.TypeConsolidate:     {table: "relationship_types", data: `{"target_size":1,"auto_execute_threshold":0.5,"dry_run":true}`},
	corpus.TypeSourceEmbedding:     {table: "source_embeddings", data: `{"force":true}`},
	corpus.TypePassageEmbedding:    {why: "without a model that embeds passages it has nothing to do"},
	artifacts.TypeCleanup:          {table: "artifacts"},
	models.TypeReembed:             {table: "embedding_space"},
	storage.TypeRestore:            {table: "edges", submit: submitArchive},
	"ingest_image":                 {why: "it needs a model that sees"},
	datasets.TypeQuery:             {why: "it needs the program kg-data"},
	work.TypeNoop:                  {why: "it touches no table"},
	work.TypeSleep:                 {why: "it touches no table"},
	work.TypeEffect:                {why: "the failpoints stop it at every step"},
	curation.TypeAnnealing:         {table: "ontology_scores"},
	storage.TypeCheck:              {table: "edge_evidence"},
	ontologies.TypeRemoval:         {why: "nobody submits one; TestLargeOntology has it go on part by part"},
	curation.TypeProposalExecution: {table: "moved_documents", submit: submitProposal},
}

// TestEveryJobTypeIsInterrupted_Slow cancels a job of each type while it waits for the
// database in the middle of its work, and kills the server during another one: the cancel
// ends the job, and the next attempt comes to the result of a server that nobody killed.
func TestEveryJobTypeIsInterrupted_Slow(t *testing.T) {
	pgtest.SlowTier(t)
	whole := startServer(t, nil)
	dsn, dir := newDSN(t), t.TempDir()
	start := func() (*childServer, *client.Client) {
		server := startChild(t, filepath.Join(dir, "data"), "DATABASE_URL="+dsn, "KG_TEST_TYPES=1")
		return server, login(t, server.url)
	}
	server, api := start()
	prepareTypes(t, whole.client, whole.dsn)
	prepareTypes(t, api, dsn)
	archive := archiveOf(t, api, filepath.Join(dir, "graph.zst"))
	other := archiveOf(t, whole.client, filepath.Join(dir, "whole.zst"))
	lanes, err := api.Workers.Lanes(t.Context())
	check(t, err)
	for _, lane := range lanes {
		for _, name := range lane.JobTypes {
			if name == work.TypeJobAction {
				continue // acts on what is selected; TestActAfterCrashes and TestActIsCancelled interrupt it
			}
			if _, ok := interruptedTypes[name]; !ok {
				t.Errorf("lane %s has the job type %s, which this test does not interrupt", lane.Name, name)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(interruptedTypes)) {
		it := interruptedTypes[name]
		submit := func(t *testing.T, c *client.Client) string {
			t.Helper()
			if it.submit != nil {
				if c == whole.client {
					return it.submit(t, c, other)
				}
				return it.submit(t, c, archive)
			}
			reply, err := c.Jobs.Submit(t.Context(), work.NewJob{Type: name, Queue: work.DefaultQueue, AutoApprove: true, Data: json.RawMessage(cmp.Or(it.data, "{}")), MaxRetries: work.DefaultMaxRetries})
			check(t, err)
			return reply.JobID
		}
		t.Run(name, func(t *testing.T) {
			if it.why != "" {
				t.Skip(it.why)
			}
			release := lockTable(t, dsn, it.table)
			id := submit(t, api)
			awaitBlocked(t, api, dsn, id, it.table)
			began := time.Now()
			_, err := api.Jobs.Cancel(t.Context(), id)
			check(t, err)
			await(t, api, id, work.StatusCancelled)
			t.Logf("cancelled within %s", time.Since(began).Round(time.Millisecond))
			release()

			release = lockTable(t, dsn, it.table)
			id = submit(t, api)
			awaitBlocked(t, api, dsn, id, it.table)
			server.kill()
			release()
			server, api = start()
			job := await(t, api, id, work.StatusCompleted)
			unharmed := await(t, whole.client, submit(t, whole.client), work.StatusCompleted)
			if job.Attempt != 2 {
				t.Errorf("it took %d attempts, want 2", job.Attempt)
			}
			if got, want := withoutTimes(t, job.Result), withoutTimes(t, unharmed.Result); !reflect.DeepEqual(got, want) {
				t.Errorf("the result is\n%v, of a server that nobody killed\n%v", got, want)
			}
			if got, want := graphDigest(t, dsn), graphDigest(t, whole.dsn); got != want {
				t.Errorf("the graph has %s, that of a server that nobody killed %s", got, want)
			}
		})
	}
}

// archiveOf writes a backup of a server's graph into a file, and returns its path.
func archiveOf(t *testing.T, api *client.Client, path string) string {
	t.Helper()
	var b bytes.Buffer
	_, err := api.Backups.Download(t.Context(), "", &b)
	check(t, err)
	check(t, os.WriteFile(path, b.Bytes(), 0o600))
	return path
}

// prepareTypes gives the job types something to do.
func prepareTypes(t *testing.T, api *client.Client, dsn string) {
	t.Helper()
	submitted, err := api.Documents.Submit(t.Context(), client.Document{Body: []byte(lanesText), Filename: "lanes.txt", Ontology: "ops/notes", AutoApprove: true})
	check(t, err)
	await(t, api, submitted.JobID, work.StatusCompleted)
	submitted, err = api.Documents.Submit(t.Context(), client.Document{Body: []byte("Bees pollinate apple trees. Honey is made by bees."), Filename: "bees.txt", Ontology: "bees", AutoApprove: true})
	check(t, err)
	await(t, api, submitted.JobID, work.StatusCompleted)
	conn, err := pgx.Connect(t.Context(), dsn)
	check(t, err)
	defer conn.Close(t.Context())
	_, err = conn.Exec(t.Context(), `INSERT INTO kg_api.ontology_proposals (kind, ontology, ontology_name, target, target_name, reasoning, made_by, epoch)
			SELECT 'merge', a.id, a.name, b.id, b.name, 'to try it', 'job_0', 0 FROM kg_api.ontologies a, kg_api.ontologies b WHERE (a.name, b.name) = ('bees', 'ops/notes');
		INSERT INTO kg_api.relationship_types (name, category) SELECT n, 'llm_generated' FROM unnest(ARRAY['PUMPING', 'PUMPINGS', 'STORING']) n;
		INSERT INTO kg_api.artifacts (artifact_type, representation, graph_epoch, payload, expires_at) SELECT 'report', 'cli', 0, '{}', now() - interval '1 hour' FROM generate_series(1, 5)`)
	check(t, err)
}

func submitPolarity(t *testing.T, api *client.Client, _ string) string {
	t.Helper()
	found, err := api.Concepts.List(t.Context(), questions.ConceptFilter{Ontology: "ops/notes", Limit: 100})
	check(t, err)
	ids := map[string]string{}
	for _, c := range found.Concepts {
		ids[c.Label] = c.ConceptID
	}
	labels := slices.Sorted(maps.Keys(ids))
	data, err := json.Marshal(map[string]any{"positive_pole_id": ids[labels[0]], "negative_pole_id": ids[labels[len(labels)-1]], "create_artifact": true})
	check(t, err)
	reply, err := api.Jobs.Submit(t.Context(), work.NewJob{Type: questions.TypePolarity, Queue: work.DefaultQueue, AutoApprove: true, Data: data, MaxRetries: work.DefaultMaxRetries})
	check(t, err)
	return reply.JobID
}

// submitProposal accepts the proposal to join the bees to the notes.
func submitProposal(t *testing.T, api *client.Client, _ string) string {
	t.Helper()
	list, err := api.Proposals.List(t.Context(), curation.ProposalFilter{Kind: curation.ProposalMerge, Ontology: "bees", Limit: 1})
	check(t, err)
	if len(list) == 0 {
		t.Fatal("the proposal is gone")
	}
	p, err := api.Proposals.Review(t.Context(), list[0].ID, true, "")
	check(t, err)
	return *p.JobID
}

func submitArchive(t *testing.T, api *client.Client, archive string) string {
	t.Helper()
	restored, err := api.Backups.Restore(t.Context(), archive, storage.RestoreReplace)
	check(t, err)
	return restored.JobID
}

// lockTable keeps everybody from a table until release is called, or the test ends.
func lockTable(t *testing.T, dsn, table string) (release func()) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), dsn)
	check(t, err)
	_, err = conn.Exec(t.Context(), "BEGIN; LOCK TABLE kg_api."+table)
	check(t, err)
	t.Cleanup(func() { _ = conn.Close(t.Context()) })
	return func() { check(t, conn.Close(t.Context())) }
}

// awaitBlocked waits until a job is worked on and the table is waited for.
func awaitBlocked(t *testing.T, api *client.Client, dsn, id, table string) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		job, err := api.Jobs.Get(t.Context(), id)
		check(t, err)
		if job.Status == work.StatusProcessing && rows(t, dsn, "SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = ('kg_api.' || $1)::regclass", table) > 0 {
			return
		}
		if job.Status.Terminal() || time.Now().After(deadline) {
			t.Fatalf("%s is %s and does not wait for %s: %s", id, job.Status, table, deref(job.Error))
		}
	}
}

// withoutTimes is a result without what differs between two runs: times, and numbers that
// the database gives.
func withoutTimes(t *testing.T, raw json.RawMessage) map[string]any {
	t.Helper()
	var result map[string]any
	check(t, json.Unmarshal(raw, &result))
	for _, name := range []string{"duration_ms", "computation_time_ms", "changelist_id", "storage_key", "artifact_id", "processing_stats", "job_id", "cycle_epoch", "proposal_ids"} {
		delete(result, name)
	}
	return result
}
