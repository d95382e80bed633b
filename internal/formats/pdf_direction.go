package formats

import (
	"slices"
	"strings"

	"golang.org/x/text/unicode/bidi"
)

// The directions that words are written in.
const (
	towardsNone  = iota // a number or a mark
	towardsRight        // as Latin is
	towardsLeft         // as Arabic and Hebrew are
)

// logical returns a page whose words stand in the order of reading. PDFium has the characters of
// words in it, but the words of a line from the left to the right, as they stand on paper: those
// of a line that reads from the right are turned round, but for what in it reads from the left.
func logical(page string) string {
	if !strings.ContainsFunc(page, isLeftward) {
		return page
	}
	lines := strings.Split(page, "\n")
	for i, line := range lines {
		lines[i] = logicalLine(line)
	}
	return strings.Join(lines, "\n")
}

func isLeftward(r rune) bool {
	if r < 0x590 {
		return false
	}
	p, _ := bidi.LookupRune(r)
	return p.Class() == bidi.R || p.Class() == bidi.AL
}

func logicalLine(line string) string {
	words := strings.Fields(line)
	directions := make([]int, len(words))
	for i, word := range words {
		directions[i] = directionOf(word)
	}
	if !fromTheRight(directions) {
		return line
	}
	slices.Reverse(words)
	slices.Reverse(directions)
	for from := 0; from < len(words); {
		to, latin := from, false // words one after the other that do not read from the right
		for ; to < len(words) && directions[to] != towardsLeft; to++ {
			latin = latin || directions[to] == towardsRight
		}
		if latin {
			slices.Reverse(words[from:to])
		}
		from = to + 1
	}
	return strings.Join(words, " ")
}

// fromTheRight reports whether a line reads from the right, by the directions of its words as
// they stand on paper: by those at its ends, or else by most.
func fromTheRight(directions []int) bool {
	directions = slices.DeleteFunc(slices.Clone(directions), func(d int) bool { return d == towardsNone })
	if !slices.Contains(directions, towardsLeft) {
		return false
	}
	first, last := directions[0], directions[len(directions)-1]
	if first == last {
		return first == towardsLeft
	}
	left := 0
	for _, d := range directions {
		if d == towardsLeft {
			left++
		}
	}
	return 2*left >= len(directions)
}

// directionOf returns the direction that the first letter of a word has.
func directionOf(word string) int {
	for _, r := range word {
		p, _ := bidi.LookupRune(r)
		switch p.Class() {
		case bidi.L:
			return towardsRight
		case bidi.R, bidi.AL:
			return towardsLeft
		}
	}
	return towardsNone
}
