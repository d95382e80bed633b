package show

import (
	"strings"
	"testing"

	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/knowledge"
)

func mark(quote, words string) knowledge.MarkedEnd {
	at := strings.Index(quote, words)
	return knowledge.ShownMark(quote, knowledge.Mark{Kind: knowledge.MarkName, Span: corpus.Span{Start: at, End: at + len(words)}})
}

func TestStatement(t *testing.T) {
	quote := "A **lane**\nclaims jobs, of the write-ahead log's \x1b[31mkind."
	e := knowledge.EdgeEvidence{Evidence: knowledge.Evidence{Quote: quote, Filename: new("a.md"), Paragraph: 2, Span: corpus.Span{Start: 5, End: 9}}, From: mark(quote, "lane"), To: mark(quote, "write-ahead log")}
	want := "  “A **lane** claims jobs, of\n   the write-ahead log's\n   [31mkind.”\n    a.md, chunk 2, bytes 5–9"
	if got := Statement(e, 30, Paint{}, "  "); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	got := Statement(e, 30, Paint{On: true}, "  ")
	if bold := "**\x1b[1mlane\x1b[0m** claims"; !strings.Contains(got, bold) || !strings.Contains(got, "\x1b[1mwrite-ahead\x1b[0m \x1b[1mlog\x1b[0m's") {
		t.Errorf("the ends are not marked: %q", got)
	}
	e.From.Kind, e.Before = knowledge.MarkBefore, &knowledge.SentenceBefore{Quote: "It was\nnamed."}
	e.MadeBy = new("ada")
	if got := Statement(e, 200, Paint{}, ""); !strings.Contains(got, "\n  before it: “It was named.”\n  by hand, by ada: a.md, chunk 2") {
		t.Errorf("got\n%s", got)
	}
	e.From = knowledge.MarkedEnd{Mark: knowledge.Mark{Kind: knowledge.MarkReference}, Text: "A"}
	if got := Statement(e, 200, Paint{}, ""); !strings.Contains(got, "“A”: see before: “It was named.”") {
		t.Errorf("got\n%s", got)
	}
}
