package english

import (
	"slices"
	"strings"
	"unicode"
)

// abbreviations joins "Long Form (LF)" and "LF (Long Form)" in sentence i: both
// become one candidate that is called by its long form, or by the short one
// when the text goes on to use that more.
func (r *reading) abbreviations(i int) {
	tokens := r.sentences[i].tokens
	for j := 1; j+2 < len(tokens); j++ {
		if tokens[j].text != "(" || tokens[j+2].text != ")" || !isShortForm(tokens[j+1].text) {
			continue
		}
		short := tokens[j+1]
		from, ok := longForm(tokens[:j], short.text)
		if !ok {
			continue
		}
		key := r.longFormKey(i, from, j)
		if key == "" {
			continue
		}
		r.found.joinShort(key, short, mention{sentence: i, first: j + 1, last: j + 2})
	}
}

// longFormKey makes tokens [from, to) of sentence i a candidate and returns its
// key: an abbreviation shows that they are one name, whatever the phrases say.
// The phrase that ends there takes the key over.
func (r *reading) longFormKey(i, from, to int) string {
	s := &r.sentences[i]
	for k := range r.phrases[i] {
		if p := &r.phrases[i][k]; p.last == to {
			if p.from == from {
				return p.key
			}
			p.first, p.from = min(p.first, from), from
			r.found.add(s, i, p, false)
			key := p.key
			r.phrases[i] = withoutOverlap(r.phrases[i], k)
			return key
		}
	}
	p := phrase{first: from, from: from, last: to}
	r.found.add(s, i, &p, false)
	return p.key
}

// withoutOverlap drops the phrases before the phrase k that it has grown over.
func withoutOverlap(phrases []phrase, k int) []phrase {
	from := k
	for from > 0 && phrases[from-1].last > phrases[k].first {
		from--
		phrases[k].first = min(phrases[k].first, phrases[from].first)
	}
	return slices.Delete(phrases, from, k)
}

// isShortForm reports whether s can abbreviate a name.
func isShortForm(s string) bool {
	if len(s) < 2 || len(s) > 10 {
		return false
	}
	upper := 0
	for _, r := range s {
		if unicode.IsUpper(r) {
			upper++
		} else if !unicode.IsLower(r) && !unicode.IsDigit(r) && r != '-' && r != '.' && r != '/' && r != '&' {
			return false
		}
	}
	return upper > 0 && (upper > 1 || len(s) <= 4)
}

// longForm finds where the words before an abbreviation start that it stands
// for, as Schwartz and Hearst do ("A Simple Algorithm for Identifying
// Abbreviation Definitions in Biomedical Text", 2003): its letters must occur
// in order, read from the end, and the first one must start a word.
func longForm(tokens []token, short string) (int, bool) {
	letters := []rune(strings.ToLower(strings.TrimSuffix(short, "s")))
	w := len(tokens) - 1
	l := len(letters) - 1
	limit := max(0, len(tokens)-2*len(letters)-2)
	for l >= 0 && !unicode.IsLetter(letters[l]) && !unicode.IsDigit(letters[l]) {
		l--
	}
	for w >= limit && l >= 0 {
		if tokens[w].kind == kindPunct && tokens[w].text != "-" || tokens[w].kind == kindBreak {
			return 0, false
		}
		l = matchBack([]rune(tokens[w].low), letters, l)
		w--
	}
	if l >= 0 {
		return 0, false
	}
	return w + 1, tokens[w+1].low != strings.ToLower(short)
}

// matchBack matches letters[:l+1] from the end of word backwards and returns
// the last letter that is still open. The first letter of the abbreviation must
// be the first of the word.
func matchBack(word, letters []rune, l int) int {
	for c := len(word) - 1; c >= 0 && l >= 0; c-- {
		if word[c] != letters[l] || l == 0 && c > 0 && word[c-1] != '-' {
			continue
		}
		l--
	}
	return l
}

// joinShort joins the abbreviation short with the candidate long.
func (c *candidates) joinShort(long string, short token, at mention) {
	target := c.find(long)
	key := c.stem(short.low)
	source := c.byKey[key]
	if source == nil {
		source = &candidate{key: key, stems: []string{key}, acronym: true, idf: maxIDF}
		source.addForm(short.text, false)
		source.mentions = append(source.mentions, at)
		c.byKey[key] = source
		c.list = append(c.list, source)
	}
	if s := source.root(); target != nil && s != target {
		target.absorb(s)
		target.aliases = append(target.aliases, short.text)
	}
}
