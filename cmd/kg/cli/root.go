package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kappagraph/kappa/cmd/kg/exit"
)

// Group is some commands that stand together in the help.
type Group struct {
	Title    string // "" for those that stand below all others
	Commands []*cobra.Command
}

// Root returns the command line of kg with these commands, and with the flags that
// all of them share.
func (a *App) Root(groups ...Group) *cobra.Command {
	root := &cobra.Command{
		Use:   "kg",
		Short: "Turn documents into a knowledge graph, and ask it",
		Long: `Kappa turns documents into a queryable knowledge graph.

kg serve runs the server, kg demo shows the whole of it in a minute, and the
other commands talk to a running server.`,
		Version:       a.version,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.ArbitraryArgs,
		RunE:          onlySubcommands,
		PersistentPreRunE: func(cmd *cobra.Command, args []string) error {
			if slices.Contains(args, "") {
				return exit.Usage("an argument is empty, as of a variable that is not set")
			}
			if !slices.Contains(formats(), a.output) {
				return exit.Usage("--output must be one of %s, got %q", strings.Join(formats(), ", "), a.output)
			}
			a.started = true
			return nil
		},
	}
	flags := root.PersistentFlags()
	flags.StringVarP(&a.output, "output", "o", formatTable, "how to show the result: table, json (as the API sends it), jsonl (an object a line), yaml, csv, or name (what names each, a line)")
	flags.StringSliceVar(&a.columns, "columns", nil, "of a table or of csv: these members of the API's answer, with commas between; a.b is b of a")
	flags.StringVar(&a.apiURL, "api-url", "", "address of the server (KG_API_URL; default: the server of this machine)")
	flags.BoolVar(&a.noColor, "no-color", false, "no colours (NO_COLOR)")
	completeWith(root, "output", formats()...)
	for _, g := range groups {
		if g.Title != "" {
			root.AddGroup(&cobra.Group{ID: g.Title, Title: g.Title})
		}
		for _, c := range g.Commands {
			c.GroupID = g.Title
			root.AddCommand(c)
		}
	}
	return root
}

// onlySubcommands is what a command does that is nothing without a subcommand:
// it shows its help, and refuses a word that is none.
func onlySubcommands(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return &exit.Error{
			Code: exit.Misused, Err: fmt.Errorf("unknown command %q for %q", args[0], cmd.CommandPath()),
			Hint: unknownHint(cmd, args[0]),
		}
	}
	return cmd.Help()
}

// completeWith lets the shell complete a flag with words.
func completeWith(cmd *cobra.Command, flag string, words ...string) {
	// It fails for a flag that does not exist or is completed already.
	_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
}
