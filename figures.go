package kappa

import "time"

// WorkFigures are what the lanes of one process have done since its start.
// What has a lane is counted when the database has confirmed it.
type WorkFigures struct {
	Term      int64                // under which this process leads; 0 when it does not
	Lanes     map[string]LaneCount // by lane
	TakenBack map[string]int64     // jobs taken back from their workers, by why

	Orphans int // handlers of this process that work on although they were told to stop; see Orphan

	// Quarantined are those of them that failed because their workers died too
	// often.
	Quarantined int64
}

// LaneCount is what one lane has done in one process. All figures only grow.
type LaneCount struct {
	Claims int64                    // jobs that were claimed
	Ended  map[AttemptOutcome]int64 // attempts that have ended
	Stale  int64                    // attempts whose end was refused: the job was another's by then
}

// AttemptOutcome is how an attempt at a job has ended.
type AttemptOutcome string

// The outcomes of attempts. A job that was released goes on later as if nothing
// had happened, one that is retried has failed for the time being.
const (
	AttemptCompleted AttemptOutcome = "completed"
	AttemptFailed    AttemptOutcome = "failed"
	AttemptCancelled AttemptOutcome = "cancelled"
	AttemptRetried   AttemptOutcome = "retried"
	AttemptReleased  AttemptOutcome = "released"
)

// Why jobs are taken back.
const (
	TakenWorkerLost = "worker lost"
	TakenNoProgress = "no progress"
)

// MostCounted is up to how many jobs are counted for the figures: a long queue is
// not to make the count slow.
const MostCounted = 10_000

// Schema is the version of a database's schema, and the oldest version whose
// programs work with it.
type Schema struct{ Version, Floor int64 }

// QueueFigures are what waits and runs on all servers together, counted up to
// MostCounted for each type and each status.
type QueueFigures struct {
	Lanes     []LaneFigures
	Unclaimed map[string]int // due jobs of types that no lane claims; see Lane.Claims, by type
	Jobs      map[Status]int // jobs that are not over
}

// LaneFigures are a lane's settings and how busy it is.
type LaneFigures struct {
	Name       string
	Enabled    bool
	MaxSlots   int
	Running    int
	Queued     map[string]int // due jobs, by type; each of the lane's types is present
	OldestWait time.Duration  // for how long one of them has waited at most; 0 when none waits
}

// DatabaseFigures are what an operator has to watch in PostgreSQL.
type DatabaseFigures struct {
	FrozenXIDAge int64            // transactions since the oldest one that is not frozen
	XminAge      map[string]int64 // transactions that vacuum must keep, by who holds them
	Tables       []TableFigures
	Bytes        int64
	SlotWAL      int64         // bytes of the write-ahead log that replication slots hold back
	ClockAhead   time.Duration // how far its clock is ahead of this machine's
}

// TableFigures are the rows of a table, as the statistics estimate them.
type TableFigures struct {
	Name       string
	Live, Dead int64
}

// PoolFigures are the connections of a pool. The last three only grow.
type PoolFigures struct {
	Name                string
	Acquired, Idle, Max int
	Waits               int64         // for a connection, because none was idle
	Waited              time.Duration // in all of them
	GivenUp             int64         // waits that got none
}
