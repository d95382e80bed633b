package english

import (
	"slices"
	"strings"
)

// aliasWords introduce another name of what stands right before them. After those in
// afterComma a comma, a bracket or a form of "be" stands before them.
var aliasWords = []string{
	"also known as", "also called", "also spelled", "also written", "also referred to as", "also termed", "also named",
	"better known as", "commonly known as", "commonly called", "sometimes called", "sometimes known as", "often called", "popularly known as",
	"formerly known as", "formerly called", "formerly", "originally called", "otherwise known as", "aka", "a.k.a.", "a.k.a",
	"abbreviated", "abbreviated as", "abbreviated to", "shortened to", "short for", "stands for", "is short for",
}

// aliases joins the two names in "X, also known as Y" and its like in sentence i: both
// become one candidate that is called by the first.
func (r *reading) aliases(i int) {
	s := &r.sentences[i]
	for k := 0; k+1 < len(r.phrases[i]); k++ {
		x, y := &r.phrases[i][k], &r.phrases[i][k+1]
		if x.key == "" || y.key == "" || x.key == y.key {
			continue
		}
		between := s.tokens[x.last:y.first]
		if len(between) < 2 {
			continue
		}
		also := slices.ContainsFunc(between, func(t token) bool { return t.low == "also" })
		if isArticle(y.determiner) && (x.name || !also) {
			continue // "a stone known as a voussoir" is a kind of stone
		}
		if isAlias(between) && !afterOf(s.tokens, x) || r.shortFor(s, x, between) {
			r.found.joinAlias(x.key, y.key)
			for _, key := range alsoNamed(s, r.phrases[i][k+1:]) {
				r.found.joinAlias(x.key, key)
			}
		}
	}
}

// alsoNamed returns the keys of the names that "or" joins to the first phrase: "also known
// as water bears, bear animals or moss piglets".
func alsoNamed(s *sentence, phrases []phrase) []string {
	var keys []string
	for k := 1; k < len(phrases); k++ {
		between := s.tokens[phrases[k-1].last:phrases[k].first]
		or := len(between) > 0 && between[len(between)-1].low == "or"
		if !or && (len(between) != 1 || between[0].text != ",") || or && len(between) > 2 || phrases[k].key == "" || phrases[k].determiner != "" {
			return nil
		}
		if keys = append(keys, phrases[k].key); or {
			return keys
		}
	}
	return nil
}

// isAlias reports whether the tokens between two phrases say that both are names of
// one thing.
func isAlias(between []token) bool {
	if len(between) < 2 || len(between) > 7 {
		return false
	}
	var b strings.Builder
	led := false
	for n, t := range between {
		switch {
		case t.text == "," || t.text == "(" || isQuote(t.text) || n == 0 && isBe(t.low) && t.tag != posBase:
			led = true
			continue
		case isNegation(t.low) || t.kind == kindPunct && t.text != ".":
			return false
		}
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(t.low)
	}
	words := b.String()
	if !led {
		return false
	}
	if slices.Contains(aliasWords, words) {
		return true
	}
	return words == "known as" && between[0].text == ","
}

// shortFor reads "DWV stands for deformed wing virus".
func (r *reading) shortFor(s *sentence, x *phrase, between []token) bool {
	return len(between) == 2 && between[1].low == "for" && (between[0].low == "stands" || between[0].low == "short") &&
		x.last-x.from == 1 && isShortForm(s.tokens[x.from].text)
}

// isQuote reports a quotation mark.
func isQuote(text string) bool { return text != "" && strings.Contains(`"'“”‘’«»`, text) }

// afterOf reports whether a phrase belongs to one before it, whose other name may
// follow: "the city of Paris, also called …".
func afterOf(tokens []token, p *phrase) bool {
	return p.first > 0 && tokens[p.first-1].tag == posPreposition && !p.name
}

// joinAlias makes the candidate alias another name of the candidate key.
func (c *candidates) joinAlias(key, alias string) {
	x, y := c.find(key), c.find(alias)
	if x == nil || y == nil || x == y {
		return
	}
	if x.acronym && !y.acronym {
		x, y = y, x // the long form is the name
	}
	x.absorb(y)
}
