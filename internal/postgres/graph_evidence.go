package postgres

import (
	"context"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/postgres/db"
)

// EdgeEvidence returns the sentences that state each of the relationships, in their order:
// of each up to most, the surest first, after the first skip. It is one statement for all
// of them. An ontology other than 0 shows its own alone. A relationship that is not there
// has none.
func (s *GraphSnapshot) EdgeEvidence(ctx context.Context, edges []kappa.Edge, ontology, most, skip int) ([][]kappa.EdgeEvidence, error) {
	list := make([][]kappa.EdgeEvidence, len(edges))
	if len(edges) == 0 {
		return list, nil
	}
	p := db.EdgeEvidenceParams{Ontology: int32(ontology), Most: int32(most), Skip: int32(skip)}
	for i, e := range edges {
		list[i] = []kappa.EdgeEvidence{}
		src, dst := e.From, e.To
		if !e.Forward {
			src, dst = dst, src
		}
		p.Sources, p.Targets, p.Types = append(p.Sources, int32(src)), append(p.Targets, int32(dst)), append(p.Types, e.Type)
	}
	rows, err := s.edgeEvidence(ctx, p)
	if err != nil {
		return nil, translate(err, "read the sentences that state relationships")
	}
	for _, r := range rows {
		list[r.Edge-1] = append(list[r.Edge-1], toEdgeEvidence(r))
	}
	return list, nil
}

// edgeEvidence runs the statement with a plan of its own, in one round trip.
func (s *GraphSnapshot) edgeEvidence(ctx context.Context, p db.EdgeEvidenceParams) (rows []db.EdgeEvidenceRow, err error) {
	var batch pgx.Batch
	batch.Queue(db.EvidencePlanOnce)
	batch.Queue(db.EdgeEvidence, p.Sources, p.Targets, p.Types, p.Ontology, p.Skip, p.Most)
	batch.Queue(db.EvidencePlanEnd)
	results := s.tx.SendBatch(ctx, &batch)
	defer func() {
		if closed := results.Close(); err == nil {
			err = closed
		}
	}()
	if _, err = results.Exec(); err != nil {
		return nil, err
	}
	return db.New(inOrder{results: results}).EdgeEvidence(ctx, p)
}

func toEdgeEvidence(r db.EdgeEvidenceRow) kappa.EdgeEvidence {
	e := kappa.EdgeEvidence{
		Evidence: toEvidence(db.ConceptEvidenceRow{
			Quote: r.Quote, StartByte: r.StartByte, EndByte: r.EndByte, Ontology: r.Ontology, ChunkNumber: r.ChunkNumber, SourceID: r.SourceID,
			DocumentID: r.DocumentID, Filename: r.Filename, ContentType: r.ContentType, SourceType: r.SourceType, SourcePath: r.SourcePath,
			SourceHostname: r.SourceHostname, Page: r.Page, Section: r.Section,
		}),
		Confidence: kappa.FromReal(r.Confidence), CreatedAt: kappa.At(r.CreatedAt),
		From: shownMark(r.Quote, r.FromKind, r.FromStart, r.FromEnd), To: shownMark(r.Quote, r.ToKind, r.ToStart, r.ToEnd),
	}
	if r.BeforeQuote != "" {
		start := int(r.BeforeStart)
		e.Before = &kappa.SentenceBefore{Quote: r.BeforeQuote, Span: kappa.Span{Start: start, End: start + len(r.BeforeQuote)}}
	}
	if r.JobID == noteJob {
		if e.MadeBy = r.Username; e.MadeBy == nil { // the account is gone, or on another server
			e.MadeBy = new(strings.TrimPrefix(r.Filename, kappa.NoteFilename))
		}
		return e
	}
	e.JobID = &r.JobID
	if reader, _, _ := strings.Cut(r.Reader, " "); reader != "" {
		e.Reader = &reader
	}
	return e
}

func shownMark(quote, kind string, start, end int16) kappa.MarkedEnd {
	return kappa.ShownMark(quote, kappa.Mark{Kind: kappa.MarkKind(kind), Span: kappa.Span{Start: int(start), End: int(end)}})
}

// ShowEdge returns a relationship without its sentences, and how many they are. It returns
// a CodeNotFound Error for one that is not there; q names it, and from and to are the
// numbers of its ends.
func (s *GraphSnapshot) ShowEdge(ctx context.Context, q kappa.EdgeEvidenceQuery, from, to int) (kappa.ListedEdge, int, error) {
	r, err := s.q.EdgeShow(ctx, int32(from), int32(to), q.Type)
	if isNoRows(err) {
		return kappa.ListedEdge{}, 0, edgeNotFound(q)
	}
	if err != nil {
		return kappa.ListedEdge{}, 0, translate(err, "read a relationship")
	}
	return kappa.ListedEdge{
		SubgraphEdge: kappa.SubgraphEdge{FromID: q.FromID, ToID: q.ToID, Type: r.Name, Confidence: kappa.FromReal(r.Confidence)},
		FromLabel:    r.FromLabel, ToLabel: r.ToLabel, Category: r.Category, CreatedAt: kappa.At(r.CreatedAt),
		Sources: int(r.Sources), Documents: int(r.Documents),
	}, int(r.Evidence), nil
}

func edgeNotFound(q kappa.EdgeEvidenceQuery) error {
	return notFound("Edge not found: %s", q.FromID+"/"+q.Type+"/"+q.ToID)
}
