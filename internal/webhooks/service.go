package webhooks

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/webhooks"
)

// store keeps webhooks; unknown ones are CodeNotFound. See postgres.WebhookStore.
type store interface {
	AddWebhook(ctx context.Context, w webhooks.Webhook, userID int, secret webhooks.SealedSecret) error
	Webhook(ctx context.Context, id string) (webhooks.Webhook, error)
	SetWebhookSecret(ctx context.Context, secret webhooks.SealedSecret, keepOld time.Duration) error
	WebhookSecrets(ctx context.Context, ids []string) (map[string][]webhooks.SealedSecret, error)
}

// ServiceConfig is what a Service needs.
type ServiceConfig struct {
	Store store
	Vault vault
	Post  Post
	Wake  func() // has the sender look
}

// Service makes webhooks and their secrets, and tries them.
type Service struct{ cfg ServiceConfig }

// NewService returns a Service.
func NewService(cfg ServiceConfig) *Service {
	kappa.Require(cfg)
	return &Service{cfg}
}

// Create makes a webhook of a user, and returns it with its secret, which nobody can read again. It
// returns CodeConflict when there are as many as there may be.
func (s *Service) Create(ctx context.Context, settings webhooks.Settings, userID int) (webhooks.Webhook, string, error) {
	w := webhooks.Webhook{ID: webhooks.NewID(), Settings: settings.Normal(), Enabled: true}
	if err := w.Validate(); err != nil {
		return webhooks.Webhook{}, "", err
	}
	secret, sealed, err := s.newSecret(w.ID)
	if err != nil {
		return webhooks.Webhook{}, "", err
	}
	if err := s.cfg.Store.AddWebhook(ctx, w, userID, sealed); err != nil {
		return webhooks.Webhook{}, "", err
	}
	s.cfg.Wake()
	w, err = s.cfg.Store.Webhook(ctx, w.ID)
	return w, secret, err
}

// Rotate gives a webhook a new secret, and returns it. The one before signs beside it for as long
// as keepOld says.
func (s *Service) Rotate(ctx context.Context, id string, keepOld time.Duration) (webhooks.Webhook, string, error) {
	secret, sealed, err := s.newSecret(id)
	if err != nil {
		return webhooks.Webhook{}, "", err
	}
	if err := s.cfg.Store.SetWebhookSecret(ctx, sealed, keepOld); err != nil {
		return webhooks.Webhook{}, "", err
	}
	w, err := s.cfg.Store.Webhook(ctx, id)
	return w, secret, err
}

func (s *Service) newSecret(id string) (string, webhooks.SealedSecret, error) {
	secret := webhooks.NewSecret()
	keyID, sealed, err := s.cfg.Vault.Seal(webhooks.SecretRow(id), secret)
	return secret, webhooks.SealedSecret{WebhookID: id, KeyID: keyID, Sealed: sealed}, err
}

// Try sends an event that nothing has made, once and at once, and returns its id and how that has
// ended. It is not kept, and counts as no failure of the webhook.
func (s *Service) Try(ctx context.Context, id string) (string, webhooks.Result, error) {
	w, err := s.cfg.Store.Webhook(ctx, id)
	if err != nil {
		return "", webhooks.Result{}, err
	}
	sealed, err := s.cfg.Store.WebhookSecrets(ctx, []string{id})
	if err != nil {
		return "", webhooks.Result{}, err
	}
	secrets, err := opened(s.cfg.Vault, sealed[id])
	if err != nil {
		return "", webhooks.Result{}, err
	}
	data, err := json.Marshal(map[string]string{"webhook_id": id, "note": "This is a test: nothing has happened."})
	if err != nil {
		return "", webhooks.Result{}, err
	}
	key := webhooks.Key{Seq: time.Now().UnixMicro(), Tag: rand.Int32()}
	m := webhooks.Message{WebhookID: id, URL: w.URL, Key: key, Event: webhooks.Test, Data: data, At: time.Now(), Attempt: 1}
	return key.ID(), attempt(ctx, s.cfg.Post, secrets, m), nil
}
