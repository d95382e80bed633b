package work

import "time"

// Figures are what the lanes of one process have done since its start. The figures
// of a lane count what the database has confirmed.
type Figures struct {
	Term      int64                // of this process as the leader; 0 when it does not lead
	Lanes     map[string]LaneCount // by lane
	TakenBack map[string]int64     // jobs taken back from their workers, by reason

	// Quarantined are those of them that failed because their workers crashed too often.
	Quarantined int64

	Orphans int // handlers of this process that run on although they were asked to stop; see Orphan
}

// LaneCount is what one lane has done in one process. All figures only grow.
type LaneCount struct {
	Claims int64                    // jobs that were claimed
	Ended  map[AttemptOutcome]int64 // attempts that have ended
	Stale  int64                    // attempts whose outcome was refused: another claim owned the job by then
}

// AttemptOutcome is how an attempt at a job has ended.
type AttemptOutcome string

// The outcomes of attempts. A released job is claimed again, and the attempt does not
// count. A retried one has failed and is tried again.
const (
	AttemptCompleted AttemptOutcome = "completed"
	AttemptFailed    AttemptOutcome = "failed"
	AttemptCancelled AttemptOutcome = "cancelled"
	AttemptRetried   AttemptOutcome = "retried"
	AttemptReleased  AttemptOutcome = "released"
)

// The reasons for which jobs are taken back.
const (
	TakenWorkerLost = "worker lost"
	TakenNoProgress = "no progress"
)

// MostCounted is the number up to which jobs are counted for the figures, so that a
// long queue does not make the count slow.
const MostCounted = 10_000

// Schema is the version of a database's schema, and the oldest version whose
// programs work with it.
type Schema struct{ Version, Floor int64 }

// QueueFigures count the jobs that wait and run on all servers together, up to
// MostCounted for each type and each status.
type QueueFigures struct {
	Lanes     []LaneFigures
	Unclaimed map[string]int // due jobs of types that no lane claims, see Lane.Claims, and no connected remote worker; by type
	Waiting   map[string]int // due jobs, by type, whoever takes them
	Jobs      map[Status]int // jobs that have not ended
}

// LaneFigures are a lane's settings and how busy it is.
type LaneFigures struct {
	Name       string
	Enabled    bool
	MaxSlots   int
	Running    int
	Queued     map[string]int // due jobs, by type; each of the lane's types is present
	OldestWait time.Duration  // the longest wait of one of them; 0 when none waits
}

// DatabaseFigures are what an operator watches in PostgreSQL.
type DatabaseFigures struct {
	FrozenXIDAge int64            // transactions since the oldest one that is not frozen
	XminAge      map[string]int64 // transactions that vacuum must keep, by what holds them
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
	GivenUp             int64         // waits that ended without a connection
}
