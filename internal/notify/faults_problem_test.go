package notify

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// problems are things of one kind that must not be: their number, and the first
// ones.
type problems struct {
	number int
	first  []string
}

func (p *problems) add(format string, args ...any) {
	if p.number++; p.number <= shownProblems {
		p.first = append(p.first, fmt.Sprintf(format, args...))
	}
}

// has reports whether one of the first ones says something.
func (p *problems) has(text string) bool {
	return slices.ContainsFunc(p.first, func(s string) bool { return strings.Contains(s, text) })
}

// report fails the test if there are any.
func (p *problems) report(t testing.TB, kind string) {
	t.Helper()
	if p.number > 0 {
		t.Errorf("%d %s, such as:\n%s", p.number, kind, strings.Join(p.first, "\n"))
	}
}
