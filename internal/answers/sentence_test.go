package answers

import (
	"slices"
	"testing"
)

func TestSentences(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"full stops":            {"It wakes. It sleeps! Does it?", []string{"It wakes.", "It sleeps!", "Does it?"}},
		"abbreviations":         {"Dr. J. F. Smith wrote e.g. this. He left.", []string{"Dr. J. F. Smith wrote e.g. this.", "He left."}},
		"decimals and versions": {"It weighs 3.5 kg. Version 1.2.3 is out.", []string{"It weighs 3.5 kg.", "Version 1.2.3 is out."}},
		"quotes and brackets":   {"He said “go.” (She went.) “Then” it ended.", []string{"He said “go.”", "(She went.)", "“Then” it ended."}},
		"a list":                {"Two kinds:\n\n- one of them\n- the other\n\nThat is all.", []string{"Two kinds:", "one of them", "the other", "That is all."}},
		"a numbered list":       {"1. Open it.\n2. Close it.", []string{"Open it.", "Close it."}},
		"rows":                  {"| a | b |\n| c | d |", []string{"a | b", "c | d"}},
		"a heading":             {"# Lanes\n\nA lane is a queue.", []string{"Lanes", "A lane is a queue."}},
		"money and options":     {"Use it. --depth looks further. $5 is the price.", []string{"Use it.", "--depth looks further.", "$5 is the price."}},
		"Chinese":               {"天是蓝的。水是清的！", []string{"天是蓝的。", "水是清的！"}},
		"Hindi":                 {"यह पानी है। वह आग है।", []string{"यह पानी है।", "वह आग है।"}},
		"nothing":               {" \n", []string{}},
	} {
		got := []string{}
		for _, s := range Sentences(c.text) {
			got = append(got, c.text[s.Start:s.End])
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}

func TestSentence(t *testing.T) {
	const rhine = "The Rhine is a river of Europe. It is 1,230 km long from its source to the sea. Many towns lie on it, and it was first named in the 1st century BC."
	rare := func(_ bool, term string) float64 {
		if term == "rhine" {
			return 0.5
		}
		return 3
	}
	for question, want := range map[string]string{
		"How long is the Rhine?":           "It is 1,230 km long from its source to the sea.",
		"When was the Rhine first named?":  "Many towns lie on it, and it was first named in the 1st century BC.",
		"What is the Rhine?":               "The Rhine is a river of Europe.",
		"Who plays the violin in a bakery": "",
		"":                                 "",
	} {
		if at := NewQuestion(question, rare).Sentence(NewPassage(rhine, true)); rhine[at.Start:at.End] != want {
			t.Errorf("%q is answered by %q, want %q", question, rhine[at.Start:at.End], want)
		}
	}
	manual := "www-data\n          Some servers run as www-data. Others do not."
	if at := NewQuestion("What is www-data?", nil).Sentence(NewPassage(manual, true)); manual[at.Start:at.End] != "Some servers run as www-data." {
		t.Errorf("got %q", manual[at.Start:at.End])
	}
	text := "Der Vulkan schläft. Der letzte Ausbruch war 1912."
	if at := NewQuestion("Wann war der letzte Ausbruch?", nil).Sentence(NewPassage(text, false)); text[at.Start:at.End] != "Der letzte Ausbruch war 1912." {
		t.Errorf("got %q", text[at.Start:at.End])
	}
}

// TestDefiningSentence finds the sentence that says what a thing is, and none that names another one so.
func TestDefiningSentence(t *testing.T) {
	const text = "The Rhine is a river. The Rhine flows through Basel. A river is a natural stream of water. A dam is a wall across a river."
	for term, want := range map[string]string{"river": "A river is a natural stream of water.", "Rhine": "The Rhine is a river.", "dam": "A dam is a wall across a river.", "Basel": "", "stream": ""} {
		at, found := NewPassage(text, true).Defining("en", DefinedKey(term))
		if got := text[at.Start:at.End]; got != want || found != (want != "") {
			t.Errorf("%s is defined by %q, want %q", term, got, want)
		}
	}
	const german = "Basel liegt am Rhein. Der Rhein ist ein Fluss in Europa."
	if at, _ := NewPassage(german, false).Defining("de", DefinedKey("Rhein")); german[at.Start:at.End] != "Der Rhein ist ein Fluss in Europa." {
		t.Errorf("got %q", german[at.Start:at.End])
	}
}
