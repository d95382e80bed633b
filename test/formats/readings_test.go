package main

import (
	"slices"
	"strings"
	"testing"
)

func TestBesides(t *testing.T) {
	const prose = "The river of ice moves slowly down the valley    and the snow of many winters feeds it\n"
	for _, c := range []struct {
		name           string
		flowing, laid  string
		read           string
		warning        string
		recall, order  float64
		orderIsUnknown bool
	}{
		{"a header that is named", "Annals   7\nice melts\n", "Annals   7\nice melts\n", "ice melts", `Left out what repeats on most pages: ["Annals 3"]`, 1, 1, false},
		{"a header that is not", "Annals   7\nice melts\n", "Annals   7\nice melts\n", "ice melts", "", 0.5, 1, false},
		{"a table by rows", "ice depth\nsnow weight\n12 metres\n70 tonnes\n", "ice depth     12 metres\nsnow weight   70 tonnes\n", "ice depth 12 metres\nsnow weight 70 tonnes", "", 1, 1, false},
		{"columns of prose, read across", "river valley glacier\nwinter summer spring\n", prose, "river winter valley summer glacier spring", "", 1, 4.0 / 6, false},
		{"letters apart", "the purpos e s of ice\n", "", "the purposes of ice", "", 1, 1, false},
		{"words run together", "the river ice\n", "", "theriver ice", "", 1.0 / 3, 1, false},
		{"a drawing", "read\nwrite\nsend\n", "read  send\n   write\n", "write send read", "", 1, 1, true},
	} {
		words := wordsOf(c.read)
		p := &peerText{pages: []pageReadings{{c.flowing, c.laid}}}
		p.besides(words, []string{c.warning})
		a := agree(words, p.words)
		if order := inOrder(words, p.ordered); a.recall != c.recall || order != c.order || (len(p.ordered) == 0) != c.orderIsUnknown {
			t.Errorf("%s: recall %.2f order %.2f of %q, want %.2f and %.2f", c.name, a.recall, order, p.ordered, c.recall, c.order)
		}
	}
}

// TestNamedLines: a line in the middle of a page counts, whatever it says.
func TestNamedLines(t *testing.T) {
	page := strings.Repeat("text\n", 10) + "Annals 5\n" + strings.Repeat("text\n", 10) + "Annals 5\n"
	got := wordsOf(withoutNamed(page, leftOut([]string{`Left out what repeats on most pages: ["Annals 1"]`})))
	if n := len(slices.DeleteFunc(got, func(w string) bool { return w != "annals" })); n != 1 {
		t.Errorf("%d of 2 lines count, want that in the middle", n)
	}
}

func TestDecimalPoints(t *testing.T) {
	for text, want := range map[string]string{
		"12 345,67 km": "12345.67 km", "1.234,5": "1234.5", "0,833333333333333": "0.833333333333333", "1,234": "1,234", "1,33422087866106E-08": "1.33422087866106E-08", "7": "7", "12,345,678": "12,345,678",
	} {
		if got := decimalPoints(text); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
}
