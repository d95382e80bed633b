package graph

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/graph/export"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// The bounds of exports. One holds a connection and a snapshot of the graph for as long
// as its reader takes.
const (
	exportDeadline  = 5 * time.Minute
	exportsAtOnce   = 2
	exportPageSize  = 500
	exportsRetry    = 10 * time.Second
	exportTruncated = "there are more concepts; ask for a higher limit, or for fewer hops or types"
)

// Export writes a part of the graph in q.Format. It calls begin once it knows what it is
// going to write and whether that is all that was asked for, and writes to what begin
// returns: an error after that leaves the document without its end. Its memory is a few
// bytes for each concept, whatever they say.
//
// The graph is that of one moment. Two exports run at a time, for up to five minutes. It
// returns a CodeInvalid Error that names every broken rule, CodeNotFound for an unknown
// concept or ontology, CodeUnavailable when two exports run or after the deadline, and
// the error of the writer.
func (g *Graph) Export(ctx context.Context, q questions.ExportQuery, begin func(questions.Completeness) io.Writer) error {
	if err := q.Validate(); err != nil {
		return err
	}
	select {
	case g.exports <- struct{}{}:
		defer func() { <-g.exports }()
	default:
		return &kappa.Error{
			Code: kappa.CodeUnavailable, Message: fmt.Sprintf("%d exports are running already; try again later", exportsAtOnce), RetryAfter: exportsRetry,
		}
	}
	limited, cancel := context.WithTimeout(ctx, exportDeadline)
	defer cancel()
	err := g.ask(limited, func(ctx context.Context, v view) error { return v.export(ctx, q, begin) })
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		err = &kappa.Error{
			Code: kappa.CodeUnavailable, Message: fmt.Sprintf("the export took longer than %s; ask for less, or read faster", exportDeadline), RetryAfter: retryAfter, Err: err,
		}
	}
	return err
}

// selection is what an export holds.
type selection struct {
	ontology int
	name     string // of the ontology
	concepts []int  // ascending; of all in Parquet none
	questions.Completeness
}

func (v view) export(ctx context.Context, q questions.ExportQuery, begin func(questions.Completeness) io.Writer) error {
	s, err := v.selection(ctx, q)
	if err != nil {
		return err
	}
	if q.Format == questions.ExportParquet {
		return v.exportTables(ctx, q, s, begin)
	}
	w, err := export.New(begin(s.Completeness), q.Format, s.Completeness, q.IncludeEvidence)
	if err != nil {
		return err
	}
	for page := range slices.Chunk(s.concepts, exportPageSize) {
		if err := v.exportNodes(ctx, w, s, page); err != nil {
			return err
		}
	}
	var ends []int
	if len(s.concepts) <= exportPageSize {
		ends = s.concepts
	}
	for page := range slices.Chunk(s.concepts, exportPageSize) {
		if err := v.exportEdges(ctx, w, s, questions.EdgeSelection{From: page, To: ends, Ontology: s.ontology, Types: typeNames(q.Types)}, q.IncludeEvidence); err != nil {
			return err
		}
	}
	return w.Close()
}

// selection finds the concepts of an export.
func (v view) selection(ctx context.Context, q questions.ExportQuery) (s selection, err error) {
	if len(q.Seeds) > 0 {
		return v.around(ctx, q)
	}
	s.Complete = true
	if q.Ontology != "" {
		if s.ontology, err = v.OntologyNumber(ctx, q.Ontology); err != nil {
			return s, err
		}
		s.name = q.Ontology
	}
	if q.Format == questions.ExportParquet && q.Limit == 0 {
		return s, nil // its statements find them
	}
	if s.concepts, err = v.ConceptsOf(ctx, s.ontology); err != nil {
		return s, err
	}
	if q.Limit > 0 && len(s.concepts) > q.Limit {
		s.Completeness = incomplete(questions.Completeness{}, exportTruncated)
		if s.concepts, err = v.StrongestConcepts(ctx, s.concepts, q.Limit); err != nil {
			return s, err
		}
		slices.Sort(s.concepts)
	}
	return s, nil
}

// around finds the concepts around seeds, which count for the limit too.
func (v view) around(ctx context.Context, q questions.ExportQuery) (s selection, err error) {
	numbers, err := v.ConceptNumbers(ctx, q.Seeds)
	if err != nil {
		return s, err
	}
	var seeds []int
	for _, id := range q.Seeds {
		n, known := numbers[id]
		if !known {
			return s, kappa.NewError(kappa.CodeNotFound, "Concept '"+id+"' not found")
		}
		seeds = append(seeds, n)
	}
	seeds = distinct(seeds)
	limit := q.Limit
	if limit == 0 {
		limit = questions.DefaultSeedLimit
	}
	b, err := v.nhop(ctx, nhopQuery{seeds: seeds, hops: q.MaxHops, types: q.Types, most: max(0, limit-len(seeds)) + 1})
	if err != nil {
		return s, err
	}
	s.Completeness = b.Completeness
	s.concepts = slices.Concat(seeds, b.concepts)
	if len(s.concepts) > limit {
		s.concepts, s.Completeness = s.concepts[:limit], incomplete(b.Completeness, exportTruncated)
	}
	slices.Sort(s.concepts)
	return s, nil
}

// exportNodes writes concepts. Of an ontology they have the figures that it alone gives them.
func (v view) exportNodes(ctx context.Context, w export.Writer, of selection, concepts []int) error {
	summaries, err := v.summaries(ctx, concepts)
	if err != nil {
		return err
	}
	if of.ontology != 0 {
		if err := v.narrow(ctx, summaries, of, concepts); err != nil {
			return err
		}
	}
	for _, c := range concepts {
		s, ok := summaries[c]
		if !ok {
			continue
		}
		if err := w.Node(graphNode(s)); err != nil {
			return err
		}
	}
	return nil
}

// narrow replaces the figures of concepts by those of the ontology of an export.
func (v view) narrow(ctx context.Context, summaries map[int]knowledge.ConceptSummary, of selection, concepts []int) error {
	within, err := v.NarrowedConcepts(ctx, concepts, of.name, 0)
	if err != nil {
		return err
	}
	degrees, err := v.DegreesIn(ctx, concepts, of.ontology)
	if err != nil {
		return err
	}
	for id, s := range summaries {
		if s.Support = degrees[id].Support; s.Strength != nil {
			s.Strength = degrees[id].Strength
		}
		n, shown := within[id]
		if !shown {
			delete(summaries, id)
			continue
		}
		summaries[id] = n.Rename(s)
	}
	return nil
}

// exportEdges writes the relationships that q selects and that end at a concept of s. Their
// sentences, of an ontology only its own, are read for some of them at a time.
func (v view) exportEdges(ctx context.Context, w export.Writer, s selection, q questions.EdgeSelection, evidence bool) error {
	edges, err := v.edgesFrom(ctx, q)
	if err != nil {
		return err
	}
	edges = slices.DeleteFunc(edges, func(e questions.SubgraphEdge) bool {
		_, shown := slices.BinarySearch(s.concepts, e.To)
		return !shown
	})
	for some := range slices.Chunk(edges, exportPageSize) {
		if some, err = v.withStatements(ctx, some, s.ontology, evidence); err != nil {
			return err
		}
		for i := range some {
			if err := w.Edge(some[i]); err != nil {
				return err
			}
			some[i].Evidence = nil // it is written, and may go
		}
	}
	return nil
}
