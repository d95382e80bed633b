package cli

import (
	"slices"
	"strings"
	"testing"

	"github.com/kappagraph/kappa/knowledge/questions"
)

func TestReadablePassages(t *testing.T) {
	section := "A > B"
	for _, c := range []struct {
		name string
		p    questions.AskPassage
		full bool
		want []string
	}{
		{"wrapped lines", questions.AskPassage{Text: "One\ntwo.\n\nThree."}, false, []string{"One two.", "Three."}},
		{"a heading that its place names", questions.AskPassage{Text: "## B\n\nOne.", Section: &section}, false, []string{"One."}},
		{"a heading that nothing else names", questions.AskPassage{Text: "## B\n\nOne."}, false, []string{"## B", "One."}},
		{"entries of a list", questions.AskPassage{Text: "- **One** is\n  small.\n- Two"}, false, []string{"- One is small.", "- Two"}},
		{"an address across lines", questions.AskPassage{Text: "See [remote\nworkers](remote.md)."}, false, []string{"See remote workers."}},
		{"code", questions.AskPassage{Text: "Run it:\n\n```sh\nkg doctor\n# or\nkg health\n```\n\nThen", Section: &section}, false, []string{"Run it:", "kg doctor", "# or", "kg health", "Then"}},
		{"rows", questions.AskPassage{Text: "| a | b |\n| c | |", Columns: []string{"When", "Remedy"}}, false, []string{"When: a; Remedy: b", "When: c"}},
		{"rows below a head that is not known", questions.AskPassage{Text: "| a | b |\n|---|---|"}, false, []string{"a; b"}},
		{"more cells than columns", questions.AskPassage{Text: "| a | b |", Columns: []string{""}}, false, []string{"a; b"}},
		{"a long one", questions.AskPassage{Text: strings.Repeat("a", 590) + "\n\nb bb bbbb bbbbbbbb"}, false, []string{strings.Repeat("a", 590), "b bb bbbb …"}},
		{"a long one, whole", questions.AskPassage{Text: strings.Repeat("a", 590) + "\n\nb bb bbbb bbbbbbbb"}, true, []string{strings.Repeat("a", 590), "b bb bbbb bbbbbbbb"}},
		{"cut between lines", questions.AskPassage{Text: strings.Repeat("a", 600) + "\n\nb"}, false, []string{strings.Repeat("a", 600) + " …"}},
		{"what moves the cursor", questions.AskPassage{Text: "a\x1b[2Jb"}, false, []string{"a[2Jb"}},
		{"nothing", questions.AskPassage{}, false, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := readable(c.p, c.full); !slices.Equal(got, c.want) {
				t.Errorf("%q\nwant %q", got, c.want)
			}
		})
	}
}
