package answers

import (
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/kappagraph/kappa/corpus"
)

// FuzzAnswers reads any text as a question and as a passage: nothing panics, and places are within
// the text and between characters.
func FuzzAnswers(f *testing.F) {
	for _, seed := range [][2]string{
		{"What is a lane?", "A **lane** is a queue (also Q, abbreviated L). See 1.2, 3 May 2011 and $5 million."},
		{"When was the Eiffel Tower built?", "| a | b |\n|---|---|\n- It was built in 1889.\n\n塔高300米。"},
		{"\xff\xfe what's “x” 'y'", "\xc3(\x00 ’’ -- (( ,, is a"},
		{"", ""},
		{"قم \u200fما هو", "X (是)，又称Y，是一"},
	} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, question, text string) {
		within := func(of string, at corpus.Span) {
			if at.Start < 0 || at.End < at.Start || at.End > len(of) || utf8.ValidString(of) && !utf8.ValidString(of[at.Start:at.End]) {
				t.Errorf("%+v is no place in %q", at, of)
			}
		}
		last := 0
		for _, s := range Sentences(text) {
			within(text, s)
			if s.Start < last {
				t.Errorf("sentences of %q overlap", text)
			}
			last = s.End
		}
		asked, passage := NewQuestion(question, nil), NewPassage(text, true)
		for _, part := range passage.spans {
			if !slices.Equal(passage.piecesIn(part), piecesOf(text[part.Start:part.End])) {
				t.Errorf("%q is cut otherwise within %q", text[part.Start:part.End], text)
			}
		}
		s := asked.Sentence(passage)
		within(text, s)
		for _, kind := range []Kind{Expected(question), KindPerson, KindPlace, KindDate, KindNumber, KindName} {
			asked.Kind = kind
			at, _ := asked.Exact(passage, s)
			within(text[s.Start:s.End], at)
		}
		for _, l := range Literals(question) {
			at, ok := LiteralIn(text, l)
			within(text, at)
			if strings.Contains(text, " "+l+" ") && !ok {
				t.Errorf("%q is not found in %q", l, text)
			}
		}
		for _, language := range []string{"", "de", "zh", "ru"} {
			for _, class := range []corpus.PassageClass{corpus.ClassProse, corpus.ClassTable, corpus.ClassCode} {
				for _, term := range Definitions(corpus.Passage{Text: text, Class: class, Language: language, Section: question, Columns: []string{question}}, true) {
					if DefinedKey(term) == "" || DefinedKey(DefinedKey(term)) == "" {
						t.Errorf("%q has no key", term)
					}
				}
			}
		}
		for _, c := range Contradictions([]Statement{{Document: "a", Passage: passage}, {Document: "b", Passage: NewPassage(question, true)}}) {
			within(text, c.Older.Value)
			within(question, c.Newer.Value)
		}
		Asks(question)
		Comparison(question)
		Relation(question)
		Listing(question)
		Follow([]string{text, question}, question)
		Missing(question, true, []string{text})
		Bearing(question, []string{text})
		corpus.UniqueNames([]string{text, question}, nil)
	})
}

// TestHostile reads long texts that are made to be slow.
func TestHostile(t *testing.T) {
	for name, piece := range map[string]string{
		"quotes": `"`, "brackets": "(", "commas": "a, ", "capitals": "A ", "digits": "1", "dates": "May ", "dots": "a.", "dashes": "- ", "bars": "|", "stars": "**", "backticks": "`",
		"colons": "error: ", "copulas": "is ", "Chinese": "是", "spaces": " ", "letters": "a", "slashes": "a/", "numbers": "1,000 ", "lines": "\n", "options": "--a, ", "marks": "\u200f",
	} {
		t.Run(name, func(t *testing.T) {
			text := strings.Repeat(piece, 2400/len(piece))
			start := time.Now()
			Definitions(corpus.Passage{Text: text, Class: corpus.ClassProse}, true)
			Definitions(corpus.Passage{Text: text, Class: corpus.ClassTable}, true)
			Definitions(corpus.Passage{Text: text, Class: corpus.ClassCode}, true)
			asked, passage := NewQuestion(text[:2000], nil), NewPassage(text, true)
			for _, kind := range []Kind{KindPerson, KindPlace, KindDate, KindNumber, KindName} {
				asked.Kind = kind
				asked.Exact(passage, corpus.Span{End: len(text)})
			}
			asked.Sentence(passage)
			Asks(text)
			Expected(text)
			Comparison(text)
			Listing(text)
			for _, l := range Literals(text) {
				LiteralIn(text, l)
			}
			Follow([]string{text, text}, text)
			Bearing(text, []string{text, text})
			Contradictions([]Statement{{Document: "a", Passage: passage}, {Document: "b", Passage: passage}})
			if took := time.Since(start); took > 20*time.Second { // a tenth of a second on a machine of its own
				t.Errorf("took %v", took)
			}
		})
	}
}
