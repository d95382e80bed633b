package api

import (
	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/webhooks"
)

// WebhookList is all webhooks.
type WebhookList struct {
	Webhooks []webhooks.Webhook `json:"webhooks" doc:"The oldest first"`
}

// WebhookSecret is a webhook with its secret, which is shown this once.
type WebhookSecret struct {
	webhooks.Webhook
	Secret string `json:"secret" doc:"What deliveries are signed with: whsec_ and base64. It cannot be read again"`
}

// DeliveryList is a page of the deliveries of a webhook.
type DeliveryList struct {
	Deliveries []webhooks.Delivery `json:"deliveries" doc:"The newest first"`
	Next       *string             `json:"next_cursor" doc:"cursor of the next page; null after the last one"`
}

// WebhookTest is how a test of a webhook has ended.
type WebhookTest struct {
	Delivered    bool   `json:"delivered" doc:"Whether the receiver has answered 2xx"`
	DeliveryID   string `json:"delivery_id" doc:"The header webhook-id that was sent"`
	AnswerStatus *int   `json:"answer_status" doc:"null without an answer"`
	Answer       string `json:"answer" doc:"Its first bytes"`
	Error        string `json:"error" doc:"Why it was not delivered"`
	TookMS       int64  `json:"took_ms"`
}

// ReplayFailed says which deliveries are sent again.
type ReplayFailed struct {
	Since kappa.Time `json:"since" doc:"All that have failed and whose events happened then or later"`
}

// Replayed is how many deliveries are sent again.
type Replayed struct {
	Replayed int `json:"replayed"`
}
