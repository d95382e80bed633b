// Package webhooks is the part of the HTTP API that keeps webhooks: addresses of other programs
// that are told of events. They tell of what everybody does, so that operators alone keep them.
package webhooks

import (
	"context"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/api"
	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/webhooks"
)

// store keeps webhooks; unknown ones are CodeNotFound.
type store interface {
	Webhooks(ctx context.Context) ([]webhooks.Webhook, error)
	Webhook(ctx context.Context, id string) (webhooks.Webhook, error)
	// ChangeWebhook returns what the change breaks.
	ChangeWebhook(ctx context.Context, id string, c webhooks.Change) (webhooks.Webhook, error)
	DeleteWebhook(ctx context.Context, id string) error
}

// deliveries are what was sent, and is to be.
type deliveries interface {
	Deliveries(ctx context.Context, id string, f webhooks.Filter) ([]webhooks.Delivery, error)
	// Replay returns CodeConflict for a delivery that is not over.
	Replay(ctx context.Context, id string, key webhooks.Key) (webhooks.Delivery, error)
	ReplayFailed(ctx context.Context, id string, since time.Time) (int, error)
}

// service makes webhooks and their secrets, and tries them.
type service interface {
	Create(ctx context.Context, settings webhooks.Settings, userID int) (webhooks.Webhook, string, error)
	Rotate(ctx context.Context, id string, keepOld time.Duration) (webhooks.Webhook, string, error)
	Try(ctx context.Context, id string) (deliveryID string, r webhooks.Result, err error)
}

// Config is what an API needs. Every field is required.
type Config struct {
	Webhooks   store
	Deliveries deliveries
	Service    service
	Wake       func() // has what is to be sent be looked for at once
}

// API keeps webhooks.
type API struct{ cfg Config }

// New returns the resource.
func New(cfg Config) *API { return &API{cfg: cfg} }

// Register adds the routes.
func (a *API) Register(r *http.Router) error {
	http.Register(r, http.Route{Method: "GET", Path: "/webhooks", Permission: access.WebhooksRead, ID: "webhooks.list", Summary: "List the webhooks"}, a.list)
	http.Register(r, http.Route{Method: "POST", Path: "/webhooks", Permission: access.WebhooksWrite, ID: "webhooks.create", Summary: "Have an address told of events", Status: 201}, a.create)
	http.Register(r, http.Route{Method: "GET", Path: "/webhooks/{id}", Permission: access.WebhooksRead, ID: "webhooks.show", Summary: "Show a webhook"}, a.show)
	http.Register(r, http.Route{Method: "PATCH", Path: "/webhooks/{id}", Permission: access.WebhooksWrite, ID: "webhooks.change", Summary: "Change, disable or enable a webhook"}, a.change)
	http.RegisterEmpty(r, http.Route{Method: "DELETE", Path: "/webhooks/{id}", Permission: access.WebhooksWrite, ID: "webhooks.delete", Summary: "Delete a webhook with its deliveries"}, a.remove)
	http.Register(r, http.Route{Method: "POST", Path: "/webhooks/{id}/test", Permission: access.WebhooksWrite, ID: "webhooks.test", Summary: "Send a test to a webhook, and say how it was answered"}, a.try)
	http.Register(r, http.Route{Method: "POST", Path: "/webhooks/{id}/rotate", Permission: access.WebhooksWrite, ID: "webhooks.rotate", Summary: "Give a webhook a new secret"}, a.rotate)
	http.Register(r, http.Route{Method: "GET", Path: "/webhooks/{id}/deliveries", Permission: access.WebhooksRead, ID: "webhooks.deliveries", Summary: "List what was sent to a webhook, and what waits"}, a.listDeliveries)
	http.Register(r, http.Route{Method: "POST", Path: "/webhooks/{id}/deliveries/{delivery}/replay", Permission: access.WebhooksWrite, ID: "webhooks.replay", Summary: "Send a delivery again"}, a.replay)
	http.Register(r, http.Route{Method: "POST", Path: "/webhooks/{id}/replay", Permission: access.WebhooksWrite, ID: "webhooks.replay-failed", Summary: "Send everything again that has failed since a time"}, a.replayFailed)
	return http.CheckConfig("http/webhooks", a.cfg)
}

type idInput struct {
	ID string `path:"id" doc:"The id of a webhook"`
}

// known returns CodeNotFound for what cannot be the id of a webhook.
func known(id string) error {
	if webhooks.IsID(id) {
		return nil
	}
	return kappa.NewError(kappa.CodeNotFound, "Webhook not found: "+http.Printable(id))
}

func (a *API) list(ctx context.Context, _ *struct{}) (api.WebhookList, error) {
	list, err := a.cfg.Webhooks.Webhooks(ctx)
	return api.WebhookList{Webhooks: list}, err
}

type createInput struct {
	Body struct {
		_ struct{} `additionalProperties:"false"`
		webhooks.Settings
	}
}

func (a *API) create(ctx context.Context, in *createInput) (api.WebhookSecret, error) {
	w, secret, err := a.cfg.Service.Create(ctx, in.Body.Settings, http.PrincipalOf(ctx).User.ID)
	return api.WebhookSecret{Webhook: w, Secret: secret}, err
}

func (a *API) show(ctx context.Context, in *idInput) (webhooks.Webhook, error) {
	if err := known(in.ID); err != nil {
		return webhooks.Webhook{}, err
	}
	return a.cfg.Webhooks.Webhook(ctx, in.ID)
}

type changeInput struct {
	ID   string `path:"id" doc:"The id of a webhook"`
	Body struct {
		_ struct{} `additionalProperties:"false"`
		webhooks.Change
	}
}

func (a *API) change(ctx context.Context, in *changeInput) (webhooks.Webhook, error) {
	if err := known(in.ID); err != nil {
		return webhooks.Webhook{}, err
	}
	w, err := a.cfg.Webhooks.ChangeWebhook(ctx, in.ID, in.Body.Change)
	if err == nil && w.Enabled {
		a.cfg.Wake()
	}
	return w, err
}

func (a *API) remove(ctx context.Context, in *idInput) error {
	if err := known(in.ID); err != nil {
		return err
	}
	return a.cfg.Webhooks.DeleteWebhook(ctx, in.ID)
}

func (a *API) try(ctx context.Context, in *idInput) (api.WebhookTest, error) {
	if err := known(in.ID); err != nil {
		return api.WebhookTest{}, err
	}
	id, r, err := a.cfg.Service.Try(ctx, in.ID)
	out := api.WebhookTest{Delivered: r.OK, DeliveryID: id, Answer: r.Answer, Error: r.Error, TookMS: r.Took.Milliseconds()}
	if r.AnswerStatus != 0 {
		out.AnswerStatus = &r.AnswerStatus
	}
	return out, err
}

type rotateInput struct {
	ID   string `path:"id" doc:"The id of a webhook"`
	Body *struct {
		_       struct{} `additionalProperties:"false"`
		KeepOld *float64 `json:"keep_old_hours,omitempty" doc:"How long the secret before signs too, 0 to 168; default 24"`
	}
}

func (a *API) rotate(ctx context.Context, in *rotateInput) (api.WebhookSecret, error) {
	if err := known(in.ID); err != nil {
		return api.WebhookSecret{}, err
	}
	keep := webhooks.KeepSecret
	if in.Body != nil && in.Body.KeepOld != nil {
		var err error
		if keep, err = webhooks.KeepOldHours(*in.Body.KeepOld); err != nil {
			return api.WebhookSecret{}, err
		}
	}
	w, secret, err := a.cfg.Service.Rotate(ctx, in.ID, keep)
	return api.WebhookSecret{Webhook: w, Secret: secret}, err
}
