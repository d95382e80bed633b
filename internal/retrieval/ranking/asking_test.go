package ranking

import (
	"slices"
	"testing"
)

// TestWordsThatOnlyAsk has questions whose passages lack nothing but what asks.
func TestWordsThatOnlyAsk(t *testing.T) {
	v := library(t, false,
		"Rhein: Der Rhein entspringt in der Schweiz und mündet in die Nordsee.",
		"Loire: La Loire prend sa source en Ardèche et se jette dans l'océan.",
		"长江: 长江发源于青藏高原，流入东海。")
	for _, question := range []string{"Woher entspringt der Rhein?", "Welche Loire?", "长江流入哪里？"} {
		q := Ask(question, false, v)
		if ranked := rankOf(t, v, &q); len(q.Missing(&ranked[0])) > 0 {
			t.Errorf("%s: %q is missing", question, q.Missing(&ranked[0]))
		}
	}
}

// TestUnknownPairsCount has a Chinese question with a name that no passage has, but for one of its
// characters.
func TestUnknownPairsCount(t *testing.T) {
	v := library(t, false, "长江发源于青藏高原，流入东海。", "黄河流入渤海。", "海河在天津。")
	q := Ask("黄海", false, v)
	var texts []string
	for _, w := range q.words {
		texts = append(texts, w.Text)
	}
	if want := []string{"黄", "黄海", "海"}; !slices.Equal(texts, want) {
		t.Errorf("the question has %q, want %q", texts, want)
	}
	if r := rankOf(t, v, &q); r[0].Features[slices.Index(names, "lacking")] == 0 {
		t.Error("the first passage lacks nothing")
	}
}
