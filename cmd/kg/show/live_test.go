package show

import (
	"strings"
	"testing"
)

func TestLiveText(t *testing.T) {
	var out strings.Builder
	l := Live{Out: &out}
	for _, text := range []string{"one\ntwo\nthree\n", "a line that is too long\n", "1\n2\n3\n4\n5\n"} {
		if err := l.Show(text, 10, 4); err != nil {
			t.Fatal(err)
		}
	}
	want := "\rone\x1b[K\n\rtwo\x1b[K\n\rthree\x1b[K\n\x1b[J" +
		"\x1b[3A\ra line tha\x1b[K\n\x1b[J" +
		"\x1b[1A\r1\x1b[K\n\r2\x1b[K\n\r3\x1b[K\n\r… 2 more l\x1b[K\n\x1b[J"
	if out.String() != want {
		t.Errorf("got\n%q, want\n%q", out.String(), want)
	}
}
