package english

import (
	"slices"
	"strings"
	"testing"
)

// phraseTexts returns the noun phrases of the first sentence of a text: the
// determiner in brackets, then the name.
func phraseTexts(t *testing.T, text string) []string {
	t.Helper()
	r, s := readingOf(t, text)
	var out []string
	for _, p := range r.phrases[0] {
		name := text[s.tokens[p.from].start:s.tokens[p.last-1].end]
		switch {
		case p.pronoun:
			name = "(" + name + ")"
		case p.determiner != "":
			name = "[" + p.determiner + "] " + name
		}
		out = append(out, name)
	}
	return out
}

func TestPhrases(t *testing.T) {
	for _, c := range []struct{ rule, text, want string }{
		{"a noun", "Lathes are old.", "Lathes"},
		{"a determiner stands before the name", "The lathe is old.", "[the] lathe"},
		{"so does a possessive", "Their lathe is old.", "[their] lathe"},
		{"and a number", "Three lathes are old.", "lathes"},
		{"and a word that adds nothing", "Several important lathes are old.", "lathes"},
		{"an adjective is a part of it", "The magnetic field grew.", "[the] magnetic field"},
		{"one in a degree is not", "A heavier lathe is old.", "[a] lathe"},
		{"nor is an adverb before it", "A highly magnetic field grew.", "[a] magnetic field"},
		{"nouns in a row", "The job queue table grew.", "[the] job queue table"},
		{"a noun after a plural starts anew", "They gave sailors ropes.", "(They); sailors; ropes"},
		{"so does a name after a noun", "The chemist Marie Curie spoke.", "[the] chemist; Marie Curie"},
		{"a pronoun", "It hums.", "(It)"},
		{"a determiner that stands for something", "These require zinc.", "(These); zinc"},
		{"a number that does", "One reduces noise.", "(One); noise"},
		{"a gerund before a noun", "A processing pipeline grew.", "[a] processing pipeline"},
		{"a gerund after a noun", "They use machine learning.", "(They); machine learning"},
		{"a gerund with an object is a verb", "They work using models.", "(They); models"},
		{"a participle before a noun", "The connected graph grew.", "[the] connected graph"},
		{"one that says nothing", "They lost the given data.", "(They); data"},
		{"one after a form of be is a verb", "The graph is connected components apart.", "[the] graph; components"},
		{"of inside a name", "The University of Oslo grew.", "[the] University of Oslo"},
		{"of the inside a name", "The Bank of the Netherlands grew.", "[the] Bank of the Netherlands"},
		{"of inside a term", "The breach of contract ended.", "[the] breach of contract"},
		{"the adjective before such a term is no part of it", "A shallow depth of field is shallow.", "[a] depth of field"},
		{"of between two phrases", "The hum of lathes ended.", "[the] hum; lathes"},
		{"a law and who found it", "Newton's law holds.", "Newton's law"},
		{"a thing and who has it", "Norway's fjords are old.", "Norway; fjords"},
		{"a number after a name", "They built Apollo 11 there.", "(They); Apollo 11"},
		{"an identifier after its kind", "The table worker_lanes grew.", "[the] worker_lanes"},
		{"a long phrase keeps its last words", "The deep sea cable repair ship crew is old.", "[the] cable repair ship crew"},
		{"a comma ends it", "A heavy, magnetic lathe is old.", "magnetic lathe"},
	} {
		t.Run(c.rule, func(t *testing.T) {
			if got := phraseTexts(t, c.text); !slices.Equal(got, strings.Split(c.want, "; ")) {
				t.Errorf("%s\n got %q\nwant %q", c.text, got, strings.Split(c.want, "; "))
			}
		})
	}
}

// TestPhraseFeatures checks what is known of a phrase besides its name.
func TestPhraseFeatures(t *testing.T) {
	for _, c := range []struct {
		rule, text string
		plural     bool
		name       bool
		generic    string
	}{
		{rule: "a singular", text: "The lathe is old."},
		{rule: "a plural", text: "The lathes are old.", plural: true},
		{rule: "a name", text: "Marie Curie spoke.", name: true},
		{rule: "an identifier is a name", text: "The worker_lanes grew.", name: true},
		{rule: "a noun that says nothing", text: "A number of lathes are old.", generic: "number"},
		{rule: "its plural", text: "The examples grew.", plural: true, generic: "example"},
	} {
		t.Run(c.rule, func(t *testing.T) {
			r, _ := readingOf(t, c.text)
			p := r.phrases[0][0]
			if p.plural != c.plural || p.name != c.name || p.generic != c.generic {
				t.Errorf("%s: plural %v, name %v, generic %q", c.text, p.plural, p.name, p.generic)
			}
		})
	}
}

// TestNames checks which phrases can name a concept.
func TestNames(t *testing.T) {
	for text, want := range map[string]bool{
		"The lathe is old.":        true,
		"The DNA broke.":           true,
		"A worker_lane grew.":      true,
		"Vikings sailed in May.":   true,
		"On Monday it rained.":     false,
		"The number grew.":         false,
		"A way ended.":             false,
		"It hums.":                 false,
		"The ox is old.":           false,
		"The 12th came.":           false,
		"The lot ended.":           false,
		"They mailed me@there.org": false,
	} {
		r, _ := readingOf(t, text)
		named := false
		for _, p := range r.phrases[0] {
			named = named || p.key != ""
		}
		if named != want {
			t.Errorf("%q names a concept: %v, want %v", text, named, want)
		}
	}
}
