package kappa

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// rules collects the values that break a rule, so that one answer names them all.
type rules []FieldError

// add adds a broken rule; rule is "" when the value keeps it. in and name are those
// of a FieldError.
func (r *rules) add(in, name, rule string) {
	if rule != "" {
		*r = append(*r, FieldError{In: in, Name: name, Rule: rule})
	}
}

// err returns one CodeInvalid Error with every broken rule, or nil without any.
func (r *rules) err() error { return Invalid(*r...) }

// JoinInvalid returns one Error with the broken rules of all the given ones, or
// nil without any. An error of another kind is returned as it is.
func JoinInvalid(errs ...error) error {
	var fields []FieldError
	for _, err := range errs {
		if err == nil {
			continue
		}
		e, ok := err.(*Error) //nolint:errorlint // a wrapped one is of another kind
		if !ok || e.Code != CodeInvalid {
			return err
		}
		fields = append(fields, e.Fields...)
	}
	return Invalid(fields...)
}

// CheckPriority returns a CodeInvalid Error for a priority out of range; in says
// where the value came from.
func CheckPriority(in string, priority int) error {
	var r rules
	r.add(in, "priority", checkRange(priority, MinPriority, MaxPriority))
	return r.err()
}

// CheckConceptID returns a CodeInvalid Error for an id that no concept can have; in
// and name say where it came from.
func CheckConceptID(in, name, id string) error {
	var r rules
	r.add(in, name, checkConceptID(id))
	return r.err()
}

// checkConceptID returns the rule that the id of a concept breaks, or "". One that
// keeps it matches ^[A-Za-z0-9_:-]{1,200}$.
func checkConceptID(id string) string {
	switch {
	case id == "":
		return "must not be empty"
	case len(id) > maxConceptIDLength:
		return "must have at most " + strconv.Itoa(maxConceptIDLength) + " characters, got " + strconv.Itoa(utf8.RuneCountInString(id))
	case strings.ContainsFunc(id, func(r rune) bool {
		return !(r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || strings.ContainsRune("_:-", r))
	}):
		return "must consist of letters A to Z and a to z, digits, _, : and -, got " + quote(id)
	}
	return ""
}

// checkQueue is the rule of a queue's name.
func checkQueue(name string) string {
	word := func(r rune) bool {
		return r == '_' || '0' <= r && r <= '9' || 'A' <= r && r <= 'Z' || 'a' <= r && r <= 'z'
	}
	if name == "" || len(name) > maxQueueName || strings.ContainsFunc(name, func(r rune) bool { return !word(r) }) {
		return "must be 1 to " + strconv.Itoa(maxQueueName) + " letters, digits and _, got " + quote(name)
	}
	return ""
}

// checkName returns the rule that a name from outside breaks, or "". A name is
// 1 to most characters of valid UTF-8 without control characters.
func checkName(name string, most int) string {
	switch {
	case !utf8.ValidString(name):
		return "must be valid UTF-8"
	case strings.TrimSpace(name) == "":
		return "must not be empty"
	case utf8.RuneCountInString(name) > most:
		return "must have at most " + strconv.Itoa(most) + " characters, got " + strconv.Itoa(utf8.RuneCountInString(name))
	case strings.ContainsFunc(name, unprintable):
		return "must not contain control characters, got " + quote(name)
	}
	return ""
}

// checkOptionalName is checkName for a name that may be missing.
func checkOptionalName(name string, most int) string {
	if name == "" {
		return ""
	}
	return checkName(name, most)
}

// unprintable reports characters that hide or reorder what a name shows.
func unprintable(r rune) bool {
	return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == unicode.ReplacementChar ||
		unicode.Is(unicode.Zl, r) || unicode.Is(unicode.Zp, r)
}

// checkOneOf returns the rule that a word breaks that is not one of the known ones,
// or "".
func checkOneOf[T ~string](word T, known ...T) string {
	if slices.Contains(known, word) {
		return ""
	}
	names := make([]string, len(known))
	for i, k := range known {
		names[i] = string(k)
	}
	return "must be one of " + strings.Join(names, ", ") + ", got " + quote(string(word))
}

// CheckLimit returns a CodeInvalid Error unless the parameter limit is from 1 to most.
func CheckLimit(limit, most int) error {
	if rule := checkRange(limit, 1, most); rule != "" {
		return Invalid(FieldError{In: "query", Name: "limit", Rule: rule})
	}
	return nil
}

// checkRange returns the rule that v breaks, or "".
func checkRange(v, least, most int) string {
	if v < least {
		return "must be at least " + strconv.Itoa(least) + ", got " + strconv.Itoa(v)
	}
	if v > most {
		return "must be at most " + strconv.Itoa(most) + ", got " + strconv.Itoa(v)
	}
	return ""
}

// checkShare returns the rule that a share breaks, or "".
func checkShare(v float64) string {
	if v >= 0 && v <= 1 {
		return ""
	}
	return "must be between 0 and 1, got " + strconv.FormatFloat(v, 'g', -1, 64)
}

// The years, in UTC, of the instants that come in. Programs send the beginning of 1970
// for "at once", and the end leaves a year for time zones, before the year 10000, for
// which RFC 3339 has no form. The range does not move with the clock: what was accepted
// once is accepted again.
const (
	firstYear = 1970
	lastYear  = 9998
)

// checkInstant returns the rule that an instant breaks, or "".
func checkInstant(t Time) string {
	if year := t.UTC().Year(); year >= firstYear && year <= lastYear {
		return ""
	}
	return "must be in the years " + strconv.Itoa(firstYear) + " to " + strconv.Itoa(lastYear) + ", in UTC"
}

// checkSubmissionKey returns the rule that a key breaks, or "".
func checkSubmissionKey(key string) string {
	switch {
	case len(key) > maxSubmissionKey:
		return "must have at most " + strconv.Itoa(maxSubmissionKey) + " characters, got " + strconv.Itoa(len(key))
	case strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }):
		return "must be printable ASCII without spaces"
	}
	return ""
}

// quote shows a value from outside in a message: escaped, and cut when long.
func quote(s string) string {
	const most = 60
	if len(s) > most {
		cut := most
		for cut > 0 && !utf8.RuneStart(s[cut]) {
			cut--
		}
		s = s[:cut] + "…"
	}
	return strconv.Quote(s)
}
