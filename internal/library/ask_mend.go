package library

import (
	"strings"
	"unicode"

	"github.com/kappagraph/kappa/internal/answers"
	"github.com/kappagraph/kappa/internal/retrieval/words"
	"github.com/kappagraph/kappa/knowledge/questions"
)

const (
	leastMended = 5 // letters of a word that is taken for a slip
	longWord    = 8 // letters of a word in which one may be wrong
	nearest     = 5 // known words that are tried
)

// mend takes words that no document has for slips of others that one has, and says so. What
// is quoted, and what has a digit or a sign, is meant as it is written.
func (x *asked) mend() {
	if x.Exact {
		return
	}
	asked := x.answer.Asked
	var mended strings.Builder
	from := 0
	for _, w := range wholeWords(asked) {
		written := asked[w.Start:w.End]
		if !mayBeSlip(w, written) || isLiteral(x.form.literals, written) || x.stands(w) {
			continue
		}
		if as := x.takenAs(w.Text); as != "" {
			mended.WriteString(asked[from:w.Start])
			mended.WriteString(as)
			from = w.End
			x.answer.Mended = append(x.answer.Mended, questions.AskMended{Written: written, TakenAs: as})
		}
	}
	if from > 0 {
		x.answer.Asked = mended.String() + asked[from:]
		x.form = formOf(x.answer.Asked)
	}
}

// mayBeSlip reports a word of letters that is long enough to be known again.
func mayBeSlip(w words.Word, written string) bool {
	return !words.Function(w.Text) && len([]rune(written)) >= leastMended && !strings.ContainsFunc(written, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) })
}

func isLiteral(literals []string, written string) bool {
	for _, l := range literals {
		if _, ok := answers.LiteralIn(l, written); ok {
			return true
		}
	}
	return false
}

// takenAs returns the known word that a word is a slip of, "" when there is none: one letter
// is missing, too many or swapped with the next, of long words two, or one is wrong there.
func (x *asked) takenAs(text string) string {
	for _, known := range x.statistics().Near(text, nearest) {
		if slips(text, known) <= len([]rune(text))/longWord+1 && sameFirst(text, known) {
			return known
		}
	}
	return ""
}

// sameFirst reports whether two words begin with the same letter: few slips are in the first.
func sameFirst(a, b string) bool { return []rune(a)[0] == []rune(b)[0] }

// slips counts the letters that are wrong, missing, too many or swapped with the next one. In a
// short word a wrong letter counts twice: mostly it makes another word, as change and charge.
func slips(a, b string) int {
	from, to := []rune(a), []rune(b)
	other := 1
	if len(from) < longWord {
		other = 2
	}
	before, last, row := make([]int, len(to)+1), make([]int, len(to)+1), make([]int, len(to)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(from); i++ {
		row[0] = i
		for j := 1; j <= len(to); j++ {
			wrong := other
			if from[i-1] == to[j-1] {
				wrong = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+wrong)
			if i > 1 && j > 1 && from[i-1] == to[j-2] && from[i-2] == to[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(to)]
}
