package postgres

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5/pgtype"
)

// The rows of an archive are JSON. PostgreSQL takes several times longer to read numbers
// out of JSON than it takes to store them, so they are sent to it in its binary format:
// see "Binary Format" of COPY in its manual.

// copyHeader is how COPY data begins: signature, flags, and no extension. copyEnd is its end.
var (
	copyHeader = []byte("PGCOPY\n\xff\r\n\x00\x00\x00\x00\x00\x00\x00\x00\x00")
	copyEnd    = []byte{0xff, 0xff}
)

// kindBase64 is the kind of bytes that stand in an archive in base64.
const kindBase64 = "base64"

// stagedField is a column of a temporary table.
type stagedField struct {
	name   string
	kind   string // of the column, as SQL writes it
	cast   string // to the kind that the graph's table has; "" where it is the same
	append func(b, value []byte) ([]byte, error)
}

// newStagedField returns a column for values of a kind. What has no encoder is sent as the
// text that it is, and cast.
func newStagedField(name, kind string) stagedField {
	f := stagedField{name: name, kind: kind}
	switch kind {
	case "boolean":
		f.append = appendBool
	case "smallint":
		f.append = appendInt16
	case "integer":
		f.append = appendInt32
	case "bigint":
		f.append = appendInt64
	case "real":
		f.append = appendFloat32
	case "double precision":
		f.append = appendFloat64
	case "text":
		f.append = appendText
	case "integer[]":
		f.append = arrayOf(pgtype.Int4OID, appendInt32)
	case "real[]":
		f.append = arrayOf(pgtype.Float4OID, appendFloat32)
	case "text[]":
		f.append = arrayOf(pgtype.TextOID, appendText)
	case kindBase64:
		f.kind, f.append = "bytea", appendBase64
	default:
		if strings.HasPrefix(kind, "bit(") {
			f.append = appendBits
			break
		}
		f.kind, f.cast, f.append = "text", "::"+kind, appendText
		if strings.HasPrefix(kind, "json") {
			f.append = func(b, value []byte) ([]byte, error) { return append(b, value...), nil }
		}
	}
	return f
}

// rowEncoder writes rows as COPY takes them.
type rowEncoder struct {
	fields []stagedField
	values [][]byte // of the row; nil for what it does not have
}

func newRowEncoder(fields []stagedField) rowEncoder {
	return rowEncoder{fields, make([][]byte, len(fields))}
}

// appendRow appends a row, which is a JSON object. Members that are no fields are left out.
func (e rowEncoder) appendRow(b, row []byte) ([]byte, error) {
	clear(e.values)
	likely := 0 // all rows of a table have the same order
	err := members(row, func(name, value []byte) error {
		if at := e.find(name, likely); at >= 0 {
			e.values[at], likely = value, at+1
		}
		return nil
	})
	if err != nil {
		return b, err
	}
	b = binary.BigEndian.AppendUint16(b, uint16(len(e.fields)))
	for i, f := range e.fields {
		if b, err = appendField(b, e.values[i], f.append); err != nil {
			return b, fmt.Errorf("%s: %w", f.name, err)
		}
	}
	return b, nil
}

func (e rowEncoder) find(name []byte, likely int) int {
	if likely < len(e.fields) && e.fields[likely].name == string(name) {
		return likely
	}
	return slices.IndexFunc(e.fields, func(f stagedField) bool { return f.name == string(name) })
}

// appendField appends a value behind its length, which is -1 for null.
func appendField(b, value []byte, encode func(b, value []byte) ([]byte, error)) ([]byte, error) {
	if len(value) == 0 || value[0] == 'n' {
		return append(b, 0xff, 0xff, 0xff, 0xff), nil
	}
	at := len(b)
	b, err := encode(append(b, 0, 0, 0, 0), value)
	if err != nil {
		return b, err
	}
	return setLength(b, at), nil
}

// setLength writes the length of what stands behind the place of it.
func setLength(b []byte, at int) []byte {
	binary.BigEndian.PutUint32(b[at:], uint32(len(b)-at-4))
	return b
}

func appendBool(b, value []byte) ([]byte, error) {
	switch string(value) {
	case "true":
		return append(b, 1), nil
	case "false":
		return append(b, 0), nil
	}
	return b, errors.New("must be true or false")
}

func appendInt16(b, value []byte) ([]byte, error) {
	n, err := strconv.ParseInt(string(value), 10, 16)
	return binary.BigEndian.AppendUint16(b, uint16(n)), err
}

func appendInt32(b, value []byte) ([]byte, error) {
	n, err := strconv.ParseInt(string(value), 10, 32)
	return binary.BigEndian.AppendUint32(b, uint32(n)), err
}

func appendInt64(b, value []byte) ([]byte, error) {
	n, err := strconv.ParseInt(string(value), 10, 64)
	return binary.BigEndian.AppendUint64(b, uint64(n)), err
}

func appendFloat32(b, value []byte) ([]byte, error) {
	if len(value) == 1 && '0' <= value[0] && value[0] <= '9' { // most coordinates are 0
		return binary.BigEndian.AppendUint32(b, math.Float32bits(float32(value[0]-'0'))), nil
	}
	x, err := strconv.ParseFloat(string(bytes.Trim(value, `"`)), 32) // "NaN" and "Infinity" are texts in JSON
	return binary.BigEndian.AppendUint32(b, math.Float32bits(float32(x))), err
}

func appendFloat64(b, value []byte) ([]byte, error) {
	x, err := strconv.ParseFloat(string(bytes.Trim(value, `"`)), 64)
	return binary.BigEndian.AppendUint64(b, math.Float64bits(x)), err
}

// appendText appends a string as it is, and anything else as JSON writes it.
func appendText(b, value []byte) ([]byte, error) {
	if value[0] != '"' {
		return append(b, value...), nil
	}
	if bytes.IndexByte(value, '\\') < 0 {
		return append(b, value[1:len(value)-1]...), nil
	}
	var s string
	err := json.Unmarshal(value, &s)
	return append(b, s...), err
}

// appendBase64 appends the bytes of a text in base64, which PostgreSQL writes in lines.
func appendBase64(b, value []byte) ([]byte, error) {
	at, rest := len(b), bytes.Trim(value, `"`)
	for value[0] == '"' {
		line, more, lines := bytes.Cut(rest, []byte(`\n`))
		var err error
		if b, err = base64.StdEncoding.AppendDecode(b, line); err != nil {
			return appendEscapedBase64(b[:at], value)
		}
		if !lines {
			return b, nil
		}
		rest = more
	}
	return b, errors.New("must be a text")
}

// appendEscapedBase64 is appendBase64 for any way to write the text as JSON.
func appendEscapedBase64(b, value []byte) ([]byte, error) {
	var s string
	if err := json.Unmarshal(value, &s); err != nil {
		return b, err
	}
	return base64.StdEncoding.AppendDecode(b, []byte(s))
}

// appendBits appends a string of zeros and ones.
func appendBits(b, value []byte) ([]byte, error) {
	bits := bytes.Trim(value, `"`)
	b = binary.BigEndian.AppendUint32(b, uint32(len(bits)))
	var octet byte
	for i, c := range bits {
		if c != '0' && c != '1' {
			return b, errors.New("must be zeros and ones")
		}
		octet = octet<<1 | (c - '0')
		if i%8 == 7 {
			b = append(b, octet)
		}
	}
	if rest := len(bits) % 8; rest > 0 {
		b = append(b, octet<<(8-rest))
	}
	return b, nil
}

// arrayOf encodes lists of values without nulls.
func arrayOf(oid uint32, encode func(b, value []byte) ([]byte, error)) func(b, value []byte) ([]byte, error) {
	return func(b, value []byte) ([]byte, error) {
		at, n := len(b), uint32(0)
		b = binary.BigEndian.AppendUint32(b, 0) // dimensions
		b = binary.BigEndian.AppendUint32(b, 0) // no nulls
		b = binary.BigEndian.AppendUint32(b, oid)
		b = binary.BigEndian.AppendUint32(b, 0) // elements
		b = binary.BigEndian.AppendUint32(b, 1) // the number of the first one
		err := elements(value, func(element []byte) (err error) {
			if element[0] == 'n' || element[0] == '[' {
				return errors.New("must be a list of values")
			}
			n++
			b, err = appendField(b, element, encode)
			return err
		})
		if n == 0 {
			return b[:at+12], err // an empty one has no dimension
		}
		binary.BigEndian.PutUint32(b[at:], 1)
		binary.BigEndian.PutUint32(b[at+12:], n)
		return b, err
	}
}
