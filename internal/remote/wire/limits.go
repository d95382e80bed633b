package wire

import "time"

// Path is where the server takes workers.
const Path = "/worker/websocket"

// Profile is the stricter profile that kg worker speaks. A worker that names none
// speaks the compatible one.
const Profile = "kappa/1"

// The limits of the protocol, in bytes unless they say something else.
const (
	MaxMessage       = 32 << 20  // a message that the server reads
	MaxWorkerMessage = 8 << 20   // a message that kg worker reads
	MaxQueuePayload  = 64 << 10  // a payload on worker:queue, compatible profile
	MaxFrame         = 4 << 20   // a payload on worker:queue, extended profile
	MaxInlineData    = 256 << 10 // data that comes with a claim; more is fetched
	MaxResult        = 1 << 20   // the result of a job
	MaxCheckpoint    = 256 << 10 // its checkpoint
	MaxLogLine       = 64 << 10  // a line of its log, as it is stored
	MaxLogLines      = 10_000    // lines of one attempt
	MaxTopic         = 128
	MaxEvent         = 64
	MaxRef           = 32
	MaxTopics        = 1000 // that one connection has joined
	MaxDemand        = 16   // jobs of one claim
	MaxInFlight      = 32   // durable events of a worker without an answer
	MaxSlots         = 1000 // of all groups of a worker together
	MaxWorkerID      = 128
)

// The times of the protocol.
const (
	ReadTimeout      = 75 * time.Second // without any frame or pong the server closes
	PingEvery        = 20 * time.Second
	WriteTimeout     = 10 * time.Second // of one frame
	ReservationLife  = 15 * time.Second
	Lease            = 60 * time.Second // of a remote worker, unless it asks for another one
	MinLease         = 15 * time.Second
	MaxLease         = 600 * time.Second
	Margin           = 5 * time.Second  // a worker stops its runs that long before its lease ends
	CancelGrace      = 10 * time.Second // for a run to end after run:cancel
	WorkerHeartbeat  = 15 * time.Second // Phoenix heartbeat of kg worker
	ReplyTimeout     = 10 * time.Second // after which kg worker sends a durable event again
	ClaimTimeout     = 5 * time.Second  // after which kg worker gives a claim up
	WorkerTokenLife  = 5 * time.Minute  // of a token that kg worker makes, and of one without an end
	WorkerTokenAhead = time.Minute      // how far in the future a token may be issued
)

// HeartbeatEvery returns how often a worker with this lease renews it.
func HeartbeatEvery(lease time.Duration) time.Duration { return lease / 6 }

// LeaseFor returns the lease that a worker gets which asked for one.
func LeaseFor(wish time.Duration) time.Duration {
	if wish <= 0 {
		return Lease
	}
	return min(max(wish, MinLease), MaxLease)
}
