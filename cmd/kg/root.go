package main

import (
	"github.com/spf13/cobra"

	"github.com/kappagraph/kappa/cmd/kg/cli"
	"github.com/kappagraph/kappa/cmd/kg/demo"
	"github.com/kappagraph/kappa/cmd/kg/exit"
	"github.com/kappagraph/kappa/cmd/kg/reference"
	"github.com/kappagraph/kappa/cmd/kg/serve"
	"github.com/kappagraph/kappa/cmd/kg/setup"
	"github.com/kappagraph/kappa/cmd/kg/worker"
)

// newRootCommand lists the commands of kg. environ has the variables of the
// environment, as NAME=value.
func newRootCommand(a *cli.App, version string, environ []string) *cobra.Command {
	return a.Root(
		cli.Group{Title: "Documents, jobs and the graph:", Commands: []*cobra.Command{
			cli.NewIngestCommand(a),
			cli.NewSyncCommand(a),
			cli.NewJobsCommand(a),
			cli.NewAskCommand(a),
			cli.NewFindCommand(a),
			cli.NewSearchCommand(a),
			cli.NewConnectCommand(a),
			cli.NewGraphCommand(a),
			cli.NewConceptsCommand(a),
			cli.NewEdgesCommand(a),
			cli.NewPolarityCommand(a),
			cli.NewProjectionCommand(a),
			cli.NewArtifactsCommand(a),
			cli.NewQueriesCommand(a),
			cli.NewProgramsCommand(a),
			cli.NewOntologyCommand(a),
			cli.NewCatalogCommand(a),
			cli.NewDocumentCommand(a),
			cli.NewSourceCommand(a),
			cli.NewDataCommand(a),
			cli.NewVocabCommand(a),
			cli.NewMCPCommand(a),
			demo.NewCommand(a.Out, a.UserAgent()),
		}},
		cli.Group{Title: "The server:", Commands: []*cobra.Command{
			serve.NewCommand(version, environ, cli.ExamineServer),
			setup.NewCommand(setup.Config{
				In: a.In(), Out: a.Out(), Env: a.Env, Default: serve.SettingsPath(),
				Check: func(path, text string) error { return serve.CheckFile(path, text, environ) },
			}),
			worker.NewCommand(version, environ),
			cli.NewLoginCommand(a),
			cli.NewLogoutCommand(a),
			cli.NewAuthCommand(a),
			cli.NewHealthCommand(a),
			cli.NewDoctorCommand(a),
			cli.NewAdminCommand(a),
			cli.NewTopCommand(a),
			cli.NewDatabaseCommand(a),
			cli.NewEpochsCommand(a),
			cli.NewChangesCommand(a),
			cli.NewWebhooksCommand(a),
		}},
		cli.Group{Commands: []*cobra.Command{
			cli.NewVersionCommand(a),
			reference.NewCommand(version),
			exit.NewTopic(),
		}},
	)
}
