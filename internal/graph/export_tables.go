package graph

import (
	"context"
	"io"
	"slices"

	"github.com/kappagraph/kappa/internal/graph/export"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// exportTables writes what was selected as tables: one of them, or an archive of all.
func (v view) exportTables(ctx context.Context, q questions.ExportQuery, s selection, begin func(questions.Completeness) io.Writer) error {
	mark, err := v.TablesMark(ctx)
	if err != nil {
		return err
	}
	rows := questions.TableSelection{Types: typeNames(q.Types)}
	if s.ontology != 0 {
		rows.Ontologies = []int{s.ontology}
	}
	if len(q.Seeds) > 0 || !s.Complete { // a part
		rows.Concepts = s.concepts
	}
	about := export.About{Completeness: s.Completeness, Epoch: mark.Epoch}
	if q.Table != "" {
		return export.Table(ctx, begin(s.Completeness), q.Table, about, v, rows)
	}
	return export.Tables(ctx, begin(s.Completeness), about, v, rows)
}

// TablesMark returns what Tables would be of now. It returns a CodeNotFound Error for an
// ontology that there is not, and CodeInvalid for a graph that has not reached least, unless
// that is nil.
func (g *Graph) TablesMark(ctx context.Context, ontologies []string, least *int64) (mark questions.TablesMark, err error) {
	err = g.readSince(ctx, "reading the graph's epoch", least, func(ctx context.Context, v view) error {
		if _, err := v.ontologyNumbers(ctx, ontologies); err != nil {
			return err
		}
		mark, err = v.TablesMark(ctx)
		return err
	})
	return mark, err
}

// Tables writes each table of the graph as a Parquet file to what create returns for it, one
// after another, as of one moment: what the documents of some ontologies say, or for none of
// all. It says what the tables are of once they are written. It takes as long as ctx has, and
// returns CodeNotFound for an ontology that there is not, and the errors of create and of
// what that returns.
func (g *Graph) Tables(ctx context.Context, ontologies []string, create func(t questions.GraphTable) (io.Writer, error)) (mark questions.TablesMark, err error) {
	err = g.ask(ctx, func(ctx context.Context, v view) error {
		numbers, err := v.ontologyNumbers(ctx, ontologies)
		if err != nil {
			return err
		}
		if mark, err = v.TablesMark(ctx); err != nil {
			return err
		}
		about := export.About{Completeness: questions.Completeness{Complete: true}, Epoch: mark.Epoch}
		for _, t := range questions.GraphTables() {
			w, err := create(t)
			if err != nil {
				return err
			}
			if err := export.Table(ctx, w, t, about, v, questions.TableSelection{Ontologies: numbers}); err != nil {
				return err
			}
		}
		return nil
	})
	return mark, err
}

// ontologyNumbers returns the numbers of ontologies, ascending.
func (v view) ontologyNumbers(ctx context.Context, names []string) ([]int, error) {
	var numbers []int
	for _, name := range names {
		n, err := v.OntologyNumber(ctx, name)
		if err != nil {
			return nil, err
		}
		numbers = append(numbers, n)
	}
	slices.Sort(numbers)
	return slices.Compact(numbers), nil
}
