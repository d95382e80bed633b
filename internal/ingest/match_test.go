package ingest

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/kappagraph/kappa"
)

// turned returns an embedding with that cosine to turned(1), on one side of it or, for
// a negative side, on the other.
func turned(cosine, side float64) kappa.Embedding {
	return kappa.Embedding{float32(cosine), float32(side * math.Sqrt(1-cosine*cosine))}
}

func draftOf(label string, e kappa.Embedding) kappa.ConceptDraft {
	return kappa.ConceptDraft{ExtractedConcept: kappa.ExtractedConcept{Label: label}, Embedding: e}
}

func known(id int, label string, e kappa.Embedding) kappa.Candidate {
	return kappa.Candidate{ID: id, Label: label, Embedding: e}
}

func TestMatchOne(t *testing.T) {
	for name, c := range map[string]struct {
		cosine float64
		label  string // of the candidate; the draft's is "Worker lane"
		same   bool
	}{
		"near enough":                          {0.86, "fast lane", true},
		"not near enough":                      {0.84, "fast lane", false},
		"less near with the same label":        {0.76, "worker  LANE", true},
		"less near with a label within it":     {0.76, "lane", true},
		"less near with a label around it":     {0.76, "interactive worker lane", true},
		"the same label and not near":          {0.74, "worker lane", false},
		"the same label for a different thing": {0.1, "worker lane", false},
	} {
		t.Run(name, func(t *testing.T) {
			candidates := [][]kappa.Candidate{{{ID: 7, Label: c.label, Embedding: turned(c.cosine, 1)}}}
			want := kappa.ConceptMatch{Draft: 0}
			if c.same {
				want = kappa.ConceptMatch{Known: 7}
			}
			if got := (matcher{}).Match([]kappa.ConceptDraft{draftOf("Worker lane", turned(1, 1))}, candidates)[0]; got != want {
				t.Errorf("got %+v, want %+v", got, want)
			}
		})
	}
}

func TestMatch(t *testing.T) {
	east := turned(1, 1)
	for name, c := range map[string]struct {
		drafts     []kappa.ConceptDraft
		candidates [][]kappa.Candidate
		want       []kappa.ConceptMatch
	}{
		"a namesake wins over a nearer stranger, and the older one of equals": {
			[]kappa.ConceptDraft{draftOf("lane", east)},
			[][]kappa.Candidate{{known(3, "street", east), known(5, "Lane", turned(0.99, 1)), known(4, "lane", turned(0.99, 1))}},
			[]kappa.ConceptMatch{{Known: 4}},
		},
		"a namesake that is another thing leaves the nearest stranger": {
			[]kappa.ConceptDraft{draftOf("lane", east)},
			[][]kappa.Candidate{{known(3, "street", turned(0.9, 1)), known(4, "lane", turned(0.5, 1))}},
			[]kappa.ConceptMatch{{Known: 3}},
		},
		"nothing is known yet": {
			[]kappa.ConceptDraft{draftOf("lane", east), draftOf("lease", turned(0, 1))},
			[][]kappa.Candidate{nil, nil},
			[]kappa.ConceptMatch{{Draft: 0}, {Draft: 1}},
		},
		"two drafts of a chunk that are the same new concept make one": {
			[]kappa.ConceptDraft{draftOf("lane", east), draftOf("lease", turned(0, 1)), draftOf("lanes", turned(0.9, 1))},
			[][]kappa.Candidate{nil, nil, nil},
			[]kappa.ConceptMatch{{Draft: 0}, {Draft: 1}, {Draft: 0}},
		},
		"of a known concept and a new one that are equally near the known one wins": {
			[]kappa.ConceptDraft{draftOf("alpha", turned(0.9, 1)), draftOf("beta", east)},
			[][]kappa.Candidate{nil, {known(9, "gamma", turned(0.9, 1))}},
			[]kappa.ConceptMatch{{Draft: 0}, {Known: 9}},
		},
		"two drafts may be one known concept": {
			[]kappa.ConceptDraft{draftOf("lane", east), draftOf("worker lane", turned(0.8, 1))},
			[][]kappa.Candidate{{known(2, "lane", east)}, {known(2, "lane", east)}},
			[]kappa.ConceptMatch{{Known: 2}, {Known: 2}},
		},
		"no drafts": {nil, nil, []kappa.ConceptMatch{}},
	} {
		t.Run(name, func(t *testing.T) {
			if got := (matcher{}).Match(c.drafts, c.candidates); !slices.Equal(got, c.want) {
				t.Errorf("got %+v, want %+v", got, c.want)
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
		named := []kappa.Candidate{known(1, "lane", turned(cosine.Draw(t, "elder"), 1)), known(2, "Lane", turned(cosine.Draw(t, "younger"), -1))}
		others := []kappa.Candidate{known(3, "street", turned(cosine.Draw(t, "street"), 1)), known(4, "worker lane", turned(cosine.Draw(t, "worker lane"), -1))}
		few := matcher{}.Match([]kappa.ConceptDraft{draft}, [][]kappa.Candidate{named})
		all := matcher{}.Match([]kappa.ConceptDraft{draft}, [][]kappa.Candidate{append(others, named...)})
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
		label := rapid.SampledFrom([]string{"lane", "worker lane", "street"}).Draw(t, "label")
		if c, ok := match(draftOf("lane", turned(1, 1)), []kappa.Candidate{known(1, label, turned(cosine, 1))}); ok {
			t.Errorf("%q at %v was matched", c.Label, cosine)
		}
	})
}
