package check_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/check"
)

func TestCheckStorable(t *testing.T) {
	for _, raw := range []string{
		``, `{}`, `[1, -2.5e-300, 0, "1e999999", "\\u0000", "\ud83d\ude00", "a\"b"]`, strings.Repeat("9", 300), `"é"`,
	} {
		if err := check.Storable("the result", json.RawMessage(raw)); err != nil {
			t.Errorf("%.40s: %v", raw, err)
		}
	}
	for raw, rule := range map[string]string{
		`{"secret": `:                          "be JSON",
		"\"secret \xff\"":                      "be valid UTF-8",
		`"secret \u0000"`:                      `not contain \u0000`,
		`{"secret \ud800": 1}`:                 "not contain half of a surrogate pair",
		`["secret", 1e400]`:                    "not contain a number of 1e309",
		`["secret \"", -1e-99999999999999999]`: "not contain a number of 1e309",
		strings.Repeat("9", 400):               "not contain a number of 1e309",
		"0." + strings.Repeat("9", 20_000):     "not contain a number of 1e309",
	} {
		err := check.Storable("the result", json.RawMessage(raw))
		if kappa.ErrorCode(err) != kappa.CodeInvalid || !strings.HasPrefix(kappa.ErrorMessage(err), "the result must "+rule) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%.40s: %v, want %s", raw, err, rule)
		}
	}
}

func TestStorableText(t *testing.T) {
	for _, c := range []struct {
		text, want string
		most       int
	}{
		{"plain", "plain", 100},
		{"a\x00b\x00", "ab", 100},
		{"a\xffb", "a\uFFFDb", 100},
		{"åäö", "å", 3},
		{"\xff\xff\xff", "\uFFFD", 3},
		{"long", "", 0},
	} {
		if got := check.StorableText(c.text, c.most); got != c.want && got != c.want+"\uFFFD" || len(got) > c.most {
			t.Errorf("%q to %d: %q, want %q", c.text, c.most, got, c.want)
		}
	}
}
