package work

import (
	"encoding/json"
	"time"

	"github.com/kappagraph/kappa"
)

// The rules of remote workers that the queue knows.
const (
	DefaultRunDeadline = 30 * time.Minute // of an attempt whose job names none
	MinRunDeadline     = time.Second
	MaxRunDeadline     = 7 * 24 * time.Hour
	MaxExpired         = 10 // reservations of one job that expire within a day, after which it has failed
	MaxRunLogLines     = 500
)

// The job types that remote workers take unless KG_REMOTE_TYPES says otherwise.
const (
	TypeOpenFnRun    = "openfn_run"
	TypeExtractChunk = "extract_chunk"
	TypeExec         = "exec"
)

// RemoteHello is a connection of a remote worker that opens.
type RemoteHello struct {
	Identity string // what its token says; one process has it
	WorkerID string // under which it is stored unless the identity is known
	Name     string
	Version  string
	Server   string // which it is connected to
	Address  string // where it is
	Lease    time.Duration
}

// KnownWorker is what is known of an identity before it connects.
type KnownWorker struct {
	Seen    bool // it has connected; that is kept for a day after it has gone
	Blocked bool // an operator refuses it
}

// RemoteConnection names a connection of a remote worker. What is done for a
// connection changes nothing when a later one, with a higher generation, has come.
type RemoteConnection struct {
	WorkerID   string
	Generation int64
}

// RemoteOpened is what a connection finds when it opens.
type RemoteOpened struct {
	RemoteConnection
	Known  bool // the worker was connected before
	Orders RemoteOrders
}

// RemoteGroup is a slot group of a remote worker.
type RemoteGroup struct {
	Name   string   `json:"group"`
	Queues []string `json:"queues"`
	Max    int      `json:"max"`
}

// RemoteProfile is what a remote worker says when it joins.
type RemoteProfile struct {
	Profile  string
	Name     string
	Version  string
	Types    []string
	Labels   map[string]string
	Groups   []RemoteGroup
	Capacity int
	Lease    time.Duration
}

// RemoteClaimRequest asks for jobs for slot groups, whose workers take the same types
// from the same queues.
type RemoteClaimRequest struct {
	Groups  []RemoteSlots
	Types   []string
	Queues  []string      // in order of preference
	Others  bool          // take all other queues after them
	Spare   int           // more jobs that may be read, to replace what is locked
	Reserve time.Duration // how long the reservations hold
	Inline  int           // bytes of data that are returned; larger data is nil
	Served  []int         // owners in the order in which they were served, the last one last
	From    int           // when there are too many owners to go to each, the claim goes from this one down; 0: from the highest
}

// RemoteSlots are free slots of a slot group of a remote worker.
type RemoteSlots struct {
	RemoteConnection
	Group string
	Most  int
}

// RemoteClaimed is what a slot group got.
type RemoteClaimed struct {
	Runs []RemoteRun // in the order of the claim
	// Reached is the last owner that the claim went to, when it did not go to all: the next
	// one is to go on below.
	Reached int
	Stale   bool // nothing may be claimed for it, whatever waits: its worker drains or is over, or has a newer connection
}

// RunEnd is what has become of an attempt of a remote worker that has ended.
type RunEnd struct {
	Status  Status // of its job
	Attempt EndedAttempt
}

// RunKey names an attempt of a remote worker at a job.
type RunKey struct {
	JobID  string
	Token  int64
	Worker string
}

// RemoteRun is a job that was claimed for a remote worker.
type RemoteRun struct {
	RunKey
	JobType    string
	Queue      string
	Priority   int
	Attempt    int
	Owner      int
	Deadline   time.Duration
	Data       json.RawMessage // nil when it is larger than what was asked for
	Checkpoint json.RawMessage
	// Traceparent is that of the span that submitted the job; "" where traces are not recorded.
	Traceparent string
}

// HeldRun is a run that a remote worker holds, as the database sees it.
type HeldRun struct {
	RunKey
	Group           string
	Seq             int64 // of the last durable event that is stored
	Confirmed       bool
	CancelRequested bool
}

// ConfirmedRun is a reservation that a worker has confirmed.
type ConfirmedRun struct {
	JobID           string
	CancelRequested bool
	Waited          time.Duration // from the approval to the confirmation
}

// The outcomes of an attempt of a remote worker, besides the statuses of its job.
const (
	RunRetried   = "retried"
	RunReleased  = "released"
	RunForgotten = "forgotten"
	RunExpired   = "expired"
	RunReturned  = "returned"
	RunFenced    = "fenced"
)

// RunOutcome is how an attempt of a remote worker ends.
type RunOutcome struct {
	RunKey
	Seq          int64  // number of the event that says so; 0 is none
	Status       Status // completed, failed or cancelled; approved goes back to the queue
	Outcome      string // of the record of the claim, when it goes back to the queue
	Result       json.RawMessage
	Checkpoint   json.RawMessage
	Error        string
	Delay        time.Duration // before it may be claimed again
	Counted      bool          // the attempt counts as a retry, and is not handed back
	ReservedOnly bool          // leave it when it was confirmed meanwhile
}

// RunState is what is known of a claim of a remote worker.
type RunState struct {
	Seq             int64
	Confirmed       bool
	Held            bool   // it still holds its job
	Outcome         string // how it ended; "" when it has not
	CancelRequested bool
}

// RunInput is what a run works on.
type RunInput struct {
	Data       json.RawMessage
	Checkpoint json.RawMessage
	Deadline   time.Duration
}

// RunLogLine is a line of the log of a job that a remote worker works on.
type RunLogLine struct {
	Token      int64      `json:"attempt_token"` // claim token of the attempt
	Line       int        `json:"line"`          // from 1 in each attempt
	Level      string     `json:"level"`
	Source     string     `json:"source"`
	StepID     string     `json:"step_id"`
	WorkerTime string     `json:"worker_time"` // as the worker says
	Message    string     `json:"message"`
	At         kappa.Time `json:"at"`
}

// RunStep is a step of a run.
type RunStep struct {
	Token            int64       `json:"attempt_token"`
	StepID           string      `json:"step_id"`
	PlanJob          string      `json:"job_id"` // of the plan
	Reason           *string     `json:"reason"` // nil while it runs
	ErrorType        *string     `json:"error_type"`
	ErrorMessage     *string     `json:"error_message"`
	InputDataclipID  string      `json:"input_dataclip_id"`
	OutputDataclipID string      `json:"output_dataclip_id"`
	StartedAt        kappa.Time  `json:"started_at"`
	EndedAt          *kappa.Time `json:"ended_at"`
}

// WaitingPair is a job type and a queue in which work for remote workers waits.
type WaitingPair struct{ JobType, Queue string }

// RemoteSeen is what a server knows of a connection.
type RemoteSeen struct {
	RemoteConnection
	Silent                  time.Duration // since its last frame
	Usage                   []RemoteGroupUsage
	Completed, Failed, Late int64 // since the last time
	Renew                   bool  // the worker does not renew its lease itself
}

// RemoteGroupUsage is a slot group and what it does.
type RemoteGroupUsage struct {
	Name     string   `json:"group"`
	Queues   []string `json:"queues"`
	Mode     string   `json:"mode"` // filter or preference
	Max      int      `json:"max"`
	Active   int      `json:"active"`
	Reserved int      `json:"reserved"`
}

// RemoteQueue is work that waits for remote workers.
type RemoteQueue struct {
	Queue   string     `json:"queue"`
	JobType string     `json:"job_type"`
	Count   int        `json:"count"`
	Oldest  kappa.Time `json:"oldest"`
}

// RemoteSummary adds the remote workers up.
type RemoteSummary struct {
	Connected int           `json:"connected"`
	Capacity  int           `json:"capacity"`
	Active    int           `json:"active"`
	Reserved  int           `json:"reserved"`
	Idle      int           `json:"idle"`
	Waiting   []RemoteQueue `json:"waiting"`
	Unserved  []RemoteQueue `json:"unserved"` // no connected worker takes it
}

// The states of a remote worker.
const (
	RemoteOnline   = "online"
	RemoteSilent   = "silent" // no frame for SilentAfter
	RemoteGrace    = "grace"  // its socket is lost, and its lease not over
	RemoteDraining = "draining"
	RemoteGone     = "gone"

	SilentAfter = 40 * time.Second
)

// RemoteWorker is a worker on another machine.
type RemoteWorker struct {
	ID          string             `json:"worker_id"`
	Name        string             `json:"name"`
	Profile     string             `json:"profile"`
	Version     string             `json:"version"`
	State       string             `json:"state"`
	Blocked     bool               `json:"blocked"`
	Generation  int64              `json:"generation"`
	Server      string             `json:"server"`
	Address     string             `json:"address"`
	Types       []string           `json:"types"`
	Labels      map[string]string  `json:"labels"`
	Capacity    int                `json:"capacity"`
	Active      int                `json:"active"`
	Reserved    int                `json:"reserved"`
	Groups      []RemoteGroupUsage `json:"groups"`
	AskedGroups []SlotGroup        `json:"asked_groups" nullable:"true"` // an operator gave it these in place of its own; nil: none
	Runs        []string           `json:"runs"`
	ConnectedAt *kappa.Time        `json:"connected_at"`
	LastSeen    *kappa.Time        `json:"last_seen"`
	LeaseLeftMS int64              `json:"lease_left_ms"`
	Completed   int64              `json:"completed"`
	Failed      int64              `json:"failed"`
	Late        int64              `json:"late"`
}

// Takes reports whether a connected worker takes jobs of a type from a queue.
func (w RemoteWorker) Takes(pair WaitingPair) bool {
	if w.State != RemoteOnline && w.State != RemoteSilent {
		return false
	}
	served := false
	for _, t := range w.Types {
		served = served || t == pair.JobType
	}
	if !served {
		return false
	}
	for _, g := range w.Groups {
		for _, q := range g.Queues {
			if q == pair.Queue || q == "*" {
				return true
			}
		}
	}
	return false
}
