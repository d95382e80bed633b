package auth

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/trustelem/zxcvbn/frequency"
	"golang.org/x/text/unicode/norm"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
)

const (
	maxPassword  = 1024 // bytes
	leastKinds   = 5    // different characters
	mostAround   = 4    // characters around a common password that make it no better
	leastBesides = 6    // characters besides the name
)

// owner is whose password it will be.
type owner struct {
	username   string
	administer bool // accounts or rights
}

// checkPassword returns a CodeInvalid Error naming the rule that a new password
// breaks, without the password. Those that somebody who guesses tries first are refused:
// the 30,000 most common ones, the name of the account, and what little makes of them.
func checkPassword(password string, of owner) error {
	var rule string
	switch {
	case !utf8.ValidString(password):
		rule = "must be valid UTF-8"
	case utf8.RuneCountInString(password) < access.MinPassword:
		rule = fmt.Sprintf("must have at least %d characters", access.MinPassword)
	case len(password) > maxPassword:
		rule = fmt.Sprintf("must have at most %d bytes", maxPassword)
	case strings.TrimSpace(password) == "":
		rule = "must not be only white space"
	case of.administer && !access.LongPassword(password):
		rule = fmt.Sprintf("must have at least %d characters, since the account administers others", access.MinAdminPassword)
	case namedAfter(password, of.username):
		rule = "must not be the name of the account with little besides"
	case plain(password):
		rule = "must not be a row of characters or few different ones"
	case common(password):
		rule = "must not be one that many others use, nor one with little changed"
	default:
		return nil
	}
	return kappa.Invalid(kappa.FieldError{In: "body", Name: "password", Rule: rule})
}

// CheckAdminPassword returns the error that the first start of a server would give for the
// password of the account admin; see kappa.CodeInvalid.
func CheckAdminPassword(password string) error {
	return checkPassword(password, owner{access.AdminUsername, true})
}

// fold returns a password in the form in which variants of one are equal: without case and
// styles of letters.
func fold(password string) string { return strings.ToLower(norm.NFKC.String(password)) }

// unleet writes letters for the digits and signs that stand for them.
var unleet = strings.NewReplacer("0", "o", "1", "i", "3", "e", "4", "a", "5", "s", "7", "t", "8", "b", "9", "g", "@", "a", "$", "s", "!", "i", "+", "t", "|", "l")

// commonest are the 30,000 most common passwords of zxcvbn, in lower case.
var commonest = sync.OnceValue(func() map[string]bool {
	set := map[string]bool{}
	for _, p := range frequency.FrequencyLists["passwords"] {
		set[p] = true
	}
	return set
})

// common reports whether a password, or what is left without what people put around and
// into it to please a rule, is one of the most common ones.
func common(password string) bool {
	folded := fold(password)
	for _, whole := range []string{folded, unleet.Replace(folded)} {
		for _, p := range cores(whole) {
			for _, q := range []string{p, unleet.Replace(p), reversed(p), unit(p)} {
				if commonest()[q] {
					return true
				}
			}
		}
	}
	return false
}

// cores returns a password, and what is left of it without some digits and signs at its
// ends, at most mostAround.
func cores(password string) []string {
	list := []string{}
	runes := []rune(password)
	for before := 0; before <= mostAround; before++ {
		for behind := 0; before+behind <= mostAround && before+behind < len(runes); behind++ {
			inner := runes[before : len(runes)-behind]
			if !slices.ContainsFunc(runes[:before], unicode.IsLetter) && !slices.ContainsFunc(runes[len(runes)-behind:], unicode.IsLetter) {
				list = append(list, string(inner))
			}
		}
	}
	return list
}

// unit returns what a password repeats, or the password.
func unit(password string) string {
	for n := 1; n <= len(password)/2; n++ {
		if len(password)%n == 0 && strings.Repeat(password[:n], len(password)/n) == password {
			return password[:n]
		}
	}
	return password
}

func reversed(s string) string {
	runes := []rune(s)
	slices.Reverse(runes)
	return string(runes)
}

// plain reports whether a password has few different characters, or is a row as "abcdefghij".
func plain(password string) bool {
	runes := []rune(fold(password))
	kinds := map[rune]bool{}
	steps := map[rune]bool{}
	for i, r := range runes {
		kinds[r] = true
		if i > 0 {
			steps[r-runes[i-1]] = true
		}
	}
	return len(kinds) < leastKinds || len(steps) == 1
}

// namedAfter reports whether a password is a name, forwards or backwards, with little
// besides. The name of the program counts as one.
func namedAfter(password, username string) bool {
	folded := letters(fold(password))
	for _, name := range []string{username, "kappa"} {
		for _, n := range []string{letters(fold(name)), reversed(letters(fold(name)))} {
			if n == "" {
				continue
			}
			for _, p := range []string{folded, unleet.Replace(folded)} {
				if rest := strings.ReplaceAll(p, n, ""); rest != p && utf8.RuneCountInString(rest) < leastBesides {
					return true
				}
			}
		}
	}
	return false
}

// letters returns the letters and digits of s.
func letters(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, s)
}
