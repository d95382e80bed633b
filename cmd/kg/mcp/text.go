package mcp

import (
	"fmt"
	"strings"

	"github.com/kappagraph/kappa/knowledge"
)

// The bounds of an answer, in bytes. A model reads about four bytes as one token.
const (
	maxTextBytes  = 24_000
	maxQuoteBytes = 600

	// maxStatingBytes is how far into an answer the sentences of relationships are told,
	// so that the relationships themselves have room, and maxSentenceBytes how long one is.
	maxStatingBytes  = 16_000
	maxSentenceBytes = 300
)

// text collects the lines of an answer, up to maxTextBytes.
type text struct {
	lines strings.Builder
	cut   int // lines that had no room
	mute  int // relationships whose sentence had no room

	named []named // what the lines name
	shown int     // how many of them stand in lines that had room
	has   map[named]bool
	total *int  // see page
	next  *next // how to go on
}

func newText() *text { return &text{} }

// line adds a line.
func (t *text) line(format string, values ...any) {
	line := fmt.Sprintf(format, values...)
	if t.cut > 0 || t.lines.Len()+len(line) > maxTextBytes {
		t.cut++
		t.named = t.named[:t.shown] // what this line names is not seen
		return
	}
	t.lines.WriteString(line)
	t.lines.WriteByte('\n')
	t.shown = len(t.named)
}

// String returns the answer, and how much of it was cut.
func (t *text) String() string {
	answer := strings.TrimSuffix(t.lines.String(), "\n")
	if t.mute > 0 {
		answer += fmt.Sprintf("\n(The sentences of %s had no room. The tool edge shows them.)", count(t.mute, "relationship"))
	}
	if t.cut > 0 {
		answer += fmt.Sprintf("\n(%d more lines were cut here. Ask for less: a smaller limit, an offset, a filter.)", t.cut)
	}
	return answer
}

// oneLine returns a text of a document without line breaks, at most maxQuoteBytes.
func oneLine(s string) string { return shortLine(s, maxQuoteBytes) }

// shortLine returns a text without line breaks, at most so many bytes of it.
func shortLine(s string, most int) string {
	s = strings.Join(strings.Fields(s), " ")
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + " …"
}

// stated adds the surest sentence that states a relationship, and where it stands. Of a
// long answer it leaves it out: the next relationship says more.
func (t *text) stated(evidence []knowledge.EdgeEvidence) {
	if len(evidence) == 0 || evidence[0].Quote == "" {
		return
	}
	e := evidence[0]
	line := fmt.Sprintf("    %q", shortLine(e.Quote, maxSentenceBytes))
	if e.Before != nil {
		line += fmt.Sprintf(" (before it: %q)", shortLine(e.Before.Quote, maxSentenceBytes/2))
	}
	line += fmt.Sprintf(" in %s, bytes %d-%d, source %s", t.place(e.Evidence), e.Start, e.End, e.SourceID)
	if e.MadeBy != nil {
		line += ", written by hand by " + quoted(*e.MadeBy)
	}
	if t.lines.Len()+len(line) > maxStatingBytes {
		t.mute++
		return
	}
	t.line("%s", line)
}

// quotes adds quotes with where they stand.
func (t *text) quotes(evidence []knowledge.Evidence) {
	for _, e := range evidence {
		t.line("  %q", oneLine(e.Quote))
		where := t.place(e)
		if at := e.Place(); at != "" {
			where += ", " + quoted(at)
		}
		t.line("    in %s, chunk %d, bytes %d-%d, source %s", where, e.Paragraph, e.Start, e.End, e.SourceID)
	}
}

// place names the document of a quote, and its ontology.
func (t *text) place(e knowledge.Evidence) string {
	if e.Filename != nil && *e.Filename != "" {
		return t.of(e.SourceID, *e.Filename, e.Document)
	}
	return quoted(e.Document)
}

// of names the document that a source is a part of, and its ontology.
func (t *text) of(source, filename, ontology string) string {
	return t.name(aSource, source, filename) + " (" + quoted(ontology) + ")"
}

// grounding is how well a concept is supported, in words; "" when it was not measured.
func grounding(g knowledge.Grounding) string {
	if g.Display == nil {
		return ""
	}
	return ", " + strings.ToLower(*g.Display)
}
