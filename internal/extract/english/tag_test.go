package english

import (
	"strings"
	"testing"

	"github.com/kappagraph/kappa/knowledge"
)

// posNames are how the examples call the parts of speech.
var posNames = map[string]pos{
	"noun": posNoun, "nouns": posNouns, "name": posName, "code": posCode, "adjective": posAdjective, "base": posBase, "third": posThird,
	"past": posPast, "gerund": posGerund, "participle": posParticiple, "modal": posModal, "determiner": posDeterminer, "possessive": posPossessive,
	"genitive": posGenitive, "pronoun": posPronoun, "preposition": posPreposition, "to": posTo, "and": posConjunction, "adverb": posAdverb,
	"wh": posWh, "number": posNumber, "mark": posPunct, "other": posOther,
}

// tagExample is a sentence with "/" and the part of speech after the words that the
// rule is about.
type tagExample struct{ rule, text string }

func checkTags(t *testing.T, examples []tagExample) {
	t.Helper()
	for _, x := range examples {
		t.Run(x.rule, func(t *testing.T) {
			var plain []string
			want := map[string]pos{}
			for word := range strings.FieldsSeq(x.text) {
				word, name, tagged := strings.Cut(word, "/")
				plain = append(plain, word)
				if p, known := posNames[strings.Trim(name, ".,;")]; tagged && known {
					want[word] = p
				} else if tagged {
					t.Fatalf("no part of speech %q", name)
				}
			}
			tokens := tokensOf(t, strings.Join(plain, " ")+".")
			for word, p := range want {
				seen := false
				for _, tok := range tokens {
					if tok.text == word {
						seen = true
						if tok.tag != p {
							t.Errorf("%s: %q is %d, want %d", x.text, word, tok.tag, p)
						}
					}
				}
				if !seen {
					t.Errorf("%s: no word %q", x.text, word)
				}
			}
		})
	}
}

func TestTags(t *testing.T) {
	checkTags(t, []tagExample{
		{"words of a plain sentence", "The/determiner old/adjective lathe/noun is/third in/preposition the workshop/noun"},
		{"plurals and pronouns", "They/pronoun sold/past their/possessive lathes/nouns and/and tools/nouns"},
		{"modals and adverbs", "It may/modal soon/adverb rain/base"},
		{"relative words", "The lathe which/wh broke/past is old"},
		{"an identifier", "They read worker_lanes/code there"},
		{"a number", "They sold 12/number lathes"},
		{"a mixed-case word is a name", "They use PostgreSQL/name there"},
		{"an acronym is a name", "They use NASA/name there"},
		{"the first word keeps its own tag", "Lathes/nouns are old"},
		{"a particle between names is one", "They met Karl/name von/name Frisch/name there"},
		{"the capitals of a title say nothing", "How/wh Worker/noun Lanes/nouns of/preposition Workshops/nouns"},
	})
}

// TestRepairs has a sentence for each error of the tagger that is repaired.
func TestRepairs(t *testing.T) {
	checkTags(t, []tagExample{
		{"a verb that looks like a plural, before an object", "The lane claims/third a job"},
		{"and after a gerund", "Smoking/noun causes/third cancer"},
		{"a plural stays one where there is another verb", "The claims/nouns are old"},
		{"a verb at the end of a subordinate clause", "It waits until the lease ends/third"},
		{"a verb before a preposition in a subordinate clause", "It waits unless the owner consents/third in writing"},
		{"a past that looks like a noun", "The river bent/past towards the sea"},
		{"a past behind what looks like an adjective", "The damp/noun crept/past into the wall"},
		{"a verb behind a name", "Harold/name lives/third in York"},
		{"a verb behind a bracket", "Old proteins (OPs) stabilise/base membranes/nouns"},
		{"a noun before a modal", "The Custodian/noun SHALL/modal store it"},
		{"a verb that looks like a noun, after a plural", "The lanes claim/base a job"},
		{"a past that is a participle before by", "A fever caused/participle by a virus is common"},
		{"a participle that is a past before an object", "The embargo provoked/past a riot"},
		{"a word whose ending makes it a noun", "They prefer transparency/noun"},
		{"a verb that is never a noun", "The engine requires/third fuel"},
	})
}

func TestPennTags(t *testing.T) {
	for penn, want := range map[string]pos{
		"NN": posNoun, "NNS": posNouns, "NNP": posName, "NNPS": posName, "JJ": posAdjective, "JJR": posAdjective, "JJS": posAdjective,
		"VB": posBase, "VBP": posBase, "VBZ": posThird, "VBD": posPast, "VBG": posGerund, "VBN": posParticiple, "MD": posModal,
		"DT": posDeterminer, "PDT": posDeterminer, "PRP$": posPossessive, "POS": posGenitive, "PRP": posPronoun, "EX": posPronoun,
		"IN": posPreposition, "RP": posPreposition, "TO": posTo, "CC": posConjunction, "RB": posAdverb, "RBR": posAdverb, "RBS": posAdverb,
		"WDT": posWh, "WP": posWh, "WP$": posWh, "WRB": posWh, "CD": posNumber, "UH": posOther, "": posOther,
	} {
		if got := pennPos(penn); got != want {
			t.Errorf("%q is %d, want %d", penn, got, want)
		}
	}
	for p := posOther; p <= posPunct; p++ {
		if p.isFinite() && !p.isVerb() || p.isVerb() && p.isNoun() {
			t.Errorf("%d is finite %v, a verb %v, a noun %v", p, p.isFinite(), p.isVerb(), p.isNoun())
		}
	}
}

func TestTitled(t *testing.T) {
	for text, want := range map[string]bool{
		"How Worker Lanes Claim Their Jobs": true,
		"How Worker Lanes claim their jobs": false,
		"The lane claims a job":             false,
		"Marie Curie":                       false,
		"Marie Curie Sklodowska":            true,
	} {
		_, s := readingOf(t, text)
		if got := titled(s); got != want {
			t.Errorf("%q is a title: %v, want %v", text, got, want)
		}
	}
}

// TestCapitals distinguishes names from words that have their capital from their place.
func TestCapitals(t *testing.T) {
	for _, c := range []struct {
		rule, text, word string
		name             bool
	}{
		{"inside a sentence", "They sailed to Turin.", "Turin", true},
		{"at the start, an unknown word", "Turin is old. They like Turin.", "Turin", true},
		{"at the start, a word of English", "Houses are old.", "Houses", false},
		{"at the start, a word that stands in lower case elsewhere", "Lathe is old. A lathe is new.", "Lathe", false},
		{"an acronym at the start", "NASA is old.", "NASA", true},
		{"a pronoun", "They say I know.", "I", false},
		{"with the ending of a common word", "Coastal rain fell.", "Coastal", false},
		{"with a capital after a hyphen", "X-Ray is old.", "X-Ray", true},
	} {
		t.Run(c.rule, func(t *testing.T) {
			for _, tok := range tokensOf(t, c.text) {
				if tok.text == c.word && (tok.tag == posName) != c.name {
					t.Errorf("%s: %q is a name: %v, want %v", c.text, c.word, !c.name, c.name)
				}
			}
		})
	}
}

func TestWordEndings(t *testing.T) {
	for word, want := range map[[2]string]bool{
		{"noun", "transparency"}: true, {"noun", "sensation"}: true, {"noun", "kindness"}: true, {"noun", "lathe"}: false, {"noun", "city"}: false,
		{"word", "coastal"}: true, {"word", "running"}: true, {"word", "arthritis"}: true, {"word", "turin"}: false, {"word", "bed"}: false, {"word", "politics"}: true,
	} {
		check := wordEnding
		if word[0] == "noun" {
			check = nounEnding
		}
		if got := check(word[1]); got != want {
			t.Errorf("%q has the ending of a %s: %v, want %v", word[1], word[0], got, want)
		}
	}
}

// TestItemVerbs: an item of a list may start with its verb, which looks like a plural.
func TestItemVerbs(t *testing.T) {
	for text, want := range map[string]pos{
		"- claims a job": posThird,
		"- claims of a":  posNouns,
	} {
		r := newReading(newExtractor(t), knowledge.Passage{Text: text})
		if err := r.tag(t.Context()); err != nil {
			t.Fatal(err)
		}
		if tok := r.sentences[0].tokens[0]; tok.tag != want {
			t.Errorf("%q: %q is %d, want %d", text, tok.text, tok.tag, want)
		}
	}
}
