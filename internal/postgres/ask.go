package postgres

import (
	"context"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/postgres/db"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/naming"
	"github.com/kappagraph/kappa/knowledge/questions"
	"github.com/kappagraph/kappa/knowledge/vocabulary"
)

// The most that an answer reads of concepts and of relationships.
const (
	askConcepts = 60
	askEdges    = 60
)

// ReadAnswer reads what an answer shows of its passages, and the concepts and relationships
// around them, and whether passages have changed since they were found, in one round trip.
func (s LibraryStore) ReadAnswer(ctx context.Context, r questions.AskReading) (read questions.AskRead, err error) {
	conn, err := s.graph.acquire(ctx)
	if err != nil {
		return read, translate(err, "read an answer")
	}
	defer conn.Release()
	var all pgx.Batch // one transaction
	all.Queue(db.AskPlanOnce)
	queueUntouched(&all, conn.Conn.Conn(), r.Since, r.Restricted, &read.Changed, &read.Epoch)
	all.Queue(db.AskPassages, r.Passages).Query(func(rows pgx.Rows) (err error) {
		read.Passages, err = pgx.CollectRows(rows, toAskedPassage)
		return err
	})
	own := ownNames(r.Restricted, r.Since != nil && r.OneOntology, r.Ontologies)
	queueConcepts(&all, own, r.Restricted, r.Ontologies, r.Passages, r.Phrases, &read.Concepts)
	edges := db.AskEdges
	if own {
		edges = db.AskEdgesOwn
	}
	all.Queue(edges, r.Restricted, vocabulary.TypeRelatedTo, int32(askEdges), r.Passages).Query(func(rows pgx.Rows) (err error) {
		read.Edges, err = pgx.CollectRows(rows, toAskedEdge)
		return err
	})
	err = trace(conn, s.graph.hook).SendBatch(ctx, &all).Close()
	return read, translate(err, "read an answer")
}

// queueUntouched reads whether passages have changed since they were found, and with names whether
// those of ontologies have; nil asks nothing.
func queueUntouched(all *pgx.Batch, conn *pgx.Conn, since *knowledge.PassagesMark, names bool, changed *bool, epoch *int64) {
	if since == nil {
		return
	}
	all.Queue(db.PassagesUntouched, since.Snapshot, names, since.Ontologies).Query(func(rows pgx.Rows) error {
		row, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[db.PassagesUntouchedRow])
		*changed = !row.Untouched || since.Origin != timelineOf(conn)+"/"+row.Database+"/"+row.LogTable
		*epoch = row.Epoch
		return err
	})
}

// ownNames reports whether concepts are called as they are in any case: nothing is restricted, or
// there is one ontology, which nobody else can have given names in.
func ownNames(restricted, one bool, ontologies []int32) bool {
	return !restricted || one && len(ontologies) == 1
}

func orEmpty32(list []int32) []int32 {
	if list == nil {
		return []int32{}
	}
	return list
}

// queueConcepts reads the concepts that phrases name and that passages show, into a list. With own,
// they are called as they are in any case.
func queueConcepts(all *pgx.Batch, own, restricted bool, ontologies, passages []int32, phrases []string, into *[]questions.AskReadConcept) {
	keys := namesOf(phrases)
	queued := func() *pgx.QueuedQuery {
		if own {
			return all.Queue(db.AskConceptsOwn, restricted, keys, orEmpty32(passages), int32(askConcepts))
		}
		return all.Queue(db.AskConcepts, restricted, orEmpty32(ontologies), orEmpty32(passages), keys, int32(askConcepts))
	}
	queued().Query(func(rows pgx.Rows) (err error) {
		*into, err = pgx.CollectRows(rows, askedConcept(phrases, keys))
		return err
	})
}

// namesOf returns the keys by which concepts of some names are found.
func namesOf(phrases []string) []string {
	keys := make([]string, 0, 2*len(phrases))
	for _, p := range phrases {
		keys = append(keys, naming.LabelKey(p), identityMark+naming.IdentityKey(p))
	}
	return keys
}

func toAskedPassage(row pgx.CollectableRow) (corpus.ShownPassage, error) {
	r, err := pgx.RowToStructByPos[db.AskPassagesRow](row)
	return corpus.ShownPassage{
		StoredPassage: corpus.StoredPassage{
			PassageKey: corpus.PassageKey{ID: r.ID, Source: r.Source, Document: r.Document, Ontology: r.OntologyID},
			Passage: corpus.Passage{
				Number: int(r.Number), Span: corpus.Span{Start: int(r.StartByte), End: int(r.EndByte)}, StartChar: int(r.StartChar), EndChar: int(r.EndChar),
				Text: r.Body, Class: corpus.PassageClass(r.Class), Language: r.Language, Page: int(r.Page), Section: r.Section, Columns: r.Columns, Defines: r.Defines,
			},
			Filename: r.Filename, Path: r.SourcePath,
		},
		DocumentID: r.DocumentID, OntologyName: r.Ontology, SourceID: r.SourceID, Chunk: int(r.ChunkNumber), ContentType: corpus.ContentType(r.ContentType), CreatedAt: kappa.At(r.CreatedAt),
	}, err
}

// askedConcept reads a concept, and which of some phrases name it; keys are those of the phrases.
func askedConcept(phrases, keys []string) pgx.RowToFunc[questions.AskReadConcept] {
	return func(row pgx.CollectableRow) (questions.AskReadConcept, error) {
		r, err := pgx.RowToStructByPos[db.AskConceptsRow](row)
		c := questions.AskReadConcept{ConceptID: r.ConceptID, Label: r.Label, Description: r.Description, Named: r.Place == 0}
		for i, p := range phrases {
			if c.Named && (slices.Contains(r.TermKeys, keys[2*i]) || slices.Contains(r.TermKeys, keys[2*i+1])) {
				c.Names = append(c.Names, p)
			}
		}
		return c, err
	}
}

func toAskedEdge(row pgx.CollectableRow) (questions.AskReadEdge, error) {
	r, err := pgx.RowToStructByPos[db.AskEdgesRow](row)
	return questions.AskReadEdge{From: int(r.Src), To: int(r.Dst), AskRelationship: questions.AskRelationship{
		FromID: r.FromID, FromLabel: r.FromLabel, Type: r.Type, ToID: r.ToID, ToLabel: r.ToLabel, Confidence: knowledge.FromReal(r.Confidence),
	}}, err
}

// AskDocuments returns the numbers of the documents that a question may be answered from.
func (s LibraryStore) AskDocuments(ctx context.Context, q questions.AskDocuments) ([]int32, error) {
	types := make([]string, len(q.Types))
	for i, t := range q.Types {
		types[i] = string(t)
	}
	var since *time.Time
	if !q.Since.IsZero() {
		since = &q.Since
	}
	ids, err := s.queries().AskDocuments(ctx, orEmpty(q.DocumentIDs), types, since)
	return ids, translate(err, "find the documents of a question")
}
