package postgres

import (
	"context"
	"math"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/postgres/db"
)

// LibraryStore reads documents and their chunks.
type LibraryStore struct{ *base }

// Library returns the store of what was ingested.
func (d *DB) Library() LibraryStore { return LibraryStore{&d.base} }

func (s LibraryStore) queries() *db.Queries { return db.New(s.graph) }

// ListDocuments returns a page of documents, newest first, and how many there are.
func (s LibraryStore) ListDocuments(ctx context.Context, p corpus.PageQuery) ([]corpus.ListedDocument, int, error) {
	after, _ := kappa.ParseCursor(kappa.ListDocuments, p.Cursor, kappa.DocumentKeys)
	rows, err := s.queries().DocumentList(ctx, db.DocumentListParams{
		Ontology: p.Ontology, Before: after.Key(0, math.MaxInt64), Skip: int32(p.Offset), Most: int32(p.Limit),
	})
	if err != nil {
		return nil, 0, translate(err, "list documents")
	}
	list := make([]corpus.ListedDocument, len(rows))
	for i, r := range rows {
		list[i] = corpus.ListedDocument{
			DocumentID: r.DocumentID, Filename: r.Filename, Version: int(r.Version), Ontology: r.Ontology, ContentType: r.ContentType,
			SourceCount: int(r.Sources), ConceptCount: int(r.Concepts), JobID: r.JobID, CreatedAt: kappa.At(r.CreatedAt),
			Place: kappa.Cursor{List: kappa.ListDocuments, Keys: []int64{int64(r.ID)}},
		}
	}
	paths := make([]string, len(rows))
	for i, r := range rows {
		paths[i] = corpus.NamePath(r.Filename, r.SourcePath)
	}
	among, err := s.namesakes(ctx, rows, p.Ontology)
	if err != nil {
		return nil, 0, translate(err, "list documents")
	}
	for i, name := range corpus.UniqueNames(paths, among) {
		list[i].Name = name
	}
	n, err := s.queries().DocumentCount(ctx, p.Ontology)
	return list, int(n), translate(err, "count documents")
}

// mostOfOneName bounds how many documents of the same name a list is compared with.
const mostOfOneName = 10_000

// namesakes returns the paths of all documents of an ontology, or of all for "", that are called as
// those of a page.
func (s LibraryStore) namesakes(ctx context.Context, page []db.DocumentListRow, ontology string) ([]string, error) {
	names := make([]string, 0, len(page))
	for _, r := range page {
		names = append(names, r.Filename)
	}
	rows, err := s.queries().DocumentNamesakes(ctx, names, ontology, mostOfOneName)
	paths := make([]string, len(rows))
	for i, r := range rows {
		paths[i] = corpus.NamePath(r.Filename, r.SourcePath)
	}
	return paths, err
}

// FindDocument returns a document in an ontology, or for "" in the one that took it
// last; CodeNotFound when there is none.
func (s LibraryStore) FindDocument(ctx context.Context, id, ontology string) (corpus.DocumentRef, error) {
	r, err := s.find(ctx, id, ontology)
	return corpus.DocumentRef{
		DocumentID: r.DocumentID, Ontology: r.Ontology, Filename: r.Filename, ContentType: corpus.ContentType(r.ContentType), JobID: r.JobID,
	}, err
}

func (s LibraryStore) find(ctx context.Context, id, ontology string) (db.DocumentFindRow, error) {
	if inNoRow(id, ontology) {
		return db.DocumentFindRow{}, documentNotFound(id)
	}
	r, err := s.queries().DocumentFind(ctx, id, ontology)
	if isNoRows(err) {
		return r, documentNotFound(id)
	}
	return r, translate(err, "find a document")
}

func documentNotFound(id string) error { return notFound("Document not found: %s", id) }

// DocumentChunks returns the chunks of a document in their order.
func (s LibraryStore) DocumentChunks(ctx context.Context, id, ontology string) ([]corpus.DocumentChunk, error) {
	found, err := s.find(ctx, id, ontology)
	if err != nil {
		return nil, err
	}
	return s.chunksOf(ctx, found.ID)
}

func (s LibraryStore) chunksOf(ctx context.Context, document int32) ([]corpus.DocumentChunk, error) {
	rows, err := s.queries().DocumentChunks(ctx, document)
	chunks := make([]corpus.DocumentChunk, len(rows))
	for i, r := range rows {
		chunks[i] = documentChunk(r)
	}
	return chunks, translate(err, "read the chunks of a document")
}

func documentChunk(r db.DocumentChunksRow) corpus.DocumentChunk {
	return corpus.DocumentChunk{
		SourceID: r.SourceID, Paragraph: int(r.ChunkNumber), FullText: r.FullText, StartChar: int(r.StartChar), EndChar: int(r.EndChar),
		Span: corpus.Span{Start: int(r.StartByte), End: int(r.EndByte)},
	}
}

// DocumentConcepts returns the concepts that a document shows, those that it is about
// most first.
func (s LibraryStore) DocumentConcepts(ctx context.Context, id, ontology string) ([]corpus.DocumentConcept, error) {
	found, err := s.find(ctx, id, ontology)
	if err != nil {
		return nil, err
	}
	rows, err := s.queries().DocumentConcepts(ctx, ontology, found.ID)
	concepts := make([]corpus.DocumentConcept, len(rows))
	for i, r := range rows {
		concepts[i] = corpus.DocumentConcept{ConceptID: r.ConceptID, Name: r.Label, SourceID: r.SourceID, InstanceCount: int(r.Instances), Weight: math.Round(r.Weight*1000) / 1000}
	}
	return concepts, translate(err, "read the concepts of a document")
}

// Body returns the bytes of a document as they were submitted.
func (s LibraryStore) Body(ctx context.Context, id string) ([]byte, error) {
	if inNoRow(id) {
		return nil, documentNotFound(id)
	}
	body, err := readContent(ctx, s.queries(), id)
	if isNoRows(err) {
		return nil, documentNotFound(id)
	}
	return body, translate(err, "read the document")
}

// ListSources returns a page of chunks, those of the newest document first, and how
// many there are.
func (s LibraryStore) ListSources(ctx context.Context, p corpus.PageQuery) (list []corpus.ListedSource, total int, err error) {
	err = GraphStore(s).View(ctx, func(v *GraphSnapshot) error {
		tally, err := v.tally(ctx)
		if err != nil {
			return err
		}
		if p.Ontology == "" {
			total = tally.all.sources
			list, err = v.sourcePage(ctx, p)
			return err
		}
		number, err := v.q.OntologyNumber(ctx, p.Ontology)
		if isNoRows(err) {
			list = []corpus.ListedSource{}
			return nil
		}
		if err != nil {
			return err
		}
		total = tally.ontologies[number].sources
		list, err = v.sourcePageIn(ctx, p, number)
		return err
	})
	return list, total, translate(err, "list sources")
}

func (s *GraphSnapshot) sourcePage(ctx context.Context, p corpus.PageQuery) ([]corpus.ListedSource, error) {
	after, _ := kappa.ParseCursor(kappa.ListSources, p.Cursor, kappa.SourceKeys)
	rows, err := s.q.SourceList(ctx, db.SourceListParams{
		FromDocument: after.Key(0, math.MaxInt64), AfterChunk: after.Key(1, 0), AfterID: after.Key(2, 0), Skip: int32(p.Offset), Most: int32(p.Limit),
	})
	list := make([]corpus.ListedSource, len(rows))
	for i, r := range rows {
		list[i] = listedSource(r)
	}
	return list, err
}

func (s *GraphSnapshot) sourcePageIn(ctx context.Context, p corpus.PageQuery, ontology int32) ([]corpus.ListedSource, error) {
	after, _ := kappa.ParseCursor(kappa.ListSources, p.Cursor, kappa.SourceKeys)
	rows, err := s.q.SourceListIn(ctx, db.SourceListInParams{
		Ontology: ontology, FromDocument: after.Key(0, math.MaxInt64), AfterChunk: after.Key(1, 0), AfterID: after.Key(2, 0), Skip: int32(p.Offset), Most: int32(p.Limit),
		Documents: clamp32(int64(p.Offset) + int64(p.Limit) + 1),
	})
	list := make([]corpus.ListedSource, len(rows))
	for i, r := range rows {
		list[i] = listedSource(db.SourceListRow{
			SourceID: r.SourceID, Ontology: p.Ontology, ChunkNumber: r.ChunkNumber, ContentType: r.ContentType, Filename: r.Filename,
			DocumentID: r.DocumentID, Document: r.Document, ID: r.ID,
		})
	}
	return list, err
}

func listedSource(r db.SourceListRow) corpus.ListedSource {
	return corpus.ListedSource{
		SourceID: r.SourceID, Document: r.Ontology, Paragraph: int(r.ChunkNumber), ContentType: r.ContentType,
		DocumentID: r.DocumentID, Filename: r.Filename, HasGarageKey: true,
		Place: kappa.Cursor{List: kappa.ListSources, Keys: []int64{int64(r.Document), int64(r.ChunkNumber), int64(r.ID)}},
	}
}

// Source returns a chunk; CodeNotFound when there is none with the id.
func (s LibraryStore) Source(ctx context.Context, id string) (corpus.Source, error) {
	if inNoRow(id) {
		return corpus.Source{}, sourceNotFound(id)
	}
	r, err := s.queries().SourceFind(ctx, id)
	if isNoRows(err) {
		return corpus.Source{}, sourceNotFound(id)
	}
	path := &r.Filename
	if r.SourcePath != nil {
		path = r.SourcePath
	}
	return corpus.Source{
		SourceID: r.SourceID, Document: r.Ontology, Paragraph: int(r.ChunkNumber), FullText: r.FullText, FilePath: path, Filename: r.Filename,
		ContentType: r.ContentType, GarageKey: r.DocumentID, ContentHash: r.DocumentID, DocumentID: r.DocumentID,
		StartChar: int(r.StartChar), EndChar: int(r.EndChar), ChunkIndex: int(r.ChunkNumber) - 1,
		Span: corpus.Span{Start: int(r.StartByte), End: int(r.EndByte)},
	}, translate(err, "read a source")
}

func sourceNotFound(id string) error { return notFound("Source not found: %s", id) }

// SourcesOfConcepts returns up to most chunks that show the concepts, with a quote for each,
// in the order of the concepts.
func (s LibraryStore) SourcesOfConcepts(ctx context.Context, conceptIDs []string, q corpus.SourceQuery, most int) ([]corpus.SourceQuote, error) {
	rows, err := s.queries().SourcesOfConcepts(ctx, db.SourcesOfConceptsParams{
		ConceptIds: conceptIDs, Ontology: q.Ontology, Documents: orEmpty(q.DocumentIDs), Most: int32(most),
	})
	quotes := make([]corpus.SourceQuote, len(rows))
	for i, r := range rows {
		quotes[i] = corpus.SourceQuote{Source: int(r.Source), ConceptID: r.ConceptID, Quote: r.Quote, StartByte: int(r.StartByte)}
	}
	return quotes, translate(err, "read the sources of concepts")
}

// ShownSources returns what is shown of chunks, by number.
func (s LibraryStore) ShownSources(ctx context.Context, ids []int) (map[int]corpus.ShownSource, error) {
	rows, err := s.queries().SourcesShown(ctx, toInt32s(ids))
	shown := make(map[int]corpus.ShownSource, len(rows))
	for _, r := range rows {
		shown[int(r.ID)] = corpus.ShownSource{
			ID: int(r.ID), SourceID: r.SourceID, Ontology: r.Ontology, Paragraph: int(r.ChunkNumber), FullText: r.FullText, Start: int(r.StartByte),
			DocumentID: r.DocumentID, Filename: r.Filename, ContentType: r.ContentType,
		}
	}
	return shown, translate(err, "read sources")
}

// DocumentsOfSources returns ShownSources with what is shown of their documents alone.
func (s LibraryStore) DocumentsOfSources(ctx context.Context, ids []int) (map[int]corpus.ShownSource, error) {
	rows, err := s.queries().DocumentsOfSources(ctx, toInt32s(ids))
	shown := make(map[int]corpus.ShownSource, len(rows))
	for _, r := range rows {
		shown[int(r.ID)] = corpus.ShownSource{
			ID: int(r.ID), Ontology: r.Ontology, DocumentID: r.DocumentID, Filename: r.Filename, ContentType: r.ContentType,
		}
	}
	return shown, translate(err, "read the documents of sources")
}

// ConceptsOfSources returns the concepts that chunks show, by the chunk's number: called as
// in an ontology, or for "" as everywhere.
func (s LibraryStore) ConceptsOfSources(ctx context.Context, ids []int, ontology string) (map[int][]corpus.SourceConcept, error) {
	rows, err := s.queries().SourceConcepts(ctx, ontology, toInt32s(ids))
	concepts := map[int][]corpus.SourceConcept{}
	for _, r := range rows {
		c := corpus.SourceConcept{ConceptID: r.ConceptID, Label: r.Label, Quote: r.Quote}
		if r.Description != "" {
			c.Description = &r.Description
		}
		concepts[int(r.Source)] = append(concepts[int(r.Source)], c)
	}
	return concepts, translate(err, "read the concepts of sources")
}
