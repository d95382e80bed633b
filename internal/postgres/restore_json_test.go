package postgres

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"strings"
	"testing"
)

// TestRowEncoder encodes rows as the manual of COPY says.
func TestRowEncoder(t *testing.T) {
	t.Parallel()
	encode := func(kind, value string) (string, error) {
		b, err := newRowEncoder([]stagedField{newStagedField("f", kind)}).appendRow(nil, []byte(`{"other":[{"f":"]}"}], "f" : `+value+`}`))
		return hex.EncodeToString(bytes.TrimPrefix(b, []byte{0, 1})), err
	}
	for _, tt := range []struct{ kind, value, want string }{
		{"boolean", "true", "0000000101"},
		{"boolean", "null", "ffffffff"},
		{"smallint", "-2", "00000002fffe"},
		{"integer", "258", "0000000400000102"},
		{"bigint", "-1", "00000008ffffffffffffffff"},
		{"real", "1.5", "000000043fc00000"},
		{"real", "3", "0000000440400000"},
		{"real", `"NaN"`, "000000047fc00000"},
		{"double precision", "-2", "00000008c000000000000000"},
		{"text", `"a\\\"\u00e9"`, "00000005" + hex.EncodeToString([]byte(`a\"é`))},
		{"text", `""`, "00000000"},
		{"text[]", `[]`, "0000000c" + "00000000" + "00000000" + "00000019"},
		{"text[]", `["a,]", "b"]`, "00000020" + "00000001" + "00000000" + "00000019" + "00000002" + "00000001" + "00000003612c5d" + "0000000162"},
		{"real[]", `[0,-0.5]`, "00000024" + "00000001" + "00000000" + "000002bc" + "00000002" + "00000001" + "0000000400000000" + "00000004bf000000"},
		{"bit(12)", `"101000000001"`, "00000006" + "0000000c" + "a010"},
		{kindBase64, `"YWJj\nZA=="`, "00000004" + "61626364"},
		{kindBase64, `"YWJ\njZA=\u003d"`, "00000004" + "61626364"},
		{"timestamp with time zone", `"2026-01-31T08:00:00+00:00"`, "00000019" + hex.EncodeToString([]byte("2026-01-31T08:00:00+00:00"))},
		{"jsonb", `{"a": "b"}`, "0000000a" + hex.EncodeToString([]byte(`{"a": "b"}`))},
	} {
		if got, err := encode(tt.kind, tt.value); err != nil || got != tt.want {
			t.Errorf("%s %s: %s, want %s; err %v", tt.kind, tt.value, got, tt.want, err)
		}
	}
	for kind, value := range map[string]string{"boolean": "1", "smallint": "40000", "integer": `"x"`, "real": "[1]", "real[]": "[1,null]", "text[]": `{"a":1}`, "bit(3)": `"102"`, kindBase64: `"*"`} {
		if got, err := encode(kind, value); err == nil {
			t.Errorf("%s %s: %s, want an error", kind, value, got)
		}
	}
}

// FuzzMembers has members say what encoding/json says of an object, and encodes whatever
// it is given without a panic.
func FuzzMembers(f *testing.F) {
	for _, s := range []string{`{}`, ` { "a" : 1 , "b":[1,{"c":"]"}] }`, `{"a":"\\","b":"\"}"}`, `[]`, `{"a"`, `{"a":}`, `{"a":1,}`, `{"a":[1,2,null],"b":{}}`, `"`, `{"\\":1}`} {
		f.Add([]byte(s))
	}
	kinds := strings.Split("boolean smallint integer bigint real text real[] text[] bit(3) base64 jsonb", " ")
	f.Fuzz(func(t *testing.T, row []byte) {
		for _, kind := range kinds {
			_, _ = newRowEncoder([]stagedField{newStagedField("a", kind)}).appendRow(nil, row)
		}
		var want map[string]json.RawMessage
		if json.Unmarshal(row, &want) != nil || want == nil {
			return
		}
		got := map[string]string{}
		if err := members(row, func(name, value []byte) error {
			var s string
			if err := json.Unmarshal([]byte(`"`+string(name)+`"`), &s); err != nil {
				return err
			}
			got[s] = string(value)
			return nil
		}); err != nil {
			t.Fatalf("%s: %v", row, err)
		}
		if len(got) != len(want) {
			t.Fatalf("%s has %d members, want %d", row, len(got), len(want))
		}
		for name, value := range want {
			if got[name] != string(bytes.TrimSpace(value)) {
				t.Fatalf("%s: %s is %s, want %s", row, name, got[name], value)
			}
		}
	})
}
