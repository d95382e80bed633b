package index

import (
	"cmp"
	"slices"
	"unicode/utf8"
)

// Near returns the words that a mistyped one may mean, best first: those with the fewest
// letters wrong, then those that most passages have.
func (v *View) Near(text string, most int) []string {
	type near struct {
		text            string
		wrong, passages int
	}
	var all []near
	letters := []rune(text)
	for known, n := range v.frequency[Texts] {
		if wrong := mistakes(letters, []rune(known)); known != text && wrong <= allowed(letters) {
			all = append(all, near{known, wrong, n})
		}
	}
	slices.SortFunc(all, func(a, b near) int {
		return cmp.Or(cmp.Compare(a.wrong, b.wrong), -cmp.Compare(a.passages, b.passages), cmp.Compare(a.text, b.text))
	})
	var out []string
	for _, n := range all[:min(len(all), most)] {
		out = append(out, n.text)
	}
	return out
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

// mistakes counts the letters that are wrong, missing, too many or swapped with the next.
func mistakes(a, b []rune) int {
	if d := len(a) - len(b); d > 2 || d < -2 {
		return utf8.RuneCountInString(string(a)) + 3
	}
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
