package formats

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// FuzzPages joins pages of any text: each place stands where its page begins, and what repeats is
// all that goes.
func FuzzPages(f *testing.F) {
	f.Add("Top\na\fTop\nb\fTop\nc", 0)
	f.Add("שלום עולם 12 mm\f\fab\u0002\r\ncd\f\x00\xff", 2)
	f.Add("1\f2\f3\f4\f5\f6", 3)
	f.Fuzz(func(t *testing.T, text string, picture int) {
		pages := strings.Split(text, "\f")
		for i, page := range pages {
			pages[i] = logical(cleanPage(page))
			if words, want := len(strings.Fields(pages[i])), len(strings.Fields(cleanPage(page))); words != want {
				t.Fatalf("%d words of %d: %q", words, want, page)
			}
		}
		d := joinPages(pages, picture)
		if !utf8.ValidString(d.Text) || strings.ContainsRune(d.Text, 0) {
			t.Fatalf("not storable: %q", d.Text)
		}
		last := 0
		for i, p := range d.Places {
			if p.Page <= last || p.Page > len(pages) || p.Start > len(d.Text) || i > 0 && !strings.HasSuffix(d.Text[:p.Start], "\n\n") {
				t.Fatalf("place %+v of %q", p, d.Text)
			}
			last = p.Page
			if first := strings.Fields(d.Text[p.Start:])[0]; !strings.Contains(storable(pages[p.Page-1]), first) {
				t.Fatalf("page %d begins with %q", p.Page, first)
			}
		}
		if len(pages) < repeatPages && wordCount(d.Text) != wordCount(storable(strings.Join(pages, "\n"))) {
			t.Fatalf("%q of %q", d.Text, pages)
		}
	})
}

func wordCount(text string) int { return len(slices.Collect(strings.FieldsSeq(text))) }
