package main

import (
	"strings"
	"testing"
	"time"
)

func TestCut(t *testing.T) {
	for _, tt := range []struct {
		s     string
		width int
		want  string
	}{
		{"short", 5, "short"}, {"longer", 5, "long…"}, {"漢字漢字", 5, "漢字…"}, {"anything", 0, "anything"}, {"ab", 1, "…"},
	} {
		if got := cut(tt.s, tt.width); got != tt.want {
			t.Errorf("cut(%q, %d) is %q, want %q", tt.s, tt.width, got, tt.want)
		}
	}
	if got := pad("漢", 4); got != "漢  " {
		t.Errorf("padded to %q", got)
	}
}

func TestWrap(t *testing.T) {
	for _, tt := range []struct{ s, want string }{
		{"one two three four", "  one two\n    three\n    four"},
		{"a-very-long-word-stays whole", "  a-very-long-word-stays\n    whole"},
		{"", "  "},
		{"  folds \n space ", "  folds\n    space"},
	} {
		if got := wrap(tt.s, 10, "  ", "    "); got != tt.want {
			t.Errorf("wrap(%q) is %q, want %q", tt.s, got, tt.want)
		}
	}
}

func TestPrintable(t *testing.T) {
	evil := "a\x1b[31m\x07b\u202ec\u200b\td\r\ne"
	if got := printable(evil); got != "a[31mbc d\ne" {
		t.Errorf("got %q", got)
	}
	if got := oneLine(evil); got != "a[31mbc d e" {
		t.Errorf("in one line: %q", got)
	}
}

func TestNumbers(t *testing.T) {
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567", -1234: "-1,234"} {
		if got := number(n); got != want {
			t.Errorf("number(%d) is %q, want %q", n, got, want)
		}
	}
	if counted(1, "job") != "1 job" || counted(0, "job") != "0 jobs" {
		t.Error("one and many are wrong")
	}
}

func TestSpan(t *testing.T) {
	for d, want := range map[time.Duration]string{
		-time.Second: "0 ms", 1500 * time.Microsecond: "1 ms", 4200 * time.Millisecond: "4.2 s", 200 * time.Second: "3 min 20 s",
		310 * time.Minute: "5 h 10 min", 76 * time.Hour: "3 d 4 h",
	} {
		if got := span(d); got != want {
			t.Errorf("span(%s) is %q, want %q", d, got, want)
		}
	}
}

func TestColours(t *testing.T) {
	on := paint{on: true}
	if got := on.red("x"); got != "\x1b[31mx\x1b[0m" {
		t.Errorf("on: %q", got)
	}
	if got := (paint{}).red("x"); got != "x" {
		t.Errorf("off: %q", got)
	}
}

func TestGridColoursDoNotMoveColumns(t *testing.T) {
	g := newGrid(column{name: "a"}, column{name: "n", right: true}, column{name: "text", flex: true})
	g.add("one", "1", strings.Repeat("word ", 20))
	g.add("longer", "22", "x")
	var plain, coloured strings.Builder
	g.write(&plain, 40, paint{}, nil)
	p := paint{on: true}
	g.write(&coloured, 40, p, func(column int, cell string) string {
		if column == 0 {
			return p.green(cell)
		}
		return cell
	})
	stripped := strings.NewReplacer("\x1b[1m", "", "\x1b[32m", "", "\x1b[0m", "").Replace(coloured.String())
	if stripped != plain.String() {
		t.Errorf("with colours\n%swithout\n%s", stripped, plain.String())
	}
	if lines := strings.Split(plain.String(), "\n"); len([]rune(lines[1])) != 40 {
		t.Errorf("the flexible column does not fill the width: %q", lines[1])
	}
}
