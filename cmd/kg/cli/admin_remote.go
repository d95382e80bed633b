package cli

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/cmd/kg/exit"
	"github.com/kappagraph/kappa/cmd/kg/show"
	"github.com/kappagraph/kappa/internal/remote/wire"
	"github.com/kappagraph/kappa/work"
)

// newRemoteCommand returns kg admin workers remote.
func newRemoteCommand(a *App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "remote",
		Short: "Show the workers on other machines",
		Args:  cobra.NoArgs,
		RunE: a.withClient(func(cmd *cobra.Command, c *client.Client, _ []string) error {
			status, err := c.Workers.Status(cmd.Context())
			if err != nil {
				return fmt.Errorf("read the workers' status: %w", err)
			}
			return a.showAnswer("remote_workers", func() { a.canvas().writeRemote(status) })
		}),
	}
	for _, act := range []struct{ verb, short string }{
		{"drain", "Have a remote worker take nothing new"},
		{"undrain", "Have a remote worker that was drained work again"},
		{"disconnect", "End the connection of a remote worker, which comes back"},
		{"block", "Refuse a remote worker from now on"},
	} {
		cmd.AddCommand(&cobra.Command{
			Use:   act.verb + " WORKER",
			Short: act.short,
			Args:  cobra.ExactArgs(1),
			RunE: a.withClient(func(cmd *cobra.Command, c *client.Client, args []string) error {
				if err := c.Workers.Operate(cmd.Context(), args[0], act.verb); err != nil {
					return fmt.Errorf("%s the worker: %w", act.verb, err)
				}
				return a.showAnswer("", func() { fmt.Fprintf(a.out, "%s  asked to %s\n", args[0], act.verb) })
			}),
		})
	}
	cmd.AddCommand(newRegroupCommand(a))
	return cmd
}

// newRegroupCommand returns kg admin workers remote groups.
func newRegroupCommand(a *App) *cobra.Command {
	own := false
	cmd := &cobra.Command{
		Use:   "groups WORKER [GROUPS...]",
		Short: `Give a remote worker other slot groups, "fast_lane:1 manual,*:4"`,
		Args:  cobra.MinimumNArgs(1),
		RunE: a.withClient(func(cmd *cobra.Command, c *client.Client, args []string) error {
			groups, err := slotGroups(strings.Join(args[1:], " "), own)
			if err != nil {
				return err
			}
			if err := c.Workers.Regroup(cmd.Context(), args[0], groups); err != nil {
				return fmt.Errorf("change the groups of the worker: %w", err)
			}
			return a.showAnswer("", func() {
				if own {
					fmt.Fprintf(a.out, "%s  given its own groups back\n", args[0])
					return
				}
				fmt.Fprintf(a.out, "%s  given the groups %s\n", args[0], groupsText(groups))
			})
		}),
	}
	cmd.Flags().BoolVar(&own, "own", false, "give it the groups back that it was started with")
	return cmd
}

// slotGroups reads groups as kg worker --queues does.
func slotGroups(text string, own bool) ([]work.SlotGroup, error) {
	switch {
	case own && text != "":
		return nil, exit.Usage("--own: give it, or groups")
	case own:
		return nil, nil
	}
	parsed, _, err := wire.ParseGroups(text)
	if err != nil {
		return nil, exit.Usage("GROUPS: %s", err)
	}
	groups := make([]work.SlotGroup, len(parsed))
	for i, g := range parsed {
		groups[i] = work.SlotGroup{Queues: g.Queues, Max: g.Slots}
	}
	return groups, nil
}

// groupsText returns groups as slotGroups reads them.
func groupsText(groups []work.SlotGroup) string {
	words := make([]string, len(groups))
	for i, g := range groups {
		words[i] = fmt.Sprintf("%s:%d", strings.Join(g.Queues, ","), g.Max)
	}
	return strings.Join(words, " ")
}

// writeRemote shows the remote workers, and what waits for them.
func (c canvas) writeRemote(s work.WorkerStatus) {
	r := s.Remote
	fmt.Fprintf(c.out, "%s connected, %d of %s in use, %d reserved\n", show.Counted(r.Connected, "worker"), r.Active, show.Counted(r.Capacity, "slot"), r.Reserved)
	if len(s.RemoteWorkers) > 0 {
		fmt.Fprintln(c.out)
		g := show.NewGrid(show.Column{Name: "worker"}, show.Column{Name: "name"}, show.Column{Name: "state"}, show.Column{Name: "queues", Flex: true},
			show.Column{Name: "runs", Right: true}, show.Column{Name: "done", Right: true}, show.Column{Name: "failed", Right: true}, show.Column{Name: "seen", Right: true})
		for _, w := range s.RemoteWorkers {
			groups := make([]string, len(w.Groups))
			for i, use := range w.Groups {
				groups[i] = fmt.Sprintf("%s:%d", strings.Join(use.Queues, ","), use.Max)
			}
			queues := strings.Join(groups, " ")
			if asked := groupsText(w.AskedGroups); asked != "" && asked != queues {
				queues += " (asked for " + asked + ")" // it has not heard of them yet
			} else if asked != "" {
				queues += " (given)"
			}
			g.Add(w.ID, show.OneLine(w.Name), w.State, show.OneLine(queues), fmt.Sprintf("%d/%d", w.Active+w.Reserved, w.Capacity),
				show.Number(int(w.Completed)), show.Number(int(w.Failed)), seenAgo(w.LastSeen))
		}
		c.draw(g, nil)
	}
	c.writeRemoteQueues("waiting", r.Waiting)
	c.writeRemoteQueues("taken by no worker", r.Unserved)
}

func (c canvas) writeRemoteQueues(title string, queues []work.RemoteQueue) {
	if len(queues) == 0 {
		return
	}
	fmt.Fprintln(c.out)
	g := show.NewGrid(show.Column{Name: title, Flex: true}, show.Column{Name: "queue"}, show.Column{Name: "jobs", Right: true}, show.Column{Name: "oldest", Right: true})
	for _, q := range queues {
		g.Add(q.JobType, q.Queue, show.Number(q.Count), show.Age(q.Oldest.Time))
	}
	c.draw(g, nil)
}

func seenAgo(at *kappa.Time) string {
	if at == nil || time.Since(at.Time) < 0 {
		return ""
	}
	return show.Age(at.Time)
}
