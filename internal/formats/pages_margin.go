package formats

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// marginLine is a line near the top or the bottom of pages, which are the same but for white space
// and numbers.
type marginLine struct {
	first   string
	pages   []int       // on which it stands, by their indices
	numbers [][]float64 // on each of them
}

// stands notes that the line is on a page, where it counts once.
func (m *marginLine) stands(page int, line string) {
	if len(m.pages) > 0 && m.pages[len(m.pages)-1] == page {
		return
	}
	m.pages = append(m.pages, page)
	m.numbers = append(m.numbers, numbersOf(line))
}

// repeats reports whether the line is on most pages with text, or on most of the left or of the right
// ones, and whether its numbers are those of pages, chapters or a date. Lines of tables with other
// numbers are none that repeat.
func (m *marginLine) repeats(withText [2]int) bool {
	n, right := len(m.pages), 0
	for _, page := range m.pages {
		right += page % 2
	}
	if n < repeatPages || !most(n, withText[0]+withText[1]) && !most(n-right, withText[0]) && !most(right, withText[1]) {
		return false
	}
	for i := range m.numbers[0] {
		if !m.counts(i) {
			return false
		}
	}
	return true
}

// counts reports whether a number of the line is the same on most pages, never falls, or goes up with
// the pages, perhaps anew in each chapter.
func (m *marginLine) counts(number int) bool {
	falls, withPages := 0, 0
	same := map[float64]int{m.numbers[0][number]: 1}
	for i := 1; i < len(m.pages); i++ {
		before, n := m.numbers[i-1][number], m.numbers[i][number]
		same[n]++
		if n < before {
			falls++
		}
		if n-before == float64(m.pages[i]-m.pages[i-1]) {
			withPages++
		}
	}
	if falls == 0 || 2*withPages >= len(m.pages)-1 {
		return true
	}
	for _, n := range same {
		if most(n, len(m.pages)) {
			return true
		}
	}
	return false
}

// most reports whether n pages are most of those with text: all of a few.
func most(n, pages int) bool {
	const few, tenths = 5, 7
	if pages < few {
		return n == pages && n >= repeatPages
	}
	return 10*n >= tenths*pages
}

// margins returns the lines with text that are near the top or the bottom.
func margins(lines []string) []string {
	lines = slices.DeleteFunc(slices.Clone(lines), func(line string) bool { return strings.TrimSpace(line) == "" })
	if len(lines) <= 2*marginLines {
		return lines
	}
	return slices.Concat(lines[:marginLines], lines[len(lines)-marginLines:])
}

// withoutMargins drops lines of margins whose key is one of keys.
func withoutMargins(page string, keys map[string]*marginLine) string {
	lines := strings.Split(page, "\n")
	text := 0
	for _, line := range lines {
		if strings.TrimSpace(line) != "" {
			text++
		}
	}
	nth := 0
	return strings.Join(slices.DeleteFunc(lines, func(line string) bool {
		if strings.TrimSpace(line) == "" {
			return false
		}
		nth++
		_, repeats := keys[lineKey(line)]
		return repeats && (nth <= marginLines || nth > text-marginLines)
	}), "\n")
}

// lineKey is the same for lines that differ in white space and numbers.
func lineKey(line string) string {
	var key strings.Builder
	for i, field := range strings.Fields(line) {
		if i > 0 {
			key.WriteByte(' ')
		}
		number := false
		for _, r := range field {
			if unicode.IsDigit(r) {
				if !number {
					key.WriteByte('0')
				}
				number = true
				continue
			}
			number = false
			key.WriteRune(r)
		}
	}
	return key.String()
}

// numbersOf returns the numbers of a line, as many as lineKey has zeros of them.
func numbersOf(line string) (numbers []float64) {
	for _, digits := range strings.FieldsFunc(line, func(r rune) bool { return !unicode.IsDigit(r) }) {
		n, err := strconv.ParseFloat(digits, 64)
		if err != nil {
			n = 0 // of another script, or too long
		}
		numbers = append(numbers, n)
	}
	return numbers
}
