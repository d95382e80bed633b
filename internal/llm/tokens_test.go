package llm

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kappagraph/kappa/internal/pgtest"
)

func TestCountTokens(t *testing.T) {
	if n := CountTokens("The quick brown fox jumps over the lazy dog."); n != 10 {
		t.Errorf("counted %d tokens, want 10", n)
	}
	for name, text := range map[string]string{"one word": strings.Repeat("a", 1<<16), "digits": strings.Repeat("7", 1<<16), "spaces": strings.Repeat(" ", 1<<17), "invalid": strings.Repeat("\xff", 1<<16)} {
		if n := CountTokens(text); n < 1000 {
			t.Errorf("%s: %d tokens", name, n)
		}
	}
}

// hostile are texts that take the tokenizer long, by the size of one.
func hostile(size int) map[string]string {
	return map[string]string{
		"a line without a break": strings.Repeat("abcdefghij", size/10),
		"one letter":             strings.Repeat("a", size),
		"combining marks":        "a" + strings.Repeat("\u0301\u0323", size/4),
		"words and marks":        strings.Repeat("a\u0301 ", size/4),
		"addresses":              strings.Repeat("a@b.cd,", size/7),
		"sentences":              strings.Repeat("The worker claims a job from the lane. ", size/39),
	}
}

// TestCountTokensOfHostileTexts: four times the text does not take four times as long,
// and a run without white space takes about as long as sentences do.
func TestCountTokensOfHostileTexts(t *testing.T) {
	testHostileTexts(t, 1<<16, "sentences")
}

// TestCountTokensOfHostileTexts_Slow has larger texts of every kind.
func TestCountTokensOfHostileTexts_Slow(t *testing.T) {
	pgtest.SlowTier(t)
	testHostileTexts(t, 1<<18, slices.Sorted(maps.Keys(hostile(10)))...) // "a line without a break" is the first one
}

// testHostileTexts counts texts of a size, and of some kinds more than is counted whole.
func testHostileTexts(t *testing.T, size int, ofMany ...string) {
	t.Helper()
	CountTokens("loads the vocabulary")
	took := func(text string, least time.Duration) time.Duration {
		began := time.Now()
		CountTokens(text)
		return min(least, time.Since(began))
	}
	// Others use the machine too: a time is the least of many, and a slow one is taken again.
	slower := func(text, than string, times time.Duration) bool {
		a, b := took(text, time.Hour), took(than, time.Hour)
		for tries := 0; a > times*b && tries < 20; tries++ {
			a, b = took(text, a), took(than, b)
		}
		return a > times*b
	}
	sentences := hostile(size)["sentences"]
	for name, text := range hostile(size) {
		if slower(text, sentences, 12) {
			t.Errorf("%s: %d bytes take more than twelve times as long as sentences", name, size)
		}
	}
	large := hostile(4 << 20)
	for _, name := range ofMany {
		text := hostile(1 << 20)[name]
		one, four := CountTokens(text), CountTokens(large[name])
		if four < one*39/10 || four > one*41/10 {
			t.Errorf("%s: a megabyte is %d tokens, four are %d", name, one, four)
		}
	}
	if name := ofMany[0]; slower(large[name], hostile(1 << 20)[name], 2) {
		t.Error("four megabytes take more than twice as long as one")
	}
}
