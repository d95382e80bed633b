package work

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/kappagraph/kappa"
)

// The outcomes of attempts that no worker tells: it runs yet, has paused the job because its
// budget is spent, has died, or has told of no progress for too long.
const (
	AttemptRunning AttemptOutcome = "running"
	AttemptPaused  AttemptOutcome = "paused"
	AttemptLost    AttemptOutcome = "lost"
	AttemptStale   AttemptOutcome = "stale"
)

// Attempt is one try at a job: from its claim to what ended it.
type Attempt struct {
	Number  int            `json:"number" doc:"From 1, in the order of the claims, those among them that were released"`
	Outcome AttemptOutcome `json:"outcome" doc:"running, completed, failed, cancelled, retried (it failed, and the job is tried again), released (it gave the job back, which counts as no attempt), paused (the budget is spent), lost (its worker died) or stale (it told of no progress for too long)"`
	Reason  *string        `json:"reason" doc:"Why it ended; null where the outcome says all"`
	Worker  AttemptWorker  `json:"worker"`
	Lane    *string        `json:"lane" doc:"The lane that claimed it; known of the last attempt alone"`
	// ReadyAt is when the job was approved, or given back by the attempt before.
	ReadyAt     kappa.Time  `json:"ready_at" doc:"Since when it waited: its approval, or the end of the attempt before"`
	ClaimedAt   kappa.Time  `json:"claimed_at"`
	EndedAt     *kappa.Time `json:"ended_at"`
	WaitSeconds float64     `json:"wait_seconds" doc:"From ready_at to claimed_at; a delay before it is tried again is part of it"`
	RunSeconds  *float64    `json:"run_seconds" doc:"null while it runs"`
	Progress    *Progress   `json:"progress" doc:"How far the job was when it last told"`
}

// AttemptWorker is who made an attempt. Of one that has been gone for long only the id is known.
type AttemptWorker struct {
	ID       string `json:"worker_id"`
	Kind     string `json:"kind" doc:"server or remote"`
	Hostname string `json:"hostname"`
	Name     string `json:"name" doc:"Of a remote worker"`
	PID      int    `json:"pid"`
	Version  string `json:"version"`
}

// MaxAttempts is how many attempts of a job are shown, the last ones: a job that waits for a
// provider of models is given back again and again.
const MaxAttempts = 200

// JobAttempts is what happened to a job so far.
type JobAttempts struct {
	JobID        string       `json:"job_id"`
	Status       Status       `json:"status"`
	Attempts     []Attempt    `json:"attempts" doc:"The last 200, in their order"`
	Earlier      int          `json:"earlier" doc:"How many came before the first that is shown"`
	Usage        []ModelUsage `json:"usage" doc:"The calls to models over all attempts"`
	CallsRunning int          `json:"calls_running" doc:"Calls to models that are made for it now"`
	CallsWaiting int          `json:"calls_waiting" doc:"Those that wait for their turn"`
}

// ModelUsage is what a job has used of one model for one purpose.
type ModelUsage struct {
	Model        string  `json:"model"`
	Purpose      string  `json:"purpose" doc:"extraction, embedding or image"`
	Calls        int     `json:"calls"`
	FailedCalls  int     `json:"failed_calls"`
	InputTokens  int64   `json:"input_tokens"`
	OutputTokens int64   `json:"output_tokens"`
	USD          float64 `json:"usd"`
	Seconds      float64 `json:"seconds" doc:"That the calls took together"`
}

// AttemptsOf returns the attempts that the events of a job tell of, which are in order. Of
// the progress events only the last one before each change of status is needed. It returns
// an error for events that cannot be read.
func AttemptsOf(events []Event) ([]Attempt, error) {
	var all []Attempt
	var ready kappa.Time
	retries := 0
	for _, e := range events {
		if e.Kind == EventProgress && running(all) {
			all[len(all)-1].Progress = new(Progress)
			if err := json.Unmarshal(e.Payload, all[len(all)-1].Progress); err != nil {
				return nil, fmt.Errorf("decode the progress in event %d of %s: %w", e.Seq, e.JobID, err)
			}
		}
		if e.Kind != EventStatus {
			continue
		}
		change, err := e.StatusChange()
		if err != nil {
			return nil, err
		}
		switch {
		case change.Status == StatusProcessing:
			all = append(all, begun(change, e.At, ready, len(all)+1))
			retries = value(change.Retries, retries)
		case running(all):
			all[len(all)-1].end(change, e.At, retries)
		}
		ready = e.At
	}
	return all, nil
}

func running(all []Attempt) bool { return len(all) > 0 && all[len(all)-1].EndedAt == nil }

func begun(change StatusChange, at, ready kappa.Time, number int) Attempt {
	a := Attempt{Number: number, Outcome: AttemptRunning, ReadyAt: ready, ClaimedAt: at}
	if ready.IsZero() {
		a.ReadyAt = at // what came before is not known any more
	}
	a.WaitSeconds = max(0, at.Sub(a.ReadyAt.Time).Seconds())
	a.Worker.ID = value(change.ClaimedBy, "")
	return a
}

// end says how an attempt ended, which began after so many retries.
func (a *Attempt) end(change StatusChange, at kappa.Time, retries int) {
	seconds := max(0, at.Sub(a.ClaimedAt.Time).Seconds())
	a.EndedAt, a.RunSeconds, a.Reason = &at, &seconds, change.Error
	a.Outcome = outcomeOf(change, retries)
}

// outcomeOf says how an attempt ended that began after so many retries. What took a job
// back tells of no number of retries, see JobRescue and JobStale.
func outcomeOf(change StatusChange, retries int) AttemptOutcome {
	reason := value(change.Error, "")
	switch {
	case change.Status == StatusCompleted:
		return AttemptCompleted
	case change.Status == StatusCancelled:
		return AttemptCancelled
	case change.Status == StatusAwaitingApproval:
		return AttemptPaused
	case change.Status == StatusFailed && strings.HasPrefix(reason, "Quarantined: its worker died "):
		return AttemptLost
	case change.Status == StatusFailed && reason == "Exceeded max retries after stale timeouts":
		return AttemptStale
	case change.Status == StatusFailed:
		return AttemptFailed
	case change.Retries == nil && strings.HasPrefix(reason, TakenNoProgress):
		return AttemptStale
	case change.Retries == nil:
		return AttemptLost
	case *change.Retries > retries:
		return AttemptRetried
	}
	return AttemptReleased
}

func value[T any](p *T, or T) T {
	if p == nil {
		return or
	}
	return *p
}
