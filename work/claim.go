package work

import (
	"cmp"
	"context"
	"encoding/json"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/check"
)

// Claim is the right to work on a job, from the moment a worker took it until
// it finishes, releases or loses it. Every write for the job names Token and
// Worker, and a write with an old token changes nothing.
type Claim struct {
	JobID    string
	JobType  string
	Lane     string
	Token    int64         // from a sequence; strictly increasing for one job
	Worker   string        // the worker's UUID, new at each process start
	Attempt  int           // 1 for the first claim
	Position ClaimPosition // where it stood among those that waited
	EventSeq int64         // number of the job's last event at the claim

	UserID     int
	Data       json.RawMessage // what was submitted
	Checkpoint json.RawMessage // what the last attempt had stored; nil at first

	MaxRetries   int
	RetriesAsked bool // MaxRetries is the job's own, whatever its type says
	Retries      int
	ApprovedAt   time.Time // on the database's clock
	ClaimedAt    time.Time // on the database's clock
	RunAt        time.Time // before which it could not be claimed, on the database's clock

	Traceparent string // of the span that submitted the job; "" where traces are not recorded
}

// Waited is how long the job could have been claimed before it was.
func (c Claim) Waited() time.Duration {
	ready := c.ApprovedAt
	if c.RunAt.After(ready) {
		ready = c.RunAt
	}
	return max(0, c.ClaimedAt.Sub(ready))
}

// ClaimPosition is a place in the order in which the jobs of one type, one priority and
// one owner are claimed.
type ClaimPosition struct {
	JobType   string
	Priority  int
	UserID    int
	CreatedAt time.Time // on the database's clock
	JobID     string
}

// Compare orders the positions of one type, priority and owner.
func (p ClaimPosition) Compare(o ClaimPosition) int {
	return cmp.Or(p.CreatedAt.Compare(o.CreatedAt), cmp.Compare(p.JobID, o.JobID))
}

// ClaimRequest asks for jobs of a lane. TokenFloor and After spare the claim the
// walk over what ended claims leave in the indexes, which is long while an old
// transaction pins it.
type ClaimRequest struct {
	Lane   string
	Worker string
	Types  []string // what this process can work on
	Most   int      // at least 1
	// Ceiling is the highest number of slots that a lane may use, whatever its row
	// says; 0 is none.
	Ceiling int
	// Spare is how many more jobs the claim may read, to replace those among the first
	// that another transaction has locked.
	Spare int

	// TokenFloor is a claim token below which no job of the lane runs; 0 is
	// always right.
	TokenFloor int64
	// After are positions up to which all was claimed before; what has come in
	// there since is not found, nor what comes before the lane's latest claim that
	// runs, if that is further on. At most one for each type, priority and owner. One
	// without a job is the beginning, of which all is found: of an owner who is known to
	// have jobs, so that they are found beside those of others.
	After []ClaimPosition
	// Served are owners in the order in which the lane has claimed jobs of theirs, the last
	// one last: among those of whom as many jobs run, it is their turn after the others.
	Served []int
}

// ClaimBatch is what a claim took.
type ClaimBatch struct {
	Claims []Claim // highest priority first, then oldest; see JobClaim for which are taken
	// TokenFloor is for the next claim of this lane, on this server or another.
	TokenFloor int64
}

// Handler works on one claimed job until it is done, and returns the result as
// JSON. It checks ctx at its natural yield points, at most a second of its own
// work apart. When ctx ends it returns context.Cause(ctx), having kept what it
// had stored. An error ends the attempt; see Permanent.
type Handler func(ctx context.Context, claim Claim) (json.RawMessage, error)

// Retrying makes a call of a handler to the database, and repeats it until the
// database answers or ctx ends; what says for the log what the call is for. An error
// other than kappa.CodeUnavailable is an answer. When ctx ends, the error is its cause or
// that of the last call. The call must be safe to repeat: an answer may be lost.
type Retrying func(ctx context.Context, what string, call func(ctx context.Context) error) error

// Outcome is how an attempt ended.
type Outcome struct {
	Claim  Claim
	Status Status          // completed, failed or cancelled; approved = released or retried
	Result json.RawMessage // for completed and cancelled
	Error  string          // for failed and for a retry
	RunAt  time.Duration   // for a retry: how long to wait, on the database's clock
	// CountRetry is false when the attempt is handed back: a shutdown, not a failure.
	CountRetry bool
}

// Checkpoint is what a handler stores so that the next attempt goes on after
// it: its own state and what the watcher sees.
type Checkpoint struct {
	State    json.RawMessage // handler's own; nil leaves the stored one
	Progress Progress
	Emit     bool // write a progress event too; see ProgressPerSecond
}

// HeldClaim is a claim that a worker holds, as the database sees it.
type HeldClaim struct {
	JobID           string
	Token           int64
	Age             time.Duration // since the claim, on the database's clock
	CancelRequested bool
}

// storable returns an outcome that the database does not refuse for its data.
func (o Outcome) storable() Outcome {
	o.Error = check.StorableText(o.Error, mostErrorBytes)
	switch err := check.Storable("the result", o.Result); {
	case err == nil:
	case o.Status == StatusCompleted:
		return Outcome{Claim: o.Claim, Status: StatusFailed, Error: "The result could not be stored: " + kappa.ErrorMessage(err)}
	default:
		o.Result = nil
	}
	return o
}
