package formats

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode"
)

// setLine places characters in lines: each is 5 points wide and 10 high, "^" moves what follows by a
// point and a half, "~" by a quarter, and "|" ends a line in the content but not on the paper,
// and "\v" one on the paper but not in the content.
func setLine(marked string) (text []rune, box func(int) (pdfBox, bool)) {
	const wide, high = 5.0, 10.0
	var boxes []pdfBox
	x, y := 0.0, 0.0
	add := func(r rune, width float64) {
		text, boxes = append(text, r), append(boxes, pdfBox{x, y, x + width, y + high})
		x += width
	}
	for _, r := range marked {
		switch r {
		case '^':
			x += 1.5
		case '~':
			x += 0.25
		case '|':
			add('\r', 0)
			add('\n', 0)
		case '\v':
			x, y = 0, y+high
		case '\n':
			add('\r', 0)
			add('\n', 0)
			x, y = 0, y+1.2*high
		default:
			add(r, wide)
		}
	}
	return text, func(i int) (pdfBox, bool) { return boxes[i], true }
}

func TestSpaced(t *testing.T) {
	for _, c := range []struct{ name, marked, want string }{
		{"two words stand apart", "the Federal^Tort Claims Act", "the Federal Tort Claims Act"},
		{"each gap of a line", "If^there are any^remaining words here", "If there are any remaining words here"},
		{"letters that are moved a little", "the Fede~ral T~ort Claims Act", "the Federal Tort Claims Act"},
		{"a title whose letters stand apart", "T^I^T^L^E^S", "TITLES"},
		{"digits", "in all 10^000 of them", "in all 10000 of them"},
		{"Chinese", "冰川^是冰的^河流", "冰川是冰的河流"},
		{"a word in two parts", "nspre|ﬁ|x of names", "nspreﬁx of names"},
		{"two lines", "the glacier\nmelts in summer", "the glacier\r\nmelts in summer"},
		{"two fields, one below the other", "asdf\v\väöü", "asdf äöü"},
		{"too few to say", "a^bc", "abc"},
	} {
		text, box := setLine(c.marked)
		got, at := (&pdfSpaces{}).spaced(text, box)
		if string(got) != c.want {
			t.Errorf("%s: got %q, want %q", c.name, string(got), c.want)
		}
		if (at != nil) != (string(got) != string(text)) {
			t.Errorf("%s: says where characters are: %v", c.name, at != nil)
		}
	}
}

// TestSpacedKeepsLetters sets lines at random: no letter is lost, comes twice or moves.
func TestSpacedKeepsLetters(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		var marked strings.Builder
		for range random.IntN(60) {
			marked.WriteRune([]rune("abcde  ^^~|\nﬁ8冰-\u0002")[random.IntN(17)])
		}
		text, box := setLine(marked.String())
		got, at := (&pdfSpaces{}).spaced(text, box)
		letters := func(r rune) rune {
			if unicode.IsSpace(r) {
				return -1
			}
			return r
		}
		if strings.Map(letters, string(got)) != strings.Map(letters, string(text)) {
			t.Fatalf("%q became %q", string(text), string(got))
		}
		for i, from := range at {
			if from >= 0 && got[i] != text[from] || from < 0 && got[i] != ' ' {
				t.Fatalf("%q became %q, of which character %d is said to be at %d", string(text), string(got), i, from)
			}
		}
	}
}

// TestSpacedKeepsTurnedWords has a word whose letters stand below each other, as on a paper on its side.
func TestSpacedKeepsTurnedWords(t *testing.T) {
	text, y := []rune("Gillette"), 0.0
	var boxes []pdfBox
	for i := range text {
		wide := []float64{7.8, 2.2, 2.2, 2.2, 5.6, 2.8, 2.8, 5.6}[i]
		boxes = append(boxes, pdfBox{0, y, 11, y + wide})
		y += wide
	}
	if got, _ := (&pdfSpaces{}).spaced(text, func(i int) (pdfBox, bool) { return boxes[i], true }); string(got) != string(text) {
		t.Errorf("%q became %q", string(text), string(got))
	}
}

// TestSpacesAreLookedFor counts the pages that are looked into: the first ones and some of the others,
// and all once one lacks a space.
func TestSpacesAreLookedFor(t *testing.T) {
	var s pdfSpaces
	page := func(marked string) bool {
		text, box := setLine(marked)
		asked := false
		s.spaced(text, func(i int) (pdfBox, bool) { asked = true; return box(i) })
		return asked
	}
	looked := 0
	for range 100 {
		if page("a page that lacks nothing") {
			looked++
		}
	}
	if looked < spacePages || looked > 2*spacePages {
		t.Errorf("%d of 100 pages were looked into", looked)
	}
	for !page("a page that^lacks one") {
	}
	for range 20 {
		if !page("a page that lacks nothing") {
			t.Fatal("a page is not looked into, although one before it lacks a space")
		}
	}
}
