package client

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/api"
	"github.com/kappagraph/kappa/webhooks"
)

// Webhooks are addresses of other programs that are told of events.
type Webhooks struct{ c *Client }

// webhookTestTimeout is longer than a receiver may take.
const webhookTestTimeout = 30 * time.Second

// List returns the webhooks, oldest first.
func (s Webhooks) List(ctx context.Context) ([]webhooks.Webhook, error) {
	out, err := fetch[api.WebhookList](ctx, s.c, get("/webhooks", nil))
	return out.Webhooks, err
}

// Create has an address told of events. The secret in the answer cannot be read again.
func (s Webhooks) Create(ctx context.Context, settings webhooks.Settings) (api.WebhookSecret, error) {
	return fetchJSON[api.WebhookSecret](ctx, s.c, http.MethodPost, "/webhooks", settings)
}

// Get returns a webhook.
func (s Webhooks) Get(ctx context.Context, id string) (webhooks.Webhook, error) {
	return fetch[webhooks.Webhook](ctx, s.c, get(webhookPath(id, ""), nil))
}

// Change changes parts of a webhook, and disables or enables it.
func (s Webhooks) Change(ctx context.Context, id string, change webhooks.Change) (webhooks.Webhook, error) {
	return fetchJSON[webhooks.Webhook](ctx, s.c, http.MethodPatch, webhookPath(id, ""), change)
}

// Delete deletes a webhook with its deliveries.
func (s Webhooks) Delete(ctx context.Context, id string) error {
	return s.c.delete(ctx, webhookPath(id, ""))
}

// Test sends a test to a webhook, and returns how that has ended.
func (s Webhooks) Test(ctx context.Context, id string) (api.WebhookTest, error) {
	return fetch[api.WebhookTest](ctx, s.c, call{method: http.MethodPost, path: webhookPath(id, "/test"), timeout: webhookTestTimeout})
}

// Rotate gives a webhook a new secret. The one before signs beside it for as long as keepOld
// says.
func (s Webhooks) Rotate(ctx context.Context, id string, keepOld time.Duration) (api.WebhookSecret, error) {
	return fetchJSON[api.WebhookSecret](ctx, s.c, http.MethodPost, webhookPath(id, "/rotate"), map[string]float64{"keep_old_hours": keepOld.Hours()})
}

// Deliveries returns a page of what was sent to a webhook, and of what waits. A Limit of 0 leaves
// the number to the server.
func (s Webhooks) Deliveries(ctx context.Context, id string, f webhooks.Filter) (api.DeliveryList, error) {
	query := url.Values{}
	setTexts(query, map[string]string{"status": string(f.Status), "event": string(f.Event), "cursor": f.Cursor})
	if f.Limit != 0 {
		query.Set("limit", strconv.Itoa(f.Limit))
	}
	return fetch[api.DeliveryList](ctx, s.c, get(webhookPath(id, "/deliveries"), query))
}

// Replay has a delivery sent again that is over.
func (s Webhooks) Replay(ctx context.Context, id, delivery string) (webhooks.Delivery, error) {
	return fetch[webhooks.Delivery](ctx, s.c, call{method: http.MethodPost, path: webhookPath(id, "/deliveries/"+url.PathEscape(delivery)+"/replay")})
}

// ReplayFailed has everything sent again that has failed and happened at since or later, and
// returns how much that is.
func (s Webhooks) ReplayFailed(ctx context.Context, id string, since time.Time) (int, error) {
	out, err := fetchJSON[api.Replayed](ctx, s.c, http.MethodPost, webhookPath(id, "/replay"), api.ReplayFailed{Since: kappa.At(since)})
	return out.Replayed, err
}

func webhookPath(id, below string) string { return "/webhooks/" + url.PathEscape(id) + below }
