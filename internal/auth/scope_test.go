package auth

import (
	"testing"

	"github.com/kappagraph/kappa"
)

func TestAllows(t *testing.T) {
	for _, c := range []struct {
		scopes                    []string
		read, view, status, write bool
	}{
		{nil, false, false, false, false},
		{[]string{"other"}, false, false, false, false},
		{[]string{"read:*"}, true, true, true, false},
		{[]string{"write:*"}, true, true, true, true},
		{[]string{"admin:*"}, true, true, true, true},
		{[]string{"read:*", "write:*"}, true, true, true, true},
	} {
		p := kappa.Principal{Scopes: c.scopes}
		for action, want := range map[string]bool{
			"read": c.read, "view": c.view, "status": c.status,
			"write": c.write, "create": c.write, "approve": c.write, "manage": c.write, "": c.write,
		} {
			if got := Allows(p, action); got != want {
				t.Errorf("%v allows %q: %v, want %v", c.scopes, action, got, want)
			}
		}
	}
}
