package protocol

import "fmt"

// The sizes of the model.
const (
	Jobs        = 2
	Workers     = 3
	maxAttempts = 2 // a job that was taken back so often has failed
)

// Status is that of a job, as in package work.
type Status uint8

// The statuses of a job that was approved.
const (
	Approved Status = iota
	Processing
	Completed
	Failed
	Cancelled
)

func (s Status) String() string {
	return [...]string{"approved", "processing", "completed", "failed", "cancelled"}[s]
}

// ended reports whether a job is over.
func (s Status) ended() bool { return s >= Completed }

// Who has a job, or what a worker holds, that is no number of one.
const (
	nobody = -1
	gone   = -2 // a worker that was, and goes on as another one
)

// Job is a row of the queue.
type Job struct {
	Status Status
	Token  uint8 // of the last claim
	By     int8  // the worker that has it; nobody
	Cancel bool  // is asked for
	Claims uint8
	ends   uint8 // how often it has ended: the model's own count
}

// Health is what a worker's process does.
type Health uint8

// A process that is up acts, one that is paused will, and one that crashed will not.
const (
	Up Health = iota
	Paused
	Crashed
)

// Worker is a process with one slot, and its row.
type Worker struct {
	Health Health
	Leased bool // its row's lease is in force
	Holds  int8 // the job that it believes to have; nobody
	Token  uint8
}

// State is all that there is at a moment. It is a value: two equal ones are one.
type State struct {
	Jobs    [Jobs]Job
	Workers [Workers]Worker

	crashes, pauses, losses, cancels uint8 // that may still happen
	fault                            fault // what went wrong on the way here
}

// fault is a broken rule.
type fault uint8

const (
	none           fault = iota
	endedTwice           // a job ended, and ended again
	wroteLate            // a claim that is not the job's last one was heeded
	revived              // a job that was over runs again
	ranAfterCancel       // a job was claimed whose cancellation was acknowledged
	stolen               // a job was taken from a worker whose lease is in force
)

func (f fault) String() string {
	return [...]string{"nothing", "a job ends twice", "a late claim is heeded", "a job that is over runs again", "a job is claimed after its cancellation", "a job is taken from a worker that lives"}[f]
}

// Start is the state in which both jobs wait and all workers are idle.
func Start() State {
	s := State{crashes: 1, pauses: 1, losses: 1, cancels: 2}
	for i := range s.Jobs {
		s.Jobs[i].By = nobody
	}
	for i := range s.Workers {
		s.Workers[i] = Worker{Leased: true, Holds: nobody}
	}
	return s
}

// Flaw is a guard that is left out.
type Flaw uint8

// The flaws.
const (
	Sound             Flaw = iota
	EndsUnguarded          // the end of a run does not name its claim
	TokenKept              // a job that is taken back keeps its token, and the next claim too
	TakesFromTheLive       // the sweep does not look at leases
	CancelForgotten        // a job that is taken back is approved again though its cancellation was asked for
	CancelsWhatIsOver      // a cancellation does not look at the status
	OrphansStay            // nobody looks for jobs whose claim was not answered
	ClaimsWhatIsTaken      // the claim does not look at the status again
)

func (f Flaw) String() string {
	return [...]string{
		"sound", "ends unguarded", "token kept", "takes from the live", "cancel forgotten", "cancels what is over", "orphans stay", "claims what is taken",
	}[f]
}

// Kind is what happens in a step.
type Kind uint8

// The kinds of steps, of which those from Crash on are faults and the acts of users.
const (
	Claim Kind = iota
	Complete
	Acknowledge // the worker ends the job that it was asked to cancel
	Heartbeat   // of a worker whose lease is over: it learns of it, and begins anew
	ReleaseOrphan
	Expire
	TakeBack
	Resume
	Crash
	Pause
	ClaimUnanswered
	CompleteUnanswered
	Cancel
)

// Step is what happens to a worker or a job.
type Step struct {
	Kind   Kind
	Worker int
	Job    int
}

// Fault reports whether a step is a fault, or the act of a user: what need not happen.
func (s Step) Fault() bool { return s.Kind >= Crash }

func (s Step) String() string {
	name := [...]string{
		"claims", "completes", "ends the cancelled", "learns that its lease is over", "gives back the unknown", "loses its lease", "is rid of", "goes on",
		"crashes", "stands still", "claims without an answer", "completes without an answer", "cancels",
	}[s.Kind]
	switch s.Kind {
	case Cancel:
		return fmt.Sprintf("a user %s job %d", name, s.Job)
	case Heartbeat, Expire, Resume, Crash, Pause:
		return fmt.Sprintf("worker %d %s", s.Worker, name)
	}
	return fmt.Sprintf("worker %d %s job %d", s.Worker, name, s.Job)
}
