package lanes_test

import (
	"fmt"
	"strings"
)

// The size of the model.
const (
	modelWorkers = 2
	modelJobs    = 2
	modelSlots   = 1
	maxFaults    = 2
)

// The status of a modelled job.
const (
	jobApproved uint8 = iota
	jobProcessing
	jobCompleted
	jobCancelled
)

// The steps of a claim.
const (
	claimNone    uint8 = iota
	claimWaiting       // for the lane's lock
	claimLocked
	claimPicked
)

// system is one state: the database, two processes, and what is on its way
// between them.
type system struct {
	jobs      [modelJobs]jobState
	workers   [modelWorkers]workerState
	sent      [modelWorkers][modelJobs]uint8 // claim token of a completion on its way, 0 for none
	lane      uint8                          // who holds the lane's lock: worker + 1
	leads     uint8                          // who holds the leader's lock: worker + 1
	term      uint8
	lastToken uint8
	faults    uint8 // that may still happen
}

// jobState is a row.
type jobState struct{ status, owner, identity, token uint8 }

// workerState is a process, and what the database knows of its leases.
type workerState struct {
	up, paused bool
	live       bool  // it believes in its lease
	identity   uint8 // a new one after each loss of the lease
	ended      uint8 // leases that have ended, a bit for each identity
	handles    [modelJobs]uint8
	claim      uint8
	counted    uint8 // running jobs, as the statement saw them that locks the lane
	picked     uint8 // a bit for each job
	term       uint8 // under which it believes to lead, 0 when not
	rescues    bool  // its transaction is open, and its term was checked
}

func start(faults uint8) system {
	s := system{faults: faults}
	for w := range s.workers {
		s.workers[w] = workerState{up: true, live: true}
	}
	return s
}

// over reports whether every job has ended.
func (s *system) over() bool {
	for _, j := range s.jobs {
		if j.status == jobApproved || j.status == jobProcessing {
			return false
		}
	}
	return true
}

// waiting reports whether there is a job to claim.
func (s *system) waiting() bool {
	for _, j := range s.jobs {
		if j.status == jobApproved {
			return true
		}
	}
	return false
}

func (s *system) running() uint8 {
	n := uint8(0)
	for _, j := range s.jobs {
		if j.status == jobProcessing {
			n++
		}
	}
	return n
}

// lost reports whether the lease under which a job was claimed has ended.
func (s *system) lost(j jobState) bool { return s.workers[j.owner].ended&(1<<j.identity) != 0 }

// step is one thing that can happen in a state.
type step struct {
	name   label
	to     system
	broken string // the promise that it breaks, or ""
}

// label names a step with its worker and its job; it becomes a string only when
// it is told.
type label struct {
	what string
	a, b int
}

func (l label) String() string {
	return fmt.Sprintf(l.what, []any{l.a, l.b}[:strings.Count(l.what, "%d")]...)
}

// moves collects the steps out of a state.
type moves struct {
	rules
	from  system
	found []step
}

// add adds a step; change makes it, and returns the promise that it breaks.
func (m *moves) add(name label, change func(s *system) string) {
	s := m.from
	broken := change(&s)
	if broken == "" {
		broken = s.promises()
	}
	m.found = append(m.found, step{name, s, broken})
}

// fault adds a step that is a fault.
func (m *moves) fault(name label, change func(s *system)) {
	if m.from.faults > 0 {
		m.add(name, func(s *system) string {
			s.faults--
			change(s)
			return ""
		})
	}
}

// promises are what every state must keep.
func (s *system) promises() string {
	if s.running() > modelSlots {
		return "more jobs run than there are slots"
	}
	for j := range s.jobs {
		a, b := s.workers[0].handles[j], s.workers[1].handles[j]
		earlier := 0
		if b < a {
			earlier = 1
		}
		if w := s.workers[earlier]; a != 0 && b != 0 && w.ended&(1<<w.identity) == 0 {
			return "two workers that hold their leases handle one job"
		}
	}
	return ""
}

// all adds every step.
func (m *moves) all() {
	for w := range m.from.workers {
		m.claims(w)
		m.works(w)
		m.leads(w)
		m.fails(w)
	}
	if m.from.jobs[1].status == jobApproved {
		m.add(label{what: "job 1 is cancelled"}, func(s *system) string {
			s.jobs[1].status = jobCancelled
			return ""
		})
	}
}

// claims are the steps of a claim: two statements of one transaction.
func (m *moves) claims(w int) {
	from := &m.from.workers[w]
	if !from.up || from.paused {
		return
	}
	switch {
	case from.claim == claimNone && from.live && from.ended&(1<<from.identity) == 0 && m.from.waiting():
		m.add(label{what: "worker %d asks for the lane", a: w}, func(s *system) string {
			s.workers[w].claim = claimWaiting
			if !m.countAlone {
				s.workers[w].counted = s.running()
			}
			return ""
		})
	case from.claim == claimWaiting && m.from.lane == 0:
		m.add(label{what: "worker %d locks the lane", a: w}, func(s *system) string {
			s.workers[w].claim, s.lane = claimLocked, uint8(w)+1
			return ""
		})
	case from.claim == claimLocked:
		m.add(label{what: "worker %d picks", a: w}, func(s *system) string {
			s.workers[w].claim, s.workers[w].picked = claimPicked, m.pick(s, w)
			return ""
		})
	case from.claim == claimPicked:
		m.add(label{what: "worker %d claims", a: w}, func(s *system) string { return m.commitClaim(s, w) })
	}
}

// pick returns the jobs that a claim finds in its snapshot.
func (m *moves) pick(s *system, w int) (picked uint8) {
	running := s.running()
	if !m.countAlone {
		running = s.workers[w].counted
	}
	for j, job := range s.jobs {
		if job.status == jobApproved && running < modelSlots {
			picked |= 1 << j
			if m.materialize { // else the limit begins anew for each row
				running++
			}
		}
	}
	return picked
}

// commitClaim makes the picked jobs the worker's and ends the transaction.
func (m *moves) commitClaim(s *system, w int) string {
	worker := &s.workers[w]
	broken := ""
	for j := range s.jobs {
		job := &s.jobs[j]
		if worker.picked&(1<<j) == 0 || m.recheck && job.status != jobApproved {
			continue
		}
		if job.status != jobApproved {
			broken = "a job is claimed that does not wait"
		}
		s.lastToken++
		*job = jobState{jobProcessing, uint8(w), worker.identity, s.lastToken}
		if worker.live {
			worker.handles[j] = s.lastToken
		}
	}
	worker.endClaim(s, w)
	return broken
}

// endClaim forgets a claim, and gives its lock back.
func (w *workerState) endClaim(s *system, n int) {
	w.claim, w.counted, w.picked = claimNone, 0, 0
	if s.lane == uint8(n)+1 {
		s.lane = 0
	}
}
