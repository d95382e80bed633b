package ingest

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/knowledge"
)

// turned returns an embedding with that cosine to turned(1), on one side of it or, for
// a negative side, on the other.
func turned(cosine, side float64) models.Embedding {
	return models.Embedding{float32(cosine), float32(side * math.Sqrt(1-cosine*cosine))}
}

func draftOf(label string, e models.Embedding) knowledge.ConceptDraft {
	return knowledge.ConceptDraft{ExtractedConcept: knowledge.ExtractedConcept{Label: label}, Embedding: e}
}

func known(id int, label string, e models.Embedding) knowledge.Candidate {
	return knowledge.Candidate{ID: id, Label: label, Embedding: e}
}

func TestMatchOne(t *testing.T) {
	for name, c := range map[string]struct {
		cosine float64
		label  string // of the candidate; the draft's is "Worker lane"
		same   bool
	}{
		"near enough":                          {0.86, "fast track", true},
		"not near enough":                      {0.84, "fast track", false},
		"near with a word in common":           {0.99, "fast lane", false},
		"less near with the same label":        {0.76, "worker  LANE", true},
		"less near with the same name":         {0.76, "the Worker-Lanes", true},
		"its class":                            {0.99, "lane", false},
		"its kind":                             {0.99, "interactive worker lane", false},
		"the same label and not near":          {0.74, "worker lane", false},
		"the same label for a different thing": {0.1, "worker lane", false},
	} {
		t.Run(name, func(t *testing.T) {
			candidates := [][]knowledge.Candidate{{{ID: 7, Label: c.label, Embedding: turned(c.cosine, 1)}}}
			want := knowledge.ConceptMatch{Draft: 0}
			if c.same {
				want = knowledge.ConceptMatch{Known: 7}
			}
			if got := (matcher{}).Match([]knowledge.ConceptDraft{draftOf("Worker lane", turned(1, 1))}, candidates); places(got)[0] != want {
				t.Errorf("got %+v, want %+v", got, want)
			}
		})
	}
}

// places returns matches without why they are.
func places(matches []knowledge.ConceptMatch) []knowledge.ConceptMatch {
	list := make([]knowledge.ConceptMatch, len(matches))
	for i, m := range matches {
		list[i] = knowledge.ConceptMatch{Known: m.Known, Draft: m.Draft}
	}
	return list
}

// TestMatchedBy: a match says what decided, and how near the two are.
func TestMatchedBy(t *testing.T) {
	nlp := draftOf("NLP", turned(0.5, 1))
	for by, c := range map[string]knowledge.Candidate{
		knowledge.MatchedByName:      {ID: 1, Label: "nlp", Embedding: turned(0.5, 1)},
		knowledge.MatchedByAlias:     {ID: 2, Label: "natural language processing", Terms: []string{"NLP"}, InDocument: true, Embedding: turned(1, 1)},
		knowledge.MatchedByEmbedding: {ID: 3, Label: "computer speech", Embedding: turned(0.5, 1)},
	} {
		got := (matcher{}).Match([]knowledge.ConceptDraft{nlp}, [][]knowledge.Candidate{{c}})[0]
		if got.Known != c.ID || got.By != by || got.Score != nlp.Embedding.Cosine(c.Embedding) {
			t.Errorf("of %q and %q: %+v, want %s", nlp.Label, c.Label, got, by)
		}
	}
	if got := (matcher{}).Match([]knowledge.ConceptDraft{nlp}, [][]knowledge.Candidate{nil})[0]; got.By != "" || got.Score != 0 {
		t.Errorf("a new concept is %+v", got)
	}
}

func TestMatch(t *testing.T) {
	east := turned(1, 1)
	for name, c := range map[string]struct {
		drafts     []knowledge.ConceptDraft
		candidates [][]knowledge.Candidate
		want       []knowledge.ConceptMatch
	}{
		"a namesake wins over a nearer stranger, and the older one of equals": {
			[]knowledge.ConceptDraft{draftOf("lane", east)},
			[][]knowledge.Candidate{{known(3, "street", east), known(5, "Lane", turned(0.99, 1)), known(4, "lane", turned(0.99, 1))}},
			[]knowledge.ConceptMatch{{Known: 4}},
		},
		"a namesake that is another thing leaves the nearest stranger": {
			[]knowledge.ConceptDraft{draftOf("lane", east)},
			[][]knowledge.Candidate{{known(3, "street", turned(0.9, 1)), known(4, "lane", turned(0.5, 1))}},
			[]knowledge.ConceptMatch{{Known: 3}},
		},
		"nothing is known yet": {
			[]knowledge.ConceptDraft{draftOf("lane", east), draftOf("lease", turned(0, 1))},
			[][]knowledge.Candidate{nil, nil},
			[]knowledge.ConceptMatch{{Draft: 0}, {Draft: 1}},
		},
		"two drafts of a chunk that are the same new concept make one": {
			[]knowledge.ConceptDraft{draftOf("lane", east), draftOf("lease", turned(0, 1)), draftOf("lanes", turned(0.9, 1))},
			[][]knowledge.Candidate{nil, nil, nil},
			[]knowledge.ConceptMatch{{Draft: 0}, {Draft: 1}, {Draft: 0}},
		},
		"of a known concept and a new one that are equally near the known one wins": {
			[]knowledge.ConceptDraft{draftOf("alpha", turned(0.9, 1)), draftOf("beta", east)},
			[][]knowledge.Candidate{nil, {known(9, "gamma", turned(0.9, 1))}},
			[]knowledge.ConceptMatch{{Draft: 0}, {Known: 9}},
		},
		"two drafts may be one known concept": {
			[]knowledge.ConceptDraft{draftOf("lane", east), draftOf("the lane", turned(0.8, 1))},
			[][]knowledge.Candidate{{known(2, "lane", east)}, {known(2, "lane", east)}},
			[]knowledge.ConceptMatch{{Known: 2}, {Known: 2}},
		},
		"no drafts": {nil, nil, []knowledge.ConceptMatch{}},
	} {
		t.Run(name, func(t *testing.T) {
			if got := (matcher{}).Match(c.drafts, c.candidates); !slices.Equal(places(got), c.want) {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
}

// TestNamesOnly: with an embedding that knows nothing but names the names decide alone.
func TestNamesOnly(t *testing.T) {
	for label, want := range map[string]bool{"Worker-Lanes": true, "worker lane": true, "interactive worker lane": false, "street": false} {
		for _, cosine := range []float64{-1, 0, 0.8, 1} {
			known := []knowledge.Candidate{known(1, label, turned(cosine, 1))}
			got := NewMatcher(models.Model{NamesOnly: true}).Match([]knowledge.ConceptDraft{draftOf("worker lane", turned(1, 1))}, [][]knowledge.Candidate{known})
			if same := got[0].Known == 1; same != want {
				t.Errorf("%q at %v is the same: %v, want %v", label, cosine, same, want)
			}
		}
	}
}

// TestShortNames: what a document explains holds there, and an abbreviation in its
// ontology, as long as it has one meaning.
func TestShortNames(t *testing.T) {
	language := knowledge.Candidate{ID: 1, Label: "natural language processing", Terms: []string{"NLP"}, Embedding: turned(0, 1)}
	program := knowledge.Candidate{ID: 2, Label: "neuro-linguistic programming", Terms: []string{"NLP"}, Embedding: turned(0, 1)}
	ada := knowledge.Candidate{ID: 3, Label: "Ada Lovelace", Terms: []string{"Lovelace"}, Embedding: turned(0, 1)}
	bare := knowledge.Candidate{ID: 4, Label: "NLP", Embedding: turned(1, 1)}
	lane := knowledge.Candidate{ID: 5, Label: "worker lane", Terms: []string{"queue"}, Embedding: turned(0, 1), InDocument: true}
	here := func(c knowledge.Candidate) knowledge.Candidate { c.InDocument = true; return c }
	around := func(c knowledge.Candidate) knowledge.Candidate { c.InOntology = true; return c }
	for name, c := range map[string]struct {
		label      string
		candidates []knowledge.Candidate
		want       int
	}{
		"an abbreviation in its document":               {"NLP", []knowledge.Candidate{here(language)}, 1},
		"an abbreviation in its ontology":               {"NLP", []knowledge.Candidate{around(language)}, 1},
		"an abbreviation elsewhere":                     {"NLP", []knowledge.Candidate{language}, 0},
		"two meanings in an ontology":                   {"NLP", []knowledge.Candidate{around(language), around(program)}, 0},
		"two meanings in an ontology, one explained":    {"NLP", []knowledge.Candidate{here(language), around(program)}, 1},
		"two meanings in a document":                    {"NLP", []knowledge.Candidate{here(language), here(program)}, 0},
		"a concept of another document with that label": {"NLP", []knowledge.Candidate{here(language), bare}, 1},
		"a concept of the document with that label":     {"NLP", []knowledge.Candidate{around(language), here(bare)}, 4},
		"a surname in its document":                     {"Lovelace", []knowledge.Candidate{here(ada)}, 3},
		"a surname in its ontology":                     {"Lovelace", []knowledge.Candidate{around(ada)}, 0},
		"a search term of another kind":                 {"queue", []knowledge.Candidate{lane}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			got := matcher{namesOnly: true}.Match([]knowledge.ConceptDraft{draftOf(c.label, turned(1, 1))}, [][]knowledge.Candidate{c.candidates})
			if got[0].Known != c.want {
				t.Errorf("it is %+v, want %d", got[0], c.want)
			}
		})
	}
}

// TestCertainIsFinal: what the store leaves out because a namesake is certain changes
// no decision.
func TestCertainIsFinal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cosine := rapid.Float64Range(0.5, 1)
		draft := draftOf("lane", turned(1, 1))
		named := []knowledge.Candidate{known(1, "lane", turned(cosine.Draw(t, "elder"), 1)), known(2, "Lane", turned(cosine.Draw(t, "younger"), -1))}
		others := []knowledge.Candidate{known(3, "street", turned(cosine.Draw(t, "street"), 1)), known(4, "worker lane", turned(cosine.Draw(t, "worker lane"), -1))}
		few := matcher{}.Match([]knowledge.ConceptDraft{draft}, [][]knowledge.Candidate{named})
		all := matcher{}.Match([]knowledge.ConceptDraft{draft}, [][]knowledge.Candidate{append(others, named...)})
		if (matcher{}).Certain(draft, named) && (few[0] != all[0] || few[0].Known == 0) {
			t.Errorf("it is %+v among its namesakes and %+v among all", few, all)
		}
	})
}

// TestLeastSimilarityIsNeverMatched: below it a candidate with another label is never
// chosen, so that the store need not search there.
func TestLeastSimilarityIsNeverMatched(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cosine := rapid.Float64Range(-1, matcher{}.LeastSimilarity()-0.001).Draw(t, "cosine")
		label := rapid.SampledFrom([]string{"lanes", "worker lane", "street"}).Draw(t, "label")
		if c, by := (matcher{}).match(draftOf("lane", turned(1, 1)), []knowledge.Candidate{known(1, label, turned(cosine, 1))}); by != "" {
			t.Errorf("%q at %v was matched", c.Label, cosine)
		}
	})
}

// BenchmarkMatch matches a chunk of 100 concepts, each with 20 known ones near it.
func BenchmarkMatch(b *testing.B) {
	var drafts []knowledge.ConceptDraft
	var candidates [][]knowledge.Candidate
	for i := range 100 {
		e := make(models.Embedding, 768)
		e[i] = 1
		drafts = append(drafts, draftOf(fmt.Sprintf("worker lane of kind %d", i), e))
		var near []knowledge.Candidate
		for k := range 20 {
			near = append(near, known(i*20+k+1, fmt.Sprintf("lane of the kind %d and %d", i, k), e))
		}
		candidates = append(candidates, near)
	}
	for b.Loop() {
		NewMatcher(models.Model{NamesOnly: true}).Match(drafts, candidates)
	}
}

// TestHomonymsOfOtherOntologies: where names are all that is compared, a concept that only
// another ontology knows is not meant; an embedding of the meaning decides by itself.
func TestHomonymsOfOtherOntologies(t *testing.T) {
	for name, c := range map[string]struct {
		namesOnly, elsewhere bool
		near                 models.Embedding
		known                bool
	}{
		"by name, here":                  {true, false, models.Embedding{1, 0}, true},
		"by name, elsewhere":             {true, true, models.Embedding{1, 0}, false},
		"by meaning, here":               {false, false, models.Embedding{0.8, 0.6}, true},
		"by a vague meaning, elsewhere":  {false, true, models.Embedding{0.8, 0.6}, false},
		"by the same meaning, elsewhere": {false, true, models.Embedding{1, 0}, true},
	} {
		m := NewMatcher(models.Model{Name: "m", NamesOnly: c.namesOnly})
		d := knowledge.ConceptDraft{ExtractedConcept: knowledge.ExtractedConcept{Label: "GIN"}, Embedding: models.Embedding{1, 0}}
		matches := m.Match([]knowledge.ConceptDraft{d}, [][]knowledge.Candidate{{{ID: 7, Label: "gin", Embedding: c.near, Elsewhere: c.elsewhere}}})
		if (matches[0].Known == 7) != c.known {
			t.Errorf("%s: %+v", name, matches[0])
		}
	}
}
