package client

import (
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/kappagraph/kappa"
)

// UpdateSnapshot is the kind of an update that carries the whole job; the other
// kinds are those of kappa.Event.
const UpdateSnapshot kappa.EventKind = "snapshot"

// Update is one change of a job, as a watch yields it.
type Update struct {
	JobID string
	Kind  kappa.EventKind // UpdateSnapshot or a kind of event
	Seq   int64           // the number of the event; of a snapshot, the last event in it
	At    time.Time       // when it arrived here

	Payload  json.RawMessage     // as the server sent it
	Job      *kappa.Job          // of a snapshot
	Change   *kappa.StatusChange // of a status event
	Progress *kappa.Progress     // of a progress event
	Warning  *kappa.Warning      // of a warning
	Reason   string              // of a failed event: why
}

// Status returns the job's status as this update has it, and "" when it has
// none.
func (u Update) Status() kappa.Status {
	switch u.Kind {
	case UpdateSnapshot:
		return u.Job.Status
	case kappa.EventStatus:
		return u.Change.Status
	case kappa.EventCompleted:
		return kappa.StatusCompleted
	case kappa.EventFailed:
		return kappa.StatusFailed
	case kappa.EventCancelled:
		return kappa.StatusCancelled
	}
	return ""
}

// Paused reports whether the job has paused: it ran, and awaits approval again.
func (u Update) Paused() bool {
	if u.Status() != kappa.StatusAwaitingApproval {
		return false
	}
	return u.Job != nil && u.Job.PauseReason != nil || u.Change != nil && u.Change.Error != nil
}

// newUpdate decodes an event of a job's stream. ok is false for a kind that is
// of no interest, such as keepalive.
func newUpdate(jobID string, f frame, at time.Time) (u Update, ok bool, err error) {
	u = Update{JobID: jobID, Kind: kappa.EventKind(f.event), At: at, Payload: json.RawMessage(f.data)}
	var into any
	switch u.Kind {
	case UpdateSnapshot:
		u.Job = &kappa.Job{}
		into = u.Job
	case kappa.EventStatus:
		u.Change = &kappa.StatusChange{}
		into = u.Change
	case kappa.EventProgress:
		u.Progress = &kappa.Progress{}
		into = u.Progress
	case kappa.EventWarning:
		u.Warning = &kappa.Warning{}
		into = u.Warning
	case kappa.EventCompleted, kappa.EventFailed, kappa.EventCancelled:
		into = &struct{}{}
	default:
		return Update{}, false, nil
	}
	if u.Seq, err = strconv.ParseInt(f.id, 10, 64); err != nil {
		return Update{}, false, fmt.Errorf("event %q has no number: id %q", f.event, f.id)
	}
	if err := json.Unmarshal(u.Payload, into); err != nil {
		return Update{}, false, fmt.Errorf("event %d, %q, cannot be read: %w", u.Seq, f.event, err)
	}
	if u.Kind == kappa.EventFailed {
		u.Reason = errorText(u.Payload)
	}
	return u, true, nil
}

// terminalUpdate is the last update of a job whose terminal event was not seen.
func terminalUpdate(job kappa.Job, at time.Time) Update {
	u := Update{JobID: job.ID, Seq: job.EventSeq, At: at, Payload: json.RawMessage(`{}`)}
	switch job.Status {
	case kappa.StatusCompleted:
		u.Kind = kappa.EventCompleted
		if job.Result != nil {
			u.Payload = job.Result
		}
	case kappa.StatusFailed:
		u.Kind = kappa.EventFailed
		if job.Error != nil {
			u.Reason = *job.Error
		}
		u.Payload, _ = json.Marshal(map[string]string{"error": u.Reason}) // cannot fail
	default:
		u.Kind = kappa.EventCancelled
	}
	return u
}

// errorText reads {"error": text}.
func errorText(payload []byte) string {
	var p struct {
		Error string `json:"error"`
	}
	_ = json.Unmarshal(payload, &p) // without a text there is none to show
	return p.Error
}
