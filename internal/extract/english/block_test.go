package english

import (
	"slices"
	"strings"
	"testing"

	"github.com/kappagraph/kappa/corpus"
)

// blockTexts returns the blocks of a text: the kind, and the lines or cells with "|"
// between them.
func blockTexts(text string, ct corpus.ContentType) []string {
	names := [...]string{blockParagraph: "p", blockHeading: "h", blockItem: "i", blockRow: "r"}
	var out []string
	for _, b := range blocksOf(newMask(text), ct) {
		var parts []string
		for _, s := range b.segments {
			parts = append(parts, text[s.Start:s.End])
		}
		out = append(out, names[b.kind]+":"+strings.Join(parts, "|"))
	}
	return out
}

type blockExample struct {
	rule, text string
	want       []string
}

func checkBlocks(t *testing.T, ct corpus.ContentType, examples []blockExample) {
	t.Helper()
	for _, x := range examples {
		t.Run(x.rule, func(t *testing.T) {
			if got := blockTexts(x.text, ct); !slices.Equal(got, x.want) {
				t.Errorf("%q\n got %q\nwant %q", x.text, got, x.want)
			}
		})
	}
}

func TestMarkdownBlocks(t *testing.T) {
	deep := strings.Repeat("> ", maxNesting+1)
	checkBlocks(t, corpus.ContentMarkdown, []blockExample{
		{"a heading and a paragraph", "# A lane\n\nIt claims\na job.\n", []string{"h:A lane", "p:It claims|a job."}},
		{"a heading with a rule below", "A lane\n======\n\nIt claims a job.\n", []string{"h:A lane", "p:It claims a job."}},
		{"a list", "- a lane\n- a slot\n", []string{"i:a lane", "i:a slot"}},
		{"a list with numbers", "1. a lane\n2. a slot\n", []string{"i:a lane", "i:a slot"}},
		{"a quote", "> a lane\n> claims\n", []string{"p:a lane|claims"}},
		{"fenced code", "A lane.\n\n```go\nfunc main() {}\n```\n\nA slot.\n", []string{"p:A lane.", "p:A slot."}},
		{"indented code", "A lane.\n\n    func main() {}\n\nA slot.\n", []string{"p:A lane.", "p:A slot."}},
		{"HTML", "A lane.\n\n<div>\nhtml\n</div>\n\nA slot.\n", []string{"p:A lane.", "p:A slot."}},
		{"a thematic break", "A lane.\n\n---\n\nA slot.\n", []string{"p:A lane.", "p:A slot."}},
		{"a table", "| a lane | b slot |\n|:---|---:|\n| c job | d queue |\n", []string{"r:a lane|b slot", "r:c job|d queue"}},
		{"a table without outer bars", "a lane | b slot\n--- | ---\nc job | d queue\n", []string{"r:a lane|b slot", "r:c job|d queue"}},
		{"an empty cell", "| a lane | |\n|---|---|\n", []string{"r:a lane"}},
		{"a bar in code and one that is meant", "| `a|b` | c\\|d |\n|---|---|\n", []string{`r:` + "`a|b`" + `|c\|d`}},
		{"a definition of a link", "A lane.\n\n[1]: https://x.org/a\n", []string{"p:A lane."}},
		{"front matter in YAML", "---\ntitle: A lane\n---\n\nA slot.\n", []string{"p:A slot."}},
		{"front matter in TOML", "+++\ntitle = \"A lane\"\n+++\n\nA slot.\n", []string{"p:A slot."}},
		{"front matter that nothing closes", "---\n\nA slot.\n", []string{"p:A slot."}},
		{"text that starts inside a fence", "x := 1\n```\n\nA slot.\n\n```go\ny\n```\n", []string{"p:A slot."}},
		{"a fence that nothing closes", "The lane claims a job.\n\n```\nx := 1\n", []string{"p:The lane claims a job."}},
		{"what nests too deep is read as plain text", deep + "a lane\n", nil},
	})
}

func TestPlainBlocks(t *testing.T) {
	checkBlocks(t, corpus.ContentPlain, []blockExample{
		{"a wrapped paragraph", "A lane claims\na job.\n", []string{"p:A lane claims|a job."}},
		{"two paragraphs", "A lane claims.\n\nA slot waits.\n", []string{"p:A lane claims.", "p:A slot waits."}},
		{"a heading", "# How a lane claims\nIt claims a job.\n", []string{"h:How a lane claims", "p:It claims a job."}},
		{"bullets", "- a lane\n* a slot\n• a job\n+ a queue of jobs\n– a token\n", []string{"i:a lane", "i:a slot", "i:a job", "i:a queue of jobs", "i:a token"}},
		{"numbers", "1. a lane\n2) a slot\n", []string{"i:a lane", "i:a slot"}},
		{"numbered headings and clauses", "1. Definitions\n\"Tenant\" means a person.\n2. Duties of the tenant\n2.1 The tenant pays.\n2.2 The tenant cleans.\n", []string{"h:Definitions", "p:\"Tenant\" means a person.", "h:Duties of the tenant", "p:The tenant pays.", "p:The tenant cleans."}},
		{"numbered items that go on", "1. The tenant pays the rent on the first day of\nthe month.\n2. Apples\n3. Pears\n", []string{"i:The tenant pays the rent on the first day of|the month.", "i:Apples", "i:Pears"}},
		{"a year is no number of a list", "1984 was a year of lanes\n", []string{"p:1984 was a year of lanes"}},
		{"a quote", "> a lane claims\n", []string{"p:a lane claims"}},
		{"a line that ended early", "The slot that is free waits for the next job that comes along\nand it ends.\nThe lane claims.\n", []string{"p:The slot that is free waits for the next job that comes along|and it ends.", "p:The lane claims."}},
		{"fenced code", "A lane claims.\n```\nfunc main() {}\n```\nA slot waits.\n", []string{"p:A lane claims.", "p:A slot waits."}},
		{"statements among prose", "A lane runs.\n\nSELECT a FROM b;\nUPDATE c SET d = 1;\nwhere it is\n\nIt ends.", []string{"p:A lane runs.", "p:It ends."}},
		{"a row of a table", "| a lane | b slot |\n|---|---|\n", []string{"r:a lane|b slot"}},
	})
}

func TestProse(t *testing.T) {
	for line, want := range map[string]bool{
		"The lane claims a job.":        true,
		"1984 was a year of lanes":      true,
		"Ein Weg führt über die Brücke": true,
		"":                              false,
		"12 34 56":                      false,
		"func main() {":                 false,
		"x = y + 1;":                    false,
		"a --> b":                       false,
		"SELECT JOBS FROM LANES":        false,
		"if (lane != nil) return;":      false,
		"std::vector of lanes":          false,
	} {
		if got := isProse(line); got != want {
			t.Errorf("%q reads like language: %v, want %v", line, got, want)
		}
	}
}

func TestRules(t *testing.T) {
	for line, want := range map[string]bool{"|---|---|": true, "| :-: | --- |": true, "--- | ---": true, "---": false, "| a | - |": false, "": false} {
		if got := isRule(line); got != want {
			t.Errorf("%q rules a table: %v, want %v", line, got, want)
		}
	}
	for line, want := range map[string]bool{"[1]: https://x.org": true, "[a]: /b": true, "[a] b: c": false, "a [1]: /b": false, "[a]: b": false} {
		if got := isReference(line); got != want {
			t.Errorf("%q defines a link: %v, want %v", line, got, want)
		}
	}
}

func TestMarkers(t *testing.T) {
	for line, want := range map[string]struct {
		kind blockKind
		skip int
	}{
		"# a": {blockHeading, 2}, "###### a": {blockHeading, 7}, "####### a": {blockParagraph, 0}, "#a": {blockParagraph, 0},
		"- a": {blockItem, 2}, "* a": {blockItem, 2}, "• a": {blockItem, 4}, "-a": {blockParagraph, 0},
		"1. a": {blockItem, 3}, "12) a": {blockItem, 4}, "1.5 a": {blockParagraph, 0}, "12345. a": {blockParagraph, 0},
		"2.1 The tenant": {blockParagraph, 4}, "2.1. The tenant": {blockParagraph, 5}, "2.1 \"Tenant\" means": {blockParagraph, 4}, "2.1 million": {blockParagraph, 0}, "1.1.2026 A": {blockParagraph, 0},
		"> a": {blockParagraph, 2}, "a": {blockParagraph, 0},
	} {
		if kind, skip := marker(line); kind != want.kind || skip != want.skip {
			t.Errorf("%q: kind %d after %d bytes, want %d after %d", line, kind, skip, want.kind, want.skip)
		}
	}
}
