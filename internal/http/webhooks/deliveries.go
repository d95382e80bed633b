package webhooks

import (
	"context"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/api"
	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/webhooks"
)

type listInput struct {
	ID     string `path:"id" doc:"The id of a webhook"`
	Status string `query:"status" doc:"Only those that are pending, delivered or failed"`
	Event  string `query:"event" doc:"Only those of this event"`
	Limit  int    `query:"limit" default:"50" doc:"1 to 500"`
	Cursor string `query:"cursor" doc:"next_cursor of the page before"`
}

func (a *API) listDeliveries(ctx context.Context, in *listInput) (api.DeliveryList, error) {
	f := webhooks.Filter{Status: webhooks.Status(in.Status), Event: webhooks.Event(in.Event), Limit: in.Limit, Cursor: in.Cursor}
	if err := f.Validate(); err != nil {
		return api.DeliveryList{}, err
	}
	if err := a.exists(ctx, in.ID); err != nil {
		return api.DeliveryList{}, err
	}
	list, err := a.cfg.Deliveries.Deliveries(ctx, in.ID, f)
	return api.DeliveryList{Deliveries: list, Next: http.NextCursor(list, in.Limit, webhooks.Delivery.Place)}, err
}

// exists returns CodeNotFound for a webhook that is not there.
func (a *API) exists(ctx context.Context, id string) error {
	if err := known(id); err != nil {
		return err
	}
	_, err := a.cfg.Webhooks.Webhook(ctx, id)
	return err
}

type replayInput struct {
	ID       string `path:"id" doc:"The id of a webhook"`
	Delivery string `path:"delivery" doc:"The id of a delivery: its header webhook-id"`
}

func (a *API) replay(ctx context.Context, in *replayInput) (webhooks.Delivery, error) {
	if err := a.exists(ctx, in.ID); err != nil {
		return webhooks.Delivery{}, err
	}
	key, ok := webhooks.ParseKey(in.Delivery)
	if !ok {
		return webhooks.Delivery{}, kappa.NewError(kappa.CodeNotFound, "Delivery not found: "+http.Printable(in.Delivery))
	}
	d, err := a.cfg.Deliveries.Replay(ctx, in.ID, key)
	if err == nil {
		a.cfg.Wake()
	}
	return d, err
}

type replayFailedInput struct {
	ID   string `path:"id" doc:"The id of a webhook"`
	Body struct {
		_ struct{} `additionalProperties:"false"`
		api.ReplayFailed
	}
}

func (a *API) replayFailed(ctx context.Context, in *replayFailedInput) (api.Replayed, error) {
	if err := webhooks.CheckSince(in.Body.Since); err != nil {
		return api.Replayed{}, err
	}
	if err := a.exists(ctx, in.ID); err != nil {
		return api.Replayed{}, err
	}
	n, err := a.cfg.Deliveries.ReplayFailed(ctx, in.ID, in.Body.Since.Time)
	if err == nil {
		a.cfg.Wake()
	}
	return api.Replayed{Replayed: n}, err
}
