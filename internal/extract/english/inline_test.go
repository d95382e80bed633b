package english

import (
	"strings"
	"testing"
)

// TestMask has a line of Markdown for each kind of markup, and what is left of it.
func TestMask(t *testing.T) {
	for _, c := range []struct{ rule, raw, want string }{
		{"nothing", "a lane", "a lane"},
		{"emphasis", "a *lane* and _slot_", "a lane and slot"},
		{"bold", "a **lane** and __slot__", "a lane and slot"},
		{"struck out", "a ~~lane~~", "a lane"},
		{"a tilde alone", "a ~ lane", "a ~ lane"},
		{"an underscore inside a word", "worker_lanes grow", "worker_lanes grow"},
		{"a star between spaces goes too", "2 * 3", "2 3"},
		{"a code span", "a `lane` here", "a lane here"},
		{"one with two marks", "a ``la`ne`` here", "a la`ne here"},
		{"one that nothing closes", "a `lane here", "a lane here"},
		{"a link", "a [lane](http://x.org) here", "a lane here"},
		{"a link by name", "a [lane][1] here", "a lane here"},
		{"an image", "a ![lane](x.png) here", "a here"},
		{"brackets", "a [lane] here", "a [lane] here"},
		{"a footnote", "a lane[^1] here", "a lane here"},
		{"a citation", "a lane [12, 13] here", "a lane here"},
		{"a box to tick", "[x] a lane", "a lane"},
		{"a tag", "a <b>lane</b> here", "a lane here"},
		{"an address as a tag", "see <https://x.org> here", "see here"},
		{"less than", "a < b and c", "a < b and c"},
		{"an entity", "a&nbsp;lane &amp; slot &#8211; here", "a lane slot here"},
		{"an ampersand", "a lane & slot", "a lane & slot"},
		{"a mark that is meant", `a \*lane`, "a *lane"},
	} {
		t.Run(c.rule, func(t *testing.T) {
			m := newMask(c.raw)
			m.inline(0, len(c.raw))
			m.done()
			if len(m.text) != len(c.raw) {
				t.Fatalf("%q became %q: places in it do not hold", c.raw, m.text)
			}
			if got := strings.Join(strings.Fields(m.text), " "); got != c.want {
				t.Errorf("%q: %q, want %q", c.raw, got, c.want)
			}
		})
	}
}

// TestMaskPlaces checks where code and bold text stand.
func TestMaskPlaces(t *testing.T) {
	raw := "a **big** lane, `job`, and **slot**"
	m := newMask(raw)
	m.inline(0, len(raw))
	m.done()
	for word, want := range map[string]struct{ code, marked bool }{
		"a ": {false, false}, "big": {false, true}, "lane": {false, false}, "job": {true, false}, "slot": {false, true},
	} {
		i := strings.Index(raw, word)
		if _, code := m.codeAt(i); code != want.code || m.markedAt(i) != want.marked {
			t.Errorf("%q: code %v, bold %v", word, code, m.markedAt(i))
		}
	}
	if span, ok := m.codeAt(strings.Index(raw, "job") + 1); !ok || raw[span.Start:span.End] != "job" {
		t.Errorf("inside the code span: %v, %v", span, ok)
	}
}
