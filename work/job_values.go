package work

import (
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/check"
)

// The limits of what a filter of jobs takes.
const (
	maxFilterText = 200
	maxFilterData = 5    // values of a job's data
	maxSpan       = 1000 // of an attempt
	maxAgo        = 10 * 366 * 24 * time.Hour
)

// MaxErrorKey is how many characters of a folded error are kept.
const MaxErrorKey = 200

// Span is a range of whole numbers, both ends among it; nil is open.
type Span struct{ Least, Most *int }

// Any reports whether every number is in s.
func (s Span) Any() bool { return s.Least == nil && s.Most == nil }

// Has reports whether n is in s.
func (s Span) Has(n int) bool {
	return (s.Least == nil || n >= *s.Least) && (s.Most == nil || n <= *s.Most)
}

// String returns s as ParseSpan reads it.
func (s Span) String() string {
	end := func(n *int) string {
		if n == nil {
			return ""
		}
		return strconv.Itoa(*n)
	}
	if s.Least != nil && s.Most != nil && *s.Least == *s.Most {
		return end(s.Least)
	}
	if s.Any() {
		return ""
	}
	return end(s.Least) + ".." + end(s.Most)
}

// parseSpan reads 5, 5..9, 5.., ..9, >5, >=5, <5 or <=5, or returns the rule that text breaks.
func parseSpan(text string) (s Span, rule string) {
	const form = "must be a number or a range, as in 5, 5..9, 5.., ..9 or >5"
	number := func(text string, add int) *int {
		n, err := strconv.Atoi(text)
		if err != nil || n > 1_000_000 || n < -1_000_000 {
			rule = form + ", got " + check.Quote(text)
			return nil
		}
		n += add
		return &n
	}
	least, most, isRange := strings.Cut(text, "..")
	switch {
	case isRange && least == "" && most == "":
		rule = form
	case isRange:
		if least != "" {
			s.Least = number(least, 0)
		}
		if most != "" {
			s.Most = number(most, 0)
		}
	case strings.HasPrefix(text, ">="):
		s.Least = number(text[2:], 0)
	case strings.HasPrefix(text, "<="):
		s.Most = number(text[2:], 0)
	case strings.HasPrefix(text, ">"):
		s.Least = number(text[1:], 1)
	case strings.HasPrefix(text, "<"):
		s.Most = number(text[1:], -1)
	default:
		s.Least = number(text, 0)
		s.Most = s.Least
	}
	return s, rule
}

// Moment is an instant, or so long ago on the database's clock; the zero value is neither.
type Moment struct {
	At  kappa.Time
	Ago time.Duration
}

// IsZero reports whether m says nothing.
func (m Moment) IsZero() bool { return m.At.IsZero() && m.Ago == 0 }

// String returns m as ParseMoment reads it.
func (m Moment) String() string {
	switch {
	case m.Ago != 0:
		return ageText(m.Ago)
	case m.At.IsZero():
		return ""
	}
	return m.At.UTC().Format(time.RFC3339Nano)
}

// Period is from one moment on, and before another one; a zero one is open.
type Period struct{ From, To Moment }

// Any reports whether every time is in p.
func (p Period) Any() bool { return p.From.IsZero() && p.To.IsZero() }

// empty reports whether p can be seen to have no time in it.
func (p Period) empty() bool {
	switch {
	case p.From.IsZero() || p.To.IsZero():
		return false
	case p.From.Ago != 0 && p.To.Ago != 0:
		return p.From.Ago <= p.To.Ago
	case p.From.Ago == 0 && p.To.Ago == 0:
		return !p.From.At.Before(p.To.At.Time)
	}
	return false // the clock decides
}

var agePattern = regexp.MustCompile(`^([0-9]{1,6})(s|m|h|d|w)$`)

var ageUnits = map[string]time.Duration{"s": time.Second, "m": time.Minute, "h": time.Hour, "d": 24 * time.Hour, "w": 7 * 24 * time.Hour}

// parseAgo reads 90s, 10m, 1h, 7d or 2w, false for anything else.
func parseAgo(text string) (time.Duration, bool) {
	parts := agePattern.FindStringSubmatch(text)
	if parts == nil {
		return 0, false
	}
	n, _ := strconv.Atoi(parts[1])
	ago := time.Duration(n) * ageUnits[parts[2]]
	return ago, ago > 0 && ago <= maxAgo
}

// ageText returns a duration as parseAgo reads it, in the largest unit that fits.
func ageText(d time.Duration) string {
	for _, unit := range []string{"w", "d", "h", "m"} {
		if d%ageUnits[unit] == 0 {
			return strconv.FormatInt(int64(d/ageUnits[unit]), 10) + unit
		}
	}
	return strconv.FormatInt(int64(d/time.Second), 10) + "s"
}

// ParseMoment reads an instant, a day in UTC or how long ago, or returns the rule that text
// breaks.
func ParseMoment(text string) (m Moment, rule string) {
	if ago, ok := parseAgo(text); ok {
		return Moment{Ago: ago}, ""
	}
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		at, err = time.Parse(time.DateOnly, text)
	}
	if err != nil {
		return m, "must be an instant such as 2026-01-31T08:00:00Z, a day, or how long ago: 90s, 10m, 1h, 7d or 2w, got " + check.Quote(text)
	}
	m.At = kappa.At(at.UTC().Truncate(time.Microsecond))
	return m, check.Instant(m.At)
}

// parseAge reads >1h, <7d or both with a comma as when a job was submitted, or returns the rule
// that text breaks.
func parseAge(text string) (p Period, rule string) {
	for part := range strings.SplitSeq(text, ",") {
		ago, ok := parseAgo(strings.TrimSpace(strings.TrimLeft(part, "<>")))
		switch {
		case ok && strings.HasPrefix(part, ">") && p.To.IsZero():
			p.To.Ago = ago
		case ok && strings.HasPrefix(part, "<") && p.From.IsZero():
			p.From.Ago = ago
		default:
			return p, "must be an age with < or >, as in >1h, <7d or >1h,<2h, got " + check.Quote(text)
		}
	}
	return p, ""
}

// DataValue is a member of a job's data, and the text that it must be; a dot in the name goes
// into an object.
type DataValue struct{ Name, Value string }

var uuidPattern = regexp.MustCompile(`^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$`)

func isUUID(text string) bool { return uuidPattern.MatchString(text) }

// checkRanges adds what the ranges and the values of data break.
func (f JobFilter) checkRanges(r *check.Rules) {
	for name, s := range map[string]Span{"priority": f.Priority, "attempt": f.Attempt} {
		least, most := 0, maxSpan
		if name == "priority" {
			least, most = MinPriority, MaxPriority
		}
		for _, end := range []*int{s.Least, s.Most} {
			if end != nil {
				r.Add("query", name, check.Range(*end, least, most))
			}
		}
		if s.Least != nil && s.Most != nil && *s.Least > *s.Most {
			r.Add("query", name, "must not be an empty range, got "+s.String())
		}
	}
	for name, p := range map[string]Period{"submitted": f.Submitted, "started": f.Started, "ended": f.Ended} {
		if p.empty() {
			r.Add("query", name+"_to", "must be after "+name+"_from, got "+p.From.String()+" to "+p.To.String())
		}
	}
	if len(f.Data) > maxFilterData {
		r.Add("query", "data", "must be given at most "+strconv.Itoa(maxFilterData)+" times")
	}
	for _, d := range f.Data {
		r.Add("query", "data", check.Name(d.Name, maxFilterText))
		if d.Value != "" {
			r.Add("query", "data", check.Phrase(d.Value, 2000))
		}
	}
}

// Provider returns the provider that is named, "" for any.
func (w Wait) Provider() string {
	_, name, _ := strings.Cut(string(w), ":")
	return name
}

// Kind returns what w is without a name.
func (w Wait) Kind() WaitCode {
	kind, _, _ := strings.Cut(string(w), ":")
	return WaitCode(kind)
}

// rule returns the rule that w breaks.
func (w Wait) rule() string {
	switch {
	case w == "":
		return ""
	case string(w.Kind()) != string(w) && w.Kind() == WaitProvider:
		return check.Name(w.Provider(), maxFilterText)
	}
	return check.OneOf(WaitCode(w), WaitCodes()...)
}

// statuses returns those in which a job can wait so.
func (w Wait) statuses() []Status {
	switch w.Kind() {
	case WaitTime, WaitPause, WaitLimit, WaitSlot:
		return []Status{StatusApproved}
	case WaitBudget, WaitApproval:
		return []Status{StatusAwaitingApproval}
	case WaitProvider:
		return []Status{StatusApproved, StatusProcessing}
	}
	return nil
}
