package cli

import (
	"context"
	"fmt"
	"math"

	"github.com/spf13/cobra"

	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/cmd/kg/exit"
	"github.com/kappagraph/kappa/work"
)

func newLanesCommand(a *App) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "lanes",
		Aliases: []string{"lane"},
		Short:   "List the lanes and their settings; make, change and delete lanes",
		Args:    cobra.NoArgs,
		RunE: a.withClient(func(cmd *cobra.Command, c *client.Client, _ []string) error {
			lanes, err := c.Workers.Lanes(cmd.Context())
			if err != nil {
				return fmt.Errorf("list lanes: %w", err)
			}
			return a.showAnswer("lanes", func() { a.canvas().writeLanes(lanes) })
		}),
	}
	cmd.AddCommand(newLanesSetCommand(a), newLanesCreateCommand(a), newLanesMoveCommand(a), newLanesDeleteCommand(a))
	return cmd
}

func newLanesSetCommand(a *App) *cobra.Command {
	var settings laneFlags
	var update work.LaneUpdate
	cmd := &cobra.Command{
		Use:   "set LANE",
		Short: "Change a lane's settings; they act at once",
		Long: `Change a lane's settings. They act at once and without a restart. A lane that is
disabled lets its running jobs finish and claims no more.`,
		Example: "  kg admin workers lanes set interactive --max-slots 4\n  kg admin workers lanes set maintenance --disable",
		Args:    cobra.ExactArgs(1),
		RunE: a.withChecked(func(cmd *cobra.Command, _ []string) (err error) {
			if update, err = settings.update(cmd); err != nil {
				return err
			}
			return inFlagsOf(cmd, update.Validate(math.MaxInt), nil) // the server knows how many slots there may be
		}, func(cmd *cobra.Command, c *client.Client, args []string) error {
			update.Match = laneVersion(cmd.Context(), c, args[0])
			change, err := c.Workers.UpdateLane(cmd.Context(), args[0], update)
			if err != nil {
				return fmt.Errorf("change the lane: %w", err)
			}
			return a.showAnswer("", func() { a.writeLaneChange(change) })
		}),
	}
	settings.define(cmd)
	return cmd
}

// laneVersion returns the version of a lane as it is now, so that a change of somebody
// else is not overwritten; "" when the lane cannot be read, as by who may only change it.
func laneVersion(ctx context.Context, c *client.Client, name string) string {
	lanes, err := c.Workers.Lanes(ctx)
	if err != nil {
		return ""
	}
	for _, lane := range lanes {
		if lane.Name == name {
			return lane.Version
		}
	}
	return ""
}

// laneFlags are the settings of a lane as flags give them.
type laneFlags struct{ slots, poll, stale int }

// define adds the flags.
func (f *laneFlags) define(cmd *cobra.Command) {
	cmd.Flags().IntVar(&f.slots, "max-slots", 0, "how many jobs it runs at once, 0 to 16")
	cmd.Flags().IntVar(&f.poll, "poll-interval-ms", 0, fmt.Sprintf("how long a job waits at most when no notification comes, %d to %d", work.MinPollIntervalMS, work.MaxPollIntervalMS))
	cmd.Flags().IntVar(&f.stale, "stale-timeout-minutes", 0, fmt.Sprintf("how long a job may report no progress, %d to %d", work.MinStaleTimeoutMinutes, work.MaxStaleTimeoutMinutes))
	cmd.Flags().Bool("enable", false, "let it claim jobs")
	cmd.Flags().Bool("disable", false, "let it claim no more jobs")
}

// given returns the numbers that were given.
func (f *laneFlags) given(cmd *cobra.Command) work.LaneUpdate {
	given := func(flag string, value *int) *int {
		if cmd.Flags().Changed(flag) {
			return value
		}
		return nil
	}
	return work.LaneUpdate{
		MaxSlots:            given("max-slots", &f.slots),
		PollIntervalMS:      given("poll-interval-ms", &f.poll),
		StaleTimeoutMinutes: given("stale-timeout-minutes", &f.stale),
	}
}

// update returns the settings that were given.
func (f *laneFlags) update(cmd *cobra.Command) (work.LaneUpdate, error) {
	update := f.given(cmd)
	err := givenEnabled(cmd, &update.Enabled)
	if err == nil && update == (work.LaneUpdate{}) {
		err = exit.Usage("nothing to change: give at least one setting")
	}
	return update, err
}

// givenEnabled sets *to to what --enable or --disable says, and leaves it when
// neither was given.
func givenEnabled(cmd *cobra.Command, to **bool) error {
	flags := cmd.Flags()
	on, off := flags.Changed("enable"), flags.Changed("disable")
	if on && off {
		return exit.Usage("--enable and --disable exclude each other")
	}
	if !on && !off {
		return nil
	}
	flag := "enable"
	if off {
		flag = "disable"
	}
	value, err := flags.GetBool(flag)
	enabled := value == on // --disable=false enables
	*to = &enabled
	return err
}
