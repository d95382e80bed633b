package llm

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/kappagraph/kappa/knowledge/questions"
)

// sentenceCutter cuts an answer into sentences while it comes, and reads their citations.
type sentenceCutter struct {
	passages int // there are so many to cite
	// bearing returns those of the cited passages that bear a sentence out; nil checks nothing.
	bearing func(sentence string, cited []int) []int
	text    string
	dropped int // sentences without a citation that bears them out
}

var (
	// A citation, with what models write within one.
	citation = regexp.MustCompile(`\[\s*(?:[Pp]assages?\s*)?(\d{1,3}(?:\s*[,;]\s*\d{1,3})*)\s*\]`)
	number   = regexp.MustCompile(`\d+`)
	// The end of a sentence, citations before or behind its full stop, and what shows that
	// another one begins. A name may have a full stop within, but no citation.
	ending = regexp.MustCompile(`(?:\[[^\][]*\]\s*[.!?]?|[.!?]["')”’]?(?:\s*\[[^\][]*\])*)\s+([\p{Lu}\d"'“‘(*-]|\p{Lo})`)
	// The word before a full stop that ends no sentence.
	abbreviated = regexp.MustCompile(`(?:^|[\s(])(?:\p{L}|[A-Z]\.\w|e\.g|i\.e|etc|cf|vs|Dr|Mr|Mrs|Ms|Prof|St|No|Nos|Fig|Figs|Sec|Eq|p|pp|ca|approx|Inc|Ltd|Jr|Sr)\.$`)
)

// add takes more of the answer and returns the sentences that are complete now.
func (c *sentenceCutter) add(part string) (complete []questions.AnswerSentence) {
	c.text += part
	for from := 0; ; {
		at := ending.FindStringSubmatchIndex(c.text[from:])
		if at == nil {
			return complete
		}
		sentence, next := c.text[:from+at[2]], from+at[2]
		if abbreviated.MatchString(strings.TrimRight(sentence, " \t\r\n")) {
			from = next
			continue
		}
		c.text, from = c.text[next:], 0
		complete = c.append(complete, sentence)
	}
}

// rest returns the last sentence, when the answer is whole.
func (c *sentenceCutter) rest() []questions.AnswerSentence {
	last := c.text
	c.text = ""
	return c.append(nil, last)
}

// append adds a sentence that cites a passage which is there and bears it out, and counts any
// other.
func (c *sentenceCutter) append(all []questions.AnswerSentence, text string) []questions.AnswerSentence {
	var cited []int
	seen := map[int]bool{}
	for _, group := range citation.FindAllStringSubmatch(text, -1) {
		for _, digits := range number.FindAllString(group[1], -1) {
			if n, err := strconv.Atoi(digits); err == nil && n >= 1 && n <= c.passages && !seen[n] {
				seen[n] = true
				cited = append(cited, n)
			}
		}
	}
	text = strings.Join(strings.Fields(citation.ReplaceAllString(text, "")), " ")
	for _, mark := range []string{".", "!", "?", ",", ";"} {
		text = strings.ReplaceAll(text, " "+mark, mark)
	}
	if text == "" || strings.Trim(text, ".") == notAnswered {
		return all
	}
	if c.bearing != nil && len(cited) > 0 {
		cited = c.bearing(text, cited)
	}
	if len(cited) == 0 {
		c.dropped++
		return all
	}
	return append(all, questions.AnswerSentence{Text: text, Passages: cited})
}
