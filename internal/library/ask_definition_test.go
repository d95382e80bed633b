package library

import (
	"strings"
	"testing"

	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// glossary is a library of short documents of many kinds, in which each term is mentioned and
// defined. The larger set is test/definitions.
func glossary() *shelf {
	return (&shelf{}).
		add("all", "guide.md", `# Moving water

The sluice opens at noon, and who opens the sluice writes it down. A sluice may be of wood.

When the sluice is shut, a leat carries what is left, and the leat is cleaned each spring.

# Words

A sluice is a gate that lets water through or holds it back.

**Leat** - a narrow canal that leads water to a mill

“Penstock” is a pipe that leads water to a turbine.

By “freshet”, one means the sudden rise of a river in spring.

- The tail race (also the outflow): the canal that leads water away from a wheel.

# The valley

Tarnworth is a town of many canals, with a market and two mills, and most who live there work in them.`).
		add("all", "events.md", `# Example

Whoever opens it gets IN_OPENED and IN_SHUT for each gate, and IN_SHUT again at night.

# IN_SHUT

Gate was shut by hand, or by the clock.`).
		add("all", "tarnworth.md", `# Tarnworth

Tarnworth is a town in the hills that was built around a mill.

# Economy

Tarnworth is a centre of weaving, and Tarnworth is known for its cloth, which Tarnworth sells.`).
		add("all", "pip.md", "# pip\n\npip is a program that fetches packages, and pip is run by hand; each pipe of a shell may have pip in it.").
		add("all", "pipe.md", "# Channels\n\nA pipe is a channel between two programs.").
		add("all", "place.md", "# Names of folders\n\nLOCALE is the name of the folder that the locale is in, and LOCALE is written so.").
		add("all", "locale.md", "# Habits\n\nThe habits of a country are called the “locale” of it in this book.").
		add("all", "gates.md", "# Kinds of gates\n\nA radial gate is sold by many makers.\n\nA weir stop gate is a gate that closes a weir.")
}

// TestAskWhatItIs asks for terms in the common library: the passage that defines one comes first.
func TestAskWhatItIs(t *testing.T) {
	a := glossary().open(t)
	for question, want := range map[string]string{
		"What is a sluice?":         "A sluice is a gate",
		"What is a leat?":           "**Leat** - a narrow",
		"What is a penstock?":       "“Penstock” is",
		"What is a freshet?":        "By “freshet”",
		"What is the tail race?":    "- The tail race",
		"What is IN_SHUT?":          "Gate was shut",
		"What is Tarnworth?":        "Tarnworth is a town in the hills",
		"What is a pipe?":           "A pipe is",
		"What is pip?":              "pip is a program",
		"What is a locale?":         "The habits of a country",
		"What is LOCALE?":           "LOCALE is the name",
		"What is a stop gate?":      "A weir stop gate is",
		"What is a radial gate?":    "A radial gate is sold",
		"who opens the sluice?":     "The sluice opens at noon",
		"when is the leat cleaned?": "When the sluice is shut",
	} {
		answer := a.must(t, questions.Question{Text: question})
		if len(answer.Passages) == 0 || !strings.HasPrefix(answer.Passages[0].Text, want) {
			t.Errorf("%s: %+v", question, answer.Passages)
		}
	}
}

// TestAskLeadingElsewhere wants a menu behind what says least of a thing, where one asks what it is.
func TestAskLeadingElsewhere(t *testing.T) {
	s := (&shelf{}).add("all", "a.md", "Weirs and more").add("all", "b.md", "The weirs of the river, of which there are nine between the lake and the sea, were built by hand.")
	s.passages[0].Class = corpus.ClassNavigation
	answer := s.open(t).must(t, questions.Question{Text: "What is a weir?"})
	if len(answer.Passages) != 2 || answer.Passages[0].Class != string(corpus.ClassProse) {
		t.Errorf("%+v", answer.Passages)
	}
}

// TestAskMarksTheDefinition marks the sentence that says what a thing is, where a shorter one that
// comes before it has the words too.
func TestAskMarksTheDefinition(t *testing.T) {
	a := (&shelf{}).add("all", "rivers.md", "# Rivers\n\nThe Rhine is a river. The Rhine flows through Basel. A river is a natural stream of water that flows to a sea.").open(t)
	for question, want := range map[string]string{
		"What is a river?":   "A river is a natural stream of water that flows to a sea.",
		"What is the Rhine?": "The Rhine is a river.",
		"Where is a river?":  "The Rhine is a river.",
	} {
		answer := a.must(t, questions.Question{Text: question})
		if len(answer.Passages) == 0 || answer.Passages[0].Sentence == nil || answer.Passages[0].Sentence.Text != want {
			t.Errorf("%s: %+v; want %q", question, answer.Passages, want)
		}
	}
}
