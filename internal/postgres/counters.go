package postgres

import (
	"context"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/postgres/db"
	"github.com/kappagraph/kappa/knowledge"
)

// CounterStore counts what the graph holds, and remembers what it counted.
type CounterStore struct{ *base }

// Counters returns the store of the counters.
func (d *DB) Counters() CounterStore { return CounterStore{&d.base} }

// Counters returns every counter with how much it has changed since the last Refresh.
func (s CounterStore) Counters(ctx context.Context) (out knowledge.GraphCounters, err error) {
	err = GraphStore(s).View(ctx, func(s *GraphSnapshot) error {
		out, err = s.counters(ctx)
		return err
	})
	return out, translate(err, "count what the graph holds")
}

// Refresh counts anew, remembers the values, and returns what has changed.
func (s CounterStore) Refresh(ctx context.Context) (changes []knowledge.CounterChange, err error) {
	now, err := s.Counters(ctx)
	if err != nil {
		return nil, err
	}
	err = inTx(ctx, s.graph, func(q *db.Queries) error {
		changes = nil
		for _, c := range append(now.Snapshot, now.Activity...) {
			changes = append(changes, knowledge.CounterChange{Name: c.Name, Old: c.Value - c.Delta, New: c.Value, Changed: c.Delta != 0})
			if err := q.CounterMeasure(ctx, c.Name, c.Value); err != nil {
				return err
			}
		}
		return nil
	})
	return changes, translate(err, "refresh the counters")
}

func (s *GraphSnapshot) counters(ctx context.Context) (knowledge.GraphCounters, error) {
	tally, err := s.tally(ctx)
	if err != nil {
		return knowledge.GraphCounters{}, err
	}
	values, err := s.q.CounterValues(ctx)
	if err != nil {
		return knowledge.GraphCounters{}, err
	}
	rows, err := s.q.CounterMeasurements(ctx)
	if err != nil {
		return knowledge.GraphCounters{}, err
	}
	measured := make(map[string]db.KgApiCounterMeasurement, len(rows))
	for _, r := range rows {
		measured[r.Name] = r
	}
	counter := func(name string, value int64, notes string) knowledge.GraphCounter {
		c := knowledge.GraphCounter{Name: name, Value: value, Delta: value, Notes: notes}
		if m, ok := measured[name]; ok {
			at := kappa.At(m.MeasuredAt)
			c.Delta, c.LastMeasured, c.UpdatedAt = value-m.Value, &at, &at
		}
		return c
	}
	return knowledge.GraphCounters{
		Snapshot: []knowledge.GraphCounter{
			counter(knowledge.CounterConcepts, int64(tally.concepts), "Concepts"),
			counter(knowledge.CounterEdges, int64(tally.relationships), "Relationships"),
			counter(knowledge.CounterSources, int64(tally.all.sources), "Chunks of documents"),
			counter(knowledge.CounterTypes, values.Types, "Types of relationships that were not merged into others"),
			counter(knowledge.CounterDocuments, int64(tally.all.documents), "Documents, once for each ontology"),
		},
		Activity: []knowledge.GraphCounter{counter(knowledge.CounterEpoch, values.Epoch, "Changes of the graph")},
		Legacy:   []knowledge.GraphCounter{},
	}, nil
}

// SinceMeasurement says how much has changed since the vocabulary was measured.
func (s CounterStore) SinceMeasurement(ctx context.Context) (knowledge.GraphMetrics, error) {
	r, err := db.New(s.graph).CountersSinceMeasurement(ctx)
	if err != nil {
		return knowledge.GraphMetrics{}, translate(err, "read what has changed since the vocabulary was measured")
	}
	out := knowledge.GraphMetrics{
		Vocabulary: knowledge.MeasuredCounter{Counter: r.Types, Delta: r.NewTypes},
		Graph:      knowledge.MeasuredCounter{Counter: r.Epoch, Delta: r.Epoch - r.MeasuredEpoch},
	}
	if r.MeasuredAt.Unix() > 0 { // else never
		at := kappa.At(r.MeasuredAt)
		out.Vocabulary.LastMeasuredAt, out.Graph.LastMeasuredAt = &at, &at
	}
	return out, nil
}
