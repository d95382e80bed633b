package main

import (
	"cmp"
	"runtime"
	"runtime/debug"

	"github.com/kappagraph/kappa/cmd/kg/cli"
	"github.com/kappagraph/kappa/cmd/kg/local"
	"github.com/kappagraph/kappa/migrations"
)

// What make release stamps into a program, by -ldflags -X: the linker sets variables only.
var stampedVersion, stampedCommit, stampedDate string

// build says what this binary is: what a release stamped into it, else what Go did.
// Its version is then a tag, a commit, or "devel" when the build knew neither.
func build() cli.Build {
	is := cli.Build{
		Version: stampedVersion, Commit: stampedCommit, Date: stampedDate,
		Go: runtime.Version(), System: runtime.GOOS + "/" + runtime.GOARCH,
		Schema: migrations.Version(), DataProgram: local.DataProgram(),
	}
	made, ok := debug.ReadBuildInfo()
	if !ok {
		is.Version = cmp.Or(is.Version, "devel")
		return is
	}
	for _, s := range made.Settings {
		switch s.Key {
		case "vcs.revision":
			is.Commit = cmp.Or(is.Commit, s.Value)
		case "vcs.time":
			is.Date = cmp.Or(is.Date, s.Value)
		}
	}
	if made.Main.Version != "(devel)" {
		is.Version = cmp.Or(is.Version, made.Main.Version)
	}
	is.Version = cmp.Or(is.Version, "devel")
	return is
}
