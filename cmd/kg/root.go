package main

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/kappagraph/kappa/cmd/kg/exit"
	"github.com/kappagraph/kappa/cmd/kg/serve"
)

// The groups of commands in the help.
const (
	groupWork   = "work"
	groupServer = "server"
)

// newRootCommand returns the command line of kg.
func newRootCommand(a *app) *cobra.Command {
	root := &cobra.Command{
		Use:   "kg",
		Short: "Turn documents into a knowledge graph, and ask it",
		Long: `Kappa turns documents into a queryable knowledge graph.

kg serve runs the server, kg demo shows the whole of it in a minute, and the
other commands talk to a running server.`,
		Version:       buildVersion(),
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE:          onlySubcommands,
		PersistentPreRunE: func(_ *cobra.Command, args []string) error {
			if slices.Contains(args, "") {
				return exit.Usage("an argument is empty, as of a variable that is not set")
			}
			if !slices.Contains(formats(), a.output) {
				return exit.Usage("--output must be one of table, json, jsonl, got %q", a.output)
			}
			a.started = true
			return nil
		},
	}
	root.SetVersionTemplate("kg {{.Version}}\n")
	flags := root.PersistentFlags()
	flags.StringVarP(&a.output, "output", "o", formatTable, "how to show the result: table, json (as the API sends it) or jsonl (an object a line)")
	flags.StringVar(&a.apiURL, "api-url", "", "address of the server (KG_API_URL; default http://127.0.0.1:8000)")
	flags.BoolVar(&a.noColor, "no-color", false, "no colours (NO_COLOR)")
	completeWith(root, "output", formats()...)

	root.AddGroup(&cobra.Group{ID: groupWork, Title: "Documents, jobs and the graph:"}, &cobra.Group{ID: groupServer, Title: "The server:"})
	addTo(root, groupWork, newIngestCommand(a), newJobsCommand(a), newSearchCommand(a), newOntologyCommand(a), newDemoCommand(a))
	addTo(root, groupServer, serve.NewCommand(buildVersion(), a.env), newLoginCommand(a), newLogoutCommand(a), newHealthCommand(a), newDoctorCommand(a), newAdminCommand(a), newDatabaseCommand(a))
	root.AddCommand(newVersionCommand(a), exit.NewTopic())
	return root
}

func addTo(parent *cobra.Command, group string, commands ...*cobra.Command) {
	for _, c := range commands {
		c.GroupID = group
		parent.AddCommand(c)
	}
}

// onlySubcommands is what a command does that is nothing without a subcommand:
// it shows its help, and refuses a word that is none.
func onlySubcommands(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return &exit.Error{Code: exit.Misused, Err: errUnknownCommand(cmd, args[0]), Hint: "see: " + cmd.CommandPath() + " --help"}
	}
	return cmd.Help()
}

// completeWith lets the shell complete a flag with words.
func completeWith(cmd *cobra.Command, flag string, words ...string) {
	// It fails for a flag that does not exist or is completed already.
	_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
}

// errUnknownCommand says that a word is none of a command's subcommands.
func errUnknownCommand(cmd *cobra.Command, word string) error {
	return fmt.Errorf("unknown command %q for %q", word, cmd.CommandPath())
}
