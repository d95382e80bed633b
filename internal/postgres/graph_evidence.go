package postgres

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/postgres/db"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// EdgeEvidence returns the sentences that state each of the relationships, in their order:
// of each up to most, the surest first, after the first skip. It takes two statements for all
// of them: one for the sentences, and one for the chunks in which they stand, which are fewer.
// An ontology other than 0 shows its own alone. A relationship that is not there has none.
func (s *GraphSnapshot) EdgeEvidence(ctx context.Context, edges []knowledge.Edge, ontology, most, skip int) ([][]knowledge.EdgeEvidence, error) {
	list := make([][]knowledge.EdgeEvidence, len(edges))
	if len(edges) == 0 {
		return list, nil
	}
	p := db.EdgeEvidenceParams{Ontology: int32(ontology), Most: int32(most), Skip: int32(skip)}
	for i, e := range edges {
		list[i] = []knowledge.EdgeEvidence{}
		src, dst := e.From, e.To
		if !e.Forward {
			src, dst = dst, src
		}
		p.Sources, p.Targets, p.Types = append(p.Sources, int32(src)), append(p.Targets, int32(dst)), append(p.Types, e.Type)
	}
	rows, err := s.sentences(ctx, p)
	if err != nil {
		return nil, translate(err, "read the sentences that state relationships")
	}
	chunks, err := s.evidenceSources(ctx, rows)
	if err != nil {
		return nil, translate(err, "read where the sentences of relationships stand")
	}
	for _, r := range rows {
		if chunk := chunks[r.Source]; chunk != nil {
			list[r.Edge-1] = append(list[r.Edge-1], toEdgeEvidence(r, chunk))
		}
	}
	return list, nil
}

// sentences runs the statement with a plan of its own, which lasts until evidenceSources has
// run, in one round trip.
func (s *GraphSnapshot) sentences(ctx context.Context, p db.EdgeEvidenceParams) (rows []db.EdgeEvidenceRow, err error) {
	var batch pgx.Batch
	batch.Queue(db.EvidencePlanOnce)
	batch.Queue(db.EdgeEvidence, p.Sources, p.Targets, p.Types, p.Ontology, p.Skip, p.Most)
	results := s.tx.SendBatch(ctx, &batch)
	defer closing(results, &err)
	if _, err = results.Exec(); err != nil {
		return nil, err
	}
	return db.New(inOrder{results: results}).EdgeEvidence(ctx, p)
}

// closing closes the results of a batch, and keeps the first error.
func closing(results pgx.BatchResults, err *error) {
	if closed := results.Close(); *err == nil {
		*err = closed
	}
}

// evidenceSources reads the chunks in which some sentences stand, by number.
func (s *GraphSnapshot) evidenceSources(ctx context.Context, sentences []db.EdgeEvidenceRow) (chunks map[int32]*db.EvidenceSourcesRow, err error) {
	chunks = make(map[int32]*db.EvidenceSourcesRow, len(sentences))
	for _, r := range sentences {
		chunks[r.Source] = nil
	}
	sources := slices.Sorted(maps.Keys(chunks))
	var batch pgx.Batch
	batch.Queue(db.EvidenceSources, sources)
	batch.Queue(db.EvidencePlanEnd)
	results := s.tx.SendBatch(ctx, &batch)
	defer closing(results, &err)
	rows, err := db.New(inOrder{results: results}).EvidenceSources(ctx, sources)
	for i := range rows {
		chunks[rows[i].ID] = &rows[i]
	}
	return chunks, err
}

// toEdgeEvidence shows a sentence of a chunk.
func toEdgeEvidence(r db.EdgeEvidenceRow, chunk *db.EvidenceSourcesRow) knowledge.EdgeEvidence {
	page, section := placeAt(chunk, r.StartByte)
	e := knowledge.EdgeEvidence{
		Evidence: toEvidence(db.ConceptEvidenceRow{
			Quote: r.Quote, StartByte: r.StartByte, EndByte: r.EndByte, Ontology: chunk.Ontology, ChunkNumber: chunk.ChunkNumber, SourceID: chunk.SourceID,
			DocumentID: chunk.DocumentID, Filename: chunk.Filename, ContentType: chunk.ContentType, SourceType: chunk.SourceType, SourcePath: chunk.SourcePath,
			SourceHostname: chunk.SourceHostname, Page: page, Section: section,
		}),
		Confidence: knowledge.FromReal(r.Confidence), CreatedAt: kappa.At(or(r.CreatedAt, chunk.CreatedAt)),
		From: shownMark(r.Quote, r.FromKind, r.FromStart, r.FromEnd), To: shownMark(r.Quote, r.ToKind, r.ToStart, r.ToEnd),
	}
	if r.BeforeQuote != "" {
		start := int(r.BeforeStart)
		e.Before = &knowledge.SentenceBefore{Quote: r.BeforeQuote, Span: corpus.Span{Start: start, End: start + len(r.BeforeQuote)}}
	}
	if chunk.JobID == noteJob {
		if e.MadeBy = chunk.Username; e.MadeBy == nil { // the account is gone, or on another server
			e.MadeBy = new(strings.TrimPrefix(chunk.Filename, knowledge.NoteFilename))
		}
		return e
	}
	e.JobID = &chunk.JobID
	if reader, _, _ := strings.Cut(chunk.Reader, " "); reader != "" {
		e.Reader = &reader
	}
	return e
}

// placeAt returns the page and the section of a byte of a chunk's document; nil when it has none.
func placeAt(chunk *db.EvidenceSourcesRow, start int32) (page *int32, section *string) {
	after, found := slices.BinarySearch(chunk.Starts, start)
	if !found {
		after--
	}
	if after < 0 {
		return nil, nil
	}
	if chunk.Pages[after] != 0 {
		page = &chunk.Pages[after]
	}
	if chunk.Sections[after] != "" {
		section = &chunk.Sections[after]
	}
	return page, section
}

func shownMark(quote, kind string, start, end int16) knowledge.MarkedEnd {
	return knowledge.ShownMark(quote, knowledge.Mark{Kind: knowledge.MarkKind(kind), Span: corpus.Span{Start: int(start), End: int(end)}})
}

// ShowEdge returns a relationship without its sentences, and how many they are. It returns
// a CodeNotFound Error for one that is not there; q names it, and from and to are the
// numbers of its ends.
func (s *GraphSnapshot) ShowEdge(ctx context.Context, q questions.EdgeEvidenceQuery, from, to int) (questions.ListedEdge, int, error) {
	r, err := s.q.EdgeShow(ctx, int32(from), int32(to), q.Type)
	if isNoRows(err) {
		return questions.ListedEdge{}, 0, edgeNotFound(q)
	}
	if err != nil {
		return questions.ListedEdge{}, 0, translate(err, "read a relationship")
	}
	return questions.ListedEdge{
		SubgraphEdge: questions.SubgraphEdge{FromID: q.FromID, ToID: q.ToID, Type: r.Name, Confidence: knowledge.FromReal(r.Confidence)},
		FromLabel:    r.FromLabel, ToLabel: r.ToLabel, Category: r.Category, CreatedAt: kappa.At(r.CreatedAt),
		Sources: int(r.Sources), Documents: int(r.Documents),
	}, int(r.Evidence), nil
}

func edgeNotFound(q questions.EdgeEvidenceQuery) error {
	return notFound("Edge not found: %s", q.FromID+"/"+q.Type+"/"+q.ToID)
}
