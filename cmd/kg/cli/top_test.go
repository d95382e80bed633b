package cli

import (
	"strings"
	"testing"

	"github.com/kappagraph/kappa/cmd/kg/exit"
)

// TestTopRefuses has what kg top does not do: it asks no server then.
func TestTopRefuses(t *testing.T) {
	for line, want := range map[string]string{
		"top":            "needs a terminal",
		"top --sort age": `"age" is none of status, oldest`,
		"top job_1":      "job_1",
	} {
		c := newConsole(t).run(t.Context(), strings.Fields(line)...)
		if c.code != exit.Misused || !strings.Contains(c.err, want) || c.out != "" {
			t.Errorf("%s: code %d, %q and %q, want %q", line, c.code, c.out, c.err, want)
		}
	}
}
