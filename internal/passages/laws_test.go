package passages_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/passages"
)

// checkLaws checks what holds of the passages of every text.
func checkLaws(t *testing.T, d corpus.DocumentText) {
	t.Helper()
	list := cut(d)
	if again := cut(d); fmt.Sprint(again) != fmt.Sprint(list) {
		t.Fatalf("another time it is cut differently: %q", d.Text)
	}
	end := 0
	for i, p := range list {
		switch {
		case p.Number != i+1, p.Start < end, p.Start >= p.End, p.Text != d.Text[p.Start:p.End], p.Text != strings.TrimSpace(p.Text):
			t.Fatalf("passage %d is %+v, after %d", i+1, p, end)
		case p.StartChar != utf8.RuneCountInString(d.Text[:p.Start]), p.EndChar != utf8.RuneCountInString(d.Text[:p.End]):
			t.Fatalf("passage %d has the characters %d to %d", i+1, p.StartChar, p.EndChar)
		case utf8.ValidString(d.Text) && !utf8.ValidString(p.Text):
			t.Fatalf("a character is cut in passage %d: %q", i+1, p.Text)
		case !slices.Contains(corpus.PassageClasses(), p.Class):
			t.Fatalf("passage %d has the class %q", i+1, p.Class)
		}
		checkBetween(t, d.Text[end:p.Start], p)
		end = p.End
	}
	if rest := d.Text[end:]; strings.ContainsFunc(rest, isWordRune) {
		t.Fatalf("lost at the end: %q of %q", rest, d.Text)
	}
}

func isWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }

// checkBetween checks that nothing is lost between two passages: what stands there is in the
// section of the next one, or in the names of its columns.
func checkBetween(t *testing.T, between string, next corpus.Passage) {
	t.Helper()
	found := next.Section + " | " + strings.Join(next.Columns, " | ")
	for line := range strings.SplitSeq(between, "\n") {
		line = strings.NewReplacer("**", "", "`", "").Replace(strings.Trim(line, " \t#"))
		for cell := range strings.SplitSeq(line, "|") {
			if cell = strings.TrimSpace(cell); strings.ContainsFunc(cell, isWordRune) && !strings.Contains(found, cell) {
				t.Fatalf("lost %q before passage %d in %q: %q", cell, next.Number, next.Section, next.Text)
			}
		}
	}
}

func TestLaws(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 500 {
		text := randomText(random)
		checkLaws(t, sectioned(text))
		checkLaws(t, corpus.DocumentText{Text: text, Markup: corpus.ContentPlain})
		at := random.IntN(len(text) + 1)
		checkLaws(t, sectioned(strings.ToValidUTF8(text[at:]+text[:at], "")))
	}
	for _, text := range []string{"", " ", "\n", "#", "# ", "|", "|\n|", "|-|\n|-|\n|-|", "```", "~~~\n", "- ", "-", "1.", "(", "a)", "\ufeff", "\ufeff# A\n", "\u00a0", "a\x00b", "\xff\xfe", "<", "<a", "![", "](", "&", "&;", "\f", "a\fb", "\r", "a\rb\r\rc", strings.Repeat("#", 9)} {
		checkLaws(t, sectioned(text))
		checkLaws(t, corpus.DocumentText{Text: text, Markup: corpus.ContentPlain, Places: []corpus.Place{{Page: 1}}})
	}
}

func FuzzCut(f *testing.F) {
	random := rand.New(rand.NewPCG(5, 6))
	for range 20 {
		f.Add(randomText(random))
	}
	f.Fuzz(func(t *testing.T, text string) {
		checkLaws(t, corpus.DocumentText{Text: text, Markup: corpus.ContentPlain})
		for range (passages.Cutter{}).Cut(corpus.DocumentText{Text: text, Markup: corpus.ContentMarkdown}) {
			continue
		}
	})
}

// TestWholeParagraphs keeps paragraphs as long as those of an encyclopedia whole, and cuts longer
// ones at the ends of sentences.
func TestWholeParagraphs(t *testing.T) {
	for name, c := range map[string]struct {
		sentence    string
		whole, most int // how often it stands in a paragraph
	}{
		"English":  {"A sentence of six words is this. ", 60, 200},
		"Chinese":  {"北京大学创建于1898年，是中国的大学。", 40, 400},
		"Hindi":    {"दिल्ली विश्वविद्यालय की स्थापना 1922 में हुई। ", 40, 200},
		"Arabic":   {"تقع جامعة القاهرة في الجيزة. ", 60, 200},
		"Japanese": {"東京大学は日本の大学である。", 50, 500},
	} {
		if n := len(cut(corpus.DocumentText{Text: strings.Repeat(c.sentence, c.whole)})); n != 1 {
			t.Errorf("%s: a paragraph became %d passages", name, n)
		}
		list := cut(corpus.DocumentText{Text: strings.Repeat(c.sentence, c.most)})
		for _, p := range list {
			if !strings.HasSuffix(p.Text, strings.TrimSpace(c.sentence)) || !strings.HasPrefix(p.Text, strings.TrimSpace(c.sentence)) {
				t.Errorf("%s: cut within a sentence: %q", name, p.Text[max(0, len(p.Text)-60):])
			}
		}
		if len(list) < 3 {
			t.Errorf("%s: a long paragraph became %d passages", name, len(list))
		}
	}
}
