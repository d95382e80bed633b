package serve

import (
	"slices"
	"strings"

	"github.com/kappagraph/kappa/knowledge/naming"
)

// otherVariables are those of the environment that begin with KG_ and are not for
// kg serve. Those of tests begin with KG_TEST_.
var otherVariables = []string{"KG_API_URL", "KG_CA_FILE", "KG_CLIENT_ID", "KG_CLIENT_SECRET", "KG_ONTOLOGY"}

// unknownSetting is a name that looks like a setting and is none.
type unknownSetting struct {
	name    string
	nearest string // the setting that was probably meant; "" when none is near
}

// unknownVariables returns the variables of the environment, as NAME=value, that
// begin with KG_ and mean nothing.
func unknownVariables(environ []string, known []string) []unknownSetting {
	var found []unknownSetting
	for _, variable := range environ {
		name, _, _ := strings.Cut(variable, "=")
		if !strings.HasPrefix(name, "KG_") || strings.HasPrefix(name, "KG_TEST_") || slices.Contains(known, name) || slices.Contains(otherVariables, name) {
			continue
		}
		found = append(found, unknownSetting{name, nearest(name, append(slices.Clone(known), otherVariables...))})
	}
	return found
}

// nearest returns the name that differs least from a misspelt one, "" when it
// differs in more than half of its letters.
func nearest(name string, known []string) string {
	best, least := "", len(name)/2+1
	for _, k := range known {
		if d := naming.EditDistance(name, k); d < least {
			best, least = k, d
		}
	}
	return best
}
