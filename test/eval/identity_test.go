package main

import (
	"bufio"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/internal/extract"
	"github.com/kappagraph/kappa/internal/ingest"
	"github.com/kappagraph/kappa/knowledge"
)

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
	return pairs
}

// draftOf returns what the built-in extractor would hand on of a name. Of "long form
// (ABBR)" the short form is a search term.
func draftOf(t *testing.T, e models.Embedder, name string) knowledge.ConceptDraft {
	t.Helper()
	c := knowledge.ExtractedConcept{Key: "c", Label: name, Description: "What the text says of it."}
	if long, rest, ok := strings.Cut(name, " ("); ok && strings.HasSuffix(rest, ")") {
		c.Label, c.SearchTerms = long, []string{strings.TrimSuffix(rest, ")")}
	}
	vectors, err := e.Embed(t.Context(), []string{c.EmbeddingText()})
	if err != nil {
		t.Fatal(err)
	}
	return knowledge.ConceptDraft{ExtractedConcept: c, Embedding: vectors[0]}
}

// joined reports whether two names in one document become one concept.
func joined(t *testing.T, e models.Embedder, a, b string) bool {
	t.Helper()
	drafts := []knowledge.ConceptDraft{draftOf(t, e, a), draftOf(t, e, b)}
	return ingest.NewMatcher(e.Model()).Match(drafts, make([][]knowledge.Candidate, 2))[1].Draft == 0
}

// TestIdentity holds the matcher, with the built-in embedding, to pairs of names that
// are two things and pairs that are one, whichever of the two is read first.
func TestIdentity(t *testing.T) {
	for _, tt := range []struct {
		confusable, same string
		pairs            int // at least
		joined           int // confusable pairs that may become one concept
		share            float64
	}{
		{"confusable.txt", "same.txt", 200, 0, 0.9},
		{"heldout-confusable.txt", "heldout-same.txt", 40, 0, 0.85}, // written after the rules
	} {
		two, one := identityPairs(t, tt.confusable), identityPairs(t, tt.same)
		if len(two) < tt.pairs || len(one) < tt.pairs {
			t.Errorf("%d and %d pairs, want at least %d", len(two), len(one), tt.pairs)
		}
		wrong, _ := identityJoins(t, two)
		t.Logf("%s: %d of %d confusable pairs become one concept", tt.confusable, len(wrong), len(two))
		if len(wrong) > tt.joined {
			t.Errorf("they must stay two:\n%s", strings.Join(wrong, "\n"))
		}
		joined, apart := identityJoins(t, one)
		share := float64(len(joined)) / float64(len(one))
		t.Logf("%s: %d of %d pairs of one thing (%.1f %%) become one concept; apart stay:\n%s", tt.same, len(joined), len(one), share*100, strings.Join(apart, "\n"))
		if share < tt.share {
			t.Errorf("%.1f %% of the pairs of one thing become one concept, want %.0f %%", share*100, tt.share*100)
		}
	}
}

// identityJoins returns the pairs that become one concept and those that do not, in the
// order of the alphabet. It fails t when the order of the two names matters.
func identityJoins(t *testing.T, pairs [][2]string) (one, two []string) {
	t.Helper()
	embedder := extract.BuiltinEmbedder()
	for _, p := range pairs {
		there, back := joined(t, embedder, p[0], p[1]), joined(t, embedder, p[1], p[0])
		if there != back {
			t.Errorf("%s and %s: %v one way, %v the other", p[0], p[1], there, back)
		}
		if there {
			one = append(one, p[0]+" | "+p[1])
		} else {
			two = append(two, p[0]+" | "+p[1])
		}
	}
	slices.Sort(one)
	slices.Sort(two)
	return one, two
}
