package check

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
)

// The bounds of a job's data. PostgreSQL stores a number with all its digits: 1e-16383
// would be read back as 16,385 characters.
const (
	MaxData              = 64 << 10
	maxJobDataWritten    = 4 * MaxData // with all digits of its numbers
	maxJobDataDepth      = 64
	maxJobDataValues     = 20_000
	maxNumberBytes       = 512
	maxNumberDigits      = 64   // between the first and the last that is not 0
	maxNumberMagnitude   = 308  // of the first digit, as in a 64-bit float
	leastNumberMagnitude = -324 // likewise
)

// Data returns the place in a job's data that breaks a rule, as in data.a[3], and
// the rule, or "" for both. Data that keeps the rules can be stored as jsonb, and takes
// little more room there and on its way back than it took when it came.
func Data(data json.RawMessage) (place, rule string) {
	switch {
	case len(data) == 0:
		return "", ""
	case len(data) > MaxData:
		return "data", "must be at most " + strconv.Itoa(MaxData) + " bytes of JSON, got " + strconv.Itoa(len(data))
	case !json.Valid(data):
		return "data", "must be JSON"
	}
	s := dataScan{rest: data, written: len(data)}
	rule = s.run()
	return s.place(), rule
}

// dataScan is one pass over data that is known to be JSON. It keeps the objects and
// lists around the current value, and nothing of what it has passed.
type dataScan struct {
	rest    []byte
	open    []dataFrame
	values  int
	written int // bytes, with all digits of the numbers
}

// dataFrame is an object or a list that has begun and not ended.
type dataFrame struct {
	object bool
	name   []byte // of the current member, as it is written; nil before it
	index  int    // of the current element
}

// run returns the rule that is broken first, or "". The scan stands at that place.
func (s *dataScan) run() string {
	for len(s.rest) > 0 {
		rule := ""
		switch c := s.rest[0]; c {
		case ' ', '\t', '\r', '\n', ':':
			s.rest = s.rest[1:]
		case ',':
			s.rest = s.rest[1:]
			top := &s.open[len(s.open)-1]
			top.name, top.index = nil, top.index+1
		case '{', '[':
			rule = s.begin(c == '{')
		case '}', ']':
			s.rest, s.open = s.rest[1:], s.open[:len(s.open)-1]
		case '"':
			rule = s.text()
		case 't', 'f', 'n':
			rule = s.count()
			s.rest = s.rest[len(s.token(isLetter)):]
		default:
			rule = s.number()
		}
		if rule != "" {
			return rule
		}
	}
	return ""
}

// count counts a value.
func (s *dataScan) count() string {
	if s.values++; s.values > maxJobDataValues {
		s.open = nil
		return "must hold at most " + strconv.Itoa(maxJobDataValues) + " values"
	}
	return ""
}

// begin goes into an object or a list.
func (s *dataScan) begin(object bool) string {
	if len(s.open) == maxJobDataDepth {
		s.open = nil
		return "must be nested at most " + strconv.Itoa(maxJobDataDepth) + " deep"
	}
	s.rest = s.rest[1:]
	s.open = append(s.open, dataFrame{object: object})
	return s.count()
}

// token returns the characters at the beginning of the rest that are of a kind.
func (s *dataScan) token(kind func(byte) bool) []byte {
	end := 1
	for end < len(s.rest) && kind(s.rest[end]) {
		end++
	}
	return s.rest[:end]
}

func isOfNumber(c byte) bool {
	return c >= '0' && c <= '9' || c == '-' || c == '+' || c == '.' || c|' ' == 'e'
}

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' }

// place returns where the scan stands, as in data.a[3].
func (s *dataScan) place() string {
	place := []byte("data")
	for _, f := range s.open {
		switch {
		case !f.object:
			place = append(append(append(place, '['), strconv.Itoa(f.index)...), ']')
		case f.name != nil:
			place = append(append(place, '.'), shortName(f.name)...)
		}
	}
	return string(place)
}

// shortName returns the name of a member as it is shown: as it is written, quoted and
// cut when it is not plain.
func shortName(name []byte) string {
	const most = 60
	for _, c := range name {
		if len(name) > most || c < '0' && c != '-' || c > 'z' || c > '9' && c < 'A' || c > 'Z' && c < 'a' && c != '_' {
			return Quote(string(name))
		}
	}
	return string(name)
}

// Object returns the rule that a JSON object of at most most bytes breaks, or "".
func Object(text json.RawMessage, most int) string {
	switch {
	case !bytes.HasPrefix(bytes.TrimSpace(text), []byte("{")) || !json.Valid(text):
		return "must be an object"
	case len(text) > most:
		return "must be at most " + strconv.Itoa(most) + " bytes of JSON, got " + strconv.Itoa(len(text))
	case strings.ToValidUTF8(string(text), "") != string(text):
		return "must be valid UTF-8"
	}
	return ""
}
