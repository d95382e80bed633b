package english

import (
	"slices"
	"strings"
	"testing"

	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/knowledge"
)

func TestSlugs(t *testing.T) {
	taken := map[string]bool{}
	for _, c := range [][2]string{
		{"Worker Lane", "worker-lane"},
		{"worker_lane", "worker-lane-2"},
		{"worker lane", "worker-lane-3"},
		{"C++", "c"},
		{"Öl & Gas", "öl-gas"},
		{"知識", "知識"},
		{"+-", "concept"},
		{"--", "concept-2"},
	} {
		if got := uniqueSlug(c[0], taken); got != c[1] {
			t.Errorf("%q has the key %q, want %q", c[0], got, c[1])
		}
	}
}

// quotesOf returns the quotes that show a label.
func quotesOf(t *testing.T, text, label string) []string {
	t.Helper()
	e := extractFrom(t, newExtractor(t), text, corpus.ContentMarkdown)
	i := slices.IndexFunc(e.Concepts, func(c knowledge.ExtractedConcept) bool { return c.Label == label })
	if i < 0 {
		t.Fatalf("no concept %q in %+v", label, e.Concepts)
	}
	var out []string
	for _, instance := range e.Instances {
		if instance.Concept == e.Concepts[i].Key {
			out = append(out, instance.Quote)
		}
	}
	return out
}

// TestQuotes checks which sentences show a concept, and which comes first.
func TestQuotes(t *testing.T) {
	for _, c := range []struct {
		rule, text string
		want       []string
	}{
		{"the one that defines comes first", "They sold the lathe there. The lathe is a tool.", []string{"The lathe is a tool.", "They sold the lathe there."}},
		{"before one that states something", "The lathe requires electricity. The lathe is a tool.", []string{"The lathe is a tool.", "The lathe requires electricity."}},
		{"then one that states something", "They sold the lathe there. The lathe requires electricity.", []string{"The lathe requires electricity.", "They sold the lathe there."}},
		{"a row comes after a sentence", "| an auction | of the lathe |\n|---|---|\n\nThey sold the lathe there.", []string{"They sold the lathe there.", "an auction | of the lathe"}},
		{"a heading only where there is nothing else", "# Pottery lathe\n\nThey sold the pottery lathe there.", []string{"They sold the pottery lathe there."}},
		{"the same one once", "They sold the lathe there. They sold the lathe there.", []string{"They sold the lathe there."}},
		{"with the markup around it", "They sold the **lathe** there.", []string{"They sold the **lathe** there."}},
	} {
		t.Run(c.rule, func(t *testing.T) {
			label := "lathe"
			if strings.Contains(c.text, "# Pottery") {
				label = "pottery lathe"
			}
			if got := quotesOf(t, c.text, label); !slices.Equal(got, c.want) {
				t.Errorf("%s\n got %q\nwant %q", c.text, got, c.want)
			}
		})
	}
	t.Run("a few of many", func(t *testing.T) {
		var text strings.Builder
		for place := range strings.FieldsSeq("Turin Lisbon Oslo Cairo Lima Quito Osaka Perth") {
			text.WriteString("They sold the lathe in " + place + ". ")
		}
		if got := quotesOf(t, text.String(), "lathe"); len(got) != maxInstances {
			t.Errorf("%d quotes, want %d", len(got), maxInstances)
		}
	})
	t.Run("the part around the name of a long one", func(t *testing.T) {
		text := "They sold " + strings.Repeat("many old and new things of this and that kind, ", 12) + "and the lathe, " +
			strings.Repeat("and yet more of this and that kind, ", 12) + "there."
		for _, quote := range quotesOf(t, text, "lathe") {
			if len(quote) > maxQuoteBytes || !strings.Contains(quote, "lathe") {
				t.Errorf("quote of %d bytes: %q", len(quote), quote)
			}
		}
	})
}

func TestSearchTerms(t *testing.T) {
	c := candidate{aliases: []string{"TLS", "tls"}, forms: []form{{text: "Transport Layer Security"}, {text: "transport layer security"}, {text: "Transport Layer Securities"}}}
	if got := c.searchTerms("Transport Layer Security"); !slices.Equal(got, []string{"TLS", "Transport Layer Securities"}) {
		t.Errorf("got %q: want each other name once, whatever its case", got)
	}
	for i := range 2 * maxSearchTerms {
		c.aliases = append(c.aliases, strings.Repeat("x", i+1))
	}
	if got := c.searchTerms("TLS"); len(got) != maxSearchTerms {
		t.Errorf("%d names, want %d", len(got), maxSearchTerms)
	}
}

func TestLabelChoice(t *testing.T) {
	for _, c := range []struct {
		rule  string
		forms []form
		want  string
	}{
		{"the most frequent", []form{{"Lathe", 1, false}, {"lathe", 2, false}}, "lathe"},
		{"the first of equals", []form{{"lathe", 1, false}, {"Lathe", 1, false}}, "lathe"},
		{"one that stands outside of titles", []form{{"Lathe", 5, true}, {"lathe", 1, false}}, "lathe"},
	} {
		if got := (&candidate{forms: c.forms}).label(); got != c.want {
			t.Errorf("%s: %q, want %q", c.rule, got, c.want)
		}
	}
}
