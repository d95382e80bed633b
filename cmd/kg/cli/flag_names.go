package cli

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/cmd/kg/exit"
)

// inFlagsOf returns what is wrong with what a command was given, in the names of its flags.
// flags has the flag of each field that it is not called like; a field without a flag, such
// as an argument, keeps its name.
func inFlagsOf(cmd *cobra.Command, err error, flags map[string]string) error {
	if err == nil {
		return nil
	}
	invalid, ok := errors.AsType[*kappa.Error](err)
	if !ok || len(invalid.Fields) == 0 {
		return misused(err)
	}
	fields := slices.Clone(invalid.Fields)
	for i, f := range fields {
		if name := cmp.Or(flags[f.Name], strings.ReplaceAll(f.Name, "_", "-")); cmd.Flags().Lookup(name) != nil {
			fields[i].Name = "--" + name
		}
	}
	return exit.Usage("%w", kappa.Invalid(fields...))
}
