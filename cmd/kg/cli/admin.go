package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/cmd/kg/exit"
	"github.com/kappagraph/kappa/work"
)

// NewAdminCommand returns kg admin, with which operators see and steer lanes, scheduler and schedules.
func NewAdminCommand(a *App) *cobra.Command {
	cmd := &cobra.Command{Use: "admin", Short: "Operate the server: lanes, scheduler, models, settings, storage, accounts, audit log", RunE: onlySubcommands}
	cmd.AddCommand(newWorkersCommand(a), newPauseCommand(a), newDrainCommand(a), newTypesCommand(a), newResumeCommand(a), newPausesCommand(a), newLimitCommand(a), newLimitsCommand(a), newSchedulerCommand(a), newSchedulesCommand(a), newGraphMemoryCommand(a), newSearchThresholdCommand(a), newProvidersCommand(a), newModelsCommand(a), newEmbeddingsCommand(a))
	cmd.AddCommand(newUserCommand(a), newRBACCommand(a), newGroupsCommand(a), newAuditCommand(a))
	cmd.AddCommand(newBackupCommand(a), newVerifyBackupCommand(a), newRestoreCommand(a), newStorageCommand(a), newSettingsCommand(a))
	return cmd
}

func newWorkersCommand(a *App) *cobra.Command {
	var watch bool
	var every time.Duration
	cmd := &cobra.Command{
		Use:     "workers",
		Aliases: []string{"worker"},
		Short:   "Show the slots, the lanes, and what runs and waits",
		Long: `Show the slots, the lanes, and what runs and waits. With --watch it is shown again and
again; elsewhere than on a terminal each update is a block of its own, and with
-o jsonl a line.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if every < leastInterval {
				return exit.Usage("--interval must be at least %s, got %s", leastInterval, every)
			}
			c, err := a.client()
			if err != nil {
				return err
			}
			defer c.Close()
			if watch {
				return a.watchWorkers(cmd.Context(), c, every)
			}
			status, lanes, err := a.workers(cmd.Context(), c)
			if err != nil {
				return err
			}
			return a.showAnswer("", func() {
				a.canvas().writeWorkers(status, lanes)
				if len(status.Unclaimed) > 0 {
					a.note("%s", unclaimed(status))
				}
			})
		},
	}
	cmd.Flags().BoolVarP(&watch, "watch", "w", false, "show it again and again, until Ctrl-C")
	cmd.Flags().DurationVar(&every, "interval", time.Second, "with --watch: time between two updates")
	cmd.AddCommand(newLanesCommand(a), newWorkersCancelCommand(a), newWorkersPriorityCommand(a), newStatsCommand(a), newRemoteCommand(a))
	return cmd
}

// workers reads what runs and what waits, and for a table the lanes before, so
// that the status is the API's last answer.
func (a *App) workers(ctx context.Context, c *client.Client) (status work.WorkerStatus, lanes []work.LaneUsage, err error) {
	if a.output == formatTable {
		if lanes, err = c.Workers.Lanes(ctx); err != nil {
			return status, nil, fmt.Errorf("list lanes: %w", err)
		}
	}
	if status, err = c.Workers.Status(ctx); err != nil {
		return status, nil, fmt.Errorf("read the workers' status: %w", err)
	}
	return status, lanes, nil
}
