package english

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kappagraph/kappa/corpus"
)

// cut returns the tokens of a text, and each that is no word with its kind.
func cut(t *testing.T, text string, ct corpus.ContentType) []string {
	t.Helper()
	kinds := [...]string{kindWord: "", kindNumber: "#", kindCode: "code:", kindPunct: "", kindBreak: "cell:", kindJunk: "junk:"}
	m := newMask(text)
	var out []string
	for _, b := range blocksOf(m, ct) {
		tok := tokenizer{words: newExtractor(t).words, mask: m}
		for _, s := range b.segments {
			tok.segment(s.Start, s.End)
		}
		for _, k := range tok.out {
			out = append(out, kinds[k.kind]+k.text)
		}
	}
	return out
}

func TestTokens(t *testing.T) {
	for _, c := range []struct{ rule, text, want string }{
		{"words and marks", "A lane claims, then ends.", "A lane claims , then ends ."},
		{"inner hyphens, dots and apostrophes", "The write-ahead log of O'Brien in v1.2", "The write-ahead log of O'Brien in v1.2"},
		{"numbers", "It took 1,000 turns in 3.50 s at 12:30", "It took #1,000 turns in #3.50 s at #12:30"},
		{"a sentence that starts without a space", "It ends.Next comes more of it", "It ends . Next comes more of it"},
		{"contractions", "It isn't the lane's turn, they're late", "It is n't the lane 's turn , they 're late"},
		{"curly apostrophes", "It isn’t the lane’s turn, it’ll end", "It is n’t the lane ’s turn , it ’ll end"},
		{"abbreviations keep their stop", "Use e.g. a lane of the U.S. army", "Use e.g. a lane of the U.S. army"},
		{"addresses", "See https://example.org/a?b=c, or www.example.org now", "See junk:https://example.org/a?b=c , or junk:www.example.org now"},
		{"names of languages", "The older parts of it use C++ and C# and R there", "The older parts of it use C++ and C# and R there"},
		{"identifiers", "They call pollInterval and worker_lanes there", "They call code:pollInterval and code:worker_lanes there"},
		{"slashes between capitals", "They use TCP/IP there", "They use TCP/IP there"},
		{"slashes between words", "They use and/or there", "They use and / or there"},
		{"emoji", "They like 🙂 there a lot", "They like junk:🙂 there a lot"},
		{"a script without spaces", "They say 知識グラフ there a lot", "They say junk:知識グラフ there a lot"},
		{
			"an over-long run", "They say " + strings.Repeat("abcdefgh", 10) + " there, and they say it a lot, all of them, again and again, as ever, for long",
			"They say junk:" + strings.Repeat("abcdefgh", 10) + " there , and they say it a lot , all of them , again and again , as ever , for long",
		},
	} {
		t.Run(c.rule, func(t *testing.T) {
			if got := cut(t, c.text, corpus.ContentPlain); !slices.Equal(got, strings.Fields(c.want)) {
				t.Errorf("%s\n got %q\nwant %q", c.text, got, strings.Fields(c.want))
			}
		})
	}
	for _, c := range []struct{ rule, text, want string }{
		{"a code span that names something", "They call `claim(ctx)` there", "They call code:claim there"},
		{"a code span that is a statement", "They call `x = 1 + 2` there", "They call junk:x_=_1_+_2 there"},
		{"markup is no token", "They **claim** a *job* [there](http://x.org)", "They claim a job there"},
	} {
		t.Run(c.rule, func(t *testing.T) {
			got := cut(t, c.text, corpus.ContentMarkdown)
			for i := range got {
				got[i] = strings.ReplaceAll(got[i], " ", "_")
			}
			if !slices.Equal(got, strings.Fields(c.want)) {
				t.Errorf("%s\n got %q\nwant %q", c.text, got, strings.Fields(c.want))
			}
		})
	}
}

func TestURLs(t *testing.T) {
	for text, want := range map[string]int{
		"https://example.org/a. More": 21, "http://x.org)": 12, "www.example.org, and": 15, "mailto:a@b.org>": 14, "lane": 0, "and/or": 0, "a-word-that-is-long://": 0,
	} {
		if got := urlEnd(text); got != want {
			t.Errorf("%q starts with an address of %d bytes, want %d", text, got, want)
		}
	}
}

// TestMarksWithoutLetters has marks that no letter can bear: they are one token, however many
// they are.
func TestMarksWithoutLetters(t *testing.T) {
	got := cut(t, "Ice melts "+strings.Repeat("\u0301", 5000)+" and goes", corpus.ContentPlain)
	if len(got) != 5 || !strings.HasPrefix(got[2], "junk:\u0301") {
		t.Errorf("got %d tokens", len(got))
	}
	if got := cut(t, "a"+strings.Repeat("\u0301", 5000), corpus.ContentPlain); len(got) > 2 {
		t.Errorf("marks on a letter are %d tokens", len(got))
	}
}

// TestWordsWithoutSpaces has words with no space between them, of which each might be the
// beginning of an address: its end is not searched for each.
func TestWordsWithoutSpaces(t *testing.T) {
	took := func(unit string) time.Duration {
		text, least := strings.Repeat(unit, 20_000), time.Hour
		for range 5 {
			began := time.Now()
			for i := 0; i < len(text); i += len(unit) {
				if urlEnd(text[i:]) > 0 {
					t.Fatal("it is taken for an address")
				}
			}
			least = min(least, time.Since(began))
		}
		return least
	}
	joined, apart := took("a,"), took("a, ")
	t.Logf("joined %v, apart %v", joined, apart)
	if joined > 10*apart+time.Millisecond {
		t.Errorf("words without spaces took %v, those with spaces %v", joined, apart)
	}
}

func TestLower(t *testing.T) {
	for text, want := range map[string]string{
		"lane": "lane", "LANE": "lane", "Ökonomie": "ökonomie", "O’Brien": "o'brien", "write\u2011ahead": "write-ahead", "co\u2010op": "co-op",
	} {
		if got := lower(text); got != want {
			t.Errorf("%q is %q in lower case, want %q", text, got, want)
		}
	}
}
