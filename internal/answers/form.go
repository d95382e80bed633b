package answers

import (
	"regexp"
	"strings"
	"sync"
)

// form is a way to say something. Most questions lack a text that it needs, and that is seen much
// faster than a regular expression is tried. It is compiled when it is needed first: most commands
// of the binary never do.
type form struct {
	has    []string // in lower case: one of them is in what has the form; none needs nothing
	regexp func() *regexp.Regexp
}

// way returns a form, which needs one of the texts between bars.
func way(has, expression string) form {
	f := form{regexp: sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })}
	if has != "" {
		f.has = strings.Split(has, "|")
	}
	return f
}

// mayBe reports whether a text in lower case may have the form.
func (f form) mayBe(low string) bool {
	for _, h := range f.has {
		if strings.Contains(low, h) {
			return true
		}
	}
	return len(f.has) == 0
}

// find returns the groups of the first form that a text has, nil when it has none.
func find(forms []form, text string) []string {
	low := strings.ToLower(text)
	for _, f := range forms {
		if f.mayBe(low) {
			if found := f.regexp().FindStringSubmatch(text); found != nil {
				return found
			}
		}
	}
	return nil
}
