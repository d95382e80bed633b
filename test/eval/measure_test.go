package main

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/vocabulary"
)

// handMade is a document with an extraction of it whose figures are computed by hand.
//
// Concepts by weight: camera, lens, shutter, tripod, film, dust, mud. Annotated are the keyphrases
// camera, lens, aperture and flashgun (not in the text), the entity Leica, and the
// concept film.
func handMade(t *testing.T) (document, knowledge.Extraction) {
	t.Helper()
	d, err := parseAnnotated("hand.txt", `style: manual
type: text/plain

A camera has a lens with an aperture. The shutter of a Leica camera exposes the film.
It does not need a tripod.

== keyphrases
camera
lens | objective
aperture
flashgun
== entities
Leica
== concepts
film
camera
== relationships
camera | has | lens
shutter | causes, INFLUENCES | film
lens | HAS_PART | aperture
Leica | made | camera
== also true
tripod | SUPPORTS | camera
== not
camera | needs, uses | tripod
camera | * | Leica
`)
	if err != nil {
		t.Fatal(err)
	}
	concept := func(label string, terms ...string) knowledge.ExtractedConcept {
		return knowledge.ExtractedConcept{Key: label, Label: label, SearchTerms: terms}
	}
	relate := func(from, typ, to string, confidence float64) knowledge.ExtractedRelationship {
		return knowledge.ExtractedRelationship{From: from, Type: typ, To: to, Confidence: confidence}
	}
	return d, knowledge.Extraction{
		Concepts: []knowledge.ExtractedConcept{
			concept("camera"), concept("lens", "objective"), concept("Leica camera shutter", "shutter"), concept("tripod"), concept("roll of film"), concept("dust"), concept("mud"),
		},
		Relationships: []knowledge.ExtractedRelationship{
			relate("lens", "PART_OF", "camera", 0.9),                         // exactly the first
			relate("Leica camera shutter", "CAUSES", "roll of film", 0.9),    // the second, but for its ends
			relate("tripod", "SUPPORTS", "camera", 0.9),                      // also true, not asked for
			relate("camera", "REQUIRES", "tripod", 0.9),                      // denied
			relate("lens", "RELATED_TO", "mud", 0.3),                         // not shown
			relate("camera", "RELATED_TO", "roll of film", 0.5),              // shown
			relate("roll of film", "RELATED_TO", "Leica camera shutter", .4), // shown
		},
	}
}

func TestCountsByHand(t *testing.T) {
	d, e := handMade(t)
	m := measure(d, e, false)
	m.counts.took = 0
	want := counts{
		documents: 1, words: 23, concepts: 7,
		keyed: 1, keyphrases: 4, keyphrasesPresent: 3,
		hits5: 2, predicted5: 5, hits10: 2, predicted10: 7, macroF10: 0.364, // P 2/7, R 2/4
		named: 6, namedFound: 2, present: 5, presentFound: 2, // camera, lens, aperture, flashgun, Leica, film
		entities: 1, entityHits: 0,
		typed: 4, typedShown: 4, related: 3, relatedShown: 2,
		withRelationships: 1, judged: 4, right: 3, rightExact: 2,
		gold: 4, found: 2, foundExact: 1,
		alone: 1, aloneShown: 2, aloneOfTyped: 2,
		withDenied: 1, denied: 2, violated: 1,
	}
	m.counts.macroF10 = float64(int(m.counts.macroF10*1000+0.5)) / 1000
	if m.counts != want {
		t.Errorf("counts\n%+v, want\n%+v", m.counts, want)
	}
}

func TestFiguresByHand(t *testing.T) {
	d, e := handMade(t)
	m := measure(d, e, false)
	m.took = time.Second
	r := byStyle("hand", []document{d, {style: "novel"}}, []counts{m.counts, {documents: 1, words: 77}})
	for _, f := range []struct {
		name string
		got  figure
		want string
	}{
		{"F@5", r.KeyphraseF5, "0.444"}, // P 2/5, R 2/4
		{"F@10", r.KeyphraseF, "0.364"}, // P 2/7, R 2/4
		{"macro", r.KeyphraseMacroF, "0.364"},
		{"present F@5", r.PresentF5, "0.500"}, // P 2/5, R 2/3
		{"present F@10", r.PresentF, "0.400"}, // P 2/7, R 2/3
		{"concepts", r.NamedRecall, "0.333"},  // 2 of 6
		{"present", r.PresentRecall, "0.400"}, // 2 of 5
		{"entities", r.EntityRecall, "0.000"}, // annotated and missed: a 0
		{"precision", r.Precision, "0.750"},   // 3 of 4
		{"exact", r.ExactPrecision, "0.500"},  // 2 of 4
		{"recall", r.Recall, "0.500"},         // 2 of 4
		{"exact recall", r.ExactRecall, "0.250"},
		{"related", r.RelatedShare, "0.429"},  // 3 of 7
		{"shown", r.RelatedShown, "0.333"},    // 2 of 6
		{"alone", r.Alone, "0.143"},           // dust
		{"shown", r.AloneShown, "0.286"},      // dust, mud
		{"of typed", r.AloneOfTyped, "0.286"}, // dust, mud
		{"violated", r.Violations, "0.500"},   // 1 of 2
		{"a style", r.Styles[0].Precision, "0.750"},
		{"a style without annotations", r.Styles[1].Precision, "–"},
	} {
		if f.got.String() != f.want {
			t.Errorf("%s is %s, want %s", f.name, f.got, f.want)
		}
	}
	if r.Words != 100 || r.WordsPerSecond != 100 || r.Styles[0].Style != "manual" || r.Styles[1].Style != "novel" {
		t.Errorf("report %+v", r)
	}
}

func TestWhatIsNotAnnotatedIsNoZero(t *testing.T) {
	var none report
	raw, err := json.Marshal(none)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(raw), `"entity_recall":null`) {
		t.Errorf("JSON %s", raw)
	}
	for _, line := range reportOf("x", "", counts{documents: 1}).lines()[:7] {
		if line[1] != notAnnotated {
			t.Errorf("%s: %q, want %q", line[0], line[1], notAnnotated)
		}
	}
	if got := harmonic(figure{}, figure{0, true}); got.String() != "0.000" {
		t.Errorf("F of nothing found is %s, want 0.000", got)
	}
}

func TestFits(t *testing.T) {
	for _, tt := range []struct{ word, from, typ, to string }{
		{"is a", "a", "INSTANTIATES", "b"},
		{"is a", "b", "GENERALIZES", "a"},
		{"made", "a", "PRODUCES", "b"},
		{"made", "b", "DERIVED_FROM", "a"},
		{"used for", "b", "USES", "a"},
		{"in", "b", "HAS_PART", "a"},
		{"replaces", "b", "PRECEDES", "a"},
		{"OPPOSITE_OF", "b", "OPPOSITE_OF", "a"},
		{"*", "b", "USES", "a"},
		{"~USES, REQUIRES", "a", "REQUIRES", "b"},
	} {
		fits, err := parseFits(tt.word)
		if err != nil {
			t.Fatal(err)
		}
		gold := triple{from: []string{"a"}, to: []string{"b"}, fits: fits}
		if !gold.states([]string{tt.from}, []string{tt.to}, tt.typ, exactly) {
			t.Errorf("%q does not fit %s %s %s", tt.word, tt.from, tt.typ, tt.to)
		}
		if gold.states([]string{tt.to}, []string{tt.from}, tt.typ, exactly) != (tt.word == "*" || tt.word == "OPPOSITE_OF") {
			t.Errorf("%q: the ends of %s do not matter", tt.word, tt.typ)
		}
	}
	if _, err := parseFits("located at"); err == nil {
		t.Error("an unknown word is accepted")
	}
}

func TestTheWordsForTypesAreOfTheVocabulary(t *testing.T) {
	known := map[string]bool{}
	// Types that the built-in extractor brings into the vocabulary.
	for typ := range strings.FieldsSeq("LOCATED_IN CAPITAL_OF BORN_IN FOUNDED DISCOVERED LEADS ACQUIRED REPLACES TREATS OWNS") {
		known[typ] = true
	}
	for _, typ := range vocabulary.BuiltinTypes() {
		known[typ.Name] = true
	}
	for word, types := range words {
		for typ := range strings.FieldsSeq(types) {
			if !known[strings.TrimPrefix(typ, "~")] {
				t.Errorf("%q stands for %s, which is no type", word, typ)
			}
		}
	}
	for _, b := range builtinSets {
		s, err := readBuiltin(b.name)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range s.documents {
			for _, list := range [][]triple{d.relationships, d.alsoTrue, d.denied} {
				for _, r := range list {
					for _, f := range r.fits {
						if !known[f.typ] && f.typ != anyType {
							t.Errorf("%s: %q – %q: %s is no type", d.name, r.from, r.to, f.typ)
						}
					}
				}
			}
		}
	}
}

// The held-out passages have each style that those for tuning have, and their details
// are printed only when they are asked for by name; see TestFiguresOnTheBuiltinSets.
func TestHeldoutPassagesStayUnread(t *testing.T) {
	styles := map[string]int{}
	for name, sign := range map[string]int{setDev: 1, setHeldout: -1} {
		s, err := readBuiltin(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range s.documents {
			styles[d.style] += sign
		}
	}
	if len(styles) < 20 {
		t.Errorf("%d styles, want 20", len(styles))
	}
	for style, n := range styles {
		if n != 0 {
			t.Errorf("%s: %+d passages in dev", style, n)
		}
	}
	code, out, _ := evalRun(t, "-v", "-set", setHeldout)
	if code != 0 || !strings.Contains(out, "biography-kallas") || strings.Contains(out, "biography-drummer") {
		t.Errorf("-set heldout -v does not print the details of heldout alone (exit code %d)", code)
	}
}
