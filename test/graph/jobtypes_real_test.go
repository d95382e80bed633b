package graph_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/graph"
	"github.com/kappagraph/kappa/internal/jobs"
	"github.com/kappagraph/kappa/internal/pgtest"
	"github.com/kappagraph/kappa/internal/postgres"
	projector "github.com/kappagraph/kappa/internal/projection"
	measuring "github.com/kappagraph/kappa/internal/vocabulary"
	"github.com/kappagraph/kappa/knowledge/projection"
	"github.com/kappagraph/kappa/knowledge/vocabulary"
	"github.com/kappagraph/kappa/work"
)

const maintenanceWorker = "00000000-0000-4000-8000-00000000000c"

// maintained is a graph with the job types that maintain it, on a real database.
type maintained struct {
	realGraph
	types []work.JobType
}

// kept is what jobs of projections ask.
type kept struct {
	*projector.Service
	postgres.ProjectionStore
}

func (k kept) Changelist(ctx context.Context, q projection.Query) (current, last string, err error) {
	return k.Service.Changelist(ctx, q)
}

func newMaintained(t *testing.T) maintained {
	t.Helper()
	g := newRealGraph(t, graph.Config{})
	var labels []string
	for i := range 60 {
		labels = append(labels, fmt.Sprintf("%s number %d", []string{"pump", "turbine", "battery"}[i%3], i))
	}
	g.addConcepts(t, labels)
	g.exec(t, `INSERT INTO kg_api.relationship_types (name, category) SELECT n, 'llm_generated' FROM unnest(ARRAY['PUMPING', 'PUMPINGS', 'PUMPED_BY', 'STORING']) n`)
	g.exec(t, `INSERT INTO kg_api.edges (src, dst, type, confidence) SELECT n, n + 1, t.id, 0.5 FROM generate_series(1, 40) n, kg_api.relationship_types t WHERE t.name IN ('PUMPING', 'PUMPINGS')`)
	g.exec(t, `INSERT INTO kg_api.edge_evidence (src, dst, type, source, confidence, quote) SELECT e.src, e.dst, e.type, s.id, 0.5, 'q' || e.type FROM kg_api.edges e, kg_api.sources s`)
	g.exec(t, `UPDATE kg_api.sources SET full_text = repeat('water is stored. ', 200), end_byte = 3400, end_char = 3400`)
	g.exec(t, `INSERT INTO kg_api.passages (source, number, start_byte, end_byte, start_char, end_char, class, body)
		SELECT s.id, n, n, n + 7, n, n + 7, 'prose', 'pump ' || lpad(n::text, 2, '0') FROM kg_api.sources s, generate_series(1, 99) n`)
	g.exec(t, `INSERT INTO kg_api.artifacts (artifact_type, representation, graph_epoch, payload, expires_at) SELECT 'report', 'cli', 0, '{}', now() - interval '1 hour' FROM generate_series(1, 5)`)
	v := measuring.New(measuring.Config{Store: g.db.Vocabulary(), Embedder: spelling{}, Now: time.Now})
	service := projector.NewService(g.db.Projections(), func() string { return spelling{}.Model().Name }, time.Now)
	compute := func(ctx context.Context, q projection.Query, report func(string, int) error) (projection.Projection, error) {
		return service.Compute(ctx, q, report)
	}
	claims := g.db.Claims()
	must(t, g.db.Workers().Register(t.Context(), work.Worker{ID: maintenanceWorker, Hostname: "test", PID: 1}, "test", time.Hour))
	types := []work.JobType{
		jobs.NewProjection(compute, kept{service, g.db.Projections()}, claims, g.db.Artifacts(), direct),
		jobs.NewVocabRefresh(v.RefreshCategories, claims, direct),
		jobs.NewVocabEmbedding(v.EmbedAll, claims, direct),
		jobs.NewVocabConsolidate(v.Consolidate, claims, direct),
		jobs.NewRemeasurement(v.MeasureEach, claims, direct),
		jobs.NewSourceEmbedding(g.db.Maintenance(), spelling{}, direct),
		jobs.NewPassageEmbedding(jobs.PassageEmbeddingConfig{Store: g.db.PassageEmbeddings(), Embedder: spelling{}, Claims: claims, Retry: direct}),
		jobs.NewArtifactCleanup(g.db.Maintenance(), claims, direct),
	}
	for _, each := range types {
		must(t, g.db.Lanes().AddLaneTypes(t.Context(), each.Lane, each.Name))
	}
	return maintained{g, types}
}

// direct calls once.
func direct(ctx context.Context, _ string, call func(ctx context.Context) error) error {
	return call(ctx)
}

// claimed submits a job and returns its claim.
func (m maintained) claimed(t *testing.T, jobType work.JobType) work.Claim {
	t.Helper()
	data := ""
	if jobType.Name == vocabulary.TypeConsolidate {
		data = `{"target_size": 1, "auto_execute_threshold": 0.5}`
	}
	if jobType.Name == projection.TypeProjection {
		data = `{"n_components": 2}` // three take minutes under the race detector
	}
	n := work.NewJob{Type: jobType.Name, Queue: work.DefaultQueue, AutoApprove: true, UserID: access.SystemUserID, MaxRetries: 3}
	if data != "" {
		n.Data = json.RawMessage(data)
	}
	_, err := m.db.Jobs().SubmitJob(t.Context(), n)
	must(t, err)
	return m.reclaimed(t, jobType)
}

// reclaimed claims the job of a type that waits.
func (m maintained) reclaimed(t *testing.T, jobType work.JobType) work.Claim {
	t.Helper()
	batch, err := m.db.Claims().Claim(t.Context(), work.ClaimRequest{Lane: jobType.Lane, Worker: maintenanceWorker, Types: []string{jobType.Name}, Most: 1})
	must(t, err)
	if len(batch.Claims) != 1 {
		t.Fatalf("claimed %d jobs of %s, want 1", len(batch.Claims), jobType.Name)
	}
	return batch.Claims[0]
}

// handBack gives a job back as a server does that stops.
func (m maintained) handBack(t *testing.T, c work.Claim) {
	t.Helper()
	_, err := m.db.Claims().Finish(t.Context(), maintenanceWorker, []work.Outcome{{Claim: c, Status: work.StatusApproved}})
	must(t, err)
}

// everything is the tables that the jobs write, in one text.
func (m maintained) everything(t *testing.T) (text string) {
	t.Helper()
	must(t, m.conn.QueryRow(t.Context(), `SELECT string_agg(line, E'\n' ORDER BY line) FROM (
		SELECT 'edge ' || e.src || ' ' || e.dst || ' ' || e.type || ' ' || e.confidence AS line FROM kg_api.edges e
		UNION ALL SELECT 'evidence ' || v::text FROM kg_api.edge_evidence v
		UNION ALL SELECT 'type ' || t.name || ' ' || t.category || coalesce(t.merged_into, 0) FROM kg_api.relationship_types t
		UNION ALL SELECT 'typed ' || md5(e::text) FROM kg_api.type_embeddings e
		UNION ALL SELECT 'piece ' || md5(e::text) FROM kg_api.source_embeddings e
		UNION ALL SELECT 'passage ' || md5(e::text) FROM kg_api.passage_embeddings e
		UNION ALL SELECT 'picture ' || p.items || (SELECT md5(string_agg(c::text, ',')) FROM json_array_elements(p.body -> 'concepts') c) FROM kg_api.projections p
		UNION ALL SELECT 'status ' || s.type || coalesce(s.status, '') FROM kg_api.type_measures s
		UNION ALL SELECT 'artifact ' || a.id FROM kg_api.artifacts a) l`).Scan(&text))
	return text
}

// TestMaintenanceOnARealDatabase_Slow works on a job of each type three times on graphs that
// are the same: in one go; cancelled; and interrupted in the middle, with another attempt
// after it, while the first one goes on as a process does that does not know that it is
// dead.
func TestMaintenanceOnARealDatabase_Slow(t *testing.T) {
	pgtest.SlowTier(t)
	whole, broken := newMaintained(t), newMaintained(t)
	for i, jobType := range whole.types {
		t.Run(jobType.Name, func(t *testing.T) {
			m := whole
			c := m.claimed(t, jobType)
			result, err := jobType.Handler(t.Context(), c)
			if err != nil || !json.Valid(result) || !strings.Contains(string(result), `"success":true`) && !strings.Contains(string(result), `"status":"completed"`) {
				t.Fatalf("in one go: %s, %v", result, err)
			}
			_, err = m.db.Claims().Finish(t.Context(), maintenanceWorker, []work.Outcome{{Claim: c, Status: work.StatusCompleted, Result: result}})
			must(t, err)
			t.Run("a cancel stops it, and it writes nothing after", func(t *testing.T) {
				c := m.claimed(t, jobType)
				_, err := m.db.Jobs().Cancel(t.Context(), c.JobID)
				must(t, err)
				before := m.everything(t)
				began := time.Now()
				_, err = jobType.Handler(t.Context(), c)
				nothing := slices.Contains([]string{projection.TypeProjection, corpus.TypeSourceEmbedding, corpus.TypePassageEmbedding}, jobType.Name) // there is nothing to do any more
				if !errors.Is(err, kappa.ErrCancelled) && !(nothing && err == nil) || time.Since(began) > 20*time.Second {                             // a machine may do much else
					t.Errorf("%v after %s", err, time.Since(began))
				}
				if after := m.everything(t); after != before {
					t.Errorf("it changed\n%s\nto\n%s", before, after)
				}
				_, err = m.db.Claims().Finish(t.Context(), maintenanceWorker, []work.Outcome{{Claim: c, Status: work.StatusCancelled}})
				must(t, err)
			})
			t.Run("another attempt comes to the same, and the dead one changes nothing", func(t *testing.T) {
				again := broken.types[i]
				dead := broken.claimed(t, again)
				ctx, stop := context.WithCancelCause(t.Context())
				timer := time.AfterFunc(2*time.Millisecond, func() { stop(kappa.ErrShutdown) })
				defer timer.Stop()
				if _, err := again.Handler(ctx, dead); err != nil && !errors.Is(err, kappa.ErrShutdown) {
					t.Fatalf("interrupted: %v", err)
				}
				broken.handBack(t, dead)
				second := broken.reclaimed(t, again)
				if second.Token <= dead.Token {
					t.Fatalf("the second claim is %+v", second)
				}
				result, err := again.Handler(t.Context(), second)
				if err != nil {
					t.Fatalf("the second attempt: %v", err)
				}
				_, err = broken.db.Claims().Finish(t.Context(), maintenanceWorker, []work.Outcome{{Claim: second, Status: work.StatusCompleted, Result: result}})
				must(t, err)
				want := broken.everything(t)
				if _, err := again.Handler(t.Context(), dead); err != nil && !errors.Is(err, kappa.ErrStale) {
					t.Errorf("the dead attempt: %v", err)
				}
				if got := broken.everything(t); got != want {
					t.Errorf("the dead attempt changed\n%s\nto\n%s", want, got)
				}
			})
		})
	}
	t.Run("what the jobs have done", func(t *testing.T) {
		for name, query := range map[string]string{
			"a type is merged":            `SELECT count(*) = 1 FROM kg_api.vocabulary_merges`,
			"chunks are embedded":         `SELECT count(DISTINCT source) = 2 AND count(*) = 4 FROM kg_api.source_embeddings`,
			"passages are embedded":       `SELECT count(*) = 198 FROM kg_api.passage_embeddings`,
			"nothing expired is left":     `SELECT count(*) = 0 FROM kg_api.artifacts WHERE expires_at < now()`,
			"the concepts are placed":     `SELECT max(items) = 60 FROM kg_api.projections`,
			"types have a category":       `SELECT count(*) = 0 FROM kg_api.relationship_types WHERE category = 'llm_generated' AND merged_into IS NULL`,
			"types are measured":          `SELECT count(*) > 30 FROM kg_api.type_measures WHERE status IS NOT NULL`,
			"all evidence is still there": `SELECT (SELECT count(*) FROM kg_api.edge_evidence) + (SELECT count(*) FROM kg_api.merged_evidence WHERE set_aside) = 160`,
		} {
			var holds bool
			must(t, whole.conn.QueryRow(t.Context(), query).Scan(&holds))
			if !holds {
				t.Errorf("it does not hold that %s", name)
			}
		}
	})
}
