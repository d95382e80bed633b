package check_test

import (
	"strings"
	"testing"

	"github.com/kappagraph/kappa/internal/check"
)

func TestPhrase(t *testing.T) {
	for text, want := range map[string]string{
		"what is a lane?":                  "",
		"in welcher \u200b\u200bSportart?": "", // copied from a page
		"می\u200cخواهم":                    "", // Persian joins no letters there
		"\u202bمتى\u202c":                  "", // marks of direction
		"first line\nsecond\tline":         "",
		"":                                 "must not be empty",
		" \u200b\u200e\n":                  "must not be empty",
		"a\x00b":                           "must not contain control characters",
		"a\ufffdb":                         "must not contain control characters", // what was not UTF-8 on its way
		"a\xffb":                           "must be valid UTF-8",
		"much too long":                    "must have at most 12 characters, got 13",
	} {
		most := 40
		if strings.Contains(want, "12") {
			most = 12
		}
		if got := check.Phrase(text, most); want == "" && got != "" || !strings.HasPrefix(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
