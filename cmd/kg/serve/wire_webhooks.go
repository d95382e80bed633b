package serve

import (
	"context"
	nethttp "net/http"

	"github.com/kappagraph/kappa/internal/fetch"
	webhooksapi "github.com/kappagraph/kappa/internal/http/webhooks"
	"github.com/kappagraph/kappa/internal/postgres"
	"github.com/kappagraph/kappa/internal/webhooks"
	"github.com/kappagraph/kappa/work"
)

// webhookSettings are which addresses webhooks may have.
type webhookSettings struct {
	Private string // privateOff or privateAllow
	Allow   string // hosts, with commas between
}

// table returns the settings of webhooks.
func (w *webhookSettings) table() []setting {
	return []setting{
		oneOf("KG_WEBHOOK_PRIVATE", []string{privateOff, privateAllow}, "allow sends webhooks to private networks and any port too", &w.Private),
		text("KG_WEBHOOK_ALLOW", "", "", "hosts that webhooks are sent to, with commas between; *.example.com is all below one", &w.Allow).without("all"),
	}
}

// webhookPart tells other programs of events.
type webhookPart struct {
	service *webhooks.Service
	sender  *webhooks.Sender
}

// wireWebhooks connects it.
func (s *server) wireWebhooks(context.Context) error {
	chosen := s.settings.Webhooks
	client := fetch.New(fetch.Config{Private: chosen.Private == privateAllow, Allow: hostsOf(chosen.Allow), Total: webhooks.Within, Header: webhooks.Within})
	post := func(ctx context.Context, url string, header nethttp.Header, body []byte, most int64) (webhooks.Answer, error) {
		answer, err := client.Post(ctx, url, header, body, most)
		return webhooks.Answer(answer), err
	}
	store, vault := s.db.Webhooks(), s.models.vault
	s.hooks.sender = webhooks.NewSender(webhooks.SenderConfig{Queue: store, Vault: vault, Post: post, Log: s.log})
	s.hooks.service = webhooks.NewService(webhooks.ServiceConfig{Store: store, Vault: vault, Post: post, Wake: s.hooks.sender.Wake})
	return nil
}

// api is what the resource of the API needs.
func (w *webhookPart) api(store postgres.WebhookStore) webhooksapi.Config {
	return webhooksapi.Config{Webhooks: store, Deliveries: store, Service: w.service, Wake: w.sender.Wake}
}

// webhookPurge deletes old deliveries, which are kept as long as jobs.
type webhookPurge struct {
	store postgres.WebhookStore
	keep  work.Retention
}

// PurgeWebhooks deletes now.
func (p webhookPurge) PurgeWebhooks(ctx context.Context) error {
	return p.store.PurgeWebhooks(ctx, p.keep)
}
