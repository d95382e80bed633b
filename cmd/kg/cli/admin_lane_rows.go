package cli

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/cmd/kg/exit"
	"github.com/kappagraph/kappa/cmd/kg/show"
	"github.com/kappagraph/kappa/work"
)

func newLanesCreateCommand(a *App) *cobra.Command {
	var settings laneFlags
	n := work.NewLane{}
	cmd := &cobra.Command{
		Use:   "create LANE",
		Short: "Make a lane; every server claims for it at once",
		Long: `Make a lane; every server claims for it at once, without a restart. Its job types are taken
out of the lanes that have them; what runs of them goes on where it is.`,
		Example: "  kg admin workers lanes create documents --types ingestion,ingest_image --max-slots 4",
		Args:    cobra.ExactArgs(1),
		RunE: a.withChecked(func(cmd *cobra.Command, args []string) error {
			n.Name, n.Settings = args[0], settings.given(cmd)
			return givenEnabled(cmd, &n.Settings.Enabled)
		}, func(cmd *cobra.Command, c *client.Client, _ []string) error {
			created, err := c.Workers.CreateLane(cmd.Context(), n)
			if err != nil {
				return fmt.Errorf("create the lane: %w", err)
			}
			return a.showAnswer("", func() {
				fmt.Fprintf(a.out, "%s created with %s\n", show.OneLine(created.Lane.Name), show.Counted(created.Lane.MaxSlots, "slot"))
				a.writeMovedTypes(created)
			})
		}),
	}
	cmd.Flags().StringSliceVar(&n.JobTypes, "types", nil, "the job types that it gets, with commas between them")
	settings.define(cmd)
	return cmd
}

func newLanesMoveCommand(a *App) *cobra.Command {
	var to string
	cmd := &cobra.Command{
		Use:     "move TYPE... --to LANE",
		Short:   "Move job types into a lane; it acts at once",
		Long:    "Move job types into a lane, out of all others. It acts at once: what waits is claimed there,\nand what runs goes on where it is.",
		Example: "  kg admin workers lanes move projection polarity --to pictures",
		Args:    cobra.MinimumNArgs(1),
		RunE: a.withChecked(func(*cobra.Command, []string) error {
			if to == "" {
				return exit.Usage("say with --to which lane gets the job types")
			}
			return nil
		}, func(cmd *cobra.Command, c *client.Client, args []string) error {
			moved, err := c.Workers.MoveTypes(cmd.Context(), to, args)
			if err != nil {
				return fmt.Errorf("move job types: %w", err)
			}
			return a.showAnswer("", func() { a.writeMovedTypes(moved) })
		}),
	}
	cmd.Flags().StringVar(&to, "to", "", "the lane that gets them")
	return cmd
}

// writeMovedTypes says which job types a lane was given, and from where.
func (a *App) writeMovedTypes(m work.LaneMoved) {
	if len(m.Moved) == 0 {
		a.note("No job type has moved.")
	}
	for _, t := range slices.Sorted(maps.Keys(m.Moved)) {
		from := strings.Join(m.Moved[t], ", ")
		if from == "" {
			from = "no lane"
		}
		fmt.Fprintf(a.out, "%s: %s → %s\n", show.OneLine(t), show.OneLine(from), show.OneLine(m.Lane.Name))
	}
}

func newLanesDeleteCommand(a *App) *cobra.Command {
	var moveTo string
	cmd := &cobra.Command{
		Use:   "delete LANE",
		Short: "Delete a lane; what runs in it goes on",
		Long: `Delete a lane that kg admin workers lanes create has made. What runs in it goes on to its end.
Its job types go to the lane of --move-to, else back to the lanes that they are in by default. It
is refused while jobs wait that only this lane claims, unless --move-to says where they go, and of
lanes that are built in.`,
		Example: "  kg admin workers lanes delete documents --move-to interactive",
		Args:    cobra.ExactArgs(1),
		RunE: a.withClient(func(cmd *cobra.Command, c *client.Client, args []string) error {
			deleted, err := c.Workers.DeleteLane(cmd.Context(), args[0], moveTo)
			if err != nil {
				return fmt.Errorf("delete the lane: %w", err)
			}
			return a.showAnswer("", func() {
				fmt.Fprintf(a.out, "%s deleted\n", show.OneLine(deleted.Lane.Name))
				for _, t := range slices.Sorted(maps.Keys(deleted.Moved)) {
					fmt.Fprintf(a.out, "%s → %s\n", show.OneLine(t), show.OneLine(deleted.Moved[t]))
				}
				if len(deleted.Unclaimed) > 0 {
					a.note("In no lane any more: %s", show.OneLine(strings.Join(deleted.Unclaimed, ", ")))
				}
			})
		}),
	}
	cmd.Flags().StringVar(&moveTo, "move-to", "", "the lane that gets its job types")
	return cmd
}
