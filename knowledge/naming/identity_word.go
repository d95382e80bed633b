package naming

import (
	"strings"
	"unicode"
)

// nameWords cuts a folded name into its words, in their case. Signs that make another
// name stay: C++, C#, .NET, Na+, 1.5, -5.
func nameWords(label string) []string {
	c := wordCutter{runes: []rune(label)}
	for i, r := range c.runes {
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("%°$€£@", r):
			c.word = append(c.word, r)
		case r == '\'':
			c.apostrophe(i)
		case r == '&':
			c.end()
			c.words = append(c.words, "and")
		case c.stays(i):
			c.word = append(c.word, r)
		case r == '.' && unicode.IsLetter(c.at(i-1)) && unicode.IsLetter(c.at(i+1)): // U.S.
		case r == ',' && c.thousands(i): // 1,000
		default:
			c.end()
		}
	}
	c.end()
	return c.words
}

// wordCutter is the state of cutting a name into words.
type wordCutter struct {
	runes  []rune
	word   []rune
	words  []string
	silent bool // the letters that follow are those of a genitive
}

// at returns the rune at place i, and 0 outside.
func (c *wordCutter) at(i int) rune {
	if i < 0 || i >= len(c.runes) {
		return 0
	}
	return c.runes[i]
}

func (c *wordCutter) inWord(i int) bool {
	return unicode.IsLetter(c.at(i)) || unicode.IsDigit(c.at(i))
}

// end ends the word that is being read.
func (c *wordCutter) end() {
	word := string(c.word)
	if c.silent {
		word = strings.TrimSuffix(word, "s")
	}
	if word != "" {
		c.words = append(c.words, word)
	}
	c.word, c.silent = c.word[:0], false
}

// apostrophe leaves an apostrophe out, and the s of a genitive.
func (c *wordCutter) apostrophe(i int) {
	c.silent = c.at(i+1) == 's' && !c.inWord(i+2) && len(c.word) > 0
}

// stays reports whether the sign at place i is part of the name.
func (c *wordCutter) stays(i int) bool {
	before, after := c.at(i-1), c.at(i+1)
	switch c.runes[i] {
	case '+', '#', '*':
		return len(c.word) > 0 && !c.inWord(i+1)
	case '.':
		return unicode.IsDigit(before) && unicode.IsDigit(after) || !c.inWord(i-1) && before != '.' && unicode.IsLetter(after)
	case ',':
		return unicode.IsDigit(before) && unicode.IsDigit(after) && !c.thousands(i)
	case '-', '−':
		switch {
		case i == 0:
			return unicode.IsDigit(after) || unicode.IsLetter(after) || after == '-' && unicode.IsLetter(c.at(2))
		case i == 1 && before == '-': // --job
			return unicode.IsLetter(after)
		case after == 0: // Cl-
			return len(c.word) > 0 && len(c.word) <= 3
		}
		return hyphenatedOnly[strings.ToLower(string(c.word)+c.rest(i+1))]
	}
	return false
}

// thousands reports whether the comma at place i groups digits.
func (c *wordCutter) thousands(i int) bool {
	return unicode.IsDigit(c.at(i-1)) && unicode.IsDigit(c.at(i+1)) && unicode.IsDigit(c.at(i+2)) && unicode.IsDigit(c.at(i+3)) && !unicode.IsDigit(c.at(i+4))
}

// rest returns the letters from place i on.
func (c *wordCutter) rest(i int) string {
	end := i
	for end < len(c.runes) && unicode.IsLetter(c.runes[end]) {
		end++
	}
	return string(c.runes[i:end])
}

// FoldLetters writes letters without their marks, small digits as digits and the Greek
// letters of formulas by their names. A word that its accent makes another one keeps it.
func FoldLetters(label string) string {
	plain := true
	for i := range len(label) {
		plain = plain && label[i] < 0x80
	}
	if plain {
		return label
	}
	folded := letterFolds.Replace(label)
	for i, w := range strings.Fields(label) {
		if fields := strings.Fields(folded); accentCounts[strings.ToLower(w)] && i < len(fields) {
			fields[i] = w
			folded = strings.Join(fields, " ")
		}
	}
	return folded
}

// wordKey is a word in the form of a key: in lower case, in the singular, in American
// spelling. Of abbreviations only a small s is an ending, so HTTPS is not HTTP.
func wordKey(w string, first bool) string {
	low := strings.ToLower(w)
	if first {
		if full, short := shortFirstWords[w]; short {
			return full
		}
	}
	upper := w == strings.ToUpper(w)
	if n := len(w) - 1; n > 1 && w[n] == 's' && w[n-1] >= 'A' && w[n-1] <= 'Z' {
		return low[:n]
	}
	if upper || strings.ContainsAny(w, "0123456789+#*.-") || StartsUpper(w) && namesInS[low] {
		return low
	}
	return americanSpelling(singularNoun(low))
}

// americanSpelling maps British to American spelling.
func americanSpelling(w string) string {
	if w == "programme" {
		return "program"
	}
	w = britishSpellings.Replace(w)
	const shortest = 6
	if len(w) < shortest {
		return w
	}
	for _, e := range [...][2]string{{"isation", "ization"}, {"ising", "izing"}, {"ised", "ized"}, {"iser", "izer"}, {"ise", "ize"}} {
		if base, ok := strings.CutSuffix(w, e[0]); ok {
			return base + e[1]
		}
	}
	return w
}

// singularNoun returns the singular of a lower-case noun.
func singularNoun(w string) string {
	if one, ok := irregularNouns[w]; ok {
		return one
	}
	n := len(w)
	if n < 4 || w[n-1] != 's' || pluralNouns[w] {
		return w
	}
	one := w[:n-1]
	switch {
	case hasAnySuffix(w, "ss", "us", "is", "ics"):
		return w
	case strings.HasSuffix(w, "ies") && n > 4:
		one = w[:n-3] + "y"
	case hasAnySuffix(w, "ches", "shes", "sses", "xes", "zzes") || strings.HasSuffix(w, "oes") && n > 5:
		one = w[:n-2]
	case hasAnySuffix(w, "lyses", "theses"):
		one = w[:n-2] + "is"
	}
	if !strings.ContainsAny(one, "aeiouyäöü") { // https, dns
		return w
	}
	return one
}

func hasAnySuffix(w string, suffixes ...string) bool {
	for _, s := range suffixes {
		if strings.HasSuffix(w, s) {
			return true
		}
	}
	return false
}
