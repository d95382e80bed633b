package access

import (
	"slices"
	"testing"

	"github.com/kappagraph/kappa"
)

// TestWithinSome wants a question to be answered within what may be read, and within nothing
// else.
func TestWithinSome(t *testing.T) {
	granted := func(names ...string) Principal {
		var rows RowSet
		for _, n := range names {
			rows.Filters = append(rows.Filters, RowFilter{"ontology": n})
		}
		return Principal{Scopes: []string{ScopeRead}, Grants: map[Permission]Reach{}, Rows: map[Permission]RowSet{GraphRead: rows}}
	}
	all := Principal{Scopes: []string{ScopeRead}, Grants: map[Permission]Reach{GraphRead: ReachAll}}
	for name, c := range map[string]struct {
		who         Principal
		asked, want []string
		code        kappa.Code
	}{
		"all of all":                  {who: all},
		"some of all":                 {who: all, asked: []string{"a", "z"}, want: []string{"a", "z"}},
		"all of two":                  {who: granted("b", "a"), want: []string{"a", "b"}},
		"one of two":                  {who: granted("b", "a"), asked: []string{"b"}, want: []string{"b"}},
		"one of two, and another one": {who: granted("b", "a"), asked: []string{"b", "c"}, code: kappa.CodeNotFound},
		"nothing":                     {who: granted(), asked: []string{"b"}, code: kappa.CodeForbidden},
		"all of nothing":              {who: granted(), code: kappa.CodeForbidden},
	} {
		got, err := c.who.WithinSome(GraphRead, c.asked)
		if !slices.Equal(got, c.want) || c.code != "" && kappa.ErrorCode(err) != c.code || c.code == "" && err != nil {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}
