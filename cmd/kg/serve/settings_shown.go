package serve

import (
	"strings"

	"github.com/kappagraph/kappa/api"
)

// shownSettings says of every setting what is shown of it. from returns the value that a
// setting was given, and where.
func shownSettings(from func(name string) (value, source string)) []api.ServerSetting {
	var shown []api.ServerSetting
	for _, row := range new(Settings).table() {
		if row.tests {
			continue
		}
		value, source := from(row.name)
		s := api.ServerSetting{Name: row.name, Source: source, Default: row.def, Rule: row.rule, Help: row.help, Secret: row.hides(value)}
		if value != "" && !s.Secret {
			s.Value = &value
		}
		shown = append(shown, s)
	}
	return shown
}

// hides reports whether a value may be a secret, or have one in it though its setting asks for none:
// http://user:password@host.
func (row setting) hides(value string) bool {
	_, address, isURL := strings.Cut(value, "://")
	return row.secret || isURL && strings.Contains(address, "@")
}
