package english

import (
	"slices"
	"strings"
	"testing"
)

// itemNames are how the examples write the items of a clause.
var itemNames = [...]string{
	itemPhrase: "P", itemVerb: "V", itemPreposition: "in", itemTo: "to", itemConjunction: "and", itemComma: ",", itemWh: "wh", itemThat: "that", itemStop: ";",
}

// outline returns the items of the first sentence of a text.
func outline(t *testing.T, text string) []string {
	t.Helper()
	r, s := readingOf(t, text)
	var out []string
	for _, it := range itemsOf(r.extractor.words, &s, r.phrases[0]) {
		out = append(out, itemNames[it.kind])
	}
	return out
}

func TestItems(t *testing.T) {
	for _, c := range []struct{ rule, text, want string }{
		{"subject, verb, object", "The lane claims a job.", "P V P"},
		{"a preposition", "The lane is in a queue.", "P V in P"},
		{"a list", "The lane claims jobs, leases and tokens.", "P V P , P and P"},
		{"a relative clause", "The lane that claims jobs is old.", "P wh V P V"},
		{"which", "The lane, which claims jobs, is old.", "P , wh V P , V"},
		{"a subordinate clause", "The lane waits because the job ends.", "P V that P V"},
		{"an infinitive belongs to its verb group", "The lane wants to claim a job.", "P V P"},
		{"auxiliaries and adverbs do too", "The lane has never been slowly claiming jobs.", "P V P"},
		{"a semicolon parts", "The lane claims jobs; the job ends.", "P V P ; P V"},
		{"so does a dash", "The lane claims a job — a big lease.", "P V P ; P"},
		{"what is in brackets is left out", "The lane (an old one, which broke) claims a job.", "P V P"},
		{"in square ones too", "The lane [an old one] claims a job.", "P V P"},
		{"a bracket that nothing closes parts", "The lane (an old one claims a job.", "P ; P V P"},
		{"of who has a thing, the thing counts", "The engine's lane claims a job.", "P V P"},
	} {
		t.Run(c.rule, func(t *testing.T) {
			if got := outline(t, c.text); !slices.Equal(got, strings.Fields(c.want)) {
				t.Errorf("%s\n got %q\nwant %q", c.text, got, strings.Fields(c.want))
			}
		})
	}
}

func TestVerbGroups(t *testing.T) {
	for _, c := range []struct {
		rule, text string
		want       verbGroup
	}{
		{"present", "The lane claims a job.", verbGroup{lemma: "claim", low: "claims", finite: true, single: true}},
		{"plural", "The lanes claim a job.", verbGroup{lemma: "claim", low: "claim", finite: true, plural: true}},
		{"past agrees with both", "The lane claimed a job.", verbGroup{lemma: "claim", low: "claimed", finite: true}},
		{"be", "The lane is old.", verbGroup{lemma: "be", low: "is", finite: true, single: true}},
		{"were", "The lanes were old.", verbGroup{lemma: "be", low: "were", finite: true, plural: true}},
		{"passive", "The job is claimed by a lane.", verbGroup{lemma: "claim", low: "claimed", passive: true, finite: true, single: true}},
		{"perfect", "The lane has claimed a job.", verbGroup{lemma: "claim", low: "claimed", finite: true, single: true}},
		{"progressive", "The lane is claiming a job.", verbGroup{lemma: "claim", low: "claiming", finite: true, single: true}},
		{"modal", "The lane may claim a job.", verbGroup{lemma: "claim", low: "claim", finite: true, hedged: true}},
		{"will hedges nothing", "The lane will claim a job.", verbGroup{lemma: "claim", low: "claim", finite: true}},
		{"negation", "The lane does not claim a job.", verbGroup{lemma: "claim", low: "claim", finite: true, single: true, negated: true}},
		{"can not", "The lane can not claim a job.", verbGroup{lemma: "claim", low: "claim", finite: true, hedged: true, negated: true}},
		{"never", "The lane never claims a job.", verbGroup{lemma: "claim", low: "claims", finite: true, single: true, negated: true}},
		{"a gerund", "They work using a lane.", verbGroup{lemma: "use", low: "using", gerund: true, single: true}},
		{"an infinitive", "To claim a job is hard.", verbGroup{lemma: "claim", low: "claim", to: true, plural: true}},
		{"an unknown verb", "The lane googled a job.", verbGroup{low: "googled", finite: true}},
	} {
		t.Run(c.rule, func(t *testing.T) {
			r, s := readingOf(t, c.text)
			var got verbGroup
			for _, it := range itemsOf(r.extractor.words, &s, r.phrases[0]) {
				if it.kind == itemVerb {
					got = it.verb
					if c.want.low == got.low {
						break
					}
				}
			}
			if got != c.want {
				t.Errorf("%s\n got %+v\nwant %+v", c.text, got, c.want)
			}
		})
	}
}
