package postgres

import (
	"context"
	"fmt"
	"net/url"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/postgres/db"
	"github.com/kappagraph/kappa/webhooks"
)

// WebhookStore keeps webhooks, their secrets and their deliveries.
type WebhookStore struct{ *base }

// Webhooks returns the store of webhooks.
func (d *DB) Webhooks() WebhookStore { return WebhookStore{&d.base} }

// AddWebhook stores a webhook with its secret, which is encrypted already. It returns
// CodeConflict when there are as many as there may be.
func (s WebhookStore) AddWebhook(ctx context.Context, w webhooks.Webhook, userID int, secret webhooks.SealedSecret) error {
	err := inTx(ctx, s.jobs, func(q *db.Queries) error {
		if err := q.WebhookLock(ctx); err != nil {
			return err
		}
		n, err := q.WebhookInsert(ctx, db.WebhookInsertParams{
			WebhookID: w.ID, Url: w.URL, Description: w.Description, Events: texts(w.Events), Ontologies: w.Ontologies, JobTypes: w.JobTypes,
			Enabled: w.Enabled, DisabledReason: w.DisabledReason, UserID: rowOrNone(userID), Most: webhooks.Max,
		})
		if err != nil {
			return err
		}
		if n == 0 {
			return conflict("There are %d webhooks already, as many as there may be: delete one that is not needed", webhooks.Max)
		}
		if err := q.WebhookSecretInsert(ctx, w.ID, secret.KeyID, secret.Sealed); err != nil {
			return err
		}
		return record(ctx, q, act{action: "webhook.create", object: "webhook", id: w.ID, after: recorded(w)})
	})
	return translate(err, "store a webhook")
}

// recordedWebhook is what the audit log has of a webhook: of its address only where it leads, for
// the path or the query may be a secret of the receiver.
type recordedWebhook struct {
	Host       string           `json:"host"`
	Events     []webhooks.Event `json:"events"`
	Ontologies []string         `json:"ontologies"`
	JobTypes   []string         `json:"job_types"`
	Enabled    bool             `json:"enabled"`
}

func recorded(w webhooks.Webhook) recordedWebhook {
	r := recordedWebhook{Events: w.Events, Ontologies: w.Ontologies, JobTypes: w.JobTypes, Enabled: w.Enabled}
	if u, err := url.Parse(w.URL); err == nil {
		r.Host = u.Host
	}
	return r
}

// Webhooks returns all of them, oldest first.
func (s WebhookStore) Webhooks(ctx context.Context) ([]webhooks.Webhook, error) {
	rows, err := s.q().WebhookList(ctx, webhooks.MaxCounted, "")
	list := make([]webhooks.Webhook, len(rows))
	for i, r := range rows {
		list[i] = listedWebhook(r)
	}
	return list, translate(err, "list webhooks")
}

// Webhook returns one, or CodeNotFound.
func (s WebhookStore) Webhook(ctx context.Context, id string) (webhooks.Webhook, error) {
	rows, err := s.q().WebhookList(ctx, webhooks.MaxCounted, id)
	switch {
	case err != nil:
		return webhooks.Webhook{}, translate(err, "read a webhook")
	case len(rows) == 0 || id == "":
		return webhooks.Webhook{}, webhookNotFound(id)
	}
	return listedWebhook(rows[0]), nil
}

// ChangeWebhook changes parts of a webhook and returns it. It returns CodeNotFound, and what the
// change breaks.
func (s WebhookStore) ChangeWebhook(ctx context.Context, id string, c webhooks.Change) (webhooks.Webhook, error) {
	err := inTx(ctx, s.jobs, func(q *db.Queries) error {
		row, err := q.WebhookHold(ctx, id)
		if isNoRows(err) {
			return webhookNotFound(id)
		}
		if err != nil {
			return err
		}
		before := toWebhook(row)
		w, err := c.Apply(before)
		if err != nil {
			return err
		}
		err = q.WebhookUpdate(ctx, db.WebhookUpdateParams{
			Url: w.URL, Description: w.Description, Events: texts(w.Events), Ontologies: w.Ontologies, JobTypes: w.JobTypes,
			Enabled: w.Enabled, DisabledReason: w.DisabledReason, WebhookID: id,
		})
		if err != nil {
			return err
		}
		return record(ctx, q, act{action: "webhook.change", object: "webhook", id: id, before: recorded(before), after: recorded(w)})
	})
	if err != nil {
		return webhooks.Webhook{}, translate(err, "change a webhook")
	}
	return s.Webhook(ctx, id)
}

// DeleteWebhook deletes a webhook with its deliveries, or returns CodeNotFound. What is left of
// the deliveries when that fails, PurgeWebhooks deletes.
func (s WebhookStore) DeleteWebhook(ctx context.Context, id string) error {
	err := inTx(ctx, s.jobs, func(q *db.Queries) error {
		row, err := q.WebhookDelete(ctx, id)
		if isNoRows(err) {
			return webhookNotFound(id)
		}
		if err != nil {
			return err
		}
		return record(ctx, q, act{action: "webhook.delete", object: "webhook", id: id, before: recorded(toWebhook(row))})
	})
	if err == nil {
		err = s.forgetDeliveries(ctx, id)
	}
	return translate(err, "delete a webhook")
}

// SetWebhookSecret gives a webhook a new secret, which is encrypted already. The one before goes
// on signing for a time. It returns CodeNotFound.
func (s WebhookStore) SetWebhookSecret(ctx context.Context, secret webhooks.SealedSecret, keepOld time.Duration) error {
	id := secret.WebhookID
	err := inTx(ctx, s.jobs, func(q *db.Queries) error {
		if _, err := q.WebhookHold(ctx, id); isNoRows(err) {
			return webhookNotFound(id)
		} else if err != nil {
			return err
		}
		if err := q.WebhookSecretRetire(ctx, keepOld, id); err != nil {
			return err
		}
		if err := q.WebhookSecretsDrop(ctx, id); err != nil {
			return err
		}
		if err := q.WebhookSecretInsert(ctx, id, secret.KeyID, secret.Sealed); err != nil {
			return err
		}
		return record(ctx, q, act{action: "webhook.rotate", object: "webhook", id: id, after: map[string]any{"old_secret_signs_for": keepOld.String()}})
	})
	return translate(err, "store the secret of a webhook")
}

// WebhookSecrets returns the secrets that sign for webhooks, of each the newest first.
func (s WebhookStore) WebhookSecrets(ctx context.Context, ids []string) (map[string][]webhooks.SealedSecret, error) {
	rows, err := s.q().WebhookSecretList(ctx, ids)
	secrets := map[string][]webhooks.SealedSecret{}
	for _, r := range rows {
		secrets[r.WebhookID] = append(secrets[r.WebhookID], webhooks.SealedSecret{WebhookID: r.WebhookID, Number: int(r.Number), KeyID: r.KeyID, Sealed: r.Sealed})
	}
	return secrets, translate(err, "read the secrets of webhooks")
}

// resealWebhooks stores the secrets of every webhook as reseal encrypts them anew, and returns how
// many there are.
func resealWebhooks(ctx context.Context, q *db.Queries, reseal func(row, keyID string, sealed []byte) (string, []byte, error)) (int, error) {
	rows, err := q.WebhookSecretsAll(ctx)
	if err != nil {
		return 0, err
	}
	for _, r := range rows {
		p := db.WebhookSecretResealParams{WebhookID: r.WebhookID, Number: r.Number}
		if p.KeyID, p.Sealed, err = reseal(webhooks.SecretRow(r.WebhookID), r.KeyID, r.Sealed); err != nil {
			return 0, &kappa.Error{Code: kappa.ErrorCode(err), Err: err, Message: fmt.Sprintf(
				"A secret of the webhook %s cannot be read with the file that KG_SECRETS_KEY_FILE names: give it a new one and forget the old one (kg webhooks rotate %s --keep-old 0), then rotate again", r.WebhookID, r.WebhookID)}
		}
		if err := q.WebhookSecretReseal(ctx, p); err != nil {
			return 0, err
		}
	}
	return len(rows), nil
}

func webhookNotFound(id string) error { return notFound("Webhook not found: %s", id) }

func rowOrNone(id int) *int32 {
	if id == 0 {
		return nil
	}
	return new(int32(id))
}

func listedWebhook(r db.WebhookListRow) webhooks.Webhook {
	w := toWebhook(r.KgApiWebhook)
	w.Owner, w.Waiting, w.OldSecretUntil = r.Username, int(r.Waiting), kappa.AtPtr(r.OldSecretUntil)
	return w
}

func toWebhook(r db.KgApiWebhook) webhooks.Webhook {
	events := make([]webhooks.Event, len(r.Events))
	for i, e := range r.Events {
		events[i] = webhooks.Event(e)
	}
	return webhooks.Webhook{
		ID:       r.WebhookID,
		Settings: webhooks.Settings{URL: r.Url, Description: r.Description, Events: events, Ontologies: r.Ontologies, JobTypes: r.JobTypes},
		Enabled:  r.Enabled, DisabledAt: kappa.AtPtr(r.DisabledAt), DisabledReason: r.DisabledReason, FailingSince: kappa.AtPtr(r.FailingSince),
		CreatedAt: kappa.At(r.CreatedAt), UpdatedAt: kappa.At(r.UpdatedAt),
	}
}
