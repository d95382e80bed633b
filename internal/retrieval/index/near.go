package index

import (
	"cmp"
	"math/bits"
	"slices"
	"strings"
	"unicode/utf8"
)

// signature returns the letters of a word as bits of 32. A wrong letter changes two bits at
// most, one that is missing or too many one, and two that are swapped none.
func signature(text string) uint32 {
	s := uint32(0)
	for _, r := range text {
		s |= 1 << (uint32(r) * 0x9e3779b9 >> 27)
	}
	return s
}

// near is a known word that may be meant.
type near struct {
	text            string
	wrong, passages int
}

// Near returns the known words that a mistyped one may mean, best first: those with the fewest
// mistakes, then those that most passages have. Words of less than four letters mean
// themselves, up to six letters have one mistake, longer ones two.
func (v *View) Near(text string, most int) []string {
	letters := []rune(text)
	if allowed(letters) == 0 {
		return nil
	}
	defer keepAlive(v)
	known := map[string]int{}
	for _, p := range v.parts {
		p.near(letters, known)
	}
	delete(known, text)
	all := make([]near, 0, len(known))
	for text, wrong := range known {
		if n := v.Frequency(Texts, text); n > 0 {
			all = append(all, near{text, wrong, n})
		}
	}
	slices.SortFunc(all, func(a, b near) int {
		return cmp.Or(cmp.Compare(a.wrong, b.wrong), -cmp.Compare(a.passages, b.passages), cmp.Compare(a.text, b.text))
	})
	var texts []string
	for _, n := range all[:min(len(all), most)] {
		texts = append(texts, n.text)
	}
	return texts
}

// near adds the words of a segment that few mistakes part from a word.
func (s *segment) near(letters []rune, known map[string]int) {
	signed, most := signature(string(letters)), allowed(letters)
	d := &s.fields[Texts]
	var buffer [64]rune
	for i := range d.len() {
		other := number(s.signatures, i)
		if bits.OnesCount32(other&^signed) > most || bits.OnesCount32(signed&^other) > most {
			continue
		}
		text := d.term(i)
		if len(text) < len(letters)-most || len(text) > utf8.UTFMax*(len(letters)+most) {
			continue
		}
		if wrong := mistakes(letters, append(buffer[:0], []rune(text)...), most); wrong <= most {
			if _, ok := known[text]; !ok {
				known[strings.Clone(text)] = wrong
			}
		}
	}
}

// allowed is how many mistakes a word of so many letters may have.
func allowed(letters []rune) int {
	switch {
	case len(letters) < 4:
		return 0
	case len(letters) < 7:
		return 1
	}
	return 2
}

// mistakes counts the letters that are wrong, missing, too many or swapped with the next. When
// there are more than most, it returns a number above most.
func mistakes(a, b []rune, most int) int {
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	if d := len(a) - len(b); d > most || d < -most {
		return most + 1
	}
	var buffer [3][64]int
	before, last, row := buffer[0][:0], buffer[1][:0], buffer[2][:0]
	for j := range len(b) + 1 {
		before, last, row = append(before, 0), append(last, j), append(row, 0)
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		least := i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
			least = min(least, row[j])
		}
		if least > most {
			return most + 1
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
