package postgres

import (
	"context"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/postgres/db"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// runChunks is how many chunks before and behind that of a passage its list or table may reach.
const runChunks = 20

// ReadFound reads what a search shows of documents and passages, the concepts that its words name or
// its passages show, and whether passages have changed since they were found, in one round trip.
func (s LibraryStore) ReadFound(ctx context.Context, r questions.FindReading) (read questions.FindRead, err error) {
	conn, err := s.graph.acquire(ctx)
	if err != nil {
		return read, translate(err, "read what was found")
	}
	defer conn.Release()
	var all pgx.Batch // one transaction
	all.Queue(db.AskPlanOnce)
	queueUntouched(&all, conn.Conn.Conn(), r.Since, true, &read.Changed, &read.Epoch)
	own := ownNames(r.Restricted, r.Since != nil && r.OneOntology, r.Ontologies)
	queueConcepts(&all, own, r.Restricted, r.Ontologies, r.Passages, r.Phrases, &read.Concepts)
	all.Queue(db.FindDocuments, orEmpty32(r.Documents), int32(r.Titled)).Query(func(rows pgx.Rows) error {
		documents, err := pgx.CollectRows(rows, toFoundDocument)
		read.Documents = make(map[int32]questions.FoundDocumentRow, len(documents))
		for _, d := range documents {
			read.Documents[d.Number] = d
		}
		return err
	})
	if len(r.Shown) > 0 {
		all.Queue(db.AskPassages, r.Shown).Query(func(rows pgx.Rows) (err error) {
			read.Passages, err = pgx.CollectRows(rows, toAskedPassage)
			return err
		})
	}
	err = trace(conn, s.graph.hook).SendBatch(ctx, &all).Close()
	return read, translate(err, "read what was found")
}

func toFoundDocument(row pgx.CollectableRow) (questions.FoundDocumentRow, error) {
	r, err := pgx.RowToStructByPos[db.FindDocumentsRow](row)
	d := questions.FoundDocumentRow{
		DocumentFound: questions.DocumentFound{DocumentID: r.DocumentID, Ontology: r.Ontology, Filename: r.Filename, ContentType: corpus.ContentType(r.ContentType)},
		Number:        r.ID, OntologyNumber: r.OntologyID, Path: r.SourcePath,
	}
	if title, _, _ := strings.Cut(r.Title, corpus.SectionSeparator); title != "" {
		d.Title = &title
	}
	return d, err
}

// ReadPassages reads what answers show of passages, in their order. Those that have gone are
// left out.
func (s LibraryStore) ReadPassages(ctx context.Context, ids []int32) (read []corpus.ShownPassage, err error) {
	conn, err := s.graph.acquire(ctx)
	if err != nil {
		return nil, translate(err, "read passages")
	}
	defer conn.Release()
	var all pgx.Batch // one transaction
	all.Queue(db.AskPlanOnce)
	all.Queue(db.AskPassages, orEmpty32(ids)).Query(func(rows pgx.Rows) (err error) {
		read, err = pgx.CollectRows(rows, toAskedPassage)
		return err
	})
	err = trace(conn, s.graph.hook).SendBatch(ctx, &all).Close()
	return read, translate(err, "read passages")
}

// PassagesAround returns the numbers of the passages around one that may be of the same list or
// table, in the order of the document.
func (s LibraryStore) PassagesAround(ctx context.Context, passage int32) ([]int32, error) {
	ids, err := s.queries().AskRun(ctx, passage, runChunks)
	return ids, translate(err, "find a list")
}
