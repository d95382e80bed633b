package words

import (
	"strings"
	"unicode"
)

// between passes what stands between words at i, notices the end of a sentence, and returns
// where to go on.
func (c *cutter) between(i int) int {
	if ascii[c.text[i]]&ends == 0 {
		return i + 1
	}
	if c.text[i] == '\n' {
		return c.line(i)
	}
	end, bare := i, true // nothing but a full stop
	for end < len(c.text) && c.text[end] < 0x80 && ascii[c.text[end]]&(ends|closes) != 0 && c.text[end] != '\n' {
		bare = bare && c.text[end] == '.'
		end++
	}
	for end < len(c.text) && c.text[end] >= 0x80 {
		r, size := decode(c.text, end)
		if !unicode.In(r, unicode.Pf, unicode.Pe) {
			break
		}
		bare = false
		end += size
	}
	if end < len(c.text) && !space(c.text[end]) || bare && c.abbreviated() || c.goesOn(end) {
		return end
	}
	c.sentence = true
	return end
}

// goesOn reports whether a small letter is next.
func (c *cutter) goesOn(i int) bool {
	for i < len(c.text) && space(c.text[i]) {
		i++
	}
	if i == len(c.text) {
		return false
	}
	r, _ := decode(c.text, i)
	return unicode.IsLower(r)
}

// abbreviated reports whether the last word is an initial or an abbreviation.
func (c *cutter) abbreviated() bool {
	if len(c.out.Words) == 0 {
		return false
	}
	word := c.out.Words[len(c.out.Words)-1]
	last := word.Text
	if last == "ms" {
		return c.text[word.Start] == 'M' // a title, and no milliseconds
	}
	return len(last) == 1 && ascii[last[0]&0x7f]&letter != 0 || abbreviations[last]
}

var abbreviations = map[string]bool{
	"al": true, "approx": true, "art": true, "bzw": true, "ca": true, "cf": true, "co": true, "dr": true,
	"e.g": true, "eq": true, "etc": true, "fig": true, "gen": true, "i.e": true, "inc": true, "jr": true,
	"ltd": true, "mr": true, "mrs": true, "mt": true, "no": true, "nr": true, "p": true,
	"pp": true, "prof": true, "sec": true, "sr": true, "st": true, "u.s": true, "vol": true, "vs": true,
}

// line passes the end of a line. It ends a sentence before an empty line, an item of a list, a
// heading and a row of a table.
func (c *cutter) line(i int) int {
	i++
	for i < len(c.text) && (c.text[i] == ' ' || c.text[i] == '\t' || c.text[i] == '\r') {
		i++
	}
	if i == len(c.text) {
		return i
	}
	if c.text[i] == '\n' || strings.IndexByte("#|>", c.text[i]) >= 0 || marker(c.text[i:]) {
		c.sentence = true
	}
	return i
}

// marker reports whether a line begins as an item of a list does.
func marker(line string) bool {
	n := 0
	for n < len(line) && n < 4 && line[n] >= '0' && line[n] <= '9' {
		n++
	}
	switch {
	case n > 0:
		return len(line) > n+1 && (line[n] == '.' || line[n] == ')') && space(line[n+1])
	case strings.HasPrefix(line, "•"):
		return true
	}
	return len(line) > 1 && strings.IndexByte("-*+", line[0]) >= 0 && space(line[1])
}

func space(b byte) bool { return b == ' ' || b == '\n' || b == '\t' || b == '\r' }

// endsSentence reports whether a character that is not ASCII ends a sentence: full stops of
// Chinese, Hindi, Arabic, Burmese, Khmer, Amharic and Armenian.
func endsSentence(r rune) bool {
	switch r {
	case '。', '！', '？', '｡', '।', '॥', '؟', '۔', '။', '។', '።', '։', '\u2029':
		return true
	}
	return false
}
