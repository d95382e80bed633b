package answers

import (
	"strings"

	"github.com/kappagraph/kappa/corpus"
)

// mostThread is how many questions before a follow-up are read.
const mostThread = 8

var (
	// pronouns stand for what was spoken of before. The possessive ones are in the second group.
	pronouns = way("", `(?i)\b(?:(it|he|she|they|him|them|this one|that one|the latter|the former)|(its|his|hers?|their|theirs))\b|\b(?:(er|ihn|ihm|ella|ello|él|ellos|ellas|elle|ils|elles|lui)|(seine?[nmrs]?|ihre?[nmrs]?|sus?|leurs?))(?:\s|$|\?)|(它|他们|她们|他|她)`)
	// elsewhere stand for a place or a time that was spoken of.
	elsewhere = way("", `(?i)\b(there|dort|allí|là-bas)\b|那里|那儿`)
	// opening words of a question that goes on.
	goesOn = way("", `(?i)^(?:(?:and|but|so|ok|okay|then|also|und|aber|y|pero|et|mais|e)[ ,]+)+|^(?:那么|那)`)
	// a question that puts another thing in the place of the one before.
	whatAbout = way("", `(?i)^(?:what about|how about|und was ist mit|was ist mit|y qué hay de|qué hay de|et)\s+(.+)$|^(.+)呢$`)
	// words that ask and need a verb behind them.
	bareAsk   = way("", `(?i)^(?:why|when|where|who|how|how many|how much|how long|since when|by whom|which|what|warum|wann|wo|wer|wie|por qué|cuándo|dónde|quién|cómo|pourquoi|quand|où|为什么|什么时候|在哪里|谁)(?: not| exactly| genau)?$`)
	thereIs   = way("", `(?i)\b(?:is|are|was|were|be|been) there\b|\bthere (?:is|are|was|were)\b`)
	expletive = way("", `(?i)\b(?:is|was|does|did|can|will) it (?:possible|true|necessary|mean|take|matter|rain|make sense)\b|\bit is (?:possible|true|necessary)\b|\bhow long does it take\b`)
)

// Follow returns what a question means after the questions before it, the first one first: whole
// says it with what it takes from them in the place of pronouns, and carried is what it takes, as
// they write it. A question that means all by itself is returned as it is, and carries nothing.
func Follow(thread []string, question string) (whole string, carried []string) {
	before := ""
	for _, q := range thread[max(0, len(thread)-mostThread):] {
		before, _ = follow(before, q)
	}
	return follow(before, question)
}

// follow is Follow after one question that means all by itself.
func follow(before, question string) (whole string, carried []string) {
	question = strings.TrimSpace(question)
	if before == "" || question == "" || len(question) > 500 {
		return question, nil
	}
	about := subjectOf(before)
	rest := strings.TrimSpace(goesOn.regexp().ReplaceAllString(question, ""))
	joined := rest != question
	if m := whatAbout.regexp().FindStringSubmatch(strings.Trim(rest, "?？ ")); m != nil && joined || m != nil && !strings.HasPrefix(strings.ToLower(rest), "et ") {
		return instead(before, about, plainTerm(m[1]+m[2]))
	}
	if joined && fewWords(rest) {
		return instead(before, about, plainTerm(rest))
	}
	if about == "" {
		return question, nil
	}
	if bareAsk.regexp().MatchString(strings.Trim(rest, "?？ ")) {
		return strings.Trim(rest, "?？ ") + ": " + before, []string{before}
	}
	if in(rest, about) || expletive.regexp().MatchString(rest) {
		return question, nil
	}
	if said, ok := withSubject(rest, about); ok {
		return said, []string{about}
	}
	if m := elsewhere.regexp().FindStringIndex(rest); m != nil && !thereIs.regexp().MatchString(rest) {
		return strings.TrimSpace(rest[:m[0]]) + " in " + about + rest[m[1]:], []string{about}
	}
	if joined && subjectOf(rest) == "" {
		return strings.TrimRight(rest, "?？ ") + " (" + about + ")?", []string{about}
	}
	return question, nil
}

// fewWords reports whether what is asked is only a name or two: "and Berlin?".
func fewWords(question string) bool {
	all := strings.Fields(strings.Trim(question, "?？ "))
	return len(all) > 0 && len(all) <= 3 && !asksOtherwise(all)
}

// in reports whether a question has a term already.
func in(question, term string) bool {
	_, ok := LiteralIn(question, term)
	return ok
}

// withSubject puts a subject in the place of the first pronoun, unless that stands for something
// that the question has itself.
func withSubject(question, about string) (whole string, ok bool) {
	m := pronouns.regexp().FindStringSubmatchIndex(question)
	if m == nil || subjectOf(question[:m[0]]+"…") != "" {
		return "", false
	}
	for g := 2; g < len(m); g += 2 {
		if m[g] < 0 {
			continue
		}
		if own := question[m[g]:m[g+1]]; g == 2 && strings.EqualFold(own, "her") {
			break
		}
		switch g {
		case 4: // its
			about += "'s"
		case 8: // seine
			return strings.TrimRight(question, "?？ ") + " (" + about + ")?", true
		}
		return question[:m[g]] + about + question[m[g+1]:], true
	}
	return "", false
}

// instead asks the question before about something else.
func instead(before, about, other string) (whole string, carried []string) {
	if other == "" {
		return before, []string{before}
	}
	at, found := LiteralIn(before, about)
	if about == "" || !found {
		return other + ": " + before, []string{before}
	}
	asked := strings.TrimSpace(before[:at.Start])
	return before[:at.Start] + other + before[at.End:], []string{strings.Trim(asked+" … "+strings.TrimSpace(before[at.End:]), "?？ …")}
}

var (
	definite = way("", `(?i)\b(?:the|a|an|my|our|der|die|das|den|dem|el|la|los|las|le|les)\s+((?:[\pL\pN_'’/.-]+\s?){1,4})`)
	verbLast = way("", `(?i)\b(?:do|does|did|can|could|will|would|should|must)\b`)
)

// subjectOf returns what a question is about, as it writes it: what it asks the meaning of, a
// name, or what stands behind an article. It is "" when that is not clear.
func subjectOf(question string) string {
	if term, ok := Asks(question); ok {
		return term
	}
	if a, _, ok := Comparison(question); ok {
		return a
	}
	s := newScanned(readQuestion(""), question, piecesOf(question))
	for _, f := range s.capitals() {
		first, last := s.wordsIn(f.Span)
		if first == 0 && (last == 0 || s.words[0].small) && !acronym(s.words[0].raw) || dateWord(s.words[first].raw) {
			continue
		}
		if s.before(first, "the") {
			f.Start = s.words[first-1].Start
		}
		return question[f.Start:f.End]
	}
	if all := Literals(question); len(all) > 0 {
		return all[0]
	}
	m := definite.regexp().FindStringSubmatchIndex(question)
	if m == nil {
		return ""
	}
	at := corpus.Span{Start: m[2], End: m[3]}
	first, last := s.wordsIn(at)
	for i := first; i <= last; i++ {
		if s.words[i].small || i > first && notNoun(s.words[i].Text) {
			last = i - 1
			break
		}
	}
	if last > first && last == len(s.words)-1 && verbLast.regexp().MatchString(question[:at.Start]) {
		last-- // "how does the claim loop work"
	}
	if last < first {
		return ""
	}
	if s.before(first, "the", "a", "an") {
		return "the " + question[s.words[first].Start:s.words[last].End]
	}
	return question[s.words[first].Start:s.words[last].End]
}
