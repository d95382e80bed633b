package cli

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"
)

// NewVersionCommand is kg version.
func NewVersionCommand(a *App) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Show the version of kg",
		Example: `  kg version
  kg version -o json`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			v := struct {
				Version string `json:"version"`
				Go      string `json:"go"`
				System  string `json:"system"`
			}{a.version, runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH}
			return a.show(v, func() { fmt.Fprintf(a.out, "kg %s (%s, %s)\n", v.Version, v.Go, v.System) })
		},
	}
}
