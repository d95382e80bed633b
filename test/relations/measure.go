package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/vocabulary"
)

// figures count what the graph of texts has of what people have annotated.
type figures struct {
	pairs, pairsTyped, pairsAny int // related pairs of entities in one sentence; those with a typed relationship, with any
	said, right, rightType      int // typed relationships between two entities; those that people relate too, and so
	relationships, associations int // all, and those of the type RELATED_TO
	names, found                int
	sure                        [11][2]int // by tenths of confidence: said, right
}

// extractor reads passages.
type extractor interface {
	Extract(ctx context.Context, p knowledge.Passage) (knowledge.Extraction, error)
}

// measure adds what e makes of a text.
func (f *figures) measure(ctx context.Context, e extractor, t text) error {
	x, err := e.Extract(ctx, knowledge.Passage{Text: t.body, ContentType: corpus.ContentPlain})
	if err != nil {
		return err
	}
	of := t.entitiesOf(x.Concepts)
	found := map[int]bool{}
	for _, entities := range of {
		for _, i := range entities {
			found[i] = true
		}
	}
	f.names += len(t.entities)
	f.found += len(found)
	typed, related := map[[2]int]bool{}, map[[2]int]bool{}
	for _, r := range x.Relationships {
		f.relationships++
		association := r.Type == vocabulary.TypeRelatedTo
		if association {
			f.associations++
		}
		said, right, rightType := t.judge(r, of)
		for _, p := range said {
			related[p] = true
			typed[p] = typed[p] || !association
		}
		if len(said) > 0 && !association {
			f.count(r.Confidence, right, rightType)
		}
	}
	for p := range t.together() {
		f.pairs++
		if typed[p] {
			f.pairsTyped++
		}
		if related[p] {
			f.pairsAny++
		}
	}
	return nil
}

// count counts a typed relationship between two entities.
func (f *figures) count(confidence float64, right, rightType bool) {
	at := &f.sure[int(confidence*10+1e-9)]
	f.said++
	at[0]++
	if right {
		f.right++
		at[1]++
	}
	if rightType {
		f.rightType++
	}
}

// entitiesOf returns the entities that each concept, by its key, has a name of. Numbers and dates are
// none.
func (t *text) entitiesOf(concepts []knowledge.ExtractedConcept) map[string][]int {
	bare := func(name string) string { return strings.TrimPrefix(strings.ToLower(name), "the ") }
	byName := map[string][]int{}
	for i, e := range t.entities {
		if e.kind == "TIME" || e.kind == "NUM" {
			continue
		}
		for _, name := range e.names {
			if !slices.Contains(byName[bare(name)], i) {
				byName[bare(name)] = append(byName[bare(name)], i)
			}
		}
	}
	out := map[string][]int{}
	for _, c := range concepts {
		for _, name := range append([]string{c.Label}, c.SearchTerms...) {
			out[c.Key] = append(out[c.Key], byName[bare(name)]...)
		}
	}
	return out
}

// judge returns the pairs of entities that a relationship is between, whether people relate one of
// them too, and by the same type.
func (t *text) judge(r knowledge.ExtractedRelationship, of map[string][]int) (pairs [][2]int, right, rightType bool) {
	for _, i := range of[r.From] {
		for _, j := range of[r.To] {
			if i == j {
				continue
			}
			pairs = append(pairs, [2]int{min(i, j), max(i, j)})
			for _, g := range t.relations {
				if g.head == i && g.tail == j || g.head == j && g.tail == i {
					right = true
					rightType = rightType || classOf(g.property, g.head == i) == r.Type
				}
			}
		}
	}
	return pairs, right, rightType
}

// together returns the pairs of entities, no numbers and dates, that are related and stand in one
// sentence.
func (t *text) together() map[[2]int]bool {
	out := map[[2]int]bool{}
	for _, r := range t.relations {
		for _, e := range []int{r.head, r.tail} {
			if k := t.entities[e].kind; k == "TIME" || k == "NUM" {
				r.head = r.tail
			}
		}
		for s := range t.entities[r.head].in {
			if r.head != r.tail && t.entities[r.tail].in[s] {
				out[[2]int{min(r.head, r.tail), max(r.head, r.tail)}] = true
			}
		}
	}
	return out
}

// print prints the figures in a line, and how often what is said with a confidence is right.
func (f *figures) print(name string) {
	share := func(a, b int) float64 { return float64(a) / max(float64(b), 1) }
	fmt.Printf("%-18s related pairs in a sentence %d: typed %.3f, any %.3f; typed between entities %d: related too %.3f, so %.3f; names %.3f; RELATED_TO %.3f of %d\n", name,
		f.pairs, share(f.pairsTyped, f.pairs), share(f.pairsAny, f.pairs), f.said, share(f.right, f.said), share(f.rightType, f.said), share(f.found, f.names), share(f.associations, f.relationships), f.relationships)
	fmt.Printf("%-18s", "  by confidence")
	for i, s := range f.sure {
		if s[0] > 0 {
			fmt.Printf("  %.1f: %d %.2f", float64(i)/10, s[0], share(s[1], s[0]))
		}
	}
	fmt.Println()
}
