package english

import "strings"

// causeWords stand between an effect and its cause.
var causeWords = [...][]string{
	{"because", "of"}, {"due", "to"}, {"owing", "to"}, {"as", "a", "result", "of"}, {"as", "a", "consequence", "of"}, {"on", "account", "of"},
}

// happens are verbs that say that their subject is there: what it is there because of
// causes it.
const happens = " be occur happen arise emerge exist appear begin start result come develop form "

// changes are verbs that say that their subject changes: what it does so because of
// influences it.
const changes = " rise fall increase decrease decline grow shrink vary improve weaken slow drop expand die fail collapse melt freeze stop end "

// because reads "delays due to strikes" at the phrase of item i, and "prices rise
// because of demand" at its verb.
func (r *reader) because(i int, supposed []bool) {
	last := r.items[i].last
	n := 0
	for _, words := range causeWords {
		if r.wordsAt(last, words...) {
			n = len(words)
		}
	}
	if n == 0 || supposed[i] {
		return
	}
	cause := -1
	for at := i + 1; at < len(r.items) && at <= i+5; at++ {
		if r.kindOf(at) == itemPhrase && r.items[at].first >= last+n {
			if r.items[at].first == last+n {
				cause = at
			}
			break
		}
	}
	if cause < 0 {
		return
	}
	causes := r.concepts(r.listUntil(cause, true))
	switch r.kindOf(i) {
	case itemPhrase:
		if r.kindOf(i-1) == itemVerb || i == 0 || r.kindOf(i-1) == itemStop || r.kindOf(i-1) == itemComma {
			r.each(causes, []string{r.concept(i)}, "CAUSES", confidenceReduced)
		}
	case itemVerb:
		v := r.items[i].verb
		subjects, _ := r.subjects(i)
		if v.negated || v.unreal {
			return
		}
		switch {
		case strings.Contains(happens, " "+v.lemma+" "):
			r.each(causes, r.concepts(subjects), "CAUSES", confidenceListed)
		case strings.Contains(changes, " "+v.lemma+" "):
			r.each(causes, r.concepts(subjects), "INFLUENCES", confidenceListed)
		case v.passive && r.rules[ruleKey{lemma: v.lemma}].typ == "INFLUENCES":
			r.each(causes, r.concepts(subjects), "INFLUENCES", confidenceListed) // "was closed because of a landslide"
		}
	}
}

// each states the relationship of every one of from with every one of to.
func (r *reader) each(from, to []string, typ string, confidence float64) {
	for _, x := range from {
		for _, y := range to {
			r.state(x, y, typ, confidence)
		}
	}
}
