package postgres

import (
	"bytes"
	"errors"
)

var errNoJSON = errors.New("it is no JSON as expected")

// members calls each with the members of a JSON object: their names without quotation
// marks, and their values as they stand there. It does not check what it does not need:
// the rows of an archive were checked when they were read.
func members(object []byte, each func(name, value []byte) error) error {
	return within(object, '{', '}', func(rest []byte) ([]byte, error) {
		end := stringEnd(rest)
		if end < 0 {
			return nil, errNoJSON
		}
		name := rest[1 : end-1]
		rest = skipSpace(rest[end:])
		if len(rest) == 0 || rest[0] != ':' {
			return nil, errNoJSON
		}
		value, rest := cutValue(skipSpace(rest[1:]))
		if len(value) == 0 {
			return nil, errNoJSON
		}
		return rest, each(name, value)
	})
}

// elements calls each with the elements of a JSON list.
func elements(list []byte, each func(element []byte) error) error {
	return within(list, '[', ']', func(rest []byte) ([]byte, error) {
		value, rest := cutValue(rest)
		if len(value) == 0 {
			return nil, errNoJSON
		}
		return rest, each(value)
	})
}

// within calls part with what stands at the beginning of each part of an object or a list;
// it returns what follows.
func within(b []byte, opens, closes byte, part func(rest []byte) ([]byte, error)) error {
	b = skipSpace(b)
	if len(b) == 0 || b[0] != opens {
		return errNoJSON
	}
	b = skipSpace(b[1:])
	if len(b) > 0 && b[0] == closes {
		return nil
	}
	for {
		rest, err := part(b)
		if err != nil {
			return err
		}
		rest = skipSpace(rest)
		switch {
		case len(rest) > 0 && rest[0] == closes:
			return nil
		case len(rest) == 0 || rest[0] != ',':
			return errNoJSON
		}
		b = skipSpace(rest[1:])
	}
}

func skipSpace(b []byte) []byte {
	for len(b) > 0 && (b[0] == ' ' || b[0] == '\t' || b[0] == '\n' || b[0] == '\r') {
		b = b[1:]
	}
	return b
}

// cutValue returns the value that b begins with and what follows; nothing for what has no
// end.
func cutValue(b []byte) (value, rest []byte) {
	end := len(b)
	switch {
	case len(b) == 0:
	case b[0] == '"':
		end = stringEnd(b)
	case b[0] == '{' || b[0] == '[':
		end = nestedEnd(b)
	default:
		for i, c := range b {
			if c == ',' || c == '}' || c == ']' || c <= ' ' {
				end = i
				break
			}
		}
	}
	if end < 0 {
		return nil, nil
	}
	return b[:end], b[end:]
}

// stringEnd returns where the string ends that b begins with, or -1.
func stringEnd(b []byte) int {
	if len(b) == 0 || b[0] != '"' {
		return -1
	}
	for at := 1; ; {
		n := bytes.IndexByte(b[at:], '"')
		if n < 0 {
			return -1
		}
		at += n + 1
		escapes := 0
		for b[at-2-escapes] == '\\' {
			escapes++
		}
		if escapes%2 == 0 {
			return at
		}
	}
}

// nestedEnd returns where the object or the list ends that b begins with, or -1.
func nestedEnd(b []byte) int {
	depth := 0
	for i := 0; i < len(b); i++ {
		switch b[i] {
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
		case '"':
			n := stringEnd(b[i:])
			if n < 0 {
				return -1
			}
			i += n - 1
		}
	}
	return -1
}
