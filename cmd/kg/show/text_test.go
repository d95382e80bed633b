package show

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
		if got := Cut(tt.s, tt.width); got != tt.want {
			t.Errorf("Cut(%q, %d) is %q, want %q", tt.s, tt.width, got, tt.want)
		}
	}
	if got := Pad("漢", 4); got != "漢  " {
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
		if got := Wrap(tt.s, 10, "  ", "    "); got != tt.want {
			t.Errorf("Wrap(%q) is %q, want %q", tt.s, got, tt.want)
		}
	}
}

func TestPrintable(t *testing.T) {
	evil := "a\x1b[31m\x07b\u202ec\u200b\td\r\ne"
	if got := Printable(evil); got != "a[31mbc d\ne" {
		t.Errorf("got %q", got)
	}
	if got := OneLine(evil); got != "a[31mbc d e" {
		t.Errorf("in one line: %q", got)
	}
}

func TestNumbers(t *testing.T) {
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567", -1234: "-1,234"} {
		if got := Number(n); got != want {
			t.Errorf("Number(%d) is %q, want %q", n, got, want)
		}
	}
	if Counted(1, "job") != "1 job" || Counted(0, "job") != "0 jobs" {
		t.Error("one and many are wrong")
	}
}

func TestSpan(t *testing.T) {
	for d, want := range map[time.Duration]string{
		-time.Second: "0 ms", 1500 * time.Microsecond: "1 ms", 4200 * time.Millisecond: "4.2 s", 200 * time.Second: "3 min 20 s",
		310 * time.Minute: "5 h 10 min", 76 * time.Hour: "3 d 4 h",
	} {
		if got := Span(d); got != want {
			t.Errorf("Span(%s) is %q, want %q", d, got, want)
		}
	}
}

func TestColours(t *testing.T) {
	on := Paint{On: true}
	if got := on.Red("x"); got != "\x1b[31mx\x1b[0m" {
		t.Errorf("on: %q", got)
	}
	if got := (Paint{}).Red("x"); got != "x" {
		t.Errorf("off: %q", got)
	}
}

func TestGridColoursDoNotMoveColumns(t *testing.T) {
	g := NewGrid(Column{Name: "a"}, Column{Name: "n", Right: true}, Column{Name: "text", Flex: true})
	g.Add("one", "1", strings.Repeat("word ", 20))
	g.Add("longer", "22", "x")
	var plain, coloured strings.Builder
	g.Write(&plain, 40, Paint{}, nil)
	p := Paint{On: true}
	g.Write(&coloured, 40, p, func(column int, cell string) string {
		if column == 0 {
			return p.Green(cell)
		}
		return cell
	})
	stripped := strings.NewReplacer("\x1b[1m", "", "\x1b[32m", "", "\x1b[0m", "").Replace(coloured.String())
	if stripped != plain.String() {
		t.Errorf("with colours\n%swithout\n%s", stripped, plain.String())
	}
	if lines := strings.Split(plain.String(), "\n"); len([]rune(lines[1])) != 40 {
		t.Errorf("the flexible Column does not fill the width: %q", lines[1])
	}
}
