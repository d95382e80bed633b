package index

import (
	"fmt"
	"testing"
)

// TestMergesKeepUp adds and removes passages one by one: there are few segments all the time,
// and what is dead does not stay.
func TestMergesKeepUp(t *testing.T) {
	x := openIn(t, t.TempDir(), "here")
	defer x.Close()
	x.least = 64
	most := 0
	for i := range int32(1500) {
		if err := x.Apply([]Entry{entry(i, fmt.Sprintf("passage %d of a river", i))}, []int32{i - 500}); err != nil {
			t.Fatal(err)
		}
		most = max(most, x.Size().Segments)
	}
	if most > partsMost+1 {
		t.Errorf("there were %d segments", most)
	}
	x.mu.Lock()
	for x.busy {
		x.merged.Wait()
	}
	x.mu.Unlock()
	v, held := x.View(), 0
	for _, p := range v.parts {
		held += p.len()
	}
	if v.Passages() != 500 || held > 500*deadMost/(deadMost-1)+tierFactor || len(v.parts) > 4*tierFactor {
		t.Errorf("%d passages, %d with the dead, in %d segments", v.Passages(), held, len(v.parts))
	}
	if got := v.Frequency(Texts, "river"); got < 450 || got > 550 {
		t.Errorf("%d passages have the word, want about 500", got)
	}
}

// TestChoiceOfMerges has sizes of parts, and how many of them are merged next.
func TestChoiceOfMerges(t *testing.T) {
	sized := func(passages, dead int) *part {
		return &part{segment: &segment{head: &head{Words: int64(passages) * 89}, rows: make([]byte, passages*rowSize)}, deadCount: dead}
	}
	repeated := func(p *part, n int) (all []*part) {
		for range n {
			one := *p
			all = append(all, &one)
		}
		return all
	}
	for _, c := range []struct {
		name  string
		parts []*part
		want  int
	}{
		{"seven of a size", repeated(sized(1, 0), 7), 0},
		{"eight of a size", repeated(sized(1, 0), 8), 8},
		{"the smallest first", append(repeated(sized(3000, 0), 9), repeated(sized(40, 0), 8)...), 8},
		{"a fifth is dead", repeated(sized(100, 20), 1), 0},
		{"more than a fifth is dead", repeated(sized(100, 21), 1), 1},
		{"as many as fit", repeated(sized(200_000, 0), 8), 5},
		{"large ones stay", repeated(sized(passagesMost, 0), 8), 0},
	} {
		if got := len(toMerge(c.parts)); got != c.want {
			t.Errorf("%s: %d are merged, want %d", c.name, got, c.want)
		}
	}
}
