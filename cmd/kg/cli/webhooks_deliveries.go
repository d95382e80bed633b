package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/kappagraph/kappa/api"
	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/cmd/kg/exit"
	"github.com/kappagraph/kappa/cmd/kg/show"
	"github.com/kappagraph/kappa/webhooks"
)

func newWebhooksTestCommand(a *App) *cobra.Command {
	cmd := a.onWebhook("test", "Send a test to a webhook, and say how its receiver answers", func(ctx context.Context, c *client.Client, id string) error {
		test, err := c.Webhooks.Test(ctx, id)
		if err != nil {
			return fmt.Errorf("test the webhook: %w", err)
		}
		if err := a.showAnswer("", func() { a.writeWebhookTest(test) }); err != nil {
			return err
		}
		if !test.Delivered {
			return &exit.Error{Code: exit.Failed, Err: errors.New("the test was not delivered: " + show.OneLine(test.Error))}
		}
		return nil
	})
	cmd.Long = "Send an event of the type webhook.test to a webhook at once, and say how its receiver answers. The\nexit code is 1 when it was not delivered. It is sent to a disabled webhook too."
	return cmd
}

func (a *App) writeWebhookTest(t api.WebhookTest) {
	if t.AnswerStatus != nil {
		fmt.Fprintf(a.out, "%s  answered %d in %s\n", t.DeliveryID, *t.AnswerStatus, show.Span(time.Duration(t.TookMS)*time.Millisecond))
	}
	if t.Answer != "" {
		fmt.Fprintln(a.out, show.OneLine(t.Answer))
	}
}

func newWebhooksRotateCommand(a *App) *cobra.Command {
	var keep time.Duration
	cmd := &cobra.Command{
		Use: "rotate WEBHOOK", Short: "Give a webhook a new secret; the one before signs too for a time", Args: cobra.ExactArgs(1),
		Example: "  kg webhooks rotate wh_0123456789abcdef01234567 --keep-old 48h",
		RunE: a.withChecked(func(cmd *cobra.Command, _ []string) error {
			_, err := webhooks.KeepOldHours(keep.Hours())
			return inFlagsOf(cmd, err, map[string]string{"keep_old_hours": "keep-old"})
		}, func(cmd *cobra.Command, c *client.Client, args []string) error {
			w, err := c.Webhooks.Rotate(cmd.Context(), args[0], keep)
			if err != nil {
				return fmt.Errorf("rotate the secret: %w", err)
			}
			return a.showAnswer("", func() {
				a.writeWebhookSecret(w)
				if w.OldSecretUntil != nil {
					a.note("The secret before signs too until %s.", w.OldSecretUntil)
				}
			})
		}),
	}
	cmd.Flags().DurationVar(&keep, "keep-old", webhooks.KeepSecret, "how long the secret before signs too, 0 to 168h")
	return cmd
}

func newWebhooksDeliveriesCommand(a *App) *cobra.Command {
	var f webhooks.Filter
	var status, event string
	cmd := &cobra.Command{
		Use: "deliveries WEBHOOK", Short: "List what was sent to a webhook, and what waits", Args: cobra.ExactArgs(1),
		Example: "  kg webhooks deliveries wh_0123456789abcdef01234567 --status failed",
		RunE: a.withChecked(func(cmd *cobra.Command, _ []string) error {
			f.Status, f.Event = webhooks.Status(status), webhooks.Event(event)
			return inFlagsOf(cmd, f.Validate(), nil)
		}, func(cmd *cobra.Command, c *client.Client, args []string) error {
			found, err := c.Webhooks.Deliveries(cmd.Context(), args[0], f)
			if err != nil {
				return fmt.Errorf("list the deliveries: %w", err)
			}
			return a.showAnswer("deliveries", func() { a.writeDeliveries(found) })
		}),
	}
	flags := cmd.Flags()
	flags.StringVar(&status, "status", "", "only those that are pending, delivered or failed")
	flags.StringVar(&event, "event", "", "only those of this event")
	flags.IntVar(&f.Limit, "limit", webhooks.DefaultLimit, "how many to list at most, 1 to 500")
	flags.StringVar(&f.Cursor, "cursor", "", "next_cursor of the page before")
	completeWith(cmd, "status", string(webhooks.Pending), string(webhooks.Delivered), string(webhooks.Failed))
	return cmd
}

func (a *App) writeDeliveries(found api.DeliveryList) {
	if len(found.Deliveries) == 0 {
		a.note("Nothing was sent, and nothing waits.")
		return
	}
	g := show.NewGrid(show.Column{Name: "delivery"}, show.Column{Name: "event"}, show.Column{Name: "status"}, show.Column{Name: "attempts", Right: true}, show.Column{Name: "when", Flex: true})
	for _, d := range found.Deliveries {
		g.Add(d.ID, string(d.Event), string(d.Status), show.Number(d.Attempts), show.OneLine(whenOf(d)))
	}
	a.writeGrid(g, nil)
	if found.Next != nil {
		a.note("There are more: --cursor %s shows the next ones.", *found.Next)
	}
}

// whenOf says when an event has happened that was delivered, and of others when they are tried
// again, and why that is so.
func whenOf(d webhooks.Delivery) string {
	when := d.HappenedAt.String()
	switch {
	case d.Status == webhooks.Pending && d.NextAttempt != nil:
		when = "next " + d.NextAttempt.String()
	case d.Status == webhooks.Failed && d.EndedAt != nil:
		when = "given up " + d.EndedAt.String()
	}
	if d.Error != "" && d.Status != webhooks.Delivered {
		when = d.Error + "; " + when
	}
	return when
}

func newWebhooksReplayCommand(a *App) *cobra.Command {
	var since time.Duration
	cmd := &cobra.Command{
		Use: "replay WEBHOOK [DELIVERY]", Short: "Send a delivery again, or everything that has failed since a time", Args: cobra.RangeArgs(1, 2),
		Example: "  kg webhooks replay wh_0123456789abcdef01234567 --since 72h\n  kg webhooks replay wh_0123456789abcdef01234567 msg_17_0123abcd",
		RunE: a.withChecked(func(_ *cobra.Command, args []string) error {
			if (len(args) == 2) == (since > 0) {
				return exit.Usage("say which delivery, or with --since how old those that failed may be, as in --since 72h")
			}
			return nil
		}, func(cmd *cobra.Command, c *client.Client, args []string) error {
			if len(args) == 2 {
				d, err := c.Webhooks.Replay(cmd.Context(), args[0], args[1])
				if err != nil {
					return fmt.Errorf("replay the delivery: %w", err)
				}
				return a.showAnswer("", func() { fmt.Fprintf(a.out, "%s is sent again\n", d.ID) })
			}
			n, err := c.Webhooks.ReplayFailed(cmd.Context(), args[0], time.Now().Add(-since))
			if err != nil {
				return fmt.Errorf("replay what has failed: %w", err)
			}
			return a.showAnswer("", func() { fmt.Fprintf(a.out, "%s sent again\n", countedDeliveries(n)) })
		}),
	}
	cmd.Flags().DurationVar(&since, "since", 0, "all that have failed and happened in the last so long, for example 72h")
	return cmd
}
