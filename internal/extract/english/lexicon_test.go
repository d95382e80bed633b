package english

import (
	"slices"
	"testing"
)

func TestSingular(t *testing.T) {
	for plural, want := range map[string]string{
		"lanes": "lane", "queries": "query", "boxes": "box", "churches": "church", "brushes": "brush", "glasses": "glass", "buzzes": "buzz",
		"tomatoes": "tomato", "shoes": "shoe", "movies": "movie", "cookies": "cookie", "ties": "tie", "analyses": "analysis", "hypotheses": "hypothesis",
		"glass": "glass", "virus": "virus", "basis": "basis", "physics": "physics", "gas": "gas", "lane": "lane", "lane's": "lane's",
		"species": "species", "series": "series",
	} {
		if got := singular(plural); got != want {
			t.Errorf("the singular of %q is %q, want %q", plural, got, want)
		}
	}
}

func TestBases(t *testing.T) {
	for word, want := range map[string][]string{
		"flies":   {"fly"},
		"boxes":   {"boxe", "box"},
		"lanes":   {"lane", "lan"},
		"cats":    {"cat"},
		"glass":   nil,
		"cried":   {"cry"},
		"planned": {"planne", "plann", "plan"},
		"baking":  {"bak", "bake", "bak"},
		"running": {"runn", "runne", "run"},
		"slowly":  {"slow"},
		"sing":    nil,
		"lane":    nil,
	} {
		if got := bases(word); !slices.Equal(got, want) {
			t.Errorf("%q may come from %q, want %q", word, got, want)
		}
	}
}

func TestStems(t *testing.T) {
	for _, same := range [][]string{
		{"lane", "lanes"},
		{"query", "queries"},
		{"connect", "connected", "connecting", "connection", "connections"},
		{"analysis", "analyses"},
		{"index", "indexes"},
		{"species"},
		{"http2"},
		{"straße"},
	} {
		for _, word := range same {
			if stem(word) != stem(same[0]) {
				t.Errorf("%q has the stem %q, and %q has %q", word, stem(word), same[0], stem(same[0]))
			}
		}
	}
	for word, want := range map[string]string{"cat": "cat", "http2": "http2", "lane's": "lane", "naïve's": "naïve"} {
		if got := stem(word); got != want {
			t.Errorf("%q has the stem %q, want %q", word, got, want)
		}
	}
}

// TestBands checks how common words are taken to be, and what each is worth.
func TestBands(t *testing.T) {
	words := newLexicon()
	for word, want := range map[string]band{
		"the": bandFunction, "of": bandFunction, "because": bandFunction,
		"house": bandEveryday, "houses": bandEveryday, "walking": bandEveryday,
		"zeppelin": bandRare, "plexus": bandRare,
	} {
		if got := words.band(word); got != want {
			t.Errorf("%q is in band %d, want %d", word, got, want)
		}
	}
	last := words.idf("the")
	for _, word := range []string{"house", "zeppelin"} {
		if idf := words.idf(word); idf <= last {
			t.Errorf("%q is worth %v, no more than a more common word", word, idf)
		} else {
			last = idf
		}
	}
	if last != maxIDF {
		t.Errorf("a rare word is worth %v, want %v", last, float64(maxIDF))
	}
}

func TestAbbreviationWords(t *testing.T) {
	words := newLexicon()
	for word, want := range map[string]bool{
		"e.g.": true, "Dr.": true, "U.S.": true, "U.S.A.": true, "fig.": true, "Ph.D.": true,
		"lane.": false, "A.": false, "1.5.": false, "end.": false,
	} {
		if got := words.abbreviation(word); got != want {
			t.Errorf("%q is an abbreviation: %v, want %v", word, got, want)
		}
	}
}

func TestGenericNouns(t *testing.T) {
	words := newLexicon()
	for word, want := range map[string]bool{"number": true, "numbers": true, "example": true, "way": true, "lane": false, "enzyme": false} {
		if got := words.isGeneric(word); got != want {
			t.Errorf("%q names nothing on its own: %v, want %v", word, got, want)
		}
	}
}

// TestVerbForms has the inflections of verbs by rule and the irregular ones.
func TestVerbForms(t *testing.T) {
	verbs := newVerbs()
	for form, want := range map[string]verbForm{
		"cause": {"cause", shapeBase}, "causes": {"cause", shapeS}, "caused": {"cause", shapePast | shapeParticiple}, "causing": {"cause", shapeIng},
		"carry": {"carry", shapeBase}, "carries": {"carry", shapeS}, "carried": {"carry", shapePast | shapeParticiple}, "carrying": {"carry", shapeIng},
		"pass": {"pass", shapeBase}, "passes": {"pass", shapeS}, "reaches": {"reach", shapeS}, "pushes": {"push", shapeS}, "mixes": {"mix", shapeS},
		"freezes": {"freeze", shapeS}, "goes": {"go", shapeS}, "does": {"do", shapeS}, "plays": {"play", shapeS}, "played": {"play", shapePast | shapeParticiple},
		"lying": {"lie", shapeIng}, "seeing": {"see", shapeIng}, "stopped": {"stop", shapePast | shapeParticiple}, "stopping": {"stop", shapeIng},
		"emitted": {"emit", shapePast | shapeParticiple}, "cutting": {"cut", shapeIng}, "controlled": {"control", shapePast | shapeParticiple},
		"wrote": {"write", shapePast}, "written": {"write", shapeParticiple}, "writing": {"write", shapeIng}, "made": {"make", shapePast | shapeParticiple},
		"arose": {"arise", shapePast}, "split": {"split", shapeBase | shapePast | shapeParticiple}, "led": {"lead", shapePast | shapeParticiple},
	} {
		if got := verbs[form]; got != want {
			t.Errorf("%q is %+v, want %+v", form, got, want)
		}
	}
	for _, wrong := range []string{"writed", "maked", "stoped", "cuted"} {
		if form, known := verbs[wrong]; known {
			t.Errorf("%q is %+v", wrong, form)
		}
	}
}

// TestPassiveRules derives from each verb with a plain object the rule for "by".
func TestPassiveRules(t *testing.T) {
	rules := newRules()
	for key, rule := range rules {
		if key.passive || key.prep != "" {
			continue
		}
		passive, known := rules[ruleKey{lemma: key.lemma, passive: true, prep: "by"}]
		if !known || passive.typ != rule.typ || passive.inverted == rule.inverted {
			t.Errorf("%q states %+v, and by something %+v", key.lemma, rule, passive)
		}
	}
}
