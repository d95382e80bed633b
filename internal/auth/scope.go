package auth

import (
	"slices"
	"strings"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
)

// defaultScopes is what a client gets that asks for none.
const defaultScopes = access.ScopeRead + " " + access.ScopeWrite

// parseScopes splits scopes at white space, without doubles. It returns a
// CodeMalformed Error for one that does not exist.
func parseScopes(text string) ([]string, error) {
	scopes := []string{}
	for scope := range strings.FieldsSeq(text) {
		if scope != access.ScopeRead && scope != access.ScopeWrite && scope != access.ScopeAdmin {
			return nil, kappa.NewError(kappa.CodeMalformed, "Invalid scopes requested. Allowed: read:*, write:*, admin:*")
		}
		if !slices.Contains(scopes, scope) {
			scopes = append(scopes, scope)
		}
	}
	return scopes, nil
}

// clientScopes is parseScopes with the default for a client.
func clientScopes(text string) ([]string, error) {
	if strings.TrimSpace(text) == "" {
		text = defaultScopes
	}
	return parseScopes(text)
}

// within reports whether every one of scopes is in granted.
func within(scopes, granted []string) bool {
	return !slices.ContainsFunc(scopes, func(s string) bool { return !slices.Contains(granted, s) })
}
