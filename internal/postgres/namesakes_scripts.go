package postgres

import (
	"cmp"
	"context"
	"slices"

	"github.com/kappagraph/kappa/internal/postgres/db"
	"github.com/kappagraph/kappa/knowledge/naming"
)

// findNamesakes returns pairs of concepts of one name, and then those whose names sound alike in two
// scripts.
func findNamesakes(ctx context.Context, q *db.Queries) ([]db.NamesakesRow, error) {
	pairs, err := q.Namesakes(ctx, mostNamesakes)
	if err != nil {
		return nil, err
	}
	others, err := q.NamesOfOtherAlphabets(ctx)
	if err != nil || len(others) == 0 { // most graphs have one alphabet, and nothing more is read
		return pairs, err
	}
	latin, err := q.NamesInLatin(ctx)
	if err != nil {
		return nil, err
	}
	names := make([]spelledConcept, 0, len(others))
	sounds := map[string]bool{}
	for _, c := range others {
		if s, ok := naming.Spell(c.Label); ok {
			names = append(names, spelledConcept{c.ID, s})
			sounds[s.Sounds] = true
		}
	}
	for _, c := range latin {
		if s, ok := naming.Spell(c.Label); ok && sounds[s.Sounds] {
			names = append(names, spelledConcept{c.ID, s})
		}
	}
	return appendAlike(pairs, names), nil
}

// spelledConcept is the number of a concept, and how it is spelled.
type spelledConcept struct {
	id int32
	naming.Spelling
}

// mostAlike is how many concepts of one sound are compared.
const mostAlike = 100

// appendAlike appends the pairs of names that sound alike in two scripts, by their sound, up to
// mostNamesakes.
func appendAlike(pairs []db.NamesakesRow, names []spelledConcept) []db.NamesakesRow {
	slices.SortFunc(names, func(a, b spelledConcept) int {
		return cmp.Or(cmp.Compare(a.Sounds, b.Sounds), cmp.Compare(a.id, b.id))
	})
	for len(names) > 0 {
		n := 1
		for n < len(names) && names[n].Sounds == names[0].Sounds {
			n++
		}
		group := names[:min(n, mostAlike)]
		for i := range group {
			for j := i + 1; j < len(group); j++ {
				if len(pairs) < mostNamesakes && group[i].SoundsLike(group[j].Spelling) {
					pairs = append(pairs, db.NamesakesRow{A: group[i].id, B: group[j].id})
				}
			}
		}
		names = names[n:]
	}
	return pairs
}
