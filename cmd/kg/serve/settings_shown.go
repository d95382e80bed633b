package serve

import (
	"slices"
	"strings"

	"github.com/kappagraph/kappa/api"
)

// secretSettings are those that may hold a secret, besides those that say so themselves: keys,
// passwords, and addresses that may have a password in them.
var secretSettings = []string{
	"DATABASE_URL", "KG_ADMIN_PASSWORD", "KG_NATS_URL", "OPENAI_API_KEY", "ANTHROPIC_API_KEY", "RERANK_API_KEY", "KG_WORKER_SECRET", "KG_WORKER_SECRET_OLD", "KG_RUN_KEY",
}

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

// hides reports whether a value may be a secret, or have one in it: http://user:password@host.
func (row setting) hides(value string) bool {
	_, address, isURL := strings.Cut(value, "://")
	return row.secret || slices.Contains(secretSettings, row.name) || isURL && strings.Contains(address, "@")
}
