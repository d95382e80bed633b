package cli

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/cmd/kg/exit"
	"github.com/kappagraph/kappa/cmd/kg/show"
	"github.com/kappagraph/kappa/work"
)

// limitFlags say what is limited.
type limitFlags struct {
	value map[work.LimitScope]*string
	each  string
}

const limitSubjects = "(--type TYPE | --queue QUEUE | --user NAME | --ontology NAME | --data KEY=VALUE | --each type|queue|user|ontology|data.KEY)"

func (f *limitFlags) add(cmd *cobra.Command) {
	f.value = map[work.LimitScope]*string{}
	for _, scope := range work.LimitScopes() {
		usage := "the jobs of this " + string(scope)
		if scope == work.LimitData {
			usage = "the jobs that were submitted with this value of a key, as host=example.org or meta.host=example.org"
		}
		f.value[scope] = cmd.Flags().String(string(scope), "", usage)
	}
	cmd.Flags().StringVar(&f.each, "each", "", "each type, queue, user, ontology or data.KEY for itself")
}

// limitFlagNames returns the flags of what is asked of a limit.
func limitFlagNames(s work.LimitSubject) map[string]string {
	names := map[string]string{"max_running": "running", "scope": "each", "key": "each", "value": string(s.Scope)}
	if s.Scope == work.LimitData && !s.Each {
		names["key"] = string(s.Scope)
	}
	return names
}

// given returns what was named, which is one thing.
func (f *limitFlags) given(cmd *cobra.Command) (s work.LimitSubject, err error) {
	n := 0
	for _, scope := range work.LimitScopes() {
		if !cmd.Flags().Changed(string(scope)) {
			continue
		}
		n++
		s = work.LimitSubject{Scope: scope, Value: *f.value[scope]}
		if scope == work.LimitData {
			var ok bool
			if s.Key, s.Value, ok = strings.Cut(s.Value, "="); !ok {
				return s, exit.Usage("--data takes KEY=VALUE, such as host=example.org; --each data.%s limits each value for itself", s.Key)
			}
		}
	}
	if cmd.Flags().Changed("each") {
		n++
		scope, key, _ := strings.Cut(f.each, ".")
		s = work.LimitSubject{Scope: work.LimitScope(scope), Key: key, Each: true}
	}
	if n != 1 {
		return s, exit.Usage("say one of --type, --queue, --user, --ontology, --data and --each")
	}
	return s, nil
}

func newLimitCommand(a *App) *cobra.Command {
	cmd := &cobra.Command{Use: "limit", Short: "Limit how many jobs run at once, or start a second", RunE: onlySubcommands}
	cmd.AddCommand(newLimitSetCommand(a), newLimitRemoveCommand(a))
	return cmd
}

func newLimitSetCommand(a *App) *cobra.Command {
	var flags limitFlags
	var l work.LimitRequest
	var running int
	var perSecond float64
	cmd := &cobra.Command{
		Use:   "set " + limitSubjects + " [--running N] [--per-second R] --reason TEXT",
		Short: "Limit jobs, or change the numbers of a limit",
		Long: `Limit how many jobs of a type, a queue, a user, an ontology, or a value in what they were
submitted with run at once, or start a second, on all servers and remote workers together; with
--each, of each one for itself. What runs goes on. A limit that is there gets the new numbers.
Whoever has a job that waits for it reads the reason in kg jobs why.`,
		Example: "  kg admin limit set --user alice --running 2 --reason 'her 10,000 documents leave room for others'\n  kg admin limit set --each data.host --running 1 --per-second 0.5 --reason 'we are guests there'",
		Args:    cobra.NoArgs,
		RunE: a.withChecked(func(cmd *cobra.Command, _ []string) (err error) {
			if l.LimitSubject, err = flags.given(cmd); err != nil {
				return err
			}
			l.LimitNumbers = work.LimitNumbers{}
			if cmd.Flags().Changed("running") {
				l.MaxRunning = &running
			}
			if cmd.Flags().Changed("per-second") {
				l.PerSecond = &perSecond
			}
			if l.MaxRunning == nil && l.PerSecond == nil {
				return exit.Usage("say --running, --per-second or both; kg admin limit remove ends a limit")
			}
			return inFlagsOf(cmd, l.Validate(), limitFlagNames(l.LimitSubject))
		}, func(cmd *cobra.Command, c *client.Client, _ []string) error {
			set, err := setLimit(cmd.Context(), c, l)
			if err != nil {
				return fmt.Errorf("limit: %w", err)
			}
			return a.showAnswer("", func() {
				fmt.Fprintf(a.out, "%s limited to %s; %d run now and %d wait\n", show.OneLine(set.What()), set.Allows(), set.Running, set.Held)
			})
		}),
	}
	flags.add(cmd)
	cmd.Flags().IntVar(&running, "running", 0, fmt.Sprintf("how many run at once at most, 1 to %d", work.MaxLimitRunning))
	cmd.Flags().Float64Var(&perSecond, "per-second", 0, fmt.Sprintf("how many start a second at most, %v to %v; 0.1 is one in ten seconds", work.MinLimitRate, work.MaxLimitRate))
	cmd.Flags().StringVar(&l.Reason, "reason", "", fmt.Sprintf("why, for everybody whose jobs wait, at most %d characters", work.MaxLimitReason))
	return cmd
}

// setLimit sets a limit, or changes the one that is there.
func setLimit(ctx context.Context, c *client.Client, l work.LimitRequest) (work.Limit, error) {
	set, err := c.Workers.SetLimit(ctx, l)
	if kappa.ErrorCode(err) != kappa.CodeConflict {
		return set, err
	}
	there, listErr := findLimit(ctx, c, l.LimitSubject)
	if listErr != nil {
		return set, err // there are too many, or it was removed meanwhile
	}
	return c.Workers.ChangeLimit(ctx, there.ID, work.LimitUpdate{LimitNumbers: l.LimitNumbers, Reason: l.Reason})
}

func findLimit(ctx context.Context, c *client.Client, s work.LimitSubject) (work.Limit, error) {
	list, err := c.Workers.Limits(ctx)
	if err != nil {
		return work.Limit{}, fmt.Errorf("list what is limited: %w", err)
	}
	for _, l := range list {
		if l.Is(s) {
			return l, nil
		}
	}
	return work.Limit{}, kappa.NewError(kappa.CodeNotFound, "That is not limited; kg admin limits lists what is")
}

func newLimitRemoveCommand(a *App) *cobra.Command {
	var flags limitFlags
	var s work.LimitSubject
	cmd := &cobra.Command{
		Use:     "remove " + limitSubjects,
		Short:   "Remove a limit",
		Long:    "Remove a limit: its jobs are claimed again, unless another limit or a pause is about them too.",
		Example: "  kg admin limit remove --user alice",
		Args:    cobra.NoArgs,
		RunE: a.withChecked(func(cmd *cobra.Command, _ []string) (err error) {
			s, err = flags.given(cmd)
			return err
		}, func(cmd *cobra.Command, c *client.Client, _ []string) error {
			l, err := findLimit(cmd.Context(), c, s)
			if err != nil {
				return err
			}
			if _, err := c.Workers.RemoveLimit(cmd.Context(), l.ID); err != nil {
				return fmt.Errorf("remove the limit: %w", err)
			}
			return a.showAnswer("", func() { fmt.Fprintf(a.out, "%s limited no more\n", show.OneLine(l.What())) })
		}),
	}
	flags.add(cmd)
	return cmd
}

func newLimitsCommand(a *App) *cobra.Command {
	return &cobra.Command{
		Use:   "limits",
		Short: "List what is limited, by whom and why, and how much of it runs and waits",
		Args:  cobra.NoArgs,
		RunE: a.withClient(func(cmd *cobra.Command, c *client.Client, _ []string) error {
			list, err := c.Workers.Limits(cmd.Context())
			if err != nil {
				return fmt.Errorf("list what is limited: %w", err)
			}
			return a.showAnswer("limits", func() { a.writeLimits(list) })
		}),
	}
}

func (a *App) writeLimits(list []work.Limit) {
	if len(list) == 0 {
		a.note("Nothing is limited.")
		return
	}
	g := show.NewGrid(show.Column{Name: "limited"}, show.Column{Name: "allows"}, show.Column{Name: "run", Right: true}, show.Column{Name: "wait", Right: true},
		show.Column{Name: "since"}, show.Column{Name: "by"}, show.Column{Name: "reason"})
	for _, l := range list {
		g.Add(show.OneLine(l.What()), l.Allows(), show.Number(l.Running), show.Number(l.Held), show.When(&l.At), show.OneLine(l.By), show.OneLine(l.Reason))
	}
	a.writeGrid(g, nil)
}

// checkLimits says which limits keep jobs from running now. Whoever may not see them gets no
// finding, and neither does a server without limits.
func checkLimits(ctx context.Context, c *client.Client) (findings []finding) {
	list, err := c.Workers.Limits(ctx)
	if err != nil {
		switch kappa.ErrorCode(err) {
		case kappa.CodeForbidden, kappa.CodeNotFound:
			return nil
		}
		return []finding{{Check: "limits", Level: levelFail, Found: err.Error()}}
	}
	for _, l := range list {
		if l.FullValues == 0 || l.Held == 0 {
			continue
		}
		findings = append(findings, finding{
			Check: "limit", Level: levelWarn, Remedy: l.Remove(),
			Found: fmt.Sprintf("%s: limited by %s to %s: %s; %s run, and %s wait", l.What(), l.By, l.Allows(), l.Reason, strconv.Itoa(l.Running), strconv.Itoa(l.Held)),
		})
	}
	return findings
}
