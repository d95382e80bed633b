package auth

import (
	"context"
	"strings"
	"unicode/utf8"

	"github.com/mtibben/confusables"
	"golang.org/x/text/unicode/norm"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
)

// checkUsername returns a CodeInvalid Error for a new name that breaks a rule: those of
// access.CheckUsername, and letters that are only styled.
func checkUsername(name string) error {
	if err := access.CheckUsername(name); err != nil {
		return err
	}
	if !norm.NFKC.IsNormalString(name) {
		return kappa.Invalid(kappa.FieldError{In: "body", Name: "username", Rule: "must be written in ordinary letters, without wide, styled or composed ones"})
	}
	return nil
}

// checkLookalikes returns a CodeConflict Error for a new name that looks like that of
// another account, in letters of another alphabet, as a Cyrillic ѕсоре like scope. Names in
// plain ASCII are compared as they are. except is the account that gets the name, 0 for a
// new one.
func (s *Accounts) checkLookalikes(ctx context.Context, name string, except int) error {
	ascii := isASCII(name)
	names, err := s.store.Usernames(ctx, ascii)
	if err != nil {
		return err
	}
	shape := shapeOf(name)
	for id, other := range names {
		if id != except && !strings.EqualFold(other, name) && shapeOf(other) == shape {
			return kappa.NewError(kappa.CodeConflict, "The username looks like that of another account; choose another one")
		}
	}
	return nil
}

// shapeOf returns a name in the form in which names that look alike are equal.
func shapeOf(name string) string {
	return strings.ToLower(confusables.Skeleton(strings.ToLower(name)))
}

func isASCII(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r >= utf8.RuneSelf })
}
