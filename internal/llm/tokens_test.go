package llm

import (
	"strings"
	"testing"
	"time"
)

func TestCountTokens(t *testing.T) {
	if n := CountTokens("The quick brown fox jumps over the lazy dog."); n != 10 {
		t.Errorf("counted %d tokens, want 10", n)
	}
	for name, text := range map[string]string{"one word": strings.Repeat("a", 1<<18), "digits": strings.Repeat("7", 1<<18), "spaces": strings.Repeat(" ", 1<<18), "invalid": strings.Repeat("\xff", 1<<18)} {
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
	CountTokens("loads the vocabulary")
	took := func(text string) time.Duration {
		least := time.Hour
		for range 3 {
			began := time.Now()
			CountTokens(text)
			least = min(least, time.Since(began))
		}
		return least
	}
	sentences := took(hostile(1 << 18)["sentences"])
	for name, text := range hostile(1 << 18) {
		if d := took(text); d > 12*sentences {
			t.Errorf("%s: 256 kB took %s, sentences as long %s", name, d, sentences)
		}
	}
	large := hostile(4 << 20)
	for name, text := range hostile(1 << 20) {
		one, four := CountTokens(text), CountTokens(large[name])
		if four < one*39/10 || four > one*41/10 {
			t.Errorf("%s: a megabyte is %d tokens, four are %d", name, one, four)
		}
	}
	if name := "a line without a break"; took(large[name]) > 2*took(hostile(1 << 20)[name]) {
		t.Error("four megabytes take more than twice as long as one")
	}
}
