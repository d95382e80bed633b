package access_test

import (
	"strings"
	"testing"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
)

func TestCheckUsername(t *testing.T) {
	for name, rule := range map[string]string{
		"ada": "", "Ada Lovelace": "", "ada.lovelace@example.com": "", "zoë": "", "Łukasz-2": "", "адмін": "", "Ελένη": "", "田中さん": "",
		"田中 Tanaka": "", "김철수 kim": "", "عمر_7": "", "日本語カタカナ": "",
		"аdmin":       "one script", // a Cyrillic а
		"admіn":       "one script", // a Cyrillic і
		"αdmin":       "one script", // a Greek α
		"ада-da":      "one script",
		"admin\u200b": "control", "ad\u202emin": "control", "ad": "at least 3", " ada": "space", strings.Repeat("a", 101): "at most 100",
		"한かな": "one script",
	} {
		err := access.CheckUsername(name)
		if rule == "" && err != nil || rule != "" && (kappa.ErrorCode(err) != kappa.CodeInvalid || !strings.Contains(err.Error(), rule)) {
			t.Errorf("%q: %v, want %q", name, err, rule)
		}
	}
}
