//go:build cgo

package main

import (
	"bytes"
	"database/sql/driver"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"time"

	"github.com/duckdb/duckdb-go/v2"

	"github.com/kappagraph/kappa/corpus/datasets"
)

// column is a column of a result.
type column struct {
	datasets.Column

	key  []byte // the name as JSON, with the colon
	info duckdb.TypeInfo
}

// columnsOf describes the columns of a result. Names that occur twice get a number, since
// a row is an object. rows may be nil.
func columnsOf(statement *duckdb.Stmt, rows driver.Rows) ([]column, error) {
	n, err := statement.ColumnCount()
	if err != nil {
		return nil, err //nolint:wrapcheck // classified by the caller
	}
	columns := make([]column, n)
	taken := map[string]bool{}
	for i := range columns {
		name, err := statement.ColumnName(i)
		if err != nil {
			return nil, err //nolint:wrapcheck // classified by the caller
		}
		info, err := statement.ColumnTypeInfo(i)
		if err != nil {
			return nil, err //nolint:wrapcheck // classified by the caller
		}
		unique := name
		for k := 2; taken[unique]; k++ {
			unique = name + "_" + strconv.Itoa(k)
		}
		taken[unique] = true
		key, err := json.Marshal(unique)
		if err != nil {
			return nil, fmt.Errorf("encode the name of a column: %w", err)
		}
		columns[i] = column{datasets.Column{Name: unique, Type: typeName(rows, i, info), Nullable: true}, append(key, ':'), info}
	}
	return columns, nil
}

func typeName(rows driver.Rows, i int, info duckdb.TypeInfo) string {
	if named, ok := rows.(driver.RowsColumnTypeDatabaseTypeName); ok {
		return named.ColumnTypeDatabaseTypeName(i)
	}
	return strings.ToUpper(fmt.Sprint(info.InternalType()))
}

// encodeRow writes a row as a JSON object, its members in the order of the columns.
func encodeRow(columns []column, row []driver.Value) (json.RawMessage, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, c := range columns {
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(c.key)
		if err := encode(&b, row[i], c.info); err != nil {
			return nil, err
		}
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// safeInteger is the largest whole number below which every one is exact in a float64, as
// JavaScript reads numbers.
const safeInteger = 1<<53 - 1

// encode writes a value as JSON. What a JSON number would not hold in every client is a
// string: decimals, whole numbers beyond 2⁵³, NaN and infinities. Times are RFC 3339, with
// a zone only where the type has one.
func encode(b *bytes.Buffer, v any, info duckdb.TypeInfo) error {
	switch v := v.(type) {
	case nil:
		b.WriteString("null")
	case bool:
		b.WriteString(strconv.FormatBool(v))
	case int8, int16, int32, uint8, uint16, uint32:
		fmt.Fprint(b, v)
	case int64:
		writeInteger(b, strconv.FormatInt(v, 10), v >= -safeInteger && v <= safeInteger)
	case uint64:
		writeInteger(b, strconv.FormatUint(v, 10), v <= safeInteger)
	case *big.Int:
		writeInteger(b, v.String(), v.IsInt64() && v.Int64() >= -safeInteger && v.Int64() <= safeInteger)
	case float32:
		writeFloat(b, float64(v), 32)
	case float64:
		writeFloat(b, v, 64)
	case duckdb.Decimal:
		writeString(b, decimal(v))
	case time.Time:
		writeString(b, formatTime(v, info.InternalType()))
	case duckdb.Interval:
		writeString(b, interval(v))
	case []byte:
		writeString(b, binaryText(v, info.InternalType()))
	case string:
		writeString(b, v)
	default:
		return encodeNested(b, v, info)
	}
	return nil
}

func encodeNested(b *bytes.Buffer, v any, info duckdb.TypeInfo) error {
	switch details := info.Details().(type) {
	case *duckdb.ListDetails:
		return encodeList(b, v, details.Child)
	case *duckdb.ArrayDetails:
		return encodeList(b, v, details.Child)
	case *duckdb.StructDetails:
		return encodeStruct(b, v, details)
	case *duckdb.MapDetails:
		return encodeMap(b, v, details)
	case *duckdb.UnionDetails:
		return encodeUnion(b, v, details)
	}
	if text, ok := v.(fmt.Stringer); ok {
		writeString(b, text.String())
		return nil
	}
	encoded, err := json.Marshal(v) // a JSON column
	if err != nil {
		return failure(datasets.ErrSQL, fmt.Sprintf("a value of the type %v cannot be shown; cast it to VARCHAR", info.InternalType()), "")
	}
	b.Write(encoded)
	return nil
}

func encodeList(b *bytes.Buffer, v any, child duckdb.TypeInfo) error {
	list, _ := v.([]any)
	b.WriteByte('[')
	for i, e := range list {
		if i > 0 {
			b.WriteByte(',')
		}
		if err := encode(b, e, child); err != nil {
			return err
		}
	}
	b.WriteByte(']')
	return nil
}

func encodeStruct(b *bytes.Buffer, v any, details *duckdb.StructDetails) error {
	members, _ := v.(map[string]any)
	b.WriteByte('{')
	for i, e := range details.Entries {
		if i > 0 {
			b.WriteByte(',')
		}
		writeString(b, e.Name())
		b.WriteByte(':')
		if err := encode(b, members[e.Name()], e.Info()); err != nil {
			return err
		}
	}
	b.WriteByte('}')
	return nil
}

// encodeMap writes a map as a list of its entries: keys need not be strings.
func encodeMap(b *bytes.Buffer, v any, details *duckdb.MapDetails) error {
	m, _ := v.(duckdb.OrderedMap)
	keys, values := m.Keys(), m.Values()
	b.WriteByte('[')
	for i := range keys {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(`{"key":`)
		if err := encode(b, keys[i], details.Key); err != nil {
			return err
		}
		b.WriteString(`,"value":`)
		if err := encode(b, values[i], details.Value); err != nil {
			return err
		}
		b.WriteByte('}')
	}
	b.WriteByte(']')
	return nil
}

func encodeUnion(b *bytes.Buffer, v any, details *duckdb.UnionDetails) error {
	u, _ := v.(duckdb.Union)
	for _, m := range details.Members {
		if m.Name == u.Tag {
			return encode(b, u.Value, m.Type)
		}
	}
	b.WriteString("null")
	return nil
}

func writeInteger(b *bytes.Buffer, digits string, safe bool) {
	if safe {
		b.WriteString(digits)
		return
	}
	b.WriteString(`"` + digits + `"`)
}

func writeFloat(b *bytes.Buffer, f float64, bits int) {
	switch {
	case math.IsNaN(f):
		b.WriteString(`"NaN"`)
	case math.IsInf(f, 1):
		b.WriteString(`"Infinity"`)
	case math.IsInf(f, -1):
		b.WriteString(`"-Infinity"`)
	default:
		b.WriteString(strconv.FormatFloat(f, 'g', -1, bits))
	}
}

func writeString(b *bytes.Buffer, s string) {
	encoded, _ := json.Marshal(s) // of a string it cannot fail
	b.Write(encoded)
}

// decimal writes all digits that the type has: 1.50 is not 1.5.
func decimal(d duckdb.Decimal) string {
	digits := new(big.Int).Abs(d.Value).String()
	sign := ""
	if d.Value.Sign() < 0 {
		sign = "-"
	}
	scale := int(d.Scale)
	if scale == 0 {
		return sign + digits
	}
	if missing := scale + 1 - len(digits); missing > 0 {
		digits = strings.Repeat("0", missing) + digits
	}
	return sign + digits[:len(digits)-scale] + "." + digits[len(digits)-scale:]
}

func formatTime(t time.Time, kind duckdb.Type) string {
	switch kind {
	case duckdb.TYPE_DATE:
		return t.UTC().Format("2006-01-02")
	case duckdb.TYPE_TIME:
		return t.UTC().Format("15:04:05.999999")
	case duckdb.TYPE_TIME_TZ:
		return t.Format("15:04:05.999999Z07:00")
	case duckdb.TYPE_TIMESTAMP_TZ:
		return t.UTC().Format("2006-01-02T15:04:05.999999Z")
	}
	return t.UTC().Format("2006-01-02T15:04:05.999999999")
}

// interval writes a duration of ISO 8601, whose parts do not carry over: a month is no
// number of days.
func interval(i duckdb.Interval) string {
	seconds := strconv.FormatFloat(float64(i.Micros)/1e6, 'f', -1, 64)
	return fmt.Sprintf("P%dM%dDT%sS", i.Months, i.Days, seconds)
}

func binaryText(v []byte, kind duckdb.Type) string {
	if kind == duckdb.TYPE_UUID && len(v) == 16 {
		return fmt.Sprintf("%x-%x-%x-%x-%x", v[:4], v[4:6], v[6:8], v[8:10], v[10:])
	}
	return base64.StdEncoding.EncodeToString(v)
}
