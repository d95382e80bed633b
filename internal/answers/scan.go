package answers

import (
	"slices"
	"strings"
	"unicode"

	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/retrieval/words"
)

// mostExact bounds the sentences in which an exact answer is looked for, in bytes: what is longer
// is no sentence.
const mostExact = 4 << 10

// scanned is a sentence, read for a question.
type scanned struct {
	*Question

	text  string
	words []piece
}

// piece is a word of a sentence as it is written.
type piece struct {
	words.Word
	raw     string
	capital bool
	small   bool // it holds a sentence together
	asked   bool // the question has it, and it says something
}

// found is what may answer, in bytes of the sentence.
type found struct {
	corpus.Span
	bonus float64
}

// newScanned reads a sentence, which is cut into words, for a question. It writes to the words.
func newScanned(q *Question, sentence string, all []piece) *scanned {
	for i := range all {
		all[i].asked = !all[i].small && q.says[all[i].Stem]
	}
	return &scanned{Question: q, text: sentence, words: all}
}

// piecesOf cuts a text into whole words.
func piecesOf(text string) []piece { return wholeWords(text, words.Cut(text, true).Words) }

// wholeWords returns those words of a text that are not parts of others.
func wholeWords(text string, cut []words.Word) []piece {
	all := make([]piece, 0, len(cut))
	end := 0
	for _, w := range cut {
		if w.Start < end {
			continue // a part of the word before
		}
		end = w.End
		raw := text[w.Start:w.End]
		all = append(all, piece{Word: w, raw: raw, capital: capital(raw), small: small(w.Text)})
	}
	return all
}

// small reports whether a word holds sentences together, in one of the languages that are read.
func small(text string) bool {
	return words.Function(text) || holding[text]
}

var holding = union(smallWords, foreignSmall)

var smallWords = set(`he she they his her him them we our us my your if than then so but not no nor each such some any all more most other who's
	during after before until about between through over under against among within without also only just very because while`)

// germanSmall and foreignSmall are words that hold sentences together in other languages.
var (
	germanSmall  = set("der die das den dem des ein eine einen einem einer und oder im an am auf von zu zum zur mit für ist war sind waren wurde wurden wird hat wie wer wann wo was als es er sie nicht auch")
	foreignSmall = union(germanSmall, set(`el la los las un una unos unas y o de del al en por para con que es era fue son se su sus lo como cuando donde quien cual
		le les des du et ou au aux dans par sur est il elle ce qui que gli della nel sono o os as uma do da em com não`))
)

// union is a set of what any of some sets has.
func union(sets ...map[string]bool) map[string]bool {
	all := map[string]bool{}
	for _, s := range sets {
		for w := range s {
			all[w] = true
		}
	}
	return all
}

// headOf returns the stem of the noun that a question asks for: that behind "which", "what", "what
// kind of" or "how many". It is "" where a verb is there.
func headOf(question []piece) string {
	for i := range question {
		from := 0
		switch question[i].Text {
		case "which", "what":
			from = i + 1
		case "how":
			if i+1 < len(question) && (question[i+1].Text == "many" || question[i+1].Text == "much") {
				from = i + 2
			}
		}
		if from > 0 {
			return nounOf(question[from:])
		}
	}
	return ""
}

// nounOf returns the stem of the noun that the words of a question begin with.
func nounOf(all []piece) string {
	if len(all) > 2 && all[1].Text == "of" && kindWords[all[0].Text] {
		all = all[2:]
	}
	n := 0
	for n < min(len(all), 4) && !all[n].small && (n == 0 || !notNoun(all[n].Text)) && !strings.HasSuffix(all[n].Text, "ly") {
		n++
	}
	switch {
	case n == 0, n == 1 && len(all) > 1 && article(all[1].Text): // "what helps the owner"
		return ""
	case n > 1 && n < len(all) && !languageForms["en"].verbs[all[n].Text] && !auxiliary[all[n].Text] && !notNoun(all[n].Text):
		return all[n-2].Stem // "which river flows through"
	}
	return all[n-1].Stem
}

// auxiliary are verbs before which a noun stands.
var auxiliary = set("is are was were do does did has have had can could will would shall should must may might be")

var kindWords = set("kind kinds type types sort sorts form forms name names category species piece")

// notNoun reports whether a word behind a noun is a verb, by its ending.
func notNoun(w string) bool {
	return strings.HasSuffix(w, "ed") || languageForms["en"].verbs[w]
}

// score says how good an answer is: its bonus, and how close the words of the question stand.
func (s *scanned) score(f found) float64 {
	first, last := s.wordsIn(f.Span)
	sum := f.bonus
	for i, w := range s.words {
		if !w.asked || i >= first && i <= last {
			continue
		}
		distance := float64(first - i)
		if i > last {
			distance = afterWorth * float64(i-last)
		}
		sum += 1 / (1 + distance)
	}
	return sum
}

// afterWorth is how much farther a word is that stands behind an answer: "ended in 1945" says more
// of a year than "in 1945 ended".
const afterWorth = 1.5

// wordsIn returns the first and the last word of a place.
func (s *scanned) wordsIn(at corpus.Span) (first, last int) {
	for first < len(s.words)-1 && s.words[first].End <= at.Start {
		first++
	}
	last = first
	for last+1 < len(s.words) && s.words[last+1].Start < at.End {
		last++
	}
	return first, last
}

// span is the place of some words.
func (s *scanned) span(first, last int) corpus.Span {
	return corpus.Span{Start: s.words[first].Start, End: s.words[last].End}
}

// between returns what stands between two neighbouring words.
func (s *scanned) between(i int) string {
	if i < 0 || i+1 >= len(s.words) {
		return ""
	}
	return s.text[s.words[i].End:s.words[i+1].Start]
}

// before reports whether the word before i is one of some.
func (s *scanned) before(i int, some ...string) bool {
	return i > 0 && slices.Contains(some, s.words[i-1].Text)
}

// allAsked reports whether the question has all words of a place that say something.
func (s *scanned) allAsked(first, last int) bool {
	for _, w := range s.words[first : last+1] {
		if !w.asked && !w.small || w.Stem == s.head && first < last && w.capital {
			return false
		}
	}
	return true
}

// capitals returns the runs of words with capital letters: names. The first word of the sentence
// counts only with a second one or when it is no common word.
func (s *scanned) capitals() []found {
	var all []found
	for i := 0; i < len(s.words); i++ {
		w := s.words[i]
		if !w.capital || w.small && !acronym(w.raw) {
			continue
		}
		last := i
		for j := i + 1; j < len(s.words) && j < i+10; j++ {
			if strings.Trim(s.between(j-1), " .-&'’\"") != "" || strings.Contains(s.between(j-1), ". ") && len(s.words[j-1].raw) > 3 {
				break
			}
			if s.words[j].capital && (!s.words[j].small || acronym(s.words[j].raw)) {
				last = j
				continue
			}
			if !connector(s.words[j].Text) && !(last == j-1 && romanOrDigit(s.words[j].raw)) {
				break
			}
			if romanOrDigit(s.words[j].raw) && strings.IndexFunc(s.words[j].raw, unicode.IsDigit) >= 0 {
				break
			}
		}
		all = append(all, found{Span: s.span(i, last)})
		i = last
	}
	return all
}

// connector reports whether a small word stands within names.
func connector(w string) bool {
	switch w {
	case "v", "vs", "of", "the", "de", "la", "del", "van", "von", "der", "du", "des", "al", "bin", "for":
		return true
	}
	return false
}

func romanOrDigit(w string) bool {
	return strings.Trim(w, "IVX") == "" || strings.Trim(w, "0123456789") == ""
}
