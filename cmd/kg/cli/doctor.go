package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kappagraph/kappa/api"
	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/cmd/kg/exit"
	"github.com/kappagraph/kappa/cmd/kg/local"
	"github.com/kappagraph/kappa/cmd/kg/show"
)

// The levels of a finding.
const (
	levelOK   = api.LevelOK
	levelWarn = api.LevelWarn
	levelFail = api.LevelFail
)

type finding = api.Finding

// NewDoctorCommand returns kg doctor, which checks this machine, the server and its lanes.
func NewDoctorCommand(a *App) *cobra.Command {
	var deep, repair bool
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check this machine, the server and its lanes, and say what to do",
		Long: `Check what Kappa needs: PostgreSQL, a server that can be reached, a login that
works, the version of its database, lanes that claim every job type, a queue that moves, providers of models that
answer, clocks that agree and versions that match. The exit code is 1 when a check fails; a warning is none.

With --deep every rule of the graph is checked as well, over all of it: that everything has
evidence which is there, as sure as it says, at the offsets and of the bytes that it says.
The server goes on working meanwhile, and nothing is changed. With --repair what breaks a
rule is repaired where that is safe; each finding says what its repair does.`,
		Example: "  kg doctor\n  kg doctor --deep\n  kg doctor --deep --repair",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if repair && !deep {
				return exit.Usage("--repair needs --deep: it repairs what that finds")
			}
			findings := a.examine(cmd.Context(), deep, repair)
			if err := a.showFindings(findings); err != nil {
				return err
			}
			failed := 0
			for _, f := range findings {
				if f.Level == levelFail {
					failed++
				}
			}
			if failed > 0 {
				return &exit.Error{Code: exit.Failed, Err: errors.New(show.Counted(failed, "check") + " failed")}
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&deep, "deep", false, "also check every rule of the graph, over all of it")
	cmd.Flags().BoolVar(&repair, "repair", false, "with --deep: repair what is safe to repair")
	return cmd
}

// examine runs the checks. Those that need a server are left out when there is
// none, and those that need a login when that does not work.
func (a *App) examine(ctx context.Context, deep, repair bool) []finding {
	to, err := a.connection()
	if errors.Is(err, local.ErrNoServer) {
		none := finding{Check: "server", Level: levelFail, Found: err.Error(), Remedy: "start it with: kg serve, or set KG_API_URL"}
		return []finding{a.checkPostgres(ctx, false), a.checkConfigFile(), none}
	}
	var c *client.Client
	if err == nil {
		c, err = a.clientFor(to)
	}
	if err != nil {
		return []finding{{Check: "configuration", Level: levelFail, Found: err.Error()}}
	}
	defer c.Close()
	server, reached := a.checkServer(ctx, c, to)
	findings := []finding{a.checkPostgres(ctx, reached), a.checkConfigFile()}
	findings = append(findings, server...)
	if !reached {
		return findings
	}
	login, works := checkLogin(ctx, c, to)
	findings = append(findings, login)
	if works {
		findings = append(findings, checkParts(ctx, c)...)
	}
	if works && deep {
		findings = append(findings, a.checkDeep(ctx, c, repair)...)
	}
	return findings
}

// ExamineServer runs the checks of a server that need nothing of this machine.
func ExamineServer(ctx context.Context, c *client.Client) []api.Finding {
	return append([]finding{checkHealth(ctx, c)}, checkParts(ctx, c)...)
}

// checkParts checks the parts of a server.
func checkParts(ctx context.Context, c *client.Client) []finding {
	findings := checkLanes(ctx, c)
	findings = append(findings, checkProviders(ctx, c)...)
	findings = append(findings, checkPauses(ctx, c)...)
	findings = append(findings, checkLimits(ctx, c)...)
	findings = append(findings, checkWebhooks(ctx, c)...)
	findings = append(findings, checkDatabase(ctx, c)...)
	findings = append(findings, checkGraph(ctx, c)...)
	return append(findings, checkReading(ctx, c), checkDatasets(ctx, c))
}

// showFindings shows what the checks say.
func (a *App) showFindings(findings []finding) error {
	margin := strings.Repeat(" ", 22)
	return a.show(findings, func() {
		p := a.paint(a.out)
		for _, f := range findings {
			word := show.Pad(f.Level, 4)
			switch f.Level {
			case levelOK:
				word = p.Green(word)
			case levelWarn:
				word = p.Yellow(word)
			default:
				word = p.Red(word)
			}
			found := strings.TrimPrefix(show.Wrap(show.OneLine(f.Found), a.Out().Width(), margin, margin), margin)
			fmt.Fprintf(a.out, "%s  %s%s\n", word, show.Pad(f.Check, len(margin)-6), found)
			if f.Remedy != "" {
				fmt.Fprintln(a.out, show.Wrap(show.OneLine(f.Remedy), a.Out().Width(), margin+"→ ", margin+"  "))
			}
		}
	})
}
