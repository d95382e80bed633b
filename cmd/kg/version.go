package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// buildVersion returns the version of this binary as Go stamped it: a tag, a
// commit, or "devel" when the build knew neither.
func buildVersion() string {
	build, ok := debug.ReadBuildInfo()
	if !ok || build.Main.Version == "" || build.Main.Version == "(devel)" {
		return "devel"
	}
	return build.Main.Version
}

// userAgent is how kg names itself to the server.
func userAgent() string { return "kg/" + buildVersion() }

func newVersionCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Show the version of kg",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			v := struct {
				Version string `json:"version"`
				Go      string `json:"go"`
				System  string `json:"system"`
			}{buildVersion(), runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH}
			return a.show(v, func() { fmt.Fprintf(a.out, "kg %s (%s, %s)\n", v.Version, v.Go, v.System) })
		},
	}
}
