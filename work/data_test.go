package work_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/work"
)

// checkData returns what the submission of a job says about its data.
func checkData(data string) error {
	return work.NewJob{Type: "noop", Queue: "default", Data: json.RawMessage(data)}.Validate()
}

func TestJobData(t *testing.T) {
	repeat := func(before, part, after string, n int) string {
		return before + strings.TrimSuffix(strings.Repeat(part, n), ",") + after
	}
	for data, rule := range map[string]string{
		``: "", `null`: "", `"text"`: "", `-1.5E+3`: "", `{}`: "", `[]`: "", ` { "a" : [ 1 , true , null ] } `: "",
		`{"a":"\\u0000 \" \/ \b \ud83d\ude00 \uFFFD ` + "\ufffd" + `"}`: "",
		repeat("", "[", "", 64) + repeat("", "]", "", 64):               "",
		repeat("[", "1,", "]", 19_999):                                  "",
		strconv.FormatFloat(math.MaxFloat64, 'f', -1, 64):               "",
		strconv.FormatFloat(-math.MaxFloat64, 'f', 6, 64):               "data: must have at most 64 significant digits",
		strconv.FormatFloat(math.SmallestNonzeroFloat64, 'f', -1, 64):   "",
		repeat("", "9", "", 64):                                         "",
		"0." + repeat("", "0", "", 300) + "9":                           "",

		`{"a":`:                          "data: must be JSON",
		`{"a":"\u0000"}`:                 `data.a: must not contain \u0000`,
		`{"a":[1,"x\ud800"]}`:            "data.a[1]: must not contain half of a surrogate pair",
		`["\ud800\u0041"]`:               "data[0]: must not contain half of a surrogate pair",
		`["\ud800\\udc00"]`:              "data[0]: must not contain half of a surrogate pair",
		`["\udc00\ud800"]`:               "data[0]: must not contain half of a surrogate pair",
		`[{},{"x":{"\udead":1}}]`:        "data[1].x: must not have a member with such a name: it must not contain half of a surrogate pair",
		"{\"a\":[\"\xff\"]}":             "data.a[0]: must be valid UTF-8",
		"{\"\xff\":1}":                   "data: must not have a member with such a name: it must be valid UTF-8",
		`{"a b":{"ok":1e309}}`:           `data."a b".ok: must be from 1e-324 to below 1e309 in size, got "1e309"`,
		`{"a":1,"b":[0,[1e-325]]}`:       "data.b[1][0]: must be from 1e-324",
		`[0e999999]`:                     "data[0]: must be from 1e-324",
		`[1e99999999999999999999]`:       "data[0]: must be from 1e-324",
		`[-1e-16383]`:                    "data[0]: must be from 1e-324",
		repeat("[0.", "0", "]", 520):     "data[0]: must be a number of at most 512 characters, got 522",
		repeat("[", "9", "]", 65):        "data[0]: must have at most 64 significant digits, got 65",
		repeat("[", "1e308,", "]", 1000): "data: must be at most 262144 bytes with its numbers written without exponents",
		repeat("[", "1,", "]", 20_000):   "data: must hold at most 20000 values",
		repeat("", "[", "", 65) + repeat("", "]", "", 65): "data: must be nested at most 64 deep",
		`"` + repeat("", "a", "", 70_000) + `"`:           "data: must be at most 65536 bytes of JSON, got 70002",
	} {
		err := checkData(data)
		if rule == "" && err != nil || rule != "" && !strings.HasPrefix(kappa.ErrorMessage(err), rule) {
			t.Errorf("%.80s: got %v, want %q", data, err, rule)
		}
	}
}

// FuzzJobDataTakesEveryNumber writes numbers as programs do.
func FuzzJobDataTakesEveryNumber(f *testing.F) {
	f.Add(math.MaxFloat64, int64(math.MinInt64))
	f.Add(math.SmallestNonzeroFloat64, int64(math.MaxInt64))
	f.Add(math.Copysign(0, -1), int64(0))
	f.Fuzz(func(t *testing.T, v float64, n int64) {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return
		}
		encoded, err := json.Marshal([]any{v, n, uint64(n), float32(v / math.MaxFloat64)})
		if err != nil {
			t.Fatal(err)
		}
		for _, data := range []string{string(encoded), fmt.Sprintf("[%g,%e,%.17g,%s,%d]", v, v, v, strconv.FormatFloat(v, 'f', -1, 64), n)} {
			if err := checkData(data); err != nil {
				t.Errorf("%s: %v", data, err)
			}
		}
	})
}

// FuzzJobData reads data that was accepted in another way, and finds nothing in it
// that breaks a rule.
func FuzzJobData(f *testing.F) {
	for _, data := range []string{`{"a":[1,-2.5e-3,"\ud83d\ude00\\",{"b":null}],"":{}}`, `["\ud800"]`, `[0e0,1e308,"\u0000"]`, `[[[]]]`, `"\"\\\/"`, "\"\xff\"", `1e-16383`} {
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data string) {
		if checkData(data) != nil || data == "" {
			return
		}
		if !json.Valid([]byte(data)) || !utf8.ValidString(data) {
			t.Fatalf("accepted %q", data)
		}
		dec := json.NewDecoder(strings.NewReader(data))
		dec.UseNumber()
		written, depth, values := len(data), 0, 0
		for {
			token, err := dec.Token()
			if err != nil {
				break
			}
			values++
			switch token := token.(type) {
			case json.Delim:
				depth += map[json.Delim]int{'[': 1, '{': 1, ']': -1, '}': -1}[token]
			case json.Number:
				written += len(writtenOut(t, token.String())) - len(token)
			case string:
				if strings.ContainsRune(token, 0) {
					t.Errorf("accepted a NUL in %q", data)
				}
			}
			if depth > 64 {
				t.Fatalf("accepted a depth of %d", depth)
			}
		}
		if written > 4*65536 || values > 3*20_000 {
			t.Errorf("accepted %d values that take %d bytes", values, written)
		}
		if hasHalfPair(data) {
			t.Errorf("accepted half of a surrogate pair in %q", data)
		}
	})
}

// writtenOut returns a number without an exponent.
func writtenOut(t *testing.T, number string) string {
	t.Helper()
	mantissa, exponent, _ := strings.Cut(strings.ToLower(number), "e")
	_, fraction, _ := strings.Cut(mantissa, ".")
	shift, err := strconv.Atoi(exponent)
	if exponent != "" && (err != nil || shift < -1000 || shift > 1000) {
		t.Fatalf("accepted %s", number)
	}
	r, ok := new(big.Rat).SetString(number)
	if !ok {
		t.Fatalf("accepted %s", number)
	}
	return r.FloatString(max(0, len(fraction)-shift))
}

var (
	otherEscape   = regexp.MustCompile(`\\[^u]`)
	surrogatePair = regexp.MustCompile(`(?i)\\ud[89ab]..\\ud[c-f]..`)
	surrogate     = regexp.MustCompile(`(?i)\\ud[89a-f]..`)
)

// hasHalfPair reports whether an escape in data stands for half of a surrogate pair.
func hasHalfPair(data string) bool {
	data = otherEscape.ReplaceAllLiteralString(data, "x")
	return surrogate.MatchString(surrogatePair.ReplaceAllLiteralString(data, "x"))
}
