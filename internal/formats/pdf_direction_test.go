package formats

import "testing"

// TestDirection has lines as PDFium returns them: words from the left to the right, each in the
// order of its letters.
func TestDirection(t *testing.T) {
	for name, c := range map[string]struct{ page, want string }{
		"Latin":                    {"Ice melts.\nSnow falls.", "Ice melts.\nSnow falls."},
		"Hebrew":                   {"הקרח נמס\nIce", "נמס הקרח\nIce"},
		"Arabic":                   {"الجليد يذوب ببطء", "ببطء يذوب الجليد"},
		"Latin words within":       {"הקרח New York City נמס", "נמס New York City הקרח"},
		"a number":                 {"מעלות 100 רותח", "רותח 100 מעלות"},
		"a number of Latin":        {"הוא Apollo 11 טיל", "טיל Apollo 11 הוא"},
		"one such word in English": {"The word שלום means peace.", "The word שלום means peace."},
	} {
		if got := logical(c.page); got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}

// TestNotesOfPages has what annotations say beside the page that shows it already.
func TestNotesOfPages(t *testing.T) {
	got := withNotes("Name\nAnna  Berg", []pdfNote{{"name", "Anna Berg"}, {"city", "Bern"}, {"Comment (Jo)", "Really?"}, {"empty", " "}})
	if want := "Name\nAnna  Berg\ncity: Bern\nComment (Jo): Really?"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := withNotes("born 1870", []pdfNote{{"age", "18"}}), "born 1870\nage: 18"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
