package work

import (
	"encoding/json"
	"fmt"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus/models"
)

// EventKind is the kind of an event. The SSE event has it as its name.
type EventKind string

// The kinds of a job's events. The last three are terminal: exactly one of
// them ends a job's history. A warning says what somebody should see to, while the job
// goes on; its payload is a Warning.
const (
	EventStatus    EventKind = "status"
	EventProgress  EventKind = "progress"
	EventWarning   EventKind = "warning"
	EventCompleted EventKind = "completed"
	EventFailed    EventKind = "failed"
	EventCancelled EventKind = "cancelled"
)

// Terminal reports whether nothing follows an event of this kind.
func (k EventKind) Terminal() bool {
	return k == EventCompleted || k == EventFailed || k == EventCancelled
}

// Event is one numbered line of a job's history. Seq counts 1, 2, 3 … without
// holes, in the order of the commits. Payload is the data of the SSE event.
type Event struct {
	JobID   string          `json:"job_id"`
	Seq     int64           `json:"seq"`
	Kind    EventKind       `json:"kind"`
	Payload json.RawMessage `json:"payload"`
	At      kappa.Time      `json:"at"`
}

// StatusChange is the payload of an EventStatus.
type StatusChange struct {
	JobID      string     `json:"job_id"`
	Status     Status     `json:"status"`
	Previous   *Status    `json:"previous"`
	At         kappa.Time `json:"at"`
	ApprovedBy *string    `json:"approved_by,omitempty"`
	ClaimedBy  *string    `json:"claimed_by,omitempty"`
	Retries    *int       `json:"retries,omitempty"`
	Error      *string    `json:"error,omitempty"`
}

// Warning is the payload of an EventWarning: a job has waited for a provider of models for
// longer than KG_PROVIDER_PATIENCE.
type Warning struct {
	Message string `json:"message"`
	models.ProviderWait
}

// StatusChange decodes the payload of a status event.
func (e Event) StatusChange() (StatusChange, error) {
	var c StatusChange
	if e.Kind != EventStatus {
		return c, fmt.Errorf("event %d of %s is %s, not status", e.Seq, e.JobID, e.Kind)
	}
	if err := json.Unmarshal(e.Payload, &c); err != nil {
		return c, fmt.Errorf("decode event %d of %s: %w", e.Seq, e.JobID, err)
	}
	return c, nil
}

// StoredEvent returns an event as it is sent, from its row. The row of a status
// change leaves out what the row has anyway, its job and its time; that of a progress
// may be of an older server. It returns an error for a status payload that is no JSON
// object.
func StoredEvent(row Event) (Event, error) {
	if row.Kind == EventProgress {
		row.Payload = wholePercent(row.Payload)
	}
	if row.Kind != EventStatus {
		return row, nil
	}
	change, err := row.StatusChange()
	if err != nil {
		return row, err
	}
	change.JobID, change.At = row.JobID, row.At
	if row.Payload, err = json.Marshal(change); err != nil {
		return row, fmt.Errorf("encode event %d of %s: %w", row.Seq, row.JobID, err)
	}
	return row, nil
}
