package naming

import "testing"

func TestEditDistance(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"", "abc", 3}, {"abc", "abc", 0}, {"kitten", "sitting", 3}, {"PART_OF", "PARTOF", 1}, {"ab", "ba", 2}} {
		if got, back := EditDistance(c.a, c.b), EditDistance(c.b, c.a); got != c.want || back != c.want {
			t.Errorf("%q to %q: %d, and back %d, want %d", c.a, c.b, got, back, c.want)
		}
	}
}
