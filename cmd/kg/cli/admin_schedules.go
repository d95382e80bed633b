package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/cmd/kg/exit"
	"github.com/kappagraph/kappa/cmd/kg/show"
	"github.com/kappagraph/kappa/work"
)

func newSchedulesCommand(a *App) *cobra.Command {
	cmd := &cobra.Command{Use: "schedules", Aliases: []string{"schedule"}, Short: "List, add and change scheduled jobs", RunE: onlySubcommands}
	cmd.AddCommand(newSchedulesListCommand(a), newSchedulesAddCommand(a), newSchedulesSetCommand(a),
		newSchedulesRemoveCommand(a), newSchedulesRunCommand(a), newSchedulesRunsCommand(a))
	return cmd
}

func newSchedulesListCommand(a *App) *cobra.Command {
	return &cobra.Command{
		Use:     "list",
		Short:   "List the schedules",
		Example: `  kg admin schedules list -o jsonl`,
		Args:    cobra.NoArgs,
		RunE: a.withClient(func(cmd *cobra.Command, c *client.Client, _ []string) error {
			list, err := c.Schedules.List(cmd.Context())
			if err != nil {
				return fmt.Errorf("list schedules: %w", err)
			}
			return a.showAnswer("schedules", func() { a.writeSchedules(list) })
		}),
	}
}

func newSchedulesAddCommand(a *App) *cobra.Command {
	var f scheduleFlags
	cmd := &cobra.Command{
		Use:   "add NAME",
		Short: "Add a schedule; it first runs at its next due time",
		Example: `  kg admin schedules add nightly --type noop --cron "30 2 * * *" --zone Europe/Berlin
  kg admin schedules add idle --type noop --cron "*/10 * * * *" --condition queue_idle`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.jobType == "" || f.cron == "" {
				return exit.Usage("a schedule needs --type and --cron")
			}
			u, err := f.update(cmd)
			if err != nil {
				return err
			}
			return a.withSchedule(func(c *client.Client) (work.Schedule, error) {
				n := work.NewSchedule{
					Name: args[0], JobType: f.jobType, Cron: f.cron, TimeZone: f.zone, Enabled: u.Enabled,
					Condition: f.condition, Data: u.Data, Priority: f.priority,
				}
				s, err := c.Schedules.Add(cmd.Context(), n)
				return s, prefixed("add the schedule", err)
			})
		},
	}
	f.define(cmd)
	return cmd
}

func newSchedulesSetCommand(a *App) *cobra.Command {
	var f scheduleFlags
	cmd := &cobra.Command{
		Use:     "set NAME",
		Short:   "Change a schedule",
		Example: "  kg admin schedules set nightly --cron \"0 3 * * *\"\n  kg admin schedules set nightly --disable",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			u, err := f.update(cmd)
			if err != nil {
				return err
			}
			return a.withSchedule(func(c *client.Client) (work.Schedule, error) {
				s, err := c.Schedules.Update(cmd.Context(), args[0], u)
				return s, prefixed("change the schedule", err)
			})
		},
	}
	f.define(cmd)
	return cmd
}

// withSchedule shows the schedule that do returns.
func (a *App) withSchedule(do func(c *client.Client) (work.Schedule, error)) error {
	c, err := a.client()
	if err != nil {
		return err
	}
	defer c.Close()
	s, err := do(c)
	if err != nil {
		return err
	}
	return a.showAnswer("", func() { a.writeSchedules([]work.Schedule{s}) })
}

// prefixed says what failed; nil stays nil.
func prefixed(what string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", what, err)
}

func newSchedulesRemoveCommand(a *App) *cobra.Command {
	return &cobra.Command{
		Use:     "remove NAME",
		Aliases: []string{"rm"},
		Short:   "Remove a schedule; the jobs that it submitted stay",
		Example: `  kg admin schedules remove nightly`,
		Args:    cobra.ExactArgs(1),
		RunE: a.withClient(func(cmd *cobra.Command, c *client.Client, args []string) error {
			if err := c.Schedules.Remove(cmd.Context(), args[0]); err != nil {
				return fmt.Errorf("remove the schedule: %w", err)
			}
			removed := struct {
				Name    string `json:"name"`
				Removed bool   `json:"removed"`
			}{args[0], true}
			return a.show(removed, func() { fmt.Fprintf(a.out, "%s  removed\n", show.OneLine(args[0])) })
		}),
	}
}

func newSchedulesRunCommand(a *App) *cobra.Command {
	return &cobra.Command{
		Use:   "run NAME",
		Short: "Submit the job of a schedule now, whatever its condition says",
		Long: `Submit the job of a schedule now, whatever its condition says; its due times stay as
they are.`,
		Example: `  kg admin schedules run nightly`,
		Args:    cobra.ExactArgs(1),
		RunE: a.withClient(func(cmd *cobra.Command, c *client.Client, args []string) error {
			reply, err := c.Schedules.Run(cmd.Context(), args[0])
			if err != nil {
				return fmt.Errorf("run the schedule: %w", err)
			}
			return a.showAnswer("", func() { fmt.Fprintf(a.out, "%s  %s\n", reply.JobID, show.OneLine(reply.Message)) })
		}),
	}
}

func newSchedulesRunsCommand(a *App) *cobra.Command {
	var limit int
	cmd := &cobra.Command{
		Use:   "runs NAME",
		Short: "Show how the last due times of a schedule were answered, newest first",
		Long: `Show how the last due times of a schedule were answered: by a job, or by a skip with
its reason.`,
		Example: `  kg admin schedules runs nightly --limit 5`,
		Args:    cobra.ExactArgs(1),
		RunE: a.withChecked(func(*cobra.Command, []string) error {
			if limit < 1 || limit > maxJobsListed {
				return exit.Usage("--limit must be between 1 and %d, got %d", maxJobsListed, limit)
			}
			return nil
		}, func(cmd *cobra.Command, c *client.Client, args []string) error {
			runs, err := c.Schedules.Runs(cmd.Context(), args[0], limit)
			if err != nil {
				return fmt.Errorf("list the runs: %w", err)
			}
			return a.showAnswer("runs", func() { a.writeScheduleRuns(runs) })
		}),
	}
	cmd.Flags().IntVar(&limit, "limit", 20, "how many to show at most, 1 to 500")
	return cmd
}
