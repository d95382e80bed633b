package cli

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/cmd/kg/exit"
	"github.com/kappagraph/kappa/cmd/kg/show"
	"github.com/kappagraph/kappa/work"
)

func newTypesCommand(a *App) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "types",
		Aliases: []string{"type"},
		Short:   "List the job types: how they are retried, and their deadlines",
		Args:    cobra.NoArgs,
		RunE: a.withClient(func(cmd *cobra.Command, c *client.Client, _ []string) error {
			list, err := c.Workers.JobTypes(cmd.Context())
			if err != nil {
				return fmt.Errorf("list the job types: %w", err)
			}
			return a.showAnswer("job_types", func() { a.writeJobTypes(list) })
		}),
	}
	cmd.AddCommand(newTypesSetCommand(a))
	return cmd
}

// policyFlags are the settings of a job type as flags give them.
type policyFlags struct {
	retries               int
	first, most, deadline time.Duration
	factor, jitter        float64
	reset                 []string
}

func newTypesSetCommand(a *App) *cobra.Command {
	var f policyFlags
	var change work.PolicyChange
	cmd := &cobra.Command{
		Use:   "set TYPE",
		Short: "Change how jobs of a type are retried, and how long an attempt may take",
		Long: `Change how jobs of a type are retried, and how long an attempt may take. It acts at once, on every
server and for jobs that run or wait already. An attempt that runs longer than the deadline ends with
an error that says so, and is retried as after any other error. The number of retries is that of jobs
that were submitted without one. --reset gives settings their own values back.`,
		Example: "  kg admin types set ingestion --deadline 20m --max-retries 5\n  kg admin types set exec --backoff-first 10s --backoff-most 10m --backoff-factor 3\n  kg admin types set ingestion --reset deadline_ms,max_retries",
		Args:    cobra.ExactArgs(1),
		RunE: a.withChecked(func(cmd *cobra.Command, _ []string) error {
			change = f.change(cmd)
			if reflect.DeepEqual(change, work.PolicyChange{}) {
				return exit.Usage("nothing to change: give at least one setting")
			}
			return inFlagsOf(cmd, inMilliseconds(change.Validate()), map[string]string{"backoff_first_ms": "backoff-first", "backoff_most_ms": "backoff-most", "deadline_ms": "deadline"})
		}, func(cmd *cobra.Command, c *client.Client, args []string) error {
			t, err := c.Workers.SetPolicy(cmd.Context(), args[0], change)
			if err != nil {
				return fmt.Errorf("change the job type: %w", err)
			}
			return a.showAnswer("", func() { a.writeJobTypes([]work.JobTypePolicy{t}) })
		}),
	}
	cmd.Flags().IntVar(&f.retries, "max-retries", 0, fmt.Sprintf("retries of a job that was submitted without a number, 0 to %d", work.MaxRetriesMost))
	cmd.Flags().DurationVar(&f.first, "backoff-first", 0, "the wait before the first retry, 1ms to 24h")
	cmd.Flags().DurationVar(&f.most, "backoff-most", 0, "the longest wait before a retry, 1ms to 24h")
	cmd.Flags().Float64Var(&f.factor, "backoff-factor", 0, fmt.Sprintf("each wait is so many times the one before, 1 to %d", work.MaxBackoffFactor))
	cmd.Flags().Float64Var(&f.jitter, "jitter", 0, "the share by which a wait is shorter or longer, 0 to 1")
	cmd.Flags().DurationVar(&f.deadline, "deadline", 0, "how long an attempt may take, 1s to 168h")
	cmd.Flags().StringSliceVar(&f.reset, "reset", nil, "settings that get their own values back: "+strings.Join(work.PolicySettings(), ", "))
	return cmd
}

// inMilliseconds says in which unit the rules of settings are that are given as durations.
func inMilliseconds(err error) error {
	invalid, ok := errors.AsType[*kappa.Error](err)
	if !ok {
		return err
	}
	fields := slices.Clone(invalid.Fields)
	for i, f := range fields {
		if strings.HasSuffix(f.Name, "_ms") {
			fields[i].Rule += ", in milliseconds"
		}
	}
	if len(fields) == 0 {
		return err
	}
	return kappa.Invalid(fields...)
}

// change returns the settings that were given.
func (f *policyFlags) change(cmd *cobra.Command) work.PolicyChange {
	span := func(flag string, d time.Duration) *int {
		if !cmd.Flags().Changed(flag) {
			return nil
		}
		return new(int(d.Milliseconds()))
	}
	c := work.PolicyChange{BackoffFirstMS: span("backoff-first", f.first), BackoffMostMS: span("backoff-most", f.most), DeadlineMS: span("deadline", f.deadline), Reset: f.reset}
	if cmd.Flags().Changed("max-retries") {
		c.MaxRetries = &f.retries
	}
	if cmd.Flags().Changed("backoff-factor") {
		c.BackoffFactor = &f.factor
	}
	if cmd.Flags().Changed("jitter") {
		c.Jitter = &f.jitter
	}
	return c
}

// writeJobTypes lists job types.
func (a *App) writeJobTypes(list []work.JobTypePolicy) {
	g := show.NewGrid(show.Column{Name: "job type"}, show.Column{Name: "retries", Right: true}, show.Column{Name: "waits"}, show.Column{Name: "deadline", Right: true}, show.Column{Name: "changed", Flex: true})
	milliseconds := func(n int) string { return show.Span(time.Duration(n) * time.Millisecond) }
	for _, t := range list {
		p, deadline := t.Policy, ""
		if p.DeadlineMS != nil {
			deadline = milliseconds(*p.DeadlineMS)
		}
		g.Add(t.JobType, show.Number(p.MaxRetries), fmt.Sprintf("%s to %s, ×%g ±%.0f %%", milliseconds(p.BackoffFirstMS), milliseconds(p.BackoffMostMS), p.BackoffFactor, 100*p.Jitter), deadline, strings.Join(t.Changed, " "))
	}
	a.writeGrid(g, nil)
}
