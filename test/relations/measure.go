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

// figures count what the graph of a text has of what people have annotated.
type figures struct {
	pairs, typed, any                int // related pairs of entities in one sentence; those with a typed relationship, with any
	said, right, rightType           int // typed relationships between two entities; those that people relate too, and so
	relationships, associations, all int // RELATED_TO that are shown, of all
	names, found                     int
	sure                             [11][2]int // by tenths of confidence: said, right
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
	of := map[string][]int{} // entities by the key of a concept
	byName := map[string][]int{}
	for i, n := range t.entities {
		if n.kind == "TIME" || n.kind == "NUM" {
			continue
		}
		for _, name := range n.names {
			name = strings.TrimPrefix(strings.ToLower(name), "the ")
			if !slices.Contains(byName[name], i) {
				byName[name] = append(byName[name], i)
			}
		}
	}
	found := map[int]bool{}
	for _, c := range x.Concepts {
		for _, name := range append([]string{c.Label}, c.SearchTerms...) {
			for _, i := range byName[strings.TrimPrefix(strings.ToLower(name), "the ")] {
				of[c.Key] = append(of[c.Key], i)
				found[i] = true
			}
		}
	}
	f.names += len(t.entities)
	f.found += len(found)
	typed, any := map[[2]int]bool{}, map[[2]int]bool{}
	for _, r := range x.Relationships {
		f.relationships++
		if r.Type == vocabulary.TypeRelatedTo {
			f.associations++
		}
		said, right, rightType := false, false, false
		for _, i := range of[r.From] {
			for _, j := range of[r.To] {
				if i == j {
					continue
				}
				said = true
				p := [2]int{min(i, j), max(i, j)}
				any[p] = true
				if r.Type == vocabulary.TypeRelatedTo {
					continue
				}
				typed[p] = true
				for _, g := range t.relations {
					if g.head == i && g.tail == j || g.head == j && g.tail == i {
						right = true
						class := classOf(g.property, g.head == i)
						rightType = rightType || class == r.Type
					}
				}
			}
		}
		if said && r.Type != vocabulary.TypeRelatedTo {
			f.said++
			at := int(r.Confidence*10 + 1e-9)
			f.sure[at][0]++
			if right {
				f.right++
				f.sure[at][1]++
			}
			if rightType {
				f.rightType++
			}
		}
	}
	for p := range t.together() {
		f.pairs++
		if typed[p] {
			f.typed++
		}
		if any[p] {
			f.any++
		}
	}
	return nil
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
		f.pairs, share(f.typed, f.pairs), share(f.any, f.pairs), f.said, share(f.right, f.said), share(f.rightType, f.said), share(f.found, f.names), share(f.associations, f.relationships), f.relationships)
	fmt.Printf("%-18s", "  by confidence")
	for i, s := range f.sure {
		if s[0] > 0 {
			fmt.Printf("  %.1f: %d %.2f", float64(i)/10, s[0], share(s[1], s[0]))
		}
	}
	fmt.Println()
}
