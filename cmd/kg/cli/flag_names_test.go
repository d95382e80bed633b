package cli

import (
	"strings"
	"testing"

	"github.com/kappagraph/kappa/cmd/kg/exit"
)

// TestRulesNameFlags gives commands of kg admin what they do not take: what is said names the
// flags, and no field of the API.
func TestRulesNameFlags(t *testing.T) {
	f := newFakeAPI(t)
	for _, tt := range []struct {
		line string
		says []string
	}{
		{"admin limit set --user alice --running 0 --reason x", []string{"--running: must be at least 1, got 0"}},
		{"admin limit set --user alice --per-second 0 --reason=", []string{"--per-second: must be", "--reason: must not be empty"}},
		{"admin limit set --user= --running 1 --reason x", []string{"--user: must be there"}},
		{"admin limit set --each data --running 1 --reason x", []string{"--each: must not be empty"}},
		{"admin limit set --each what --running 1 --reason x", []string{"--each: must be one of type"}},
		{"admin pause --type= --reason x", []string{"--type: must not be empty"}},
		{"admin pause --all --reason=", []string{"--reason: must not be empty"}},
		{"admin drain --reason=", []string{"--reason: must not be empty"}},
		{"admin types set noop --max-retries 101 --deadline 1ms", []string{"--max-retries: must be at most 100", "--deadline: must be at least 1000, got 1, in milliseconds"}},
		{"admin types set noop --backoff-first 0s --backoff-factor 0", []string{"--backoff-first: must be at least 1", "--backoff-factor: must be"}},
		{"admin types set noop", []string{"nothing to change"}},
		{"admin workers stats --since 48h", []string{"--since: must be a duration"}},
		{"admin workers lanes set interactive --poll-interval-ms 0", []string{"--poll-interval-ms: must be"}},
		{"admin audit --limit 0 --before-id -1", []string{"--limit: must be", "--before-id: must not"}},
		{"admin user list --limit 0", []string{"--limit: must be"}},
		{"admin storage list --limit 0", []string{"--limit: must be"}},
		{"admin groups grant readers ontology letters --access what", []string{"--access: must be one of"}},
		{"admin groups create Readers", []string{"group_name: must be"}},
	} {
		c := f.console(t)
		c.run(t.Context(), strings.Fields(tt.line)...)
		for _, says := range tt.says {
			if c.code != exit.Misused || !strings.Contains(c.err, says) {
				t.Errorf("kg %s: code %d, %q does not say %q", tt.line, c.code, c.err, says)
			}
		}
	}
}
