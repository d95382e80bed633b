package access_test

import (
	"fmt"

	"github.com/kappagraph/kappa/access"
)

// A contributor sees the own jobs and not those of others, whatever the token allows.
func ExamplePrincipal_PermitRow() {
	p := access.Principal{User: access.User{ID: 7, Role: access.RoleContributor}, Scopes: []string{access.ScopeRead}}
	fmt.Println(p.PermitRow(access.JobsRead, access.Row{Owner: 7}) == nil)
	fmt.Println(p.PermitRow(access.JobsRead, access.Row{Owner: 8}) == nil)
	// Output:
	// true
	// false
}

func ExampleCheckUsername() {
	fmt.Println(access.CheckUsername("ada"))
	fmt.Println(access.CheckUsername("ad\u0430") != nil) // its last letter is Cyrillic
	// Output:
	// <nil>
	// true
}
