package check

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kappagraph/kappa"
)

// Rules collects the values that break a rule, so that one answer names them all.
type Rules []kappa.FieldError

// Add adds a broken rule; rule is "" when the value keeps it. in and name are those
// of a kappa.FieldError.
func (r *Rules) Add(in, name, rule string) {
	if rule != "" {
		*r = append(*r, kappa.FieldError{In: in, Name: name, Rule: rule})
	}
}

// Err returns one kappa.CodeInvalid Error with every broken rule, or nil without any.
func (r *Rules) Err() error { return kappa.Invalid(*r...) }

// ConceptID returns the rule that the id of a concept breaks, or "". One that
// keeps it matches ^[A-Za-z0-9_:-]{1,200}$.
func ConceptID(id string) string {
	switch {
	case id == "":
		return "must not be empty"
	case len(id) > MaxConceptID:
		return "must have at most " + strconv.Itoa(MaxConceptID) + " characters, got " + strconv.Itoa(utf8.RuneCountInString(id))
	case strings.ContainsFunc(id, func(r rune) bool {
		return !(r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || strings.ContainsRune("_:-", r))
	}):
		return "must consist of letters A to Z and a to z, digits, _, : and -, got " + Quote(id)
	}
	return ""
}

// Name returns the rule that a name from outside breaks, or "". A name is
// 1 to most characters of valid UTF-8 without control characters.
func Name(name string, most int) string {
	switch {
	case !utf8.ValidString(name):
		return "must be valid UTF-8"
	case strings.TrimSpace(name) == "":
		return "must not be empty"
	case utf8.RuneCountInString(name) > most:
		return "must have at most " + strconv.Itoa(most) + " characters, got " + strconv.Itoa(utf8.RuneCountInString(name))
	case strings.ContainsFunc(name, unprintable):
		return "must not contain control characters, got " + Quote(name)
	}
	return ""
}

// Phrase returns the rule that a text breaks which something is looked for by, or "". Unlike a
// name it may have line ends and characters that are not seen: Persian, Hindi and copied text
// have them within words.
func Phrase(text string, most int) string {
	seen := strings.TrimFunc(text, func(r rune) bool { return unicode.IsSpace(r) || unprintable(r) })
	switch {
	case !utf8.ValidString(text):
		return "must be valid UTF-8"
	case seen == "":
		return "must not be empty"
	case utf8.RuneCountInString(text) > most:
		return Name(text, most)
	case strings.ContainsFunc(text, func(r rune) bool { return unicode.IsControl(r) && !unicode.IsSpace(r) || r == unicode.ReplacementChar }):
		return "must not contain control characters, got " + Quote(text)
	}
	return ""
}

// OptionalName is Name for a name that may be missing.
func OptionalName(name string, most int) string {
	if name == "" {
		return ""
	}
	return Name(name, most)
}

// unprintable reports characters that hide or reorder what a name shows.
func unprintable(r rune) bool {
	return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == unicode.ReplacementChar ||
		unicode.Is(unicode.Zl, r) || unicode.Is(unicode.Zp, r)
}

// OneOf returns the rule that a word breaks that is not one of the known ones,
// or "".
func OneOf[T ~string](word T, known ...T) string {
	if slices.Contains(known, word) {
		return ""
	}
	names := make([]string, len(known))
	for i, k := range known {
		names[i] = string(k)
	}
	return "must be one of " + strings.Join(names, ", ") + ", got " + Quote(string(word))
}

// Limit returns a kappa.CodeInvalid Error unless the parameter limit is from 1 to most.
func Limit(limit, most int) error {
	if rule := Range(limit, 1, most); rule != "" {
		return kappa.Invalid(kappa.FieldError{In: "query", Name: "limit", Rule: rule})
	}
	return nil
}

// Range returns the rule that v breaks, or "".
func Range(v, least, most int) string {
	if v < least {
		return "must be at least " + strconv.Itoa(least) + ", got " + strconv.Itoa(v)
	}
	if v > most {
		return "must be at most " + strconv.Itoa(most) + ", got " + strconv.Itoa(v)
	}
	return ""
}

// Share returns the rule that a share breaks, or "".
func Share(v float64) string {
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

// Instant returns the rule that an instant breaks, or "".
func Instant(t kappa.Time) string {
	if year := t.UTC().Year(); year >= firstYear && year <= lastYear {
		return ""
	}
	return "must be in the years " + strconv.Itoa(firstYear) + " to " + strconv.Itoa(lastYear) + ", in UTC"
}

// Argument returns a text as a word of a command line, in quotation marks where a shell needs them.
func Argument(text string) string {
	if strings.ContainsFunc(text, func(r rune) bool {
		return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.", r)
	}) {
		return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
	}
	return text
}

// Quote shows a value from outside in a message: escaped, and cut when long.
func Quote(s string) string {
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

// Cursor returns the rule that a cursor breaks.
func Cursor(list, text string, keys, offset int) string {
	if _, ok := kappa.ParseCursor(list, text, keys); !ok {
		return "must be the next_cursor of a page of this list"
	}
	if text != "" && offset != 0 {
		return "must not come with offset"
	}
	return ""
}

// MinEpoch returns the rule that an epoch to read from breaks, or "".
func MinEpoch(epoch *int64) string {
	if epoch != nil && *epoch < 0 {
		return fmt.Sprintf("must be at least 0, got %d", *epoch)
	}
	return ""
}

// LongText returns the rule that a text of several lines breaks, or "".
func LongText(text string, most int) string {
	switch {
	case !utf8.ValidString(text):
		return "must be valid UTF-8"
	case strings.TrimSpace(text) == "":
		return "must not be empty"
	case utf8.RuneCountInString(text) > most:
		return "must have at most " + strconv.Itoa(most) + " characters, got " + strconv.Itoa(utf8.RuneCountInString(text))
	case strings.ContainsRune(text, 0):
		return "must not contain NUL characters"
	}
	return ""
}

// Between returns the rule that v breaks, or "".
func Between(v, least, most float64) string {
	if v >= least && v <= most {
		return ""
	}
	return "must be between " + strconv.FormatFloat(least, 'g', -1, 64) + " and " + strconv.FormatFloat(most, 'g', -1, 64) + ", got " + strconv.FormatFloat(v, 'g', -1, 64)
}

var wordPattern = regexp.MustCompile(`^[a-z][a-z0-9_]{0,49}$`)

// Word returns what is wrong with a word such as the name of a role, "" for nothing.
func Word(word string) string {
	if wordPattern.MatchString(word) {
		return ""
	}
	return "must be a lower-case letter followed by at most 49 lower-case letters, digits or _, got " + Quote(word)
}

// OptionalText returns what is wrong with a text of at most so many characters that may be
// missing, "" for nothing.
func OptionalText(text *string, most int) string {
	if text == nil {
		return ""
	}
	return OptionalName(*text, most)
}
