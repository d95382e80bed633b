package show

import (
	"strings"
	"unicode"

	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/knowledge"
)

// Statement writes a sentence that states a relationship, in lines of at most width
// columns that begin with margin: the quote with both ends in bold, the sentence before
// when the quote refers to it, and where it stands.
func Statement(e knowledge.EdgeEvidence, width int, p Paint, margin string) string {
	quote := e.Quote
	lines := []string{wrapMarked(quote, []knowledge.Mark{e.From.Mark, e.To.Mark}, width, margin, margin+" ", p)}
	if quote == "" {
		lines = []string{margin + p.Dim("(no quote is kept)")}
	}
	if e.Before != nil {
		lines = append(lines, Wrap(refers(e)+" “"+OneLine(e.Before.Quote)+"”", width, margin+"  ", margin+"   "))
	}
	place := Place(e.Evidence)
	if e.MadeBy != nil {
		place = "by hand, by " + OneLine(*e.MadeBy) + ": " + place
	}
	return strings.Join(append(lines, dimmed(Wrap(place, width, margin+"  ", margin+"  "), p)), "\n")
}

// dimmed paints lines one by one, so that a pager that shows some of them shows them so.
func dimmed(lines string, p Paint) string {
	list := strings.Split(lines, "\n")
	for i, line := range list {
		list[i] = p.Dim(line)
	}
	return strings.Join(list, "\n")
}

// refers says what the sentence before is there for: which words of the quote mean what it
// names.
func refers(e knowledge.EdgeEvidence) string {
	for _, end := range []knowledge.MarkedEnd{e.From, e.To} {
		if end.Kind == knowledge.MarkReference {
			return "“" + OneLine(end.Text) + "”: see before:"
		}
	}
	return "before it:"
}

// word is a word of a quote, which may be marked in part.
type word struct{ plain, painted string }

// wrapMarked is Wrap of a quote in quotation marks, with marked words in bold.
func wrapMarked(quote string, marks []knowledge.Mark, width int, first, rest string, p Paint) string {
	words := markedWords(quote, marks, p)
	if len(words) == 0 {
		return first + "“”"
	}
	words[0] = word{"“" + words[0].plain, "“" + words[0].painted}
	last := len(words) - 1
	words[last] = word{words[last].plain + "”", words[last].painted + "”"}
	var b strings.Builder
	b.WriteString(first)
	used := text.StringWidth(first)
	for i, w := range words {
		n := text.StringWidth(w.plain)
		switch {
		case i == 0:
		case used+1+n > width:
			b.WriteString("\n" + rest)
			used = text.StringWidth(rest)
		default:
			b.WriteString(" ")
			used++
		}
		b.WriteString(w.painted)
		used += n
	}
	return b.String()
}

// markedWords returns the words of a quote as they may be shown.
func markedWords(quote string, marks []knowledge.Mark, p Paint) []word {
	var words []word
	for start := 0; start < len(quote); {
		part := quote[start:]
		end := strings.IndexFunc(part, unicode.IsSpace)
		if end == 0 {
			start += len(part) - len(strings.TrimLeftFunc(part, unicode.IsSpace))
			continue
		}
		if end < 0 {
			end = len(part)
		}
		if w := paintWord(quote, corpus.Span{Start: start, End: start + end}, marks, p); w.plain != "" {
			words = append(words, w)
		}
		start += end
	}
	return words
}

// paintWord returns a part of a quote with what is marked of it in bold.
func paintWord(quote string, at corpus.Span, marks []knowledge.Mark, p Paint) word {
	var w word
	for from := at.Start; from < at.End; {
		to, bold := at.End, false
		for _, m := range marks {
			switch {
			case !m.Kind.InQuote() || m.End <= from || m.Start >= to:
			case m.Start > from:
				to = m.Start
			default:
				to, bold = min(to, m.End), true
			}
		}
		piece := Printable(quote[from:to])
		w.plain += piece
		if bold {
			piece = p.Bold(piece)
		}
		w.painted += piece
		from = to
	}
	return w
}
