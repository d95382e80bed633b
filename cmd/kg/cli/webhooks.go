package cli

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/api"
	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/cmd/kg/show"
	"github.com/kappagraph/kappa/webhooks"
)

// NewWebhooksCommand returns kg webhooks, which has other programs told of events.
func NewWebhooksCommand(a *App) *cobra.Command {
	cmd := &cobra.Command{
		Use: "webhooks", Aliases: []string{"webhook"}, Short: "Have other programs told of events: jobs that end, documents that change",
		Long: `Have other programs told of events: jobs that end or wait for approval, budgets that are
reached, documents that come, change and go, proposals.

Each event is sent to an address as a POST, signed as Standard Webhooks specifies. It is tried for
three days; those of one document are sent in order.`,
		RunE: onlySubcommands, Args: cobra.ArbitraryArgs,
	}
	cmd.AddCommand(newWebhooksListCommand(a), newWebhooksCreateCommand(a), newWebhooksShowCommand(a), newWebhooksChangeCommand(a), newWebhooksDeleteCommand(a),
		newWebhooksTestCommand(a), newWebhooksRotateCommand(a), newWebhooksDeliveriesCommand(a), newWebhooksReplayCommand(a),
		newWebhooksEnableCommand(a, true), newWebhooksEnableCommand(a, false))
	return cmd
}

// webhookFlags say what a webhook is told of.
type webhookFlags struct {
	url, description             string
	events, ontologies, jobTypes []string
}

func (f *webhookFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringArrayVar(&f.events, "event", nil, "only this event; may be given again. Without it: all events")
	flags.StringArrayVar(&f.ontologies, "ontology", nil, "only of what is in this ontology; may be given again")
	flags.StringArrayVar(&f.jobTypes, "job-type", nil, "of jobs only those of this type; may be given again")
	flags.StringVar(&f.description, "description", "", "what it is for")
	var words []string
	for _, e := range webhooks.Events() {
		words = append(words, string(e))
	}
	completeWith(cmd, "event", words...)
}

func (f *webhookFlags) named() []webhooks.Event {
	events := make([]webhooks.Event, len(f.events))
	for i, e := range f.events {
		events[i] = webhooks.Event(e)
	}
	return events
}

// places says which flags the members of a request come from.
func (f *webhookFlags) places() map[string]string {
	places := map[string]string{"job_types": "job-type", "ontologies": "ontology"}
	for member, flag := range map[string]string{"events": "event", "ontologies": "ontology", "job_types": "job-type"} {
		for i := range max(len(f.events), len(f.ontologies), len(f.jobTypes)) {
			places[member+"["+strconv.Itoa(i)+"]"] = flag
		}
	}
	return places
}

func newWebhooksCreateCommand(a *App) *cobra.Command {
	var f webhookFlags
	var s webhooks.Settings
	cmd := &cobra.Command{
		Use: "create URL", Short: "Have an address told of events, and show the secret that signs them", Args: cobra.ExactArgs(1),
		Example: "  kg webhooks create https://example.com/hooks --event job.failed --event job.completed\n  kg webhooks create https://example.com/hooks --ontology Contracts",
		RunE: a.withChecked(func(cmd *cobra.Command, args []string) error {
			s = webhooks.Settings{URL: args[0], Description: f.description, Events: f.named(), Ontologies: f.ontologies, JobTypes: f.jobTypes}
			return inFlagsOf(cmd, s.Validate(), f.places())
		}, func(cmd *cobra.Command, c *client.Client, _ []string) error {
			w, err := c.Webhooks.Create(cmd.Context(), s)
			if err != nil {
				return fmt.Errorf("make the webhook: %w", err)
			}
			return a.showAnswer("", func() { a.writeWebhookSecret(w) })
		}),
	}
	f.add(cmd)
	return cmd
}

func (a *App) writeWebhookSecret(w api.WebhookSecret) {
	fmt.Fprintf(a.out, "%s\nsecret  %s\n", w.ID, w.Secret)
	a.note("The secret is shown this once. Receivers verify with it that a delivery is ours: kg webhooks test %s tries that.", w.ID)
}

func newWebhooksListCommand(a *App) *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List the webhooks", Args: cobra.NoArgs,
		RunE: a.withClient(func(cmd *cobra.Command, c *client.Client, _ []string) error {
			list, err := c.Webhooks.List(cmd.Context())
			if err != nil {
				return fmt.Errorf("list the webhooks: %w", err)
			}
			return a.showAnswer("webhooks", func() { a.writeWebhooks(list) })
		}),
	}
}

func (a *App) writeWebhooks(list []webhooks.Webhook) {
	if len(list) == 0 {
		a.note("There is no webhook: kg webhooks create makes one.")
		return
	}
	g := show.NewGrid(show.Column{Name: "webhook"}, show.Column{Name: "state"}, show.Column{Name: "waiting", Right: true}, show.Column{Name: "events"}, show.Column{Name: "url", Flex: true})
	for _, w := range list {
		g.Add(w.ID, webhookState(w), show.Number(w.Waiting), namesOrAll(w.Events), show.OneLine(w.URL))
	}
	a.writeGrid(g, nil)
}

// webhookState is how a webhook is, in a word.
func webhookState(w webhooks.Webhook) string {
	switch {
	case !w.Enabled:
		return "disabled"
	case w.FailingSince != nil:
		return "failing"
	}
	return "enabled"
}

func namesOrAll[T ~string](names []T) string {
	if len(names) == 0 {
		return "all"
	}
	words := make([]string, len(names))
	for i, n := range names {
		words[i] = show.OneLine(string(n))
	}
	return strings.Join(words, ", ")
}

func newWebhooksShowCommand(a *App) *cobra.Command {
	return a.onWebhook("show", "Show a webhook", func(ctx context.Context, c *client.Client, id string) error {
		w, err := c.Webhooks.Get(ctx, id)
		if err != nil {
			return fmt.Errorf("show the webhook: %w", err)
		}
		return a.showAnswer("", func() { a.writeWebhook(w) })
	})
}

func (a *App) writeWebhook(w webhooks.Webhook) {
	state := webhookState(w)
	switch {
	case !w.Enabled:
		state += " since " + show.When(w.DisabledAt) + ": " + show.OneLine(w.DisabledReason)
	case w.FailingSince != nil:
		state += " since " + show.When(w.FailingSince)
	}
	rows := [][2]string{
		{"url", w.URL},
		{"description", w.Description},
		{"state", state},
		{"events", namesOrAll(w.Events)},
		{"ontologies", namesOrAll(w.Ontologies)},
		{"job types", namesOrAll(w.JobTypes)},
		{"waiting", show.Number(w.Waiting)},
		{"owner", w.Owner},
		{"made", show.When(&w.CreatedAt)},
	}
	if w.OldSecretUntil != nil {
		rows = append(rows, [2]string{"old secret", "signs until " + w.OldSecretUntil.String()})
	}
	fmt.Fprintln(a.out, a.paint(a.out).Bold(w.ID))
	for _, row := range rows {
		if row[1] != "" {
			fmt.Fprintf(a.out, "%s%s\n", show.Pad(row[0], 13), show.OneLine(row[1]))
		}
	}
}

// onWebhook is a command for one webhook.
func (a *App) onWebhook(verb, short string, do func(ctx context.Context, c *client.Client, id string) error) *cobra.Command {
	return &cobra.Command{
		Use: verb + " WEBHOOK", Short: short, Args: cobra.ExactArgs(1),
		RunE: a.withClient(func(cmd *cobra.Command, c *client.Client, args []string) error { return do(cmd.Context(), c, args[0]) }),
	}
}

func newWebhooksChangeCommand(a *App) *cobra.Command {
	var f webhookFlags
	cmd := &cobra.Command{
		Use: "change WEBHOOK", Short: "Change the address of a webhook, or what it is told of", Args: cobra.ExactArgs(1),
		Long:    "Change the address of a webhook, or what it is told of. A list that is given takes the place of the\none before; an empty one, as in --ontology '', stands for everything.",
		Example: "  kg webhooks change wh_0123456789abcdef01234567 --event job.failed",
		RunE: a.withClient(func(cmd *cobra.Command, c *client.Client, args []string) error {
			change := webhooks.Change{URL: given(cmd, "url", &f.url), Description: given(cmd, "description", &f.description)}
			if cmd.Flags().Changed("event") {
				change.Events = new(withoutEmpty(f.named()))
			}
			if cmd.Flags().Changed("ontology") {
				change.Ontologies = new(withoutEmpty(f.ontologies))
			}
			if cmd.Flags().Changed("job-type") {
				change.JobTypes = new(withoutEmpty(f.jobTypes))
			}
			w, err := c.Webhooks.Change(cmd.Context(), args[0], change)
			if err != nil {
				return fmt.Errorf("change the webhook: %w", err)
			}
			return a.showAnswer("", func() { a.writeWebhook(w) })
		}),
	}
	f.add(cmd)
	cmd.Flags().StringVar(&f.url, "url", "", "another address")
	return cmd
}

// withoutEmpty returns a list without its empty words.
func withoutEmpty[T ~string](list []T) []T {
	out := []T{}
	for _, v := range list {
		if v != "" {
			out = append(out, v)
		}
	}
	return out
}

func newWebhooksEnableCommand(a *App, enabled bool) *cobra.Command {
	verb, short := "enable", "Enable a webhook: what waits is sent, and it is told of events again"
	if !enabled {
		verb, short = "disable", "Disable a webhook: what waits stays, and it is told of nothing more"
	}
	return a.onWebhook(verb, short, func(ctx context.Context, c *client.Client, id string) error {
		w, err := c.Webhooks.Change(ctx, id, webhooks.Change{Enabled: &enabled})
		if err != nil {
			return fmt.Errorf("%s the webhook: %w", verb, err)
		}
		return a.showAnswer("", func() { fmt.Fprintf(a.out, "%s is %s\n", w.ID, webhookState(w)) })
	})
}

func newWebhooksDeleteCommand(a *App) *cobra.Command {
	return a.onWebhook("delete", "Delete a webhook with its deliveries", func(ctx context.Context, c *client.Client, id string) error {
		if err := c.Webhooks.Delete(ctx, id); err != nil {
			return fmt.Errorf("delete the webhook: %w", err)
		}
		a.note("Webhook %s is deleted.", show.OneLine(id))
		return nil
	})
}

// checkWebhooks says which webhooks do not get what they are told. Whoever may not see them gets
// no finding, and neither does a server without webhooks.
func checkWebhooks(ctx context.Context, c *client.Client) (findings []finding) {
	list, err := c.Webhooks.List(ctx)
	if err != nil {
		switch kappa.ErrorCode(err) {
		case kappa.CodeForbidden, kappa.CodeNotFound:
			return nil
		}
		return []finding{{Check: "webhooks", Level: levelFail, Found: err.Error()}}
	}
	for _, w := range list {
		switch {
		case !w.Enabled && w.DisabledReason != webhooks.DisabledByHand:
			findings = append(findings, finding{
				Check: "webhook", Level: levelWarn, Found: fmt.Sprintf("%s is disabled: %s; waiting: %s", w.ID, w.DisabledReason, countedDeliveries(w.Waiting)),
				Remedy: "kg webhooks test " + w.ID + " says how its receiver answers; then kg webhooks enable " + w.ID,
			})
		case w.Enabled && w.FailingSince != nil:
			findings = append(findings, finding{
				Check: "webhook", Level: levelWarn, Found: fmt.Sprintf("%s has failed since %s; waiting: %s", w.ID, show.When(w.FailingSince), countedDeliveries(w.Waiting)),
				Remedy: "kg webhooks deliveries " + w.ID + " says why",
			})
		}
	}
	return findings
}

func countedDeliveries(n int) string {
	if n == 1 {
		return "1 delivery"
	}
	return show.Number(n) + " deliveries"
}
