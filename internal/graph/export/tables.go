package export

import (
	"context"
	"fmt"
	"io"
	"strconv"

	"github.com/kappagraph/kappa/internal/graph/export/parquet"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// TableReader reads the rows of the tables of a graph, each of which it passes on before it
// reads the next one. An error of add ends it.
type TableReader interface {
	ConceptRows(ctx context.Context, q questions.TableSelection, add func(*questions.ConceptRow) error) error
	RelationshipRows(ctx context.Context, q questions.TableSelection, add func(*questions.RelationshipRow) error) error
	EvidenceRows(ctx context.Context, q questions.TableSelection, add func(*questions.EvidenceRow) error) error
	DocumentRows(ctx context.Context, q questions.TableSelection, add func(*questions.DocumentRow) error) error
}

// About is what the file of a table says of itself.
type About struct {
	questions.Completeness

	Epoch int64
}

func (a About) properties(t questions.GraphTable) []parquet.Property {
	return []parquet.Property{
		{Name: "kappa.table", Value: string(t)},
		{Name: "kappa.epoch", Value: strconv.FormatInt(a.Epoch, 10)},
		{Name: "kappa.complete", Value: strconv.FormatBool(a.Complete)},
		{Name: "kappa.missing", Value: a.Missing},
	}
}

// kinds are those that a Parquet file has for the types of columns.
var kinds = map[string]parquet.Kind{
	questions.ColumnText: parquet.Text, questions.ColumnTexts: parquet.Texts, questions.ColumnInteger: parquet.Integer,
	questions.ColumnNumber: parquet.Number, questions.ColumnInstant: parquet.Instant,
}

// Table writes a table to w as a Parquet file. Rows are written as they come, so that it
// takes the same memory whatever the size of the graph. Its error is that of the reader or of w.
func Table(ctx context.Context, w io.Writer, t questions.GraphTable, about About, from TableReader, q questions.TableSelection) error {
	var columns []parquet.Column
	for _, c := range t.Schema().Columns {
		columns = append(columns, parquet.Column{Name: c.Name, Kind: kinds[c.Type], Optional: c.Nullable})
	}
	p, err := parquet.NewWriter(w, columns, about.properties(t)...)
	if err != nil {
		return err
	}
	switch t {
	case questions.TableConcepts:
		err = from.ConceptRows(ctx, q, func(r *questions.ConceptRow) error { return conceptRow(p, r) })
	case questions.TableRelationships:
		err = from.RelationshipRows(ctx, q, func(r *questions.RelationshipRow) error { return relationshipRow(p, r) })
	case questions.TableEvidence:
		err = from.EvidenceRows(ctx, q, func(r *questions.EvidenceRow) error { return evidenceRow(p, r) })
	case questions.TableDocuments:
		err = from.DocumentRows(ctx, q, func(r *questions.DocumentRow) error { return documentRow(p, r) })
	default:
		err = fmt.Errorf("export: unknown table %q", t)
	}
	if err != nil {
		return err
	}
	return p.Close()
}
