package check

import (
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/kappagraph/kappa"
)

// mostNumberDigits is how long a number in stored JSON may be: jsonb keeps that many
// decimal places.
const mostNumberDigits = 16_383

// Storable returns a kappa.CodeInvalid Error, which shows nothing of the JSON, unless
// it can be stored as jsonb. PostgreSQL would refuse it as well, and write what is
// around the fault into its log. What a job's data must keep besides is in
// work.NewJob.Validate.
func Storable(what string, raw json.RawMessage) error {
	var rule string
	switch {
	case len(raw) == 0:
		return nil
	case !json.Valid(raw):
		rule = "be JSON"
	case !utf8.Valid(raw):
		rule = "be valid UTF-8"
	default:
		// A backslash is within a text in all JSON.
		if rule = brokenText(raw); rule == "" {
			rule = brokenNumber(raw)
		}
	}
	if rule == "" {
		return nil
	}
	return kappa.NewError(kappa.CodeInvalid, what+" must "+rule)
}

// brokenNumber returns what valid JSON must not have, where a number in it is too
// large to be stored, or has too many digits.
func brokenNumber(raw []byte) string {
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case c == '"':
			for i++; raw[i] != '"'; i++ {
				if raw[i] == '\\' {
					i++
				}
			}
		case c == '-' || c >= '0' && c <= '9':
			s := dataScan{rest: raw[i:]}
			number := s.token(isOfNumber)
			n := measure(number)
			if len(number) > mostNumberDigits || n.magnitude > maxNumberMagnitude || n.magnitude < leastNumberMagnitude {
				return "not contain a number of 1e" + strconv.Itoa(maxNumberMagnitude+1) + " and above in size, or below 1e" + strconv.Itoa(leastNumberMagnitude)
			}
			i += len(number) - 1
		}
	}
	return ""
}

// StorableText returns a text that came from outside as it can be stored: without NUL
// characters, with U+FFFD for what is not UTF-8, and cut to at most so many bytes.
func StorableText(text string, most int) string {
	text = strings.ReplaceAll(text[:min(len(text), most)], "\x00", "")
	text = strings.ToValidUTF8(text, "\uFFFD")
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most]
}
