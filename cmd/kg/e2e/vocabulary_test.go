package e2e

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kappagraph/kappa/internal/graphgen"
	"github.com/kappagraph/kappa/internal/pgtest"
	"github.com/kappagraph/kappa/knowledge/vocabulary"
	"github.com/kappagraph/kappa/work"
)

// TestVocabularyFollows adds relationships of new types, and waits until each type has a
// place on the axis. A server that nobody notified would ask whether there are new ones
// only two seconds after it has found the one before.
func TestVocabularyFollows(t *testing.T) {
	t.Parallel()
	s := startServer(t, nil)
	conn, err := pgx.Connect(t.Context(), s.dsn)
	must(t, err)
	t.Cleanup(func() { _ = conn.Close(t.Context()) })
	_, err = conn.Exec(t.Context(), `INSERT INTO kg_api.concepts (id, concept_id, label, term_keys) OVERRIDING SYSTEM VALUE
		SELECT n, 'c_' || n, 'Concept ' || n, '{}' FROM generate_series(1, 10) n`)
	must(t, err)
	var took []time.Duration
	for n := 1; n <= 5; n++ {
		name := fmt.Sprintf("TYPE_%d", n)
		_, err := conn.Exec(t.Context(), `WITH added AS (INSERT INTO kg_api.relationship_types (name, category) VALUES ($1, 'test') RETURNING id)
			INSERT INTO kg_api.edges (src, dst, type, confidence) SELECT $2, 10, id, 0.5 FROM added`, name, n)
		must(t, err)
		began := time.Now()
		awaitThat(t, name+" on the axis", func() bool {
			types, err := s.client.Vocabulary.Types(t.Context(), false)
			check(t, err)
			return slices.ContainsFunc(types, func(v vocabulary.Type) bool { return v.Name == name && v.Projection != nil })
		})
		took = append(took, time.Since(began))
	}
	t.Logf("commit to embedded: %v", took)
	if slices.Min(took) > time.Second { // on a busy machine most are late; each is with the poll alone
		t.Errorf("all of %v took more than half of the poll: nobody was notified", took)
	}
}

// TestRemeasurement has a job measure the relationship types.
func TestRemeasurement(t *testing.T) {
	t.Parallel()
	dsn := newDSN(t)
	check(t, graphgen.Fill(t.Context(), dsn, graphgen.Small.Concepts, graphgen.Small.Make()))
	s := startServer(t, map[string]string{"DATABASE_URL": dsn})
	measure := func(data string) (result struct {
		Success    bool           `json:"success"`
		TotalTypes int            `json:"total_types"`
		Stored     int            `json:"stored"`
		Statuses   map[string]int `json:"classifications"`
		SampleSize int            `json:"sample_size"`
	},
	) {
		t.Helper()
		job, err := s.client.Jobs.Submit(t.Context(), work.NewJob{Type: vocabulary.TypeRemeasurement, Queue: work.DefaultQueue, AutoApprove: true, Data: json.RawMessage(data)})
		check(t, err)
		check(t, json.Unmarshal(await(t, s.client, job.JobID, work.StatusCompleted).Result, &result))
		return result
	}
	types, err := s.client.Vocabulary.Types(t.Context(), true)
	check(t, err)
	dry := measure(`{"sample_size":7,"store":false}`)
	if dry.Stored != 0 || !dry.Success || dry.TotalTypes != len(types) || dry.SampleSize != 7 {
		t.Errorf("got %+v of %d types", dry, len(types))
	}
	// The server measures by itself, too, as when it found the graph.
	awaitThat(t, "the server's own measurement", func() bool {
		statuses, err := s.client.Vocabulary.EpistemicStatuses(t.Context(), "")
		check(t, err)
		return statuses.Last != nil
	})
	before, err := s.client.Vocabulary.EpistemicStatuses(t.Context(), "")
	check(t, err)
	stored := measure(`{}`)
	after, err := s.client.Vocabulary.EpistemicStatuses(t.Context(), "")
	check(t, err)
	sum := 0
	for _, n := range stored.Statuses {
		sum += n
	}
	if stored.Stored != len(types) || stored.SampleSize != vocabulary.DefaultSampleSize || sum != len(types) {
		t.Errorf("got %+v of %d types", stored, len(types))
	}
	if !after.Last.After(before.Last.Time) {
		t.Errorf("measured at %v before the job and at %v after it", before.Last, after.Last)
	}
}

// TestRemeasurementFigures_Slow prints how long the job takes for 100,000 relationships.
func TestRemeasurementFigures_Slow(t *testing.T) {
	pgtest.SlowTier(t)
	dsn := newDSN(t)
	shape := graphgen.Shape{Concepts: 10_000, Edges: 100_000, Types: 50, Seed: 3}
	check(t, graphgen.Fill(t.Context(), dsn, shape.Concepts, shape.Make()))
	s := startServer(t, map[string]string{"DATABASE_URL": dsn})
	submitted, err := s.client.Jobs.Submit(t.Context(), work.NewJob{Type: vocabulary.TypeRemeasurement, Queue: work.DefaultQueue, AutoApprove: true})
	check(t, err)
	job := await(t, s.client, submitted.JobID, work.StatusCompleted)
	took := job.CompletedAt.Sub(job.StartedAt.Time)
	t.Logf("re-measurement of %d relationships of %d types: %s", shape.Edges, shape.Types, took.Round(time.Millisecond))
	if took > 50*time.Second { // 10 s on a machine that has nothing else to do
		t.Errorf("it took %s", took)
	}
	if n := rows(t, dsn, "SELECT count(*) FROM kg_api.type_measures WHERE status IS NOT NULL"); n < shape.Types {
		t.Errorf("%d types are measured", n)
	}
}
