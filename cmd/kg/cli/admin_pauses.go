package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/cmd/kg/exit"
	"github.com/kappagraph/kappa/cmd/kg/show"
	"github.com/kappagraph/kappa/work"
)

// pauseFlags say what is paused or resumed.
type pauseFlags struct {
	all   bool
	value map[work.PauseScope]*string
}

func (f *pauseFlags) add(cmd *cobra.Command) {
	f.value = map[work.PauseScope]*string{}
	cmd.Flags().BoolVar(&f.all, "all", false, "everything")
	for _, scope := range work.PauseScopes()[1:] {
		f.value[scope] = cmd.Flags().String(string(scope), "", "the jobs of this "+string(scope))
	}
}

// given returns what was named, which is one thing.
func (f *pauseFlags) given(cmd *cobra.Command) (p work.PauseRequest, err error) {
	n := 0
	for _, scope := range work.PauseScopes() {
		if !cmd.Flags().Changed(string(scope)) {
			continue
		}
		n++
		p.Scope = scope
		if scope != work.PauseAll {
			p.Value = *f.value[scope]
		}
	}
	if n != 1 {
		return p, exit.Usage("say one of --all, --type, --queue, --ontology and --user")
	}
	return p, nil
}

func newPauseCommand(a *App) *cobra.Command {
	var flags pauseFlags
	var p work.PauseRequest
	var reason string
	cmd := &cobra.Command{
		Use:   "pause (--all | --type TYPE | --queue QUEUE | --ontology NAME | --user NAME) --reason TEXT",
		Short: "Have nothing more claimed of a type, a queue, an ontology or a user, or nothing at all",
		Long: `Have nothing more claimed of a type, a queue, an ontology or a user, or nothing at all, until
kg admin resume. What runs goes on. Whoever has a job that waits for it reads the reason in
kg jobs why. A pause survives restarts.`,
		Example: "  kg admin pause --user alice --reason 'asks what the 10,000 documents are for'\n  kg admin pause --all --reason 'the disk is exchanged at noon'",
		Args:    cobra.NoArgs,
		RunE: a.withChecked(func(cmd *cobra.Command, _ []string) (err error) {
			if p, err = flags.given(cmd); err != nil {
				return err
			}
			p.Reason = reason
			return inFlagsOf(cmd, p.Validate(), map[string]string{"value": string(p.Scope)})
		}, func(cmd *cobra.Command, c *client.Client, _ []string) error {
			paused, err := c.Workers.Pause(cmd.Context(), p)
			if err != nil {
				return fmt.Errorf("pause: %w", err)
			}
			return a.showAnswer("", func() {
				fmt.Fprintf(a.out, "%s paused; %s for its end\n", show.OneLine(paused.What()), waiting(paused.Jobs))
			})
		}),
	}
	flags.add(cmd)
	cmd.Flags().StringVar(&reason, "reason", "", fmt.Sprintf("why, for everybody whose jobs wait, at most %d characters", work.MaxPauseReason))
	return cmd
}

func newResumeCommand(a *App) *cobra.Command {
	var flags pauseFlags
	var p work.PauseRequest
	cmd := &cobra.Command{
		Use:     "resume (--all | --type TYPE | --queue QUEUE | --ontology NAME | --user NAME)",
		Short:   "End a pause: its jobs are claimed again",
		Long:    "End a pause: its jobs are claimed again, unless another pause is about them too. --all ends the\none of everything; the others stay.",
		Example: "  kg admin resume --user alice",
		Args:    cobra.NoArgs,
		RunE: a.withChecked(func(cmd *cobra.Command, _ []string) (err error) {
			p, err = flags.given(cmd)
			return err
		}, func(cmd *cobra.Command, c *client.Client, _ []string) error {
			list, err := c.Workers.Pauses(cmd.Context())
			if err != nil {
				return fmt.Errorf("list what is paused: %w", err)
			}
			for _, paused := range list {
				if !paused.Is(p) {
					continue
				}
				resumed, err := c.Workers.Resume(cmd.Context(), paused.ID)
				if err != nil {
					return fmt.Errorf("resume: %w", err)
				}
				return a.showAnswer("", func() { fmt.Fprintf(a.out, "%s resumed\n", show.OneLine(resumed.What())) })
			}
			return kappa.NewError(kappa.CodeNotFound, "That is not paused; kg admin pauses lists what is")
		}),
	}
	flags.add(cmd)
	return cmd
}

func newPausesCommand(a *App) *cobra.Command {
	return &cobra.Command{
		Use:   "pauses",
		Short: "List what is paused, by whom and why",
		Args:  cobra.NoArgs,
		RunE: a.withClient(func(cmd *cobra.Command, c *client.Client, _ []string) error {
			list, err := c.Workers.Pauses(cmd.Context())
			if err != nil {
				return fmt.Errorf("list what is paused: %w", err)
			}
			return a.showAnswer("pauses", func() { a.writePauses(list) })
		}),
	}
}

func (a *App) writePauses(list []work.Pause) {
	if len(list) == 0 {
		a.note("Nothing is paused.")
		return
	}
	g := show.NewGrid(show.Column{Name: "paused"}, show.Column{Name: "jobs", Right: true}, show.Column{Name: "since"}, show.Column{Name: "by"}, show.Column{Name: "reason"})
	for _, p := range list {
		g.Add(show.OneLine(p.What()), show.Number(p.Jobs), show.When(&p.At), show.OneLine(p.By), show.OneLine(p.Reason))
	}
	a.writeGrid(g, nil)
}

// checkPauses says what is paused: whoever looks for why nothing runs finds it here. Whoever may
// not see it gets no finding, and neither does a server without pauses.
func checkPauses(ctx context.Context, c *client.Client) (findings []finding) {
	list, err := c.Workers.Pauses(ctx)
	if err != nil {
		switch kappa.ErrorCode(err) {
		case kappa.CodeForbidden, kappa.CodeNotFound:
			return nil
		}
		return []finding{{Check: "pauses", Level: levelFail, Found: err.Error()}}
	}
	for _, p := range list {
		findings = append(findings, finding{
			Check: "pause", Level: levelWarn, Remedy: p.Resume(),
			Found: fmt.Sprintf("%s: paused by %s since %s: %s; %s", p.What(), p.By, show.When(&p.At), p.Reason, waiting(p.Jobs)),
		})
	}
	return findings
}
