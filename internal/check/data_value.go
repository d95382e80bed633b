package check

import (
	"bytes"
	"strconv"
	"unicode/utf8"
)

// text passes the name of a member or a value.
func (s *dataScan) text() string {
	end := 1
	for s.rest[end] != '"' {
		if s.rest[end] == '\\' {
			end++
		}
		end++
	}
	text := s.rest[1:end]
	s.rest = s.rest[end+1:]
	broken := brokenText(text)
	if top := len(s.open) - 1; top >= 0 && s.open[top].object && s.open[top].name == nil {
		if broken != "" {
			s.open = s.open[:top]
			return "must not have a member with such a name: it must " + broken
		}
		s.open[top].name = text
		return ""
	}
	if broken != "" {
		return "must " + broken
	}
	return s.count()
}

// brokenText returns what a text, as it is written between its quotes, must be or
// must not be, or "".
func brokenText(text []byte) string {
	if !utf8.Valid(text) {
		return "be valid UTF-8"
	}
	for {
		i := bytes.IndexByte(text, '\\')
		if i < 0 {
			return ""
		}
		unit := escapedUnit(text[i:])
		text = text[i+2:]
		switch {
		case unit < 0: // another escape
			continue
		case unit == 0:
			return `not contain \u0000, which cannot be stored`
		case unit >= 0xDC00 && unit <= 0xDFFF:
			return "not contain half of a surrogate pair, as in \\ud800"
		}
		text = text[4:]
		if unit >= 0xD800 && unit <= 0xDBFF {
			if low := escapedUnit(text); low < 0xDC00 || low > 0xDFFF {
				return "not contain half of a surrogate pair, as in \\ud800"
			}
			text = text[6:]
		}
	}
}

// escapedUnit returns the number in an escape \uXXXX at the beginning of text, -1 when
// there is another one or none.
func escapedUnit(text []byte) int {
	if len(text) < 6 || text[0] != '\\' || text[1] != 'u' {
		return -1
	}
	unit, err := strconv.ParseUint(string(text[2:6]), 16, 16)
	if err != nil {
		return -1
	}
	return int(unit)
}

// number passes a number.
func (s *dataScan) number() string {
	text := s.token(isOfNumber)
	s.rest = s.rest[len(text):]
	if rule := s.count(); rule != "" {
		return rule
	}
	if len(text) > maxNumberBytes {
		return "must be a number of at most " + strconv.Itoa(maxNumberBytes) + " characters, got " + strconv.Itoa(len(text))
	}
	n := measure(text)
	switch {
	case n.digits > maxNumberDigits:
		return "must have at most " + strconv.Itoa(maxNumberDigits) + " significant digits, got " + strconv.Itoa(n.digits)
	case n.magnitude > maxNumberMagnitude || n.magnitude < leastNumberMagnitude:
		return "must be from 1e" + strconv.Itoa(leastNumberMagnitude) + " to below 1e" + strconv.Itoa(maxNumberMagnitude+1) + " in size, got " + Quote(string(text))
	}
	if s.written += n.written - len(text); s.written > maxJobDataWritten {
		s.open = nil
		return "must be at most " + strconv.Itoa(maxJobDataWritten) + " bytes with its numbers written without exponents"
	}
	return ""
}

// measured is what a number takes.
type measured struct {
	digits    int // from the first to the last that is not 0
	magnitude int // the power of ten of the first of them; of the last digit of a zero
	written   int // characters at most, written without an exponent
}

// measure reads a number in the form that JSON has.
func measure(text []byte) measured {
	mantissa, exponent, _ := bytes.Cut(bytes.ToLower(text), []byte("e"))
	shift := 0
	if len(exponent) > 0 {
		var err error
		if shift, err = strconv.Atoi(string(exponent)); err != nil || shift > maxNumberBytes || shift < -2*maxNumberBytes {
			return measured{magnitude: maxNumberMagnitude + 1}
		}
	}
	whole, fraction, _ := bytes.Cut(bytes.TrimPrefix(mantissa, []byte("-")), []byte("."))
	digits := append(bytes.Clone(whole), fraction...)
	significant := bytes.TrimLeft(digits, "0")
	n := measured{
		digits:    len(bytes.TrimRight(significant, "0")),
		magnitude: shift + len(significant) - len(fraction) - 1,
	}
	if len(significant) == 0 {
		n.magnitude = shift - len(fraction)
	}
	n.written = len("-0.") + len(whole) + max(shift, 0) + max(len(fraction)-shift, 0)
	return n
}
