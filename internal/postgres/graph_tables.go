package postgres

import (
	"context"
	"errors"

	"github.com/kappagraph/kappa/internal/postgres/db"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// TablesMark returns what the tables of the graph are of.
func (s *GraphSnapshot) TablesMark(ctx context.Context) (questions.TablesMark, error) {
	row, err := s.q.TablesMark(ctx)
	return questions.TablesMark{Epoch: row.Epoch, Names: row.Names, At: row.At}, translate(err, "read the graph's epoch")
}

// ConceptRows calls add with each row of the table of concepts that q selects, in a fixed
// order. The row is of no use after the call; an error of add ends it, and is returned as it is.
func (s *GraphSnapshot) ConceptRows(ctx context.Context, q questions.TableSelection, add func(*questions.ConceptRow) error) error {
	var r questions.ConceptRow
	return s.table(ctx, "read the table of concepts", db.TableConcepts, scope(q), func() error { return add(&r) },
		&r.ConceptID, &r.Label, &r.Description, &r.CreationMethod, &r.SearchTerms, &r.Ontologies, &r.Evidence, &r.Documents, &r.CreatedAt)
}

// RelationshipRows is ConceptRows of relationships.
func (s *GraphSnapshot) RelationshipRows(ctx context.Context, q questions.TableSelection, add func(*questions.RelationshipRow) error) error {
	var r questions.RelationshipRow
	return s.table(ctx, "read the table of relationships", db.TableRelationships, append(scope(q), orEmpty(q.Types)), func() error { return add(&r) },
		&r.FromID, &r.FromLabel, &r.Type, &r.Category, &r.ToID, &r.ToLabel, &r.Confidence, &r.Ontologies, &r.Evidence, &r.Documents, &r.CreatedAt)
}

// EvidenceRows is ConceptRows of evidence: of concepts first, and then of relationships.
func (s *GraphSnapshot) EvidenceRows(ctx context.Context, q questions.TableSelection, add func(*questions.EvidenceRow) error) error {
	var r questions.EvidenceRow
	place := []any{&r.DocumentID, &r.Ontology, &r.SourceID, &r.ChunkNumber, &r.StartByte, &r.EndByte, &r.CreatedAt}
	err := s.table(ctx, "read the evidence of concepts", db.TableConceptEvidence, scope(q), func() error { return add(&r) },
		append([]any{&r.ConceptID, &r.Quote}, place...)...)
	if err != nil {
		return err
	}
	r.ConceptID = ""
	return s.table(ctx, "read the evidence of relationships", db.TableRelationshipEvidence, append(scope(q), orEmpty(q.Types)), func() error { return add(&r) },
		append([]any{&r.FromID, &r.Type, &r.ToID, &r.Quote, &r.Confidence}, place...)...)
}

// DocumentRows is ConceptRows of documents.
func (s *GraphSnapshot) DocumentRows(ctx context.Context, q questions.TableSelection, add func(*questions.DocumentRow) error) error {
	var r questions.DocumentRow
	return s.table(ctx, "read the table of documents", db.TableDocuments, scope(q), func() error { return add(&r) },
		&r.DocumentID, &r.Ontology, &r.Filename, &r.Key, &r.SourceType, &r.SourcePath, &r.Version, &r.ContentType, &r.Chunks, &r.Words, &r.JobID, &r.IngestedAt)
}

// scope are the parameters that each statement of a table takes first.
func scope(q questions.TableSelection) []any {
	return []any{toInt32s(q.Ontologies), toInt32s(q.Concepts)}
}

// table reads a table row by row.
func (s *GraphSnapshot) table(ctx context.Context, what, sql string, args []any, add func() error, variables ...any) error {
	if err := s.q.TablesBegin(ctx); err != nil {
		return translate(err, what)
	}
	err := eachOf(ctx, s.tx, sql, args, add, variables...)
	if refused := (*sinkError)(nil); errors.As(err, &refused) {
		return refused.err
	}
	return translate(err, what)
}
