package webhooks

import (
	"encoding/json"
	"time"

	"github.com/kappagraph/kappa"
)

// Event is the type of what happens.
type Event string

// The events. Their data is made where they are written; see the migration of webhooks.
const (
	JobCompleted        Event = "job.completed"
	JobFailed           Event = "job.failed"
	JobCancelled        Event = "job.cancelled"
	JobAwaitingApproval Event = "job.awaiting_approval"
	BudgetReached       Event = "budget.reached"
	DocumentAdded       Event = "document.added"
	DocumentChanged     Event = "document.changed"
	DocumentRemoved     Event = "document.removed"
	ProposalCreated     Event = "proposal.created"

	// Test is sent when somebody tries a webhook, and never otherwise.
	Test Event = "webhook.test"
)

// Events returns everything that a webhook may be told of.
func Events() []Event {
	return []Event{
		JobCompleted, JobFailed, JobCancelled, JobAwaitingApproval, BudgetReached,
		DocumentAdded, DocumentChanged, DocumentRemoved, ProposalCreated,
	}
}

// Body returns the body of a delivery. It is the same at every attempt.
func Body(event Event, at time.Time, data json.RawMessage) ([]byte, error) {
	return json.Marshal(struct {
		Type      Event           `json:"type"`
		Timestamp kappa.Time      `json:"timestamp"`
		Data      json.RawMessage `json:"data"`
	}{event, kappa.At(at), data})
}
