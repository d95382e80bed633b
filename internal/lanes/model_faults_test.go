package lanes_test

// works are the steps of a job's end: a completion is sent, and arrives, however
// late, or whether its sender still is.
func (m *moves) works(w int) {
	from := &m.from.workers[w]
	for j := range m.from.jobs {
		if from.handles[j] != 0 && from.up && !from.paused && m.from.sent[w][j] == 0 {
			m.add(label{"worker %d sends that job %d is done", w, j}, func(s *system) string {
				s.sent[w][j], s.workers[w].handles[j] = s.workers[w].handles[j], 0
				return ""
			})
		}
		if m.from.sent[w][j] != 0 {
			m.add(label{"what worker %d sent of job %d arrives", w, j}, func(s *system) string {
				token, job := s.sent[w][j], &s.jobs[j]
				s.sent[w][j] = 0
				if job.status != jobProcessing || m.token && job.token != token {
					return "" // refused
				}
				job.status = jobCompleted
				if job.token != token {
					return "a claim is ended by another one's completion"
				}
				return ""
			})
		}
	}
}

// leads are the steps of a leader: the lock elects, the term counts.
func (m *moves) leads(w int) {
	from := &m.from.workers[w]
	if !from.up || from.paused {
		return
	}
	waits := m.share && m.from.workers[1-w].rescues // the next term waits for open transactions
	if from.term == 0 && m.from.leads == 0 && !waits {
		m.add(label{what: "worker %d takes the lead", a: w}, func(s *system) string {
			s.term++
			s.leads, s.workers[w].term = uint8(w)+1, s.term
			return ""
		})
	}
	if from.term != 0 && m.from.leads != uint8(w)+1 {
		m.add(label{what: "worker %d learns that it does not lead", a: w}, func(s *system) string {
			s.workers[w].term, s.workers[w].rescues = 0, false
			return ""
		})
	}
	if from.term != 0 && !from.rescues && m.rescuable() && (!m.term || from.term == m.from.term) {
		m.add(label{what: "worker %d begins to take jobs back", a: w}, func(s *system) string {
			s.workers[w].rescues = true
			return ""
		})
	}
	if from.rescues {
		m.add(label{what: "worker %d takes jobs back", a: w}, func(s *system) string { return m.commitRescue(s, w) })
	}
}

// rescuable reports whether there is a job to take back.
func (m *moves) rescuable() bool {
	for _, j := range m.from.jobs {
		if j.status == jobProcessing && (!m.lease || m.from.lost(j)) {
			return true
		}
	}
	return false
}

func (m *moves) commitRescue(s *system, w int) string {
	for j := range s.jobs {
		if job := &s.jobs[j]; job.status == jobProcessing && (!m.lease || s.lost(*job)) {
			job.status = jobApproved
		}
	}
	s.workers[w].rescues = false
	if s.workers[w].term != s.term {
		return "a leader writes after the next one's term was issued"
	}
	return ""
}

// fails are the faults of a process, and what follows from them. A worker that
// cannot renew its lease stops its jobs before the lease ends, unless it is
// paused and does not know.
func (m *moves) fails(w int) {
	from := &m.from.workers[w]
	if !from.up {
		m.add(label{what: "worker %d starts again", a: w}, func(s *system) string {
			s.workers[w].renew()
			s.workers[w].up = true
			return ""
		})
	}
	if from.paused {
		m.add(label{what: "worker %d goes on", a: w}, func(s *system) string {
			s.workers[w].paused = false
			return ""
		})
	}
	if from.up && !from.paused {
		m.unpausedFails(w)
	}
	for identity := range from.identity + 1 {
		held := identity == from.identity && from.up && from.live && !from.paused
		if !held && from.ended&(1<<identity) == 0 {
			m.add(label{"lease %d of worker %d ends", int(identity), w}, func(s *system) string {
				s.workers[w].ended |= 1 << identity
				return ""
			})
		}
	}
}

func (m *moves) unpausedFails(w int) {
	from := &m.from.workers[w]
	m.fault(label{what: "worker %d crashes", a: w}, func(s *system) { s.crash(w) })
	m.fault(label{what: "worker %d is paused", a: w}, func(s *system) { s.workers[w].paused = true })
	if m.from.leads == uint8(w)+1 {
		m.fault(label{what: "worker %d loses the leader's session", a: w}, func(s *system) { s.leads = 0 })
	}
	stopJobs := func(s *system) {
		s.workers[w].live, s.workers[w].handles = false, [modelJobs]uint8{}
	}
	switch {
	case !from.live:
		m.add(label{what: "worker %d takes a new identity", a: w}, func(s *system) string {
			s.workers[w].renew()
			return ""
		})
	case from.ended&(1<<from.identity) != 0:
		m.add(label{what: "worker %d notices that its lease has ended", a: w}, func(s *system) string {
			stopJobs(s)
			return ""
		})
	default:
		m.fault(label{what: "worker %d cannot renew its lease and stops its jobs", a: w}, stopJobs)
	}
}

// crash ends a process: the database ends its sessions, and with them its locks
// and transactions. What it had sent is on its way.
func (s *system) crash(w int) {
	worker := &s.workers[w]
	worker.endClaim(s, w)
	*worker = workerState{identity: worker.identity, ended: worker.ended}
	if s.leads == uint8(w)+1 {
		s.leads = 0
	}
}

// renew gives a process a new identity with a lease.
func (w *workerState) renew() {
	w.identity++
	w.live = true
}
