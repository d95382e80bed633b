package postgres

import (
	"context"
	"slices"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/postgres/db"
	"github.com/kappagraph/kappa/knowledge"
)

// Namesakes returns pairs of concepts of one name, by name, and behind them pairs whose names sound
// alike in two scripts: those of which nobody said that they stay two, or those of which somebody
// did, the last ones first.
func (s NoteStore) Namesakes(ctx context.Context, apart bool, most int) ([]knowledge.Namesakes, error) {
	q := db.New(s.graph)
	pairs, err := s.namesakePairs(ctx, q, apart, most)
	if err != nil {
		return nil, translate(err, "find concepts of one name")
	}
	var ids []int32
	for _, p := range pairs {
		ids = append(ids, p.A, p.B)
	}
	rows, err := q.NamesakesShown(ctx, ids)
	if err != nil {
		return nil, translate(err, "show concepts of one name")
	}
	shown := make(map[int32]knowledge.Namesake, len(rows))
	for _, r := range rows {
		shown[r.ID] = knowledge.Namesake{
			ConceptID: r.ConceptID, Label: r.Label, Description: r.Description,
			Quotes: int(r.Quotes), Ontologies: r.Ontologies, Neighbors: r.Neighbors,
		}
	}
	var list []knowledge.Namesakes
	for _, p := range pairs {
		a, okA := shown[p.A]
		b, okB := shown[p.B]
		if !okA || !okB {
			continue // one was deleted since
		}
		pair := knowledge.Namesakes{A: a, B: b}
		if apart {
			pair.Apart = &knowledge.KeptApart{Reason: p.Reason, By: p.MadeBy, At: kappa.At(p.At)}
		}
		list = append(list, pair)
	}
	return list, nil
}

// mostNamesakes is how many pairs of concepts of one name are remembered.
const mostNamesakes = 20_000

// namesakePairs returns the numbers of pairs. Those of one name are found again only when the
// graph has changed.
func (s NoteStore) namesakePairs(ctx context.Context, q *db.Queries, apart bool, most int) ([]db.KgApiConceptsApart, error) {
	if apart {
		return q.NamesakesApart(ctx, int32(most))
	}
	var named []db.NamesakesRow
	err := GraphStore(s).View(ctx, func(view *GraphSnapshot) (err error) {
		named, err = s.memory.namesakes.at(ctx, view, func(*[]db.NamesakesRow, graphTouch) ([]db.NamesakesRow, error) {
			return findNamesakes(ctx, view.q)
		})
		return err
	})
	if err != nil {
		return nil, err
	}
	return openNamesakes(ctx, q, named, most)
}

// namesakesAtOnce is of how many pairs it is asked at once whether they stay two.
const namesakesAtOnce = 200

// openNamesakes returns the first pairs of which nobody said that they stay two.
func openNamesakes(ctx context.Context, q *db.Queries, named []db.NamesakesRow, most int) (pairs []db.KgApiConceptsApart, err error) {
	for some := range slices.Chunk(named, namesakesAtOnce) {
		ones, others := make([]int32, len(some)), make([]int32, len(some))
		for i, p := range some {
			ones[i], others[i] = p.A, p.B
		}
		rows, err := q.NamesakesOpen(ctx, ones, others, int32(most-len(pairs)))
		if err != nil {
			return nil, err
		}
		for _, r := range rows {
			pairs = append(pairs, db.KgApiConceptsApart{A: r.A, B: r.B})
		}
		if len(pairs) >= most {
			break
		}
	}
	return pairs, nil
}

// KeepApart says of two concepts that they stay two. Doing so again changes nothing. It
// returns CodeNotFound for an unknown concept.
func (s NoteStore) KeepApart(ctx context.Context, k knowledge.NewKeptApart) error {
	err := inTx(ctx, s.graph, func(q *db.Queries) error {
		if err := beginSubmission(ctx, q); err != nil {
			return err
		}
		one, other, err := twoConcepts(ctx, q, k.A, k.B)
		if err != nil {
			return err
		}
		if err := q.NamesakesKeep(ctx, db.NamesakesKeepParams{One: one, Other: other, Reason: k.Reason, MadeBy: k.By}); err != nil {
			return err
		}
		return record(ctx, q, act{action: "concept.keep_apart", object: "concept", id: k.A, after: k})
	})
	return translate(err, "keep two concepts apart")
}

// OfferAgain takes back what KeepApart has said. It returns CodeNotFound for an unknown
// concept, and when nobody said that the two stay two.
func (s NoteStore) OfferAgain(ctx context.Context, a, b string) error {
	err := inTx(ctx, s.graph, func(q *db.Queries) error {
		one, other, err := twoConcepts(ctx, q, a, b)
		if err != nil {
			return err
		}
		n, err := q.NamesakesOffer(ctx, one, other)
		if err != nil {
			return err
		}
		if n == 0 {
			return notFound("Nobody said that '%s' and '%s' stay two", a, b)
		}
		return record(ctx, q, act{action: "concept.offer_again", object: "concept", id: a, before: map[string]any{"a": a, "b": b}})
	})
	return translate(err, "offer two concepts again")
}

func twoConcepts(ctx context.Context, q *db.Queries, a, b string) (one, other int32, err error) {
	if one, err = conceptNumber(ctx, q, a); err == nil {
		other, err = conceptNumber(ctx, q, b)
	}
	return one, other, err
}
