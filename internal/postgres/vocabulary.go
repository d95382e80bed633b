package postgres

import (
	"context"
	"math"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/postgres/db"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/vocabulary"
)

// VocabularyStore keeps what is measured of relationship types.
type VocabularyStore struct{ *base }

// Vocabulary returns the store of the measures of relationship types.
func (d *DB) Vocabulary() VocabularyStore { return VocabularyStore{&d.base} }

// TypeVectors returns every relationship type with what is embedded of it by a model,
// by name.
func (s VocabularyStore) TypeVectors(ctx context.Context, model string) ([]vocabulary.TypeVector, error) {
	rows, err := db.New(s.graph).TypeVectors(ctx, model)
	if err != nil {
		return nil, translate(err, "read the embeddings of relationship types")
	}
	list := make([]vocabulary.TypeVector, len(rows))
	for i, r := range rows {
		list[i] = vocabulary.TypeVector{ID: int(r.ID), Name: r.Name, Description: r.Description, Text: r.Text, Embedding: r.Vector, Projection: r.Projection}
	}
	return list, nil
}

// StoreTypeVectors stores what was embedded by a model, and the projections. Types
// without an embedding keep the one they have, and likewise with projections.
func (s VocabularyStore) StoreTypeVectors(ctx context.Context, model string, types []vocabulary.TypeVector) error {
	err := inTx(ctx, s.graph, func(q *db.Queries) error {
		var embedded []db.TypeEmbeddingStoreParams
		var ids []int32
		var projections []float64
		for _, t := range types {
			if t.Embedding != nil {
				embedded = append(embedded, db.TypeEmbeddingStoreParams{Type: int32(t.ID), Model: model, Text: t.Text, Vector: t.Embedding})
			}
			if t.Projection != nil {
				ids, projections = append(ids, int32(t.ID)), append(projections, *t.Projection)
			}
		}
		var failed error
		q.TypeEmbeddingStore(ctx, embedded).Exec(func(_ int, err error) {
			if err != nil {
				failed = err
			}
		})
		if failed != nil {
			return failed
		}
		return q.TypeProjectionStore(ctx, ids, projections)
	})
	return translate(err, "store the embeddings of relationship types")
}

// VocabularyPending reports whether a type waits for its embedding by a model, and
// whether the graph has changed since the types were measured with it.
func (s VocabularyStore) VocabularyPending(ctx context.Context, model string) (types, measurement bool, err error) {
	row, err := db.New(s.graph).VocabularyPending(ctx, model)
	return row.Types, row.Measurement, translate(err, "ask what is to be measured of the vocabulary")
}

// TypeNames returns the names of all relationship types, those first that a reader is to
// know of first.
func (s VocabularyStore) TypeNames(ctx context.Context) (names vocabulary.TypeNames, err error) {
	rows, err := db.New(s.graph).TypeNames(ctx)
	if err != nil {
		return names, translate(err, "read the relationship types")
	}
	for _, r := range rows {
		if r.IsActive {
			names.Active = append(names.Active, r.Name)
		} else {
			names.Merged = append(names.Merged, r.Name)
		}
	}
	return names, nil
}

// VocabularyTypes returns every relationship type with its epistemic status, by name.
// With counts it has the number of edges of each too.
func (s VocabularyStore) VocabularyTypes(ctx context.Context, counts bool) ([]vocabulary.Type, []vocabulary.TypeEpistemic, error) {
	q := db.New(s.graph)
	rows, err := q.TypeStatuses(ctx)
	if err != nil {
		return nil, nil, translate(err, "read the relationship types")
	}
	var edges map[int32]int
	if counts {
		if edges, err = s.typeCounts(ctx); err != nil {
			return nil, nil, err
		}
	}
	types, statuses := make([]vocabulary.Type, len(rows)), make([]vocabulary.TypeEpistemic, len(rows))
	for i, r := range rows {
		types[i] = vocabulary.Type{
			RelationshipType: vocabulary.RelationshipType{Name: r.Name, Category: r.Category, Builtin: r.IsBuiltin},
			Description:      r.Description, AddedBy: r.AddedBy,
			Active: r.IsActive, Confidence: r.CategoryConfidence, Ambiguous: r.CategoryAmbiguous, AddedAt: kappa.At(r.CreatedAt), AvgGrounding: r.AvgGrounding, Status: r.Status, Projection: r.Projection,
		}
		types[i].CategorySource = categorySource(types[i])
		if counts {
			types[i].EdgeCount = new(edges[r.ID])
		}
		statuses[i] = toEpistemic(r)
	}
	return types, statuses, nil
}

// typeCounts returns how many relationships there are of each type that has some.
func (s VocabularyStore) typeCounts(ctx context.Context) (counts map[int32]int, err error) {
	err = GraphStore(s).View(ctx, func(s *GraphSnapshot) error {
		tally, err := s.tally(ctx)
		counts = tally.types
		return err
	})
	return counts, err
}

func toEpistemic(r db.TypeStatusesRow) vocabulary.TypeEpistemic {
	if r.Status == nil {
		return vocabulary.TypeEpistemic{Type: r.Name, Status: knowledge.StatusInsufficientData}
	}
	stats := knowledge.GroundingStats{
		Avg: r.AvgGrounding, Std: r.StdGrounding, Min: r.MinGrounding, Max: r.MaxGrounding,
		Concepts: int(r.Concepts), Sampled: int(r.Sampled), Total: int(r.Total),
	}
	return vocabulary.MeasuredType{Name: r.Name, Status: *r.Status, Stats: stats}.Epistemic(kappa.At(*r.MeasuredAt))
}

// VocabularyMeasurement returns when all types were measured last; ok is false when
// they never were.
func (s VocabularyStore) VocabularyMeasurement(ctx context.Context) (m vocabulary.Measurement, ok bool, err error) {
	row, err := db.New(s.graph).MeasurementRead(ctx)
	if isNoRows(err) {
		return vocabulary.Measurement{}, false, nil
	}
	return vocabulary.Measurement{
		Model: row.Model, Epoch: row.Epoch, SampleSize: int(row.SampleSize), At: kappa.At(row.MeasuredAt), Changes: int(row.Changes),
	}, err == nil, translate(err, "read the last measurement of the vocabulary")
}

// StoreMeasurement stores the statuses of types, as of an epoch of the graph.
func (s VocabularyStore) StoreMeasurement(ctx context.Context, m vocabulary.Measurement, types []vocabulary.MeasuredType) error {
	var p db.TypeStatusStoreParams
	for _, t := range types {
		p.Types, p.Statuses = append(p.Types, int32(t.ID)), append(p.Statuses, t.Status)
		p.Averages, p.Deviations = append(p.Averages, orNaN(t.Stats.Avg)), append(p.Deviations, orNaN(t.Stats.Std))
		p.Least, p.Greatest = append(p.Least, orNaN(t.Stats.Min)), append(p.Greatest, orNaN(t.Stats.Max))
		p.Concepts, p.Sampled = append(p.Concepts, int32(t.Stats.Concepts)), append(p.Sampled, int32(t.Stats.Sampled))
		p.Totals = append(p.Totals, int32(t.Stats.Total))
	}
	err := inTx(ctx, s.graph, func(q *db.Queries) error {
		if err := q.TypeStatusStore(ctx, p); err != nil {
			return err
		}
		return q.MeasurementStore(ctx, m.Model, m.Epoch, int32(m.SampleSize))
	})
	return translate(err, "store the measurement of the vocabulary")
}

// orNaN returns what stands for a missing figure in an array.
func orNaN(v *float64) float64 {
	if v == nil {
		return math.NaN()
	}
	return *v
}

// TypeStatuses returns the epistemic status of every relationship type, "" for one
// that was not measured yet.
func (s *GraphSnapshot) TypeStatuses(ctx context.Context) (map[string]string, error) {
	rows, err := s.q.TypeStatuses(ctx)
	if err != nil {
		return nil, translate(err, "read the status of relationship types")
	}
	statuses := make(map[string]string, len(rows))
	for _, r := range rows {
		statuses[r.Name] = ""
		if r.Status != nil {
			statuses[r.Name] = *r.Status
		}
	}
	return statuses, nil
}

// categorySource says where the category of a type is from.
func categorySource(t vocabulary.Type) string {
	switch {
	case t.Confidence != nil:
		return "computed"
	case t.Builtin:
		return "builtin"
	}
	return "given"
}
