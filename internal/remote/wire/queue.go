package wire

import (
	"encoding/json"
	"time"
)

// Events on worker:queue. Those of the compatible profile are EventClaim and
// EventWorkAvailable.
const (
	EventClaim         = "claim"
	EventWorkAvailable = "work-available"
	EventClaimAck      = "claim:ack"
	EventExtend        = "run:extend"
	EventProgress      = "run:progress"
	EventLog           = "run:log"
	EventFetch         = "run:fetch"
	EventCheckpoint    = "run:checkpoint"
	EventComplete      = "run:complete"
	EventFail          = "run:fail"
	EventRelease       = "run:release"
	EventDrain         = "worker:drain"
	EventOrders        = "worker:orders"
	EventCancel        = "run:cancel"
)

// Capabilities that a server may list in the answer to a join.
const (
	CapBatch      = "claim.batch"
	CapAck        = "claim.ack"
	CapExtend     = "extend"
	CapProgress   = "progress"
	CapCheckpoint = "checkpoint"
	CapRelease    = "release"
	CapDrain      = "drain"
	CapCancel     = "cancel"
	CapResume     = "resume"
)

// Join is the payload with which a worker joins worker:queue. The compatible profile
// has the first two members, and neither of them for certain.
type Join struct {
	Capacity   int             `json:"capacity,omitempty"`
	Queues     json.RawMessage `json:"queues,omitempty"` // object of group → slots: for people
	Profile    string          `json:"profile,omitempty"`
	WorkerName string          `json:"worker_name,omitempty"`
	Version    string          `json:"version,omitempty"`
	Groups     []JoinGroup     `json:"groups,omitempty"`
	Types      []string        `json:"types,omitempty"`
	Labels     Labels          `json:"labels,omitempty"`
	LeaseMS    int64           `json:"lease_ms,omitempty"`
	Runs       []HeldRun       `json:"runs"`
}

// Labels are what a worker says about itself, for people.
type Labels map[string]string

// JoinGroup is a slot group as a worker announces it.
type JoinGroup struct {
	Group  string   `json:"group"`
	Queues []string `json:"queues"`
	Max    int      `json:"max"`
}

// HeldRun is a run that a worker holds when it joins, confirmed or not.
type HeldRun struct {
	RunKey
	Acked int64 `json:"acked"`
}

// RunKey names an attempt: a job, and the claim token as a decimal string.
type RunKey struct {
	ID    string `json:"id"`
	Token string `json:"tok"`
}

// JoinAnswer is the answer to a join in the extended profile.
type JoinAnswer struct {
	Profile       string    `json:"profile"`
	Generation    int64     `json:"generation"`
	Caps          []string  `json:"caps"`
	LeaseMS       int64     `json:"lease_ms"`
	HeartbeatMS   int64     `json:"heartbeat_ms"`
	MarginMS      int64     `json:"margin_ms"`
	ReserveMS     int64     `json:"reserve_ms"`
	MaxDemand     int       `json:"max_demand"`
	MaxInFlight   int       `json:"max_in_flight"`
	MaxFrameBytes int       `json:"max_frame_bytes"`
	Types         []string  `json:"types"`
	Runs          []RunKept `json:"runs"`
	Orders
}

// States of a run that a worker listed when it joined.
const (
	RunYours  = "yours"  // go on, and send again what comes after Acked
	RunCancel = "cancel" // stop it, and say so
	RunLost   = "lost"   // stop it, and send nothing more
	RunEnded  = "ended"  // drop it; Outcome says how it ended
)

// RunKept is what became of a run that a worker listed when it joined.
type RunKept struct {
	ID      string `json:"id"`
	State   string `json:"state"`
	Acked   int64  `json:"acked"`
	Outcome string `json:"outcome,omitempty"`
}

// Claim asks for jobs.
type Claim struct {
	ClaimID    string   `json:"claim_id,omitempty"`
	Group      string   `json:"group,omitempty"`
	Queues     []string `json:"queues"`
	Types      []string `json:"types,omitempty"`
	Demand     int      `json:"demand"`
	WorkerName string   `json:"worker_name,omitempty"`
}

// ClaimAnswer is the answer to a claim in the extended profile.
type ClaimAnswer struct {
	Runs      []Run `json:"runs"`
	More      bool  `json:"more"`
	ReserveMS int64 `json:"reserve_ms"`
}

// Run is a job as it is handed to a worker of the extended profile.
type Run struct {
	RunKey
	Type       string          `json:"type"`
	Queue      string          `json:"queue"`
	Priority   int             `json:"priority"`
	Attempt    int             `json:"attempt"`
	DeadlineMS int64           `json:"deadline_ms"`
	Data       json.RawMessage `json:"data"` // null above MaxInlineData: it is fetched
	Checkpoint json.RawMessage `json:"checkpoint"`
	// Traceparent is that of the span that submitted the job, as W3C Trace Context has it;
	// absent where the server records no traces.
	Traceparent string `json:"traceparent,omitempty"`
}

// CompatRun is a job as it is handed to a worker of the compatible profile.
type CompatRun struct {
	ID    string `json:"id"`
	Token string `json:"token"`
}

// CompatClaimAnswer is the answer to a claim in the compatible profile.
type CompatClaimAnswer struct {
	Runs []CompatRun `json:"runs"`
}

// RejectedRun is a run that a worker does not take.
type RejectedRun struct {
	RunKey
	Reason string `json:"reason"`
}

// Ack confirms reservations, or hands them back.
type Ack struct {
	ClaimID string        `json:"claim_id"`
	Accept  []RunKey      `json:"accept"`
	Reject  []RejectedRun `json:"reject"`
}

// AckAnswer names jobs by what became of their reservations. A worker starts those
// that are confirmed.
type AckAnswer struct {
	Confirmed []string `json:"confirmed"`
	Released  []string `json:"released"`
	Lost      []string `json:"lost"`
}

// Extend is the heartbeat of a worker. Runs is all that it holds.
type Extend struct {
	Runs   []RunKey    `json:"runs"`
	Groups []GroupUsed `json:"groups"`
}

// GroupUsed says what a slot group does.
type GroupUsed struct {
	Group   string `json:"group"`
	Active  int    `json:"active"`
	Pending int    `json:"pending"`
}

// ExtendAnswer is the answer to a heartbeat.
type ExtendAnswer struct {
	LeaseMS int64       `json:"lease_ms"`
	Cancel  []CancelRun `json:"cancel"`
	Lost    []string    `json:"lost"`
	Orders
}

// CancelRun asks a worker to stop a run. The token is in the push only.
type CancelRun struct {
	ID      string `json:"id"`
	Token   string `json:"tok,omitempty"`
	Reason  string `json:"reason"`
	GraceMS int64  `json:"grace_ms"`
}

// Drain asks a worker to take nothing new, or says that it does not.
type Drain struct {
	GraceMS int64  `json:"grace_ms"`
	Reason  string `json:"reason,omitempty"`
}

// Orders are what an operator wants of a worker. They hold until the next ones, which have
// a higher number.
type Orders struct {
	Number int64       `json:"orders,omitempty"`
	Drain  *Drain      `json:"drain"`
	Groups []SlotGroup `json:"groups,omitempty"` // none: the worker's own
}

// SlotGroup is a slot group that a worker is given.
type SlotGroup struct {
	Queues []string `json:"queues"`
	Max    int      `json:"max"`
}

// WorkAvailable says for which groups a claim may find something.
type WorkAvailable struct {
	Queues []string `json:"queues,omitempty"`
	Types  []string `json:"types,omitempty"`
}

// Milliseconds returns d as it travels.
func Milliseconds(d time.Duration) int64 { return d.Milliseconds() }
