package postgres

import (
	"context"
	"crypto/md5" //nolint:gosec // of texts that are compared with each other
	"encoding/hex"
	"errors"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/postgres/db"
	"github.com/kappagraph/kappa/knowledge"
)

// PassageStore reads the passages of documents, for the index that finds them and for the
// answers that show them.
type PassageStore struct{ *base }

// Passages returns the store of passages.
func (d *DB) Passages() PassageStore { return PassageStore{&d.base} }

// PassageKeys yields which passages there are, in no order, as of the moment that it returns:
// the changes after that are those of GraphStore.GraphChanges. It holds one connection, and
// takes as long as ctx allows. An error of yield ends it and is returned as it is.
func (s PassageStore) PassageKeys(ctx context.Context, yield func(corpus.PassageKey) error) (knowledge.GraphMark, error) {
	mark, err := s.passageKeys(ctx, yield)
	if refused := (*sinkError)(nil); errors.As(err, &refused) {
		return mark, refused.err
	}
	return mark, translate(err, "list the passages")
}

func (s PassageStore) passageKeys(ctx context.Context, yield func(corpus.PassageKey) error) (mark knowledge.GraphMark, err error) {
	tx, err := s.graph.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly})
	if err != nil {
		return mark, err
	}
	defer endView(ctx, tx)
	q := db.New(tx)
	if err := q.GraphReadBegin(ctx); err != nil {
		return mark, err
	}
	row, err := q.GraphMark(ctx)
	if err != nil {
		return mark, err
	}
	mark = knowledge.GraphMark{Epoch: row.Epoch, Snapshot: row.Snapshot, Origin: timelineOf(tx.Conn()) + "/" + row.Database + "/" + row.LogTable}
	var k corpus.PassageKey
	return mark, each(ctx, tx, db.PassageKeys, func() error { return yield(k) }, &k.ID, &k.Source, &k.Document, &k.Ontology, &k.Stamp)
}

// Passages returns the passages with the given numbers, with all that they are found by, in no
// order. A number that no passage has is left out.
func (s PassageStore) Passages(ctx context.Context, ids []int32) ([]corpus.StoredPassage, error) {
	shown, err := s.read(ctx, ids, nil)
	return stored(shown), translate(err, "read passages")
}

// PassagesOfSources returns the passages of chunks, as Passages does. A chunk without any, or
// that has gone, is left out.
func (s PassageStore) PassagesOfSources(ctx context.Context, sources []int32) ([]corpus.StoredPassage, error) {
	shown, err := s.read(ctx, nil, sources)
	return stored(shown), translate(err, "read the passages of chunks")
}

// ShownPassages returns the passages with the given numbers as answers show them, in no order.
// A number that no passage has is left out.
func (s PassageStore) ShownPassages(ctx context.Context, ids []int32) ([]corpus.ShownPassage, error) {
	shown, err := s.read(ctx, ids, nil)
	return shown, translate(err, "read passages")
}

func stored(shown []corpus.ShownPassage) []corpus.StoredPassage {
	list := make([]corpus.StoredPassage, len(shown))
	for i, p := range shown {
		list[i] = p.StoredPassage
	}
	return list
}

func (s PassageStore) read(ctx context.Context, ids, sources []int32) ([]corpus.ShownPassage, error) {
	q := db.New(s.graph)
	rows, err := q.PassagesRead(ctx, ids, sources)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	titles, err := titlesOf(ctx, q, rows)
	list := make([]corpus.ShownPassage, len(rows))
	for i, r := range rows {
		list[i] = toShownPassage(r)
		list[i].Title = titles[r.Document]
	}
	return list, err
}

// titlesOf returns the first heading of each document.
func titlesOf(ctx context.Context, q *db.Queries, rows []db.PassagesReadRow) (map[int32]string, error) {
	titles := map[int32]string{}
	var documents []int32
	for _, r := range rows {
		if _, ok := titles[r.Document]; !ok {
			titles[r.Document] = ""
			documents = append(documents, r.Document)
		}
	}
	found, err := q.DocumentTitles(ctx, documents)
	for _, t := range found {
		titles[t.Document], _, _ = strings.Cut(t.Section, corpus.SectionSeparator)
	}
	return titles, err
}

func toShownPassage(r db.PassagesReadRow) corpus.ShownPassage {
	return corpus.ShownPassage{
		StoredPassage: corpus.StoredPassage{
			PassageKey: corpus.PassageKey{ID: r.ID, Source: r.Source, Document: r.Document, Ontology: r.OntologyID, Stamp: r.Stamp},
			Passage: corpus.Passage{
				Number: int(r.Number), Span: corpus.Span{Start: int(r.StartByte), End: int(r.EndByte)}, StartChar: int(r.StartChar), EndChar: int(r.EndChar),
				Text: r.Body, Class: corpus.PassageClass(r.Class), Language: r.Language, Page: int(r.Page), Section: r.Section, Columns: r.Columns, Defines: r.Defines,
			},
			Filename: r.Filename, Path: r.SourcePath,
		},
		DocumentID: r.DocumentID, OntologyName: r.Ontology, SourceID: r.SourceID, Chunk: int(r.ChunkNumber), ContentType: corpus.ContentType(r.ContentType), CreatedAt: kappa.At(r.CreatedAt),
	}
}

// What stands between the names of a list, and between the parts that a hash is made of.
const (
	nameSeparator = "\x1e"
	partSeparator = "\x1f"
)

// writePassages has a chunk have these passages. Those that it has already keep their numbers,
// so that nothing is found anew.
func writePassages(ctx context.Context, q *db.Queries, source int32, passages []corpus.Passage, added bool) error {
	w := db.PassagesWriteParams{Source: source}
	old := db.PassagesClearParams{Source: source}
	for _, p := range passages {
		columns, defines := joinNames(p.Columns), joinNames(p.Defines)
		w.Numbers, w.Starts, w.Ends = append(w.Numbers, int32(p.Number)), append(w.Starts, int32(p.Start)), append(w.Ends, int32(p.End))
		w.StartChars, w.EndChars = append(w.StartChars, int32(p.StartChar)), append(w.EndChars, int32(p.EndChar))
		w.Pages, w.Sections = append(w.Pages, int32(p.Page)), append(w.Sections, p.Section)
		w.Classes, w.Languages = append(w.Classes, string(p.Class)), append(w.Languages, p.Language)
		w.Columns, w.Defines, w.Bodies = append(w.Columns, columns), append(w.Defines, defines), append(w.Bodies, p.Text)
		if !added {
			old.Hashes = append(old.Hashes, passageHash(p, columns, defines))
		}
	}
	if !added {
		old.Numbers, old.Starts = w.Numbers, w.Starts
		if err := q.PassagesClear(ctx, old); err != nil {
			return err
		}
	}
	if len(passages) == 0 {
		return nil
	}
	return q.PassagesWrite(ctx, w)
}

// joinNames makes one text of names, as PassagesWrite takes them apart.
func joinNames(names []string) string {
	clean := make([]string, len(names))
	for i, n := range names {
		clean[i] = strings.ReplaceAll(n, nameSeparator, " ")
	}
	return strings.Join(clean, nameSeparator)
}

// passageHash is what PassagesClear compares.
func passageHash(p corpus.Passage, columns, defines string) string {
	sum := md5.Sum([]byte(strings.Join([]string{ //nolint:gosec // see the import
		strconv.Itoa(p.StartChar), string(p.Class), p.Language, strconv.Itoa(p.Page), p.Section, columns, defines, p.Text,
	}, partSeparator)))
	return hex.EncodeToString(sum[:])
}
