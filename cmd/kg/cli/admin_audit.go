package cli

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/cmd/kg/show"
)

// newAuditCommand returns kg admin audit, which shows who did what.
func newAuditCommand(a *App) *cobra.Command {
	var f access.AuditFilter
	var since time.Duration
	cmd := &cobra.Command{
		Use: "audit", Short: "Show the audit log: who did what, when, and what that changed", Args: cobra.NoArgs,
		Example: "  kg admin audit --user ada --action job --since 24h\n  kg admin audit --object lane --object-id interactive",
		RunE: a.withChecked(func(cmd *cobra.Command, _ []string) (err error) {
			if f.Since, err = before(since); err != nil {
				return err
			}
			return inFlagsOf(cmd, f.Validate(), nil)
		}, func(cmd *cobra.Command, c *client.Client, _ []string) error {
			entries, err := c.Users.Audit(cmd.Context(), f)
			if err != nil {
				return fmt.Errorf("read who did what: %w", err)
			}
			return a.showAnswer("entries", func() { a.writeAudit(entries) })
		}),
	}
	flags := cmd.Flags()
	flags.StringVar(&f.User, "user", "", "only what this user did")
	flags.StringVar(&f.Action, "action", "", "only this, for example job.approve, or job for all about jobs")
	flags.StringVar(&f.Object, "object", "", "only about this kind of things: job, lane, schedule, user, role, …")
	flags.StringVar(&f.ObjectID, "object-id", "", "only about the one with this id or name")
	flags.DurationVar(&since, "since", 0, "only of the last so long, for example 24h")
	flags.Int64Var(&f.BeforeID, "before-id", 0, "only entries older than this one, to page on")
	flags.IntVar(&f.Limit, "limit", 50, "how many to list at most, 1 to 500")
	return cmd
}

func (a *App) writeAudit(entries []access.AuditEntry) {
	g := show.NewGrid(columns("id", "when", "who", "what", "object", "change")...)
	for _, e := range entries {
		change := string(e.Before)
		if len(e.After) > 0 && string(e.After) != "null" {
			change += " → " + string(e.After)
		}
		g.Add(fmt.Sprint(e.ID), e.At.String(), e.Username, e.Action, e.ObjectID, change)
	}
	a.writeGrid(g, nil)
}
