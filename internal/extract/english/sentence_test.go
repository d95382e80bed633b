package english

import (
	"slices"
	"strings"
	"testing"

	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/knowledge"
)

// sentenceTexts returns the sentences of a text as they stand in it.
func sentenceTexts(t *testing.T, text string, ct corpus.ContentType) []string {
	t.Helper()
	r := newReading(newExtractor(t), knowledge.Passage{Text: text, ContentType: ct})
	var out []string
	for _, s := range r.sentences {
		out = append(out, text[s.start:s.end])
	}
	return out
}

func TestSentences(t *testing.T) {
	for _, tt := range []struct {
		behaviour, text string
		ct              corpus.ContentType
		want            []string
	}{
		{"full stops", "One lane. Two lanes! Three?", "", []string{"One lane.", "Two lanes!", "Three?"}},
		{
			"abbreviations", "Use e.g. a lane. Dr. Curie met Mr. Bell in the U.S. in May.", "",
			[]string{"Use e.g. a lane.", "Dr. Curie met Mr. Bell in the U.S. in May."},
		},
		{"initials", "J. S. Bach wrote it. He died.", "", []string{"J. S. Bach wrote it.", "He died."}},
		{"versions and numbers", "Version v1.2.3 costs 3.50 now. Upgrade.", "", []string{"Version v1.2.3 costs 3.50 now.", "Upgrade."}},
		{"a mixed-case word may start a sentence", "T cells respond. mRNA fades.", "", []string{"T cells respond.", "mRNA fades."}},
		{"wrapped lines", "A lane claims\na job. It ends.", "", []string{"A lane claims\na job.", "It ends."}},
		{"Chinese stops", "知识图谱。概念 x。", "", []string{"概念 x。"}},
		{
			"headings, items and paragraphs", "# Lanes\n\n- first item\n- second item\n\nText.", corpus.ContentMarkdown,
			[]string{"Lanes", "first item", "second item", "Text."},
		},
		{
			"code, HTML and front matter are no prose", "---\ntitle: x\n---\n\nText.\n\n```go\nfunc main() {}\n```\n\n    indented code\n\n<div>html</div>\n", corpus.ContentMarkdown,
			[]string{"Text."},
		},
		{
			"quotes keep the markup inside them", "**Lanes** use `slots` and [links](http://x.org/a).", corpus.ContentMarkdown,
			[]string{"**Lanes** use `slots` and [links](http://x.org/a)."},
		},
		{
			"rows of a table", "| a lane | b slot |\n|---|---|\n| c job | d queue |\n", corpus.ContentMarkdown,
			[]string{"a lane | b slot", "c job | d queue"},
		},
		{
			"a table that lost its head", "| c job | d queue |\n| e job | f queue |\n", corpus.ContentMarkdown,
			[]string{"c job | d queue", "e job | f queue"},
		},
		{"text that starts inside a fence", "x := 1\n```\n\nProse here.\n\n```go\ny\n```\n", corpus.ContentMarkdown, []string{"Prose here."}},
		{
			"statements in plain text are no prose", "A lane runs.\n\nSELECT a FROM b;\nUPDATE c SET d = 1;\nwhere it is\n\nIt ends.", "",
			[]string{"A lane runs.", "It ends."},
		},
	} {
		t.Run(tt.behaviour, func(t *testing.T) {
			if got := sentenceTexts(t, tt.text, tt.ct); !slices.Equal(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
	t.Run("without a full stop a sentence is cut", func(t *testing.T) {
		r := newReading(newExtractor(t), knowledge.Passage{Text: strings.Repeat("lane ", 5*maxSentenceTokens)})
		if len(r.sentences) != 5 {
			t.Errorf("%d sentences, want 5", len(r.sentences))
		}
	})
}

func TestLabels(t *testing.T) {
	text := `Worker Lanes. Many worker lanes share several important slots. The worker lane of Marie Curie uses PostgreSQL.
Curie ran 25 worker-lanes in 2021 at https://example.org on Monday. Analyses of mice and volcanoes need colour models; color models help.`
	e := extractFrom(t, newExtractor(t), text, corpus.ContentPlain)
	var labels []string
	for _, c := range e.Concepts {
		labels = append(labels, c.Label)
	}
	for _, want := range []string{"worker lane", "Marie Curie", "PostgreSQL", "slot", "volcano", "colour model"} {
		if !slices.Contains(labels, want) {
			t.Errorf("no label %q in %q", want, labels)
		}
	}
	for _, never := range []string{"Curie", "25", "2021", "Monday", "https", "important slot", "several important slot", "worker-lane", "color model"} {
		if slices.Contains(labels, never) {
			t.Errorf("label %q in %q", never, labels)
		}
	}
}
