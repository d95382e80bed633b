//go:build cgo && linux

package main

import (
	"encoding/json"
	"testing"

	"github.com/kappagraph/kappa/internal/dataset/frame"
)

func newTestEngine(t *testing.T) *engine {
	t.Helper()
	e := &engine{memory: 1 << 30}
	if _, err := e.open(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if ready := <-e.next; ready.db != nil {
			ready.db.Close()
		}
	})
	return e
}

// values say how each type of DuckDB is written as JSON. docs/datasets.md shows the same.
var values = map[string]struct{ sql, json, kind string }{
	"a boolean":                   {"true", `true`, "BOOLEAN"},
	"a small integer":             {"42", `42`, "INTEGER"},
	"a tiny one":                  {"(-128)::TINYINT", `-128`, "TINYINT"},
	"an unsigned one":             {"4294967295::UINTEGER", `4294967295`, "UINTEGER"},
	"the last exact in a double":  {"9007199254740991", `9007199254740991`, "BIGINT"},
	"one beyond":                  {"9007199254740993", `"9007199254740993"`, "BIGINT"},
	"one far below":               {"(-9223372036854775807)::BIGINT", `"-9223372036854775807"`, "BIGINT"},
	"the largest unsigned":        {"18446744073709551615::UBIGINT", `"18446744073709551615"`, "UBIGINT"},
	"a huge integer":              {"170141183460469231731687303715884105727::HUGEINT", `"170141183460469231731687303715884105727"`, "HUGEINT"},
	"a small huge integer":        {"7::HUGEINT", `7`, "HUGEINT"},
	"a sum":                       {"sum(i) FROM range(4) t(i)", `6`, "HUGEINT"},
	"a count":                     {"count(*) FROM range(4)", `4`, "BIGINT"},
	"a decimal":                   {"1.50::DECIMAL(5,2)", `"1.50"`, "DECIMAL(5,2)"},
	"a negative decimal below 1":  {"(-0.05)::DECIMAL(5,2)", `"-0.05"`, "DECIMAL(5,2)"},
	"the decimal 0":               {"0::DECIMAL(38,10)", `"0.0000000000"`, "DECIMAL(38,10)"},
	"38 digits":                   {"12345678901234567890123456789012345.678::DECIMAL(38,3)", `"12345678901234567890123456789012345.678"`, "DECIMAL(38,3)"},
	"a decimal without fraction":  {"12::DECIMAL(5,0)", `"12"`, "DECIMAL(5,0)"},
	"a double":                    {"0.1::DOUBLE + 0.2::DOUBLE", `0.30000000000000004`, "DOUBLE"},
	"a float":                     {"0.1::FLOAT", `0.1`, "FLOAT"},
	"not a number":                {"'NaN'::DOUBLE", `"NaN"`, "DOUBLE"},
	"infinity":                    {"'-inf'::DOUBLE", `"-Infinity"`, "DOUBLE"},
	"a text":                      {"'a\"b\\c' || chr(10) || 'ü𝄞'", `"a\"b\\c\nü𝄞"`, "VARCHAR"},
	"an empty text":               {"''", `""`, "VARCHAR"},
	"NULL":                        {"NULL::VARCHAR", `null`, "VARCHAR"},
	"NULL of no type":             {"NULL", `null`, "INTEGER"},
	"bytes":                       {"'ab\\x00'::BLOB", `"YWIA"`, "BLOB"},
	"bits":                        {"'0101'::BIT", `"0101"`, "BIT"},
	"a UUID":                      {"'0123e4a0-0000-4000-8000-00000000000f'::UUID", `"0123e4a0-0000-4000-8000-00000000000f"`, "UUID"},
	"a date":                      {"DATE '2024-02-29'", `"2024-02-29"`, "DATE"},
	"a time":                      {"TIME '01:02:03.5'", `"01:02:03.5"`, "TIME"},
	"a timestamp":                 {"TIMESTAMP '2024-02-29 01:02:03.123456'", `"2024-02-29T01:02:03.123456"`, "TIMESTAMP"},
	"nanoseconds":                 {"TIMESTAMP_NS '2024-02-29 01:02:03.123456789'", `"2024-02-29T01:02:03.123456789"`, "TIMESTAMP_NS"},
	"a timestamp with a zone":     {"TIMESTAMPTZ '2024-02-29 01:02:03+02:00'", `"2024-02-28T23:02:03Z"`, "TIMESTAMPTZ"},
	"an interval":                 {"INTERVAL '14 months 3 days 1.5 seconds'", `"P14M3DT1.5S"`, "INTERVAL"},
	"an enum":                     {"'b'::ENUM('a', 'b')", `"b"`, "ENUM"},
	"a list":                      {"[1, NULL, 3]", `[1,null,3]`, "INTEGER[]"},
	"an empty list":               {"[]::INTEGER[]", `[]`, "INTEGER[]"},
	"a list that is NULL":         {"NULL::INTEGER[]", `null`, "INTEGER[]"},
	"an array":                    {"[1, 2]::INTEGER[2]", `[1,2]`, "INTEGER[2]"},
	"a struct keeps its order":    {"{'z': 1.5::DECIMAL(3,1), 'a': {'b': [9007199254740993]}}", `{"z":"1.5","a":{"b":["9007199254740993"]}}`, ""},
	"a map":                       {"MAP {2: 'b', 1: NULL}", `[{"key":2,"value":"b"},{"key":1,"value":null}]`, "MAP(INTEGER, VARCHAR)"},
	"a union":                     {"union_value(n := 1)", `1`, ""},
	"JSON":                        {`'{"b": [1, 2.5], "a": null}'::JSON`, `{"a":null,"b":[1,2.5]}`, "JSON"},
	"a date long ago":             {"DATE '0044-03-15'", `"0044-03-15"`, "DATE"},
	"a list of lists of structs":  {"[[{'x': DATE '2020-01-01'}]]", `[[{"x":"2020-01-01"}]]`, ""},
	"a timestamp before the year": {"TIMESTAMP '1969-12-31 23:59:59.5'", `"1969-12-31T23:59:59.5"`, "TIMESTAMP"},
}

func TestValues(t *testing.T) {
	e := newTestEngine(t)
	for name, v := range values {
		a := answerOf(t, e, frame.Request{Op: frame.OpQuery, SQL: "SELECT " + v.sql, Limit: 10})
		if a.Error != nil || len(a.Rows.Rows) != 1 {
			t.Errorf("%s: %+v", name, a.Error)
			continue
		}
		var row map[string]json.RawMessage
		if err := json.Unmarshal(a.Rows.Rows[0], &row); err != nil {
			t.Errorf("%s: %v in %s", name, err, a.Rows.Rows[0])
			continue
		}
		got, column := string(row[a.Rows.Columns[0].Name]), a.Rows.Columns[0]
		if got != v.json || v.kind != "" && column.Type != v.kind {
			t.Errorf("%s: got %s of the type %s, want %s of %s", name, got, column.Type, v.json, v.kind)
		}
	}
}

func TestRows(t *testing.T) {
	e := newTestEngine(t)
	t.Run("members stand in the order of the columns, and names are unique", func(t *testing.T) {
		a := answerOf(t, e, frame.Request{Op: frame.OpQuery, SQL: `SELECT 1 AS z, 2 AS a, 3 AS z, 4 AS "z_2", 5 AS "q""x"`, Limit: 10})
		if got := string(a.Rows.Rows[0]); got != `{"z":1,"a":2,"z_2":3,"z_2_2":4,"q\"x":5}` {
			t.Errorf("got %s", got)
		}
	})
	t.Run("rows are counted beyond the limit", func(t *testing.T) {
		a := answerOf(t, e, frame.Request{Op: frame.OpQuery, SQL: "SELECT i FROM range(5000) t(i)", Limit: 7})
		if len(a.Rows.Rows) != 7 || a.Rows.TotalRows != 5000 || !a.Rows.Truncated || string(a.Rows.Rows[6]) != `{"i":6}` {
			t.Errorf("got %d of %d rows", len(a.Rows.Rows), a.Rows.TotalRows)
		}
	})
	t.Run("no rows", func(t *testing.T) {
		a := answerOf(t, e, frame.Request{Op: frame.OpQuery, SQL: "SELECT 1 WHERE false", Limit: 7})
		if a.Error != nil || a.Rows.Rows == nil || a.Rows.TotalRows != 0 || a.Rows.Truncated {
			t.Errorf("got %+v", a)
		}
	})
}

// answerOf has an engine answer a request as a worker does.
func answerOf(t *testing.T, e *engine, r frame.Request) frame.Answer {
	t.Helper()
	if err := e.take(); err != nil {
		t.Fatal(err)
	}
	defer e.ahead()
	return e.answer(r)
}
