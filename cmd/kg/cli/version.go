package cli

import (
	"context"
	"fmt"
	"os/exec"
	"regexp"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

// Build says what a binary is.
type Build struct {
	Version     string // a version, a tag or a commit; "devel" when the build knew none
	Commit      string // "" when the build did not know it
	Date        string // of the commit, in UTC, as RFC 3339 has it; "" likewise
	Go          string // the version of Go
	System      string // as linux/amd64
	Schema      int64  // the newest migration that it brings
	DataProgram string // path of the kg-data beside it; "" where there is none
}

// dataVersionTime bounds how long kg-data may take to say its version.
const dataVersionTime = 5 * time.Second

var versionForm = regexp.MustCompile(`^v[0-9][0-9A-Za-z.-]*$`)

// NewVersionCommand is kg version.
func NewVersionCommand(a *App) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Show the version of kg",
		Long: "Show the version of kg, the commit that it was built from and its date, the version of Go, the\n" +
			"newest migration of the schema that it brings, and the version of DuckDB in the kg-data beside it.\n" +
			"A server may be of another version: kg doctor compares them.",
		Example: `  kg version
  kg version -o json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			v := struct {
				Version string `json:"version"`
				Commit  string `json:"commit,omitempty"`
				Date    string `json:"date,omitempty"`
				Go      string `json:"go"`
				System  string `json:"system"`
				Schema  int64  `json:"schema"`
				DuckDB  string `json:"duckdb,omitempty"`
			}{
				a.version, a.build.Commit, a.build.Date, a.build.Go, a.build.System, a.build.Schema,
				versionOfDuckDB(cmd.Context(), a.build.DataProgram),
			}
			return a.show(v, func() {
				fmt.Fprintf(a.out, "kg %s (%s, %s)\n", v.Version, v.Go, v.System)
				for _, line := range []struct{ name, value string }{
					{"commit", strings.TrimSpace(v.Commit + " " + v.Date)}, {"schema", fmt.Sprint(v.Schema)}, {"DuckDB", v.DuckDB},
				} {
					if line.value != "" {
						fmt.Fprintf(a.out, "%s %s\n", line.name, line.value)
					}
				}
			})
		},
	}
}

// versionOfDuckDB asks a kg-data for the version of the DuckDB in it. It is "" without
// one, and from one that does not say.
func versionOfDuckDB(ctx context.Context, program string) string {
	if program == "" {
		return ""
	}
	ctx, cancel := context.WithTimeout(ctx, dataVersionTime)
	defer cancel()
	out, err := exec.CommandContext(ctx, program, "version").Output()
	if said := strings.TrimSpace(string(out)); err == nil && versionForm.MatchString(said) {
		return said
	}
	return ""
}
