package cli

import (
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/kappagraph/kappa/api"
	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/cmd/kg/exit"
)

func newWorkersCancelCommand(a *App) *cobra.Command {
	return &cobra.Command{
		Use:   "cancel JOB...",
		Short: "Stop jobs that are being processed, and refuse all others",
		Long: `Stop jobs that are being processed; all others are refused. kg jobs cancel cancels in
every status.`,
		Example: `  kg admin workers cancel job_5b1c0de9a7f2`,
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, ids []string) error {
			return a.changeJobs("cancel", ids, func(c *client.Client, id string) (api.JobReply, error) {
				return c.Jobs.CancelRunning(cmd.Context(), id)
			})
		},
	}
}

func newWorkersPriorityCommand(a *App) *cobra.Command {
	var priority int
	return &cobra.Command{
		Use:     "priority JOB PRIORITY",
		Short:   "Change the priority of a job that waits for a slot",
		Long:    "Change the priority of an approved job, -100 to 100. The highest is claimed first.",
		Example: "  kg admin workers priority job_0123456789ab 50\n  kg admin workers priority job_0123456789ab -- -50",
		Args:    cobra.ExactArgs(2),
		RunE: a.withChecked(func(_ *cobra.Command, args []string) (err error) {
			priority, err = strconv.Atoi(args[1])
			if err != nil {
				return exit.Usage("the priority must be a whole number, got %q", args[1])
			}
			return nil
		}, func(cmd *cobra.Command, c *client.Client, args []string) error {
			reply, err := c.Jobs.Reprioritize(cmd.Context(), args[0], priority)
			if err != nil {
				return fmt.Errorf("change the priority: %w", err)
			}
			return a.showAnswer("", func() { fmt.Fprintf(a.out, "%s  priority %d → %d\n", args[0], reply.Old, reply.New) })
		}),
	}
}
