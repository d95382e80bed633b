package client

import (
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/kappagraph/kappa/work"
)

// UpdateSnapshot is the kind of an update that carries the whole job; the other
// kinds are those of work.Event.
const UpdateSnapshot work.EventKind = "snapshot"

// Update is one change of a job, as a watch yields it.
type Update struct {
	JobID string
	Kind  work.EventKind // UpdateSnapshot or a kind of event
	Seq   int64          // the number of the event; of a snapshot, the last event in it
	At    time.Time      // when it arrived here

	Payload  json.RawMessage    // as the server sent it
	Job      *work.Job          // of a snapshot
	Change   *work.StatusChange // of a status event
	Progress *work.Progress     // of a progress event
	Warning  *work.Warning      // of a warning
	Reason   string             // of a failed event: why
}

// Status returns the job's status as this update has it, and "" when it has
// none.
func (u Update) Status() work.Status {
	switch u.Kind {
	case UpdateSnapshot:
		return u.Job.Status
	case work.EventStatus:
		return u.Change.Status
	case work.EventCompleted:
		return work.StatusCompleted
	case work.EventFailed:
		return work.StatusFailed
	case work.EventCancelled:
		return work.StatusCancelled
	}
	return ""
}

// Paused reports whether the job has paused: it ran, and awaits approval again.
func (u Update) Paused() bool {
	if u.Status() != work.StatusAwaitingApproval {
		return false
	}
	return u.Job != nil && u.Job.PauseReason != nil || u.Change != nil && u.Change.Error != nil
}

// newUpdate decodes an event of a job's stream. ok is false for a kind that is
// of no interest, such as keepalive.
func newUpdate(jobID string, f frame, at time.Time) (u Update, ok bool, err error) {
	u = Update{JobID: jobID, Kind: work.EventKind(f.event), At: at, Payload: json.RawMessage(f.data)}
	var into any
	switch u.Kind {
	case UpdateSnapshot:
		u.Job = &work.Job{}
		into = u.Job
	case work.EventStatus:
		u.Change = &work.StatusChange{}
		into = u.Change
	case work.EventProgress:
		u.Progress = &work.Progress{}
		into = u.Progress
	case work.EventWarning:
		u.Warning = &work.Warning{}
		into = u.Warning
	case work.EventCompleted, work.EventFailed, work.EventCancelled:
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
	if u.Kind == work.EventFailed {
		u.Reason = errorText(u.Payload)
	}
	return u, true, nil
}

// terminalUpdate is the last update of a job whose terminal event was not seen.
func terminalUpdate(job work.Job, at time.Time) Update {
	u := Update{JobID: job.ID, Seq: job.EventSeq, At: at, Payload: json.RawMessage(`{}`)}
	switch job.Status {
	case work.StatusCompleted:
		u.Kind = work.EventCompleted
		if job.Result != nil {
			u.Payload = job.Result
		}
	case work.StatusFailed:
		u.Kind = work.EventFailed
		if job.Error != nil {
			u.Reason = *job.Error
		}
		u.Payload, _ = json.Marshal(map[string]string{"error": u.Reason}) // cannot fail
	default:
		u.Kind = work.EventCancelled
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
