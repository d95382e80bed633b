package corpus

import "testing"

// TestHasWords finds words where they are words, and not within longer ones.
func TestHasWords(t *testing.T) {
	for _, c := range []struct {
		text, words string
		want        bool
	}{
		{"born 1870", "18", false},
		{"born 1870", "70", false},
		{"born 1870, 18 times", "18", true},
		{"18", "18", true},
		{"-18.", "18", true},
		{"1818 18", "18", true},
		{"lane_18", "18", false},
		{"aaa a", "a a", false},
		{"été", "t", false},
		{"e\u0301te\u0301", "e", false}, // the accents are marks of their own
		{"été", "été", true},
		{"in 東京都", "東京", true},
		{"* * *", "*", true},
		{"", "x", false},
		{"x", "", true},
	} {
		if got := HasWords(c.text, c.words); got != c.want {
			t.Errorf("%q has %q: %t, want %t", c.text, c.words, got, c.want)
		}
	}
}
