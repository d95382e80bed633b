package passages_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/passages"
)

// sectioned is a Markdown text with the places that its reader finds.
func sectioned(text string) corpus.DocumentText {
	d := corpus.DocumentText{Text: text, Markup: corpus.ContentMarkdown}
	var path [6]string
	offset, inCode := 0, false
	for line := range strings.Lines(text) {
		start := offset
		offset += len(line)
		if strings.HasPrefix(line, "```") {
			inCode = !inCode
		}
		level := len(line) - len(strings.TrimLeft(line, "#"))
		if level == 0 || level > 6 || inCode || !strings.HasPrefix(line[level:], " ") || strings.TrimSpace(line[level:]) == "" {
			continue
		}
		path[level-1] = strings.TrimSpace(line[level:])
		clear(path[level:])
		d.Places = append(d.Places, corpus.Place{Start: start, Section: strings.Join(slices.DeleteFunc(slices.Clone(path[:]), func(s string) bool { return s == "" }), " > ")})
	}
	return d
}

func cut(d corpus.DocumentText) []corpus.Passage {
	return slices.Collect(passages.Cutter{}.Cut(d))
}

// shown is what a test compares of a passage.
func shown(p corpus.Passage) string {
	s := fmt.Sprintf("%s: %q", p.Class, p.Text)
	if p.Section != "" {
		s += " in " + p.Section
	}
	if p.Columns != nil {
		s += fmt.Sprintf(" of %q", p.Columns)
	}
	return s
}

const forty = "This paragraph has forty words and more, so that it is never joined with another one: " +
	"it says what a paragraph of an encyclopedia says, which is about a hundred words long as a rule, and which answers a question by itself when somebody asks one."

func TestCut(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"short paragraphs of a section are joined", "# A\n\nOne.\n\nTwo.\n\n## B\n\nThree.\n", []string{`prose: "One.\n\nTwo." in A`, `prose: "Three." in A > B`}},
		{"a paragraph of forty words stands alone", "One.\n\n" + forty + "\n\nTwo.\n\nThree.", []string{`prose: "One."`, fmt.Sprintf("prose: %q", forty), `prose: "Two.\n\nThree."`}},
		{"lines of a paragraph belong together", "one\ntwo\nthree\n\nfour", []string{`prose: "one\ntwo\nthree\n\nfour"`}},
		{"a heading without a text is a passage", "# A\n\n## B\n\n## C\n\nText.\n\n# D\n", []string{`contents: "## B" in A > B`, `prose: "Text." in A > C`, `contents: "# D" in D`}},
		{"a list keeps the line before it", "# A\n\nThere are:\n\n- one\n  more of it\n- two\n\n1. first\n2. second\n\nAfter.", []string{
			`list: "There are:\n\n- one\n  more of it\n- two\n\n1. first\n2. second" in A`, `prose: "After." in A`,
		}},
		{"rows have the names of the columns", "Before.\n\n| Name | Use |\n|---|:-:|\n| a | b |\n| c | d |\n\nAfter.", []string{
			`prose: "Before."`, `table: "| a | b |\n| c | d |" of ["Name" "Use"]`, `prose: "After."`,
		}},
		{"code keeps its blank lines and its marks", "Run:\n\n```sh\n# no heading\n\nmake\n```\n\nDone.", []string{`code: "Run:\n\n` + "```" + `sh\n# no heading\n\nmake\n` + "```" + `"`, `prose: "Done."`}},
		{"indented code", "Text.\n\n    a := 1\n\n    b := 2\n\nText.", []string{`prose: "Text."`, `code: "a := 1\n\n    b := 2"`, `prose: "Text."`}},
		{"what is drawn is left out", "One.\n\n---\n\nTwo.", []string{`prose: "One.\n\n---\n\nTwo."`}},
		{"underlined headings", "Lanes\n=====\n\nName\n----\nA queue.\n\nSlots\n-----\n- one\n- two\n\nEvents\n======\nLast.", []string{
			`prose: "A queue." in Lanes > Name`, `list: "- one\n- two" in Lanes > Slots`, `prose: "Last." in Events`,
		}},
		{"a heading that its reader did not find stays", "One.\n\n###### \n\n#hash\n", []string{`prose: "One.\n\n###### \n\n#hash"`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for _, p := range cut(sectioned(c.text)) {
				got = append(got, shown(p))
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(c.want, "\n"))
			}
		})
	}
}
