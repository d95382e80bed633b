package graph

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/questions"
)

func TestKindred(t *testing.T) {
	for phrase, want := range map[string]string{
		"garbage collector":  "garbage collection; garbage collecting",
		"garbage collection": "garbage collector; garbage collecting",
		"job schedulers":     "job scheduling",
		"encoding":           "encoder",
		"text compression":   "text compressor; text compressing",
		"tokenizer":          "tokenization; tokenizing",
		"sector":             "", // a section is something else
		"letter":             "",
		"station":            "",
		"compass":            "",
		"lanes":              "",
	} {
		got := kindred(phrase)
		for name := range strings.SplitSeq(want, "; ") {
			if name != "" && !slices.Contains(got, name) {
				t.Errorf("%s: %q lacks %q", phrase, got, name)
			}
		}
		if want == "" && len(got) > 0 {
			t.Errorf("%s: got %q, want none", phrase, got)
		}
	}
}

// TestSearchByKindredName finds what is named with another ending, alone and in a
// question, and puts the very name before it and before what only resembles it.
func TestSearchByKindredName(t *testing.T) {
	l := &library{cosines: map[string]float64{"c_1": 0.4, "c_2": 0.99, "c_3": 0.3}, terms: []knowledge.TermHit{
		{ID: 1, ConceptID: "c_1", Term: "garbage collection", IsLabel: true},
		{ID: 3, ConceptID: "c_3", Term: "gc", IsLabel: false},
		{ID: 4, ConceptID: "c_4", Term: "moss piglet", IsLabel: false},
		{ID: 5, ConceptID: "c_5", Term: "salt city", IsLabel: true},
	}}
	for query, want := range map[string]string{
		"garbage collector":                   "c_2 0.99, c_1 0.9",
		"how does the garbage collector work": "c_2 0.99, c_1 0.795",
		"garbage collection":                  "c_1 1, c_2 0.94",
		"gc":                                  "c_3 0.95, c_2 0.94",
		"moss piglets":                        "c_2 0.99, c_4 0.9405",
		"salt cities":                         "c_2 0.99, c_5 0.99",
	} {
		result, err := New(Config{View: viewOf(l), Embedder: wholeOnly{}}).Search(t.Context(), questions.SearchQuery{Query: query, Limit: 5})
		var got []string
		for _, h := range result.Results {
			got = append(got, h.ConceptID+" "+strconv.FormatFloat(h.Score, 'f', -1, 64))
		}
		if err != nil || strings.Join(got, ", ") != want {
			t.Errorf("%s: got %q, want %q; %v", query, strings.Join(got, ", "), want, err)
		}
	}
}
