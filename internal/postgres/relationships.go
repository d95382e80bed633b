package postgres

import (
	"context"
	"math"
	"slices"
	"strings"

	"github.com/kappagraph/kappa/internal/postgres/db"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/vocabulary"
)

// writeRelationships stores the chunk's relationships as edges with evidence.
// An inward one is stored the other way round; one between spellings of the
// same concept says nothing and is left out.
func (w *chunkWriter) writeRelationships(ctx context.Context) error {
	if len(w.graph.Relationships) == 0 {
		return nil
	}
	types, err := w.ensureTypes(ctx)
	if err != nil {
		return err
	}
	p := db.EvidenceInsertParams{Source: w.source}
	for _, r := range w.graph.Relationships {
		src, dst := w.concepts[r.From], w.concepts[r.To]
		marks := r.Marks
		if r.Direction == knowledge.Inward {
			src, dst, marks = dst, src, marks.Swapped()
		}
		if src == dst {
			continue
		}
		kind := types[typeName(r.Type)]
		if kind.symmetric && src > dst {
			src, dst, marks = dst, src, marks.Swapped() // whichever end is named first, it is one edge
		}
		p.Sources = append(p.Sources, src)
		p.Targets = append(p.Targets, dst)
		p.Types = append(p.Types, kind.id)
		p.Confidences = append(p.Confidences, clampConfidence(r.Confidence))
		p.Quotes = append(p.Quotes, r.Quote)
		p.Starts = append(p.Starts, int32(r.Span.Start))
		p.Ends = append(p.Ends, int32(r.Span.End))
		addMarks(&p, marks)
	}
	created, err := w.q.EdgeUpsert(ctx, db.EdgeUpsertParams{
		Sources: p.Sources, Targets: p.Targets, Types: p.Types, Confidences: p.Confidences,
	})
	if err != nil {
		return err
	}
	for _, c := range created {
		if c {
			w.counts.RelationshipsCreated++
		}
	}
	return w.q.EvidenceInsert(ctx, p)
}

// addMarks adds where the ends of a relationship stand in its quote.
func addMarks(p *db.EvidenceInsertParams, m knowledge.Marks) {
	p.FromKinds, p.ToKinds = append(p.FromKinds, string(m.From.Kind)), append(p.ToKinds, string(m.To.Kind))
	p.FromStarts, p.FromEnds = append(p.FromStarts, int16(m.From.Start)), append(p.FromEnds, int16(m.From.End))
	p.ToStarts, p.ToEnds = append(p.ToStarts, int16(m.To.Start)), append(p.ToEnds, int16(m.To.End))
	p.Befores, p.BeforeStarts = append(p.Befores, m.Before), append(p.BeforeStarts, int32(m.BeforeSpan.Start))
}

// typeRow is what a relationship type has become.
type typeRow struct {
	id        int32
	symmetric bool // it reads the same in both directions
}

// ensureTypes returns the row of each relationship type of the chunk.
func (w *chunkWriter) ensureTypes(ctx context.Context) (map[string]typeRow, error) {
	wanted := make([]vocabulary.RelationshipType, len(w.graph.Relationships))
	for i, r := range w.graph.Relationships {
		wanted[i] = vocabulary.RelationshipType{Name: typeName(r.Type), Category: vocabulary.CategoryGenerated}
	}
	return ensureTypes(ctx, w.q, wanted)
}

// EnsureVocabulary adds the relationship types that are missing.
func (s DocumentStore) EnsureVocabulary(ctx context.Context, types []vocabulary.RelationshipType) error {
	_, err := ensureTypes(ctx, db.New(s.graph), types)
	return translate(err, "store the vocabulary")
}

func ensureTypes(ctx context.Context, q *db.Queries, types []vocabulary.RelationshipType) (map[string]typeRow, error) {
	var names, categories []string
	var builtin []bool
	for _, t := range types {
		names, categories, builtin = append(names, t.Name), append(categories, t.Category), append(builtin, t.Builtin)
	}
	ids := make(map[string]typeRow, len(types))
	for range 2 { // the second statement sees what another chunk has made this moment
		rows, err := q.TypeEnsure(ctx, names, categories, builtin)
		if err != nil {
			return nil, err
		}
		for _, r := range rows {
			ids[r.Name] = typeRow{r.ID, r.IsSymmetric}
		}
		if !slices.ContainsFunc(names, func(name string) bool { _, known := ids[name]; return !known }) {
			break
		}
	}
	return ids, nil
}

// clampConfidence keeps a confidence within what the table accepts.
func clampConfidence(c float64) float32 {
	if math.IsNaN(c) {
		return 1
	}
	return float32(min(1, max(0, c)))
}

// typeName returns a relationship type as the table accepts it.
func typeName(t string) string { return strings.ToUpper(strings.TrimSpace(t)) }
