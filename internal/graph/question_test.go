package graph

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestQuestionParts(t *testing.T) {
	for _, c := range []struct {
		name, question string
		want           []string
	}{
		{"a question", "How do lanes claim jobs?", []string{
			"lanes 0.33", "lanes claim 0.67", "lanes claim jobs 1.00", "claim 0.33", "claim jobs 0.67", "jobs 0.33",
		}},
		{"a single name has no part besides itself", "Worker-Lane", nil},
		{"a single name within filler is a part", "what is a lane", []string{"lane 1.00"}},
		{"a phrase keeps the filler inside it", "levels of detail", []string{"levels 0.50", "detail 0.50"}},
		{"only filler", "who is the one", []string{"one 1.00"}},
		{"nothing but filler", "what is it", nil},
		{"names keep their dots and signs", "does node.js beat C++?", []string{
			"node.js 0.33", "node.js beat 0.67", "node.js beat c++ 1.00", "beat 0.33", "beat c++ 0.67", "c++ 0.33",
		}},
		{"repeated words count each time and are asked once", "lane lane", []string{"lane 0.50"}},
		{"no words at all", "?! …", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for _, p := range questionParts(c.question) {
				got = append(got, fmt.Sprintf("%s %.2f", p.text, p.share))
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}

	t.Run("long questions give up the long phrases first", func(t *testing.T) {
		var words []string
		for i := range 12 {
			words = append(words, fmt.Sprintf("word%d", i))
		}
		for _, p := range questionParts(strings.Join(words, " ")) {
			if strings.Count(p.text, " ") > 1 {
				t.Errorf("part %q of three words", p.text)
			}
		}
	})
	t.Run("parts are few, different, and a share of the question", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			question := strings.Join(rapid.SliceOf(rapid.SampledFrom([]string{"the", "lane", "of", "job", "x", "é", "??"})).Draw(t, "words"), " ")
			seen := map[string]bool{}
			for _, p := range questionParts(question) {
				if p.share <= 0 || p.share > 1 || p.weight() > 1 || p.weight() <= partWeight || seen[p.text] {
					t.Fatalf("part %+v, seen before: %v", p, seen[p.text])
				}
				seen[p.text] = true
			}
			if len(seen) > maxParts {
				t.Fatalf("%d parts", len(seen))
			}
		})
	})
}
