package english

import (
	"regexp"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"github.com/kappagraph/kappa/corpus"
)

// maxNesting is how many block markers a line may open before the text is read
// as plain: block structure costs depth times lines.
const maxNesting = 24

// newMarkdownParser makes a parser for block structure alone. Inline markup is
// read by mask, in linear time and with offsets kept.
func newMarkdownParser() parser.Parser {
	blocks := []util.PrioritizedValue{
		util.Prioritized(parser.NewSetextHeadingParser(), 100),
		util.Prioritized(parser.NewThematicBreakParser(), 200),
		util.Prioritized(parser.NewListParser(), 300),
		util.Prioritized(parser.NewListItemParser(), 400),
		util.Prioritized(parser.NewCodeBlockParser(), 500),
		util.Prioritized(parser.NewATXHeadingParser(), 600),
		util.Prioritized(parser.NewFencedCodeBlockParser(), 700),
		util.Prioritized(parser.NewBlockquoteParser(), 800),
		util.Prioritized(parser.NewHTMLBlockParser(), 900),
		util.Prioritized(parser.NewParagraphParser(), 1000),
	}
	return parser.NewParser(parser.WithBlockParsers(blocks...))
}

// nestsDeep reports a line that opens more than maxNesting containers.
func nestsDeep(raw string) bool {
	for line := range strings.Lines(raw) {
		markers := 0
		for _, c := range []byte(line) {
			if c == '>' || c == '-' || c == '*' || c == '+' {
				markers++
			} else if c != ' ' && c != '\t' && c != '.' && c != ')' && (c < '0' || c > '9') {
				break
			}
		}
		if markers > maxNesting && strings.Trim(line, "-*_ \t\r\n") != "" {
			return true
		}
	}
	return false
}

// markdownBlocks returns the prose of Markdown in the order of the text.
func markdownBlocks(raw string) []block {
	source := []byte(raw)
	blankFrontMatter(source)
	blankOpenFence(source)
	root := newMarkdownParser().Parse(text.NewReader(source))
	var blocks []block
	// The walk cannot fail: the visitor returns no error.
	_ = ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n.Kind() {
		case ast.KindHeading:
			blocks = appendLines(blocks, raw, n.Lines(), blockHeading)
			return ast.WalkSkipChildren, nil
		case ast.KindParagraph, ast.KindTextBlock:
			k := blockParagraph
			if p := n.Parent(); p != nil && p.Kind() == ast.KindListItem {
				k = blockItem
			}
			blocks = appendLines(blocks, raw, n.Lines(), k)
			return ast.WalkSkipChildren, nil
		}
		return ast.WalkContinue, nil
	})
	return blocks
}

// appendLines appends the lines of one goldmark node: as rows when they are a
// table, else as one block of the lines that are prose.
func appendLines(blocks []block, raw string, lines *text.Segments, k blockKind) []block {
	b := block{kind: k}
	table, header := false, false
	for i := range lines.Len() {
		line := lines.At(i)
		s := trim(raw, corpus.Span{Start: line.Start, End: line.Stop})
		str := raw[s.Start:s.End]
		if !table && i+1 < lines.Len() && strings.Contains(str, "|") {
			next := lines.At(i + 1)
			rule := raw[next.Start:next.Stop]
			table = isRule(rule)
			header = table && strings.Count(str, "|") >= strings.Count(rule, "|") // else its start was cut off
		}
		switch {
		case s.Start == s.End || isRule(str) || isReference(str):
		case table || strings.HasPrefix(str, "|") && strings.Count(str, "|") > 1: // also when its head was cut off
			if r, ok := row(raw, s.Start, s.End); ok {
				r.header, header = header, false
				blocks = append(blocks, r)
			}
		default:
			b.segments = append(b.segments, s)
		}
	}
	if len(b.segments) > 0 {
		blocks = append(blocks, b)
	}
	return blocks
}

// isReference reports a link reference definition such as "[1]: https://…".
func isReference(line string) bool {
	i := strings.Index(line, "]:")
	return strings.HasPrefix(line, "[") && i > 0 && strings.Contains(line[i:], "/")
}

// blankFrontMatter overwrites a YAML or TOML header with spaces.
func blankFrontMatter(source []byte) {
	s := string(source[:min(len(source), 8192)])
	fence := "---"
	if strings.HasPrefix(s, "+++") {
		fence = "+++"
	}
	if !strings.HasPrefix(s, fence+"\n") && !strings.HasPrefix(s, fence+"\r\n") {
		return
	}
	end := strings.Index(s, "\n"+fence)
	if end < 0 {
		return
	}
	for i := range source[:end+1+len(fence)] {
		if source[i] != '\n' {
			source[i] = ' '
		}
	}
}

var fenceLine = regexp.MustCompile("(?m)^[ \t]{0,3}```([^`\n]*)$")

// blankOpenFence handles a piece that was cut out of the middle of a document
// and starts inside a fenced block: the fences do not pair up and the first one
// has no language, so it closes. What stands before it is code.
func blankOpenFence(source []byte) {
	fences := fenceLine.FindAllSubmatchIndex(source, -1)
	if len(fences)%2 == 0 {
		return
	}
	first := fences[0]
	if strings.TrimSpace(string(source[first[2]:first[3]])) != "" {
		return
	}
	if len(fences) == 1 && mostlyProse(string(source[:first[0]])) {
		return // an opener whose end was cut off
	}
	for i := range source[:first[1]] {
		if source[i] != '\n' {
			source[i] = ' '
		}
	}
}

// mostlyProse reports whether most lines of s read like language.
func mostlyProse(s string) bool {
	prose, lines := 0, 0
	for line := range strings.Lines(s) {
		if strings.TrimSpace(line) == "" {
			continue
		}
		lines++
		if isProse(line) {
			prose++
		}
	}
	return prose*2 > lines
}
