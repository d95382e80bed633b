package library

import (
	"strings"
	"testing"
)

func TestTexts(t *testing.T) {
	var kept texts
	one := kept.of(7, "A lane waits.", true)
	if one.Text != "A lane waits." || kept.of(7, "A lane waits.", true) != one {
		t.Error("the same passage is read again")
	}
	// Another passage in its place, the text of another database, and the same in another language.
	for _, other := range []struct {
		id      int32
		text    string
		english bool
	}{{7 + keptTexts, "A lease ends.", true}, {7, "A lane ends.", true}, {7, "A lane waits.", false}} {
		if p := kept.of(other.id, other.text, other.english); p == one || p.Text != other.text || !p.Is(other.text, other.english) {
			t.Errorf("%+v is taken for %q", other, p.Text)
		}
		kept.of(7, "A lane waits.", true)
	}
	long := strings.Repeat("lane ", keptBytes)
	if first, again := kept.of(8, long, true), kept.of(8, long, true); first == again {
		t.Error("what is long is kept")
	}
}
