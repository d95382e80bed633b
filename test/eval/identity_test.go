package main

import (
	"bufio"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/extract"
	"github.com/kappagraph/kappa/internal/ingest"
)

// leastJoined is the share of the pairs of one thing that must become one concept.
const leastJoined = 0.9

// identityPairs reads a file of pairs "a | b".
func identityPairs(t *testing.T, name string) [][2]string {
	t.Helper()
	file, err := os.Open("testdata/identity/" + name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var pairs [][2]string
	for lines := bufio.NewScanner(file); lines.Scan(); {
		if a, b, ok := strings.Cut(lines.Text(), " | "); ok && !strings.HasPrefix(a, "#") {
			pairs = append(pairs, [2]string{a, b})
		}
	}
	if len(pairs) < 200 {
		t.Fatalf("%s has %d pairs, want at least 200", name, len(pairs))
	}
	return pairs
}

// draftOf returns what the built-in extractor would hand on of a name. Of "long form
// (ABBR)" the short form is a search term.
func draftOf(t *testing.T, e kappa.Embedder, name string) kappa.ConceptDraft {
	t.Helper()
	c := kappa.ExtractedConcept{Key: "c", Label: name, Description: "What the text says of it."}
	if long, rest, ok := strings.Cut(name, " ("); ok && strings.HasSuffix(rest, ")") {
		c.Label, c.SearchTerms = long, []string{strings.TrimSuffix(rest, ")")}
	}
	vectors, err := e.Embed(t.Context(), []string{c.EmbeddingText()})
	if err != nil {
		t.Fatal(err)
	}
	return kappa.ConceptDraft{ExtractedConcept: c, Embedding: vectors[0]}
}

// joined reports whether two names in one document become one concept.
func joined(t *testing.T, e kappa.Embedder, a, b string) bool {
	t.Helper()
	drafts := []kappa.ConceptDraft{draftOf(t, e, a), draftOf(t, e, b)}
	return ingest.NewMatcher(e.Model()).Match(drafts, make([][]kappa.Candidate, 2))[1].Draft == 0
}

// TestIdentity holds the matcher, with the built-in embedding, to pairs of names that
// are two things and pairs that are one, whichever of the two is read first.
func TestIdentity(t *testing.T) {
	embedder := extract.BuiltinEmbedder()
	measure := func(name string) (wrong []string, pairs int) {
		list := identityPairs(t, name)
		for _, p := range list {
			there, back := joined(t, embedder, p[0], p[1]), joined(t, embedder, p[1], p[0])
			if there != back {
				t.Errorf("%s and %s: %v one way, %v the other", p[0], p[1], there, back)
			}
			if there == (name == "confusable.txt") {
				wrong = append(wrong, p[0]+" | "+p[1])
			}
		}
		return wrong, len(list)
	}
	wrong, pairs := measure("confusable.txt")
	t.Logf("%d of %d confusable pairs become one concept", len(wrong), pairs)
	if len(wrong) > 0 {
		t.Errorf("they must stay two:\n%s", strings.Join(slices.Sorted(slices.Values(wrong)), "\n"))
	}
	apart, pairs := measure("same.txt")
	share := 1 - float64(len(apart))/float64(pairs)
	t.Logf("%d of %d pairs of one thing (%.1f %%) become one concept; apart stay:\n%s", pairs-len(apart), pairs, share*100, strings.Join(apart, "\n"))
	if share < leastJoined {
		t.Errorf("%.1f %% of the pairs of one thing become one concept, want %.0f %%", share*100, leastJoined*100)
	}
}
