package cli

import (
	"strconv"

	"github.com/spf13/cobra"

	"github.com/kappagraph/kappa/cmd/kg/exit"
	"github.com/kappagraph/kappa/work"
)

func newJobsPriorityCommand(a *App) *cobra.Command {
	return &cobra.Command{
		Use:     "priority JOB PRIORITY",
		Short:   "Change the priority of a job that waits for a slot",
		Long:    "Change the priority of an approved job, -100 to 100. The highest is claimed first.",
		Example: "  kg jobs priority job_0123456789ab 50\n  kg jobs priority job_0123456789ab -- -50",
		Args:    cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			priority, err := strconv.Atoi(args[1])
			if err != nil {
				return exit.Usage("the priority must be a whole number, got %q", args[1])
			}
			return a.actOnJob(cmd, args[0], work.JobAct{Act: work.ActPriority, ActOptions: work.ActOptions{Priority: &priority}})
		},
	}
}

func newJobsMoveCommand(a *App) *cobra.Command {
	return &cobra.Command{
		Use:     "move JOB QUEUE",
		Short:   "Move a job for remote workers that waits to another queue",
		Long:    "Move a job for remote workers that waits to another queue. Jobs of lanes have no use for one,\nand are refused.",
		Example: "  kg jobs move job_0123456789ab fast_lane",
		Args:    cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.actOnJob(cmd, args[0], work.JobAct{Act: work.ActMove, ActOptions: work.ActOptions{Queue: args[1]}})
		},
	}
}

// actOnJob does to one job what acts do to many.
func (a *App) actOnJob(cmd *cobra.Command, id string, act work.JobAct) error {
	act.Filter.IDs = []string{id}
	if err := act.Validate(); err != nil {
		return exit.Usage("%w", err)
	}
	return a.actOnJobs(cmd.Context(), act, false, true)
}
