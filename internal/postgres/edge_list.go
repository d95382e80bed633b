package postgres

import (
	"context"
	"slices"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/postgres/db"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// edgeSelection is what an EdgeFilter selects, by numbers, and the page of it.
type edgeSelection struct {
	ontology    int32 // 0 is all
	kind        int32 // 0 is any
	from, to    int32 // 0 is any
	confidence  float32
	after       db.EdgeKeysRow
	skip, most  int32
	nothingFits bool // there is no such type or ontology
}

// ListEdges returns the relationships that f selects in a fixed order, and how many
// there are in all. from and to are the numbers of the concepts that f names; 0 stands
// for none.
func (s *GraphSnapshot) ListEdges(ctx context.Context, f questions.EdgeFilter, from, to int) (list []questions.ListedEdge, total int, err error) {
	sel, err := s.selection(ctx, f)
	if err != nil || sel.nothingFits {
		return []questions.ListedEdge{}, 0, translate(err, "list relationships")
	}
	sel.from, sel.to = int32(from), int32(to)
	keys, total, err := s.edgeKeys(ctx, sel)
	if err != nil {
		return nil, 0, translate(err, "list relationships")
	}
	list, err = s.listedEdges(ctx, sel, keys)
	return list, total, translate(err, "list relationships")
}

// selection finds the numbers of what f names, and its page.
func (s *GraphSnapshot) selection(ctx context.Context, f questions.EdgeFilter) (sel edgeSelection, err error) {
	after, _ := kappa.ParseCursor(kappa.ListEdges, f.Cursor, kappa.EdgeKeys)
	sel = edgeSelection{
		confidence: float32(f.MinConfidence), skip: int32(f.Offset), most: int32(f.Limit),
		after: db.EdgeKeysRow{Src: clamp32(after.Key(0, 0)), Dst: clamp32(after.Key(1, 0)), Type: clamp32(after.Key(2, 0))},
	}
	for _, named := range []struct {
		name   string
		number *int32
		find   func(context.Context, string) (int32, error)
	}{{f.Ontology, &sel.ontology, s.q.OntologyNumber}, {f.Type, &sel.kind, s.q.TypeNumber}} {
		if named.name == "" {
			continue
		}
		*named.number, err = named.find(ctx, named.name)
		if isNoRows(err) {
			sel.nothingFits = true
			return sel, nil
		}
		if err != nil {
			return sel, err
		}
	}
	return sel, nil
}

// edgeKeys returns the keys of a page, and how many relationships are selected in all. The
// relationships of a concept are counted with the page; how many others there are is kept.
func (s *GraphSnapshot) edgeKeys(ctx context.Context, sel edgeSelection) (keys []db.EdgeKeysRow, total int, err error) {
	if sel.from != 0 || sel.to != 0 {
		return s.edgeKeysAround(ctx, sel)
	}
	switch {
	case sel.ontology != 0:
		keys, err = toEdgeKeys(s.q.EdgeKeysIn(ctx, db.EdgeKeysInParams{
			Ontology: sel.ontology, Type: sel.kind, MinConfidence: sel.confidence, Until: sel.skip + sel.most,
			AfterSrc: sel.after.Src, AfterDst: sel.after.Dst, AfterType: sel.after.Type, Skip: sel.skip, Most: sel.most,
		}))
	case sel.kind != 0:
		keys, err = toEdgeKeys(s.q.EdgeKeysOf(ctx, db.EdgeKeysOfParams{
			Type: sel.kind, MinConfidence: sel.confidence, AfterSrc: sel.after.Src, AfterDst: sel.after.Dst, Skip: sel.skip, Most: sel.most,
		}))
	default:
		keys, err = s.q.EdgeKeys(ctx, db.EdgeKeysParams{
			MinConfidence: sel.confidence, AfterSrc: sel.after.Src, AfterDst: sel.after.Dst, AfterType: sel.after.Type, Skip: sel.skip, Most: sel.most,
		})
	}
	if err != nil {
		return nil, 0, err
	}
	total, err = s.edgeCount(ctx, sel)
	return keys, total, err
}

func toEdgeKeys[R db.EdgeKeysInRow | db.EdgeKeysOfRow](rows []R, err error) ([]db.EdgeKeysRow, error) {
	keys := make([]db.EdgeKeysRow, len(rows))
	for i, r := range rows {
		keys[i] = db.EdgeKeysRow(r)
	}
	return keys, err
}

func (s *GraphSnapshot) edgeKeysAround(ctx context.Context, sel edgeSelection) (keys []db.EdgeKeysRow, total int, err error) {
	rows, err := s.q.EdgeKeysAround(ctx, db.EdgeKeysAroundParams{
		Source: sel.from, Target: sel.to, Ontology: sel.ontology, Type: sel.kind, MinConfidence: sel.confidence,
		AfterSrc: sel.after.Src, AfterDst: sel.after.Dst, AfterType: sel.after.Type, Skip: sel.skip, Most: sel.most,
	})
	for _, r := range rows {
		total = int(r.Total)
		if r.Src != 0 {
			keys = append(keys, db.EdgeKeysRow{Src: r.Src, Dst: r.Dst, Type: r.Type})
		}
	}
	return keys, total, err
}

// listedEdges returns what is shown of the relationships of a page, and nothing but pages is
// read after it.
func (s *GraphSnapshot) listedEdges(ctx context.Context, sel edgeSelection, keys []db.EdgeKeysRow) ([]questions.ListedEdge, error) {
	p := db.EdgesListedParams{Ontology: sel.ontology}
	for _, k := range keys {
		p.Srcs, p.Dsts, p.Types = append(p.Srcs, k.Src), append(p.Dsts, k.Dst), append(p.Types, k.Type)
	}
	if err := s.q.PageBegin(ctx); err != nil {
		return nil, err
	}
	rows, err := s.q.EdgesListed(ctx, p)
	if err != nil {
		return nil, err
	}
	if err := s.renameEnds(ctx, sel.ontology, rows); err != nil {
		return nil, err
	}
	list := make([]questions.ListedEdge, len(rows))
	for i, r := range rows {
		list[i] = questions.ListedEdge{
			SubgraphEdge: questions.SubgraphEdge{From: int(r.Src), To: int(r.Dst), FromID: r.FromID, ToID: r.ToID, Type: r.Name, Confidence: knowledge.FromReal(r.Confidence)},
			FromLabel:    r.FromLabel, ToLabel: r.ToLabel, Category: r.Category, CreatedAt: kappa.At(r.CreatedAt),
			Sources: int(r.Sources), Documents: int(r.Documents),
			Place: kappa.Cursor{List: kappa.ListEdges, Keys: []int64{int64(r.Src), int64(r.Dst), int64(r.Type)}},
		}
	}
	return list, nil
}

// renameEnds gives the ends of relationships the names that an ontology has for them; 0 is all.
func (s *GraphSnapshot) renameEnds(ctx context.Context, ontology int32, rows []db.EdgesListedRow) error {
	if ontology == 0 {
		return nil
	}
	var ends []int32
	for _, r := range rows {
		ends = append(ends, r.Src, r.Dst)
	}
	slices.Sort(ends)
	names, err := s.q.LabelsWithin(ctx, ontology, slices.Compact(ends))
	label := make(map[int32]string, len(names))
	for _, n := range names {
		label[n.ID] = n.Label
	}
	for i, r := range rows {
		rows[i].FromLabel, rows[i].ToLabel = label[r.Src], label[r.Dst]
	}
	return err
}

// edgeCount returns how many relationships are selected, as they were counted when something
// of the graph had changed last.
func (s *GraphSnapshot) edgeCount(ctx context.Context, sel edgeSelection) (int, error) {
	tally, err := s.tally(ctx)
	if err != nil {
		return 0, err
	}
	if sel.ontology == 0 {
		return tally.edges.count(sel.kind, sel.confidence), nil
	}
	if sel.kind == 0 && sel.confidence <= 0 {
		return tally.ontologies[sel.ontology].relationships, nil
	}
	edges, err := s.store.memory.edges.of(sel.ontology).at(ctx, s, func(*edgeTally, graphTouch) (edgeTally, error) {
		rows, err := s.q.EdgeTallyIn(ctx, sel.ontology)
		return toEdgeTally(rows), err
	})
	return edges.count(sel.kind, sel.confidence), err
}
