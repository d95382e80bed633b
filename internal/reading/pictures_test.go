package reading

import (
	"reflect"
	"testing"

	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/reading/frame"
)

// TestMerged puts what was read of pictures between the pages, and beside the words that a picture
// has on its page.
func TestMerged(t *testing.T) {
	t.Parallel()
	d := corpus.DocumentText{
		Text: "One.\n\nA-17\nPage 3\n\nPage  4\n\nFive.", Markup: corpus.ContentPlain, Pages: 6, Pictures: []int{2, 3, 4, 6},
		Places: []corpus.Place{{Start: 0, Page: 1}, {Start: 6, Page: 3}, {Start: 19, Page: 4}, {Start: 28, Page: 5}},
	}
	got := merged(d, map[int]string{2: "Two.", 3: "Three.\nPage\n3", 4: "", 6: ""})
	want := corpus.DocumentText{
		Text: "One.\n\nTwo.\n\nThree.\nPage\n3\nA-17\n\nPage 4\n\nFive.", Markup: corpus.ContentPlain, Pages: 6,
		Places: []corpus.Place{{Start: 0, Page: 1}, {Start: 6, Page: 2}, {Start: 12, Page: 3}, {Start: 32, Page: 4}, {Start: 40, Page: 5}},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

// TestCheckPictures refuses pictures and texts that are not in the order of their pages.
func TestCheckPictures(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		pictures, texts []int
		ok              bool
	}{
		"none":                  {nil, []int{2, 1}, true},
		"between texts":         {[]int{2, 4}, []int{1, 3}, true},
		"with words beside one": {[]int{2}, []int{1, 2, 3}, true},
		"twice":                 {[]int{2, 2}, []int{1}, false},
		"after the last page":   {[]int{5}, []int{1}, false},
		"a page twice":          {[]int{2}, []int{1, 1}, false},
		"a text of no page":     {[]int{2}, []int{0}, false},
	} {
		a := frame.Answer{Pages: 4, Pictures: c.pictures}
		for _, page := range c.texts {
			a.Places = append(a.Places, frame.Place{Page: page})
		}
		if err := checkPictures(a); (err == nil) != c.ok {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestBeside keeps the words beside a picture that are not on it, also where they are a part of one
// that is.
func TestBeside(t *testing.T) {
	for _, c := range []struct{ picture, words, want string }{
		{"Of the year 1870.", "18", "Of the year 1870.\n18"},
		{"Of the year 1870.\n- 18 -", "18", "Of the year 1870.\n- 18 -"},
		{"Scanned by\nAda (17)", "Scanned by  Ada\n\n17\n", "Scanned by\nAda (17)"},
		{"", "18", "\n18"},
		{"Ada", "* * *", "Ada\n* * *"},
	} {
		if got := beside(c.picture, c.words); got != c.want {
			t.Errorf("%q beside %q: got %q, want %q", c.words, c.picture, got, c.want)
		}
	}
}
