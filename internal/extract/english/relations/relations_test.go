package relations_test

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/kappagraph/kappa/internal/extract/english/relations"
)

// sentence cuts a text into words; names stand in brackets: "[Mara Kessel] was born in [Graz]".
func sentence(text string) relations.Sentence {
	var s relations.Sentence
	for i, part := range strings.FieldsFunc(text, func(r rune) bool { return r == '[' || r == ']' }) {
		first := len(s.Words)
		for w := range strings.FieldsSeq(part) {
			low := strings.ToLower(w)
			s.Words = append(s.Words, relations.Word{Text: w, Low: low, Stem: low, Verb: low == "founded"})
		}
		if i%2 == 1 || strings.HasPrefix(text, "[") && i%2 == 0 {
			if named := strings.HasPrefix(text, "[") == (i%2 == 0); named {
				s.Mentions = append(s.Mentions, relations.Mention{First: first, Last: len(s.Words), Thing: len(s.Mentions)})
			}
		}
	}
	return s
}

// lesson is sentences in which people are born in places, found firms, or only visit.
func lesson() []relations.Annotated {
	people := []string{"Mara Kessel", "Amos Lindt", "Ines Moreau", "Tom Okafor", "Lena Brandt", "Kofi Boateng", "Rosa Alba", "Jun Sato", "Eva Dahl", "Omar Haddad"}
	places := []string{"Graz", "Lyon", "Oslo", "Turin", "Ghent", "Basel", "Cork", "Malmö", "Split", "Brno"}
	var out []relations.Annotated
	for i, p := range people {
		for j, at := range places {
			for k, say := range []struct{ text, class string }{
				{"[%s] was born in [%s] .", "BORN_IN"},
				{"[%s] visited [%s] .", ""},
				{"[%[2]s] is where [%[1]s] came into the world .", relations.Backward + "BORN_IN"},
			} {
				a := relations.Annotated{Sentence: sentence(fmt.Sprintf(say.text, p, at)), Kinds: []string{"PER", "LOC"}, Group: i*10 + j + k}
				if k == 2 {
					slices.Reverse(a.Kinds)
				}
				if say.class != "" {
					a.Stated = map[[2]int]string{{0, 1}: say.class}
				}
				out = append(out, a)
			}
		}
	}
	return out
}

// TestLearn teaches a few sentences, and asks of names that are in none of them.
func TestLearn(t *testing.T) {
	m := relations.Learn(lesson())
	for text, want := range map[string]string{
		"[Nora Weiss] was born in [Porto] .":                  "0 BORN_IN 1",
		"[Porto] is where [Nora Weiss] came into the world .": "1 BORN_IN 0",
		"[Nora Weiss] visited [Porto] .":                      "",
		"[Nora Weiss] sleeps .":                               "",
	} {
		s := sentence(text)
		var got []string
		for _, r := range m.Read(&s, m.Kinds([]*relations.Sentence{&s})[0], relations.Limits{Type: 0.5, Related: 0.5}) {
			got = append(got, fmt.Sprintf("%d %s %d", r.From, r.Type, r.To))
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("%q states %q, want %q", text, got, want)
		}
	}
}

// TestEncode reads a model again, which says the same, and wants the same lesson to give the same
// bytes.
func TestEncode(t *testing.T) {
	file := relations.Learn(lesson()).Encode()
	if !bytes.Equal(file, relations.Learn(lesson()).Encode()) {
		t.Error("the same sentences gave other weights the second time")
	}
	m, err := relations.Decode(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(file, m.Encode()) {
		t.Error("what was read is written otherwise")
	}
	for n := range 30 {
		if _, err := relations.Decode(file[:n*len(file)/30]); err == nil {
			t.Errorf("%d of %d bytes were read as a model", n*len(file)/30, len(file))
		}
	}
}

// TestEnglish reads what is linked into the program.
func TestEnglish(t *testing.T) {
	m, err := relations.English()
	if err != nil {
		t.Fatal(err)
	}
	s := sentence("[Mara Kessel] was born in [Graz] .")
	read := m.Read(&s, m.Kinds([]*relations.Sentence{&s})[0], relations.Limits{})
	for _, r := range read {
		if math.IsNaN(r.Probability) || r.Probability < 0 || r.Probability > 1 {
			t.Errorf("%v is no probability", r.Probability)
		}
	}
}
