package protocol

// Next returns the steps that can happen in a state, with the states that they lead to.
func Next(s State, flaw Flaw) []Reached {
	var all []Reached
	add := func(step Step, ok bool, to State) {
		if ok {
			all = append(all, Reached{step, to})
		}
	}
	for w := range Workers {
		for j := range Jobs {
			for _, k := range []Kind{Claim, Complete, Acknowledge, ReleaseOrphan, TakeBack, ClaimUnanswered, CompleteUnanswered} {
				step := Step{k, w, j}
				to, ok := Take(s, step, flaw)
				add(step, ok, to)
			}
		}
		for _, k := range []Kind{Heartbeat, Expire, Resume, Crash, Pause} {
			step := Step{Kind: k, Worker: w}
			to, ok := Take(s, step, flaw)
			add(step, ok, to)
		}
	}
	for j := range Jobs {
		step := Step{Kind: Cancel, Job: j}
		to, ok := Take(s, step, flaw)
		add(step, ok, to)
	}
	return all
}

// Reached is a step and the state after it.
type Reached struct {
	Step Step
	To   State
}

// Take returns the state after a step, and whether the step can happen.
func Take(s State, step Step, flaw Flaw) (State, bool) {
	w, j := &s.Workers[step.Worker], &s.Jobs[step.Job]
	var ok bool
	switch step.Kind {
	case Claim:
		ok = s.claim(w, j, step, flaw, true)
	case ClaimUnanswered:
		ok = s.losses > 0 && s.claim(w, j, step, flaw, false)
		s.losses -= one(ok)
	case Complete:
		ok = s.end(w, j, step, Completed, flaw)
		w.Holds, w.Token = nobody, 0
	case CompleteUnanswered: // it keeps what it believes to have, and will try again
		ok = s.losses > 0 && s.end(w, j, step, Completed, flaw)
		s.losses -= one(ok)
	case Acknowledge:
		ok = j.Cancel && s.end(w, j, step, Cancelled, flaw)
		w.Holds, w.Token = nobody, 0
	case Heartbeat:
		ok = w.Health == Up && !w.Leased
		*w = Worker{Health: w.Health, Leased: true, Holds: nobody}
		s.forget(step.Worker)
	case ReleaseOrphan:
		ok = flaw != OrphansStay && w.Health == Up && w.Leased && w.Holds == nobody && j.Status == Processing && int(j.By) == step.Worker
		if ok && !j.Cancel {
			j.Claims-- // an attempt that nobody made is none
		}
		s.giveBack(j, flaw)
	case TakeBack:
		gone := j.By == gone && step.Worker == 0 // a step for all, not one for each
		ok = j.Status == Processing && (gone || int(j.By) == step.Worker && (!w.Leased || flaw == TakesFromTheLive))
		if ok && !gone && w.Leased {
			s.fault = stolen
		}
		s.giveBack(j, flaw)
	case Cancel:
		ok = s.cancels > 0 && s.cancel(j, flaw)
		s.cancels -= one(ok)
	case Expire, Resume, Crash, Pause:
		ok = s.befall(w, step.Kind)
	}
	return s, ok
}

// befall does to a worker what it does not do itself.
func (s *State) befall(w *Worker, what Kind) (ok bool) {
	switch what {
	case Expire: // who acts renews its lease in time
		ok = w.Leased && w.Health != Up
		w.Leased = false
	case Resume:
		ok = w.Health == Paused
		w.Health = Up
	case Crash:
		ok = s.crashes > 0 && w.Health != Crashed
		s.crashes -= one(ok)
		*w = Worker{Health: Crashed, Leased: w.Leased, Holds: nobody}
	case Pause:
		ok = s.pauses > 0 && w.Health == Up
		s.pauses -= one(ok)
		w.Health = Paused
	}
	return ok
}

func one(ok bool) uint8 {
	if ok {
		return 1
	}
	return 0
}

// claim gives an approved job to an idle worker; answered says whether it hears of it.
func (s *State) claim(w *Worker, j *Job, step Step, flaw Flaw, answered bool) bool {
	free := j.Status == Approved || flaw == ClaimsWhatIsTaken && j.Status == Processing && int(j.By) != step.Worker && j.Claims < maxAttempts
	if w.Health != Up || !w.Leased || w.Holds != nobody || !free {
		return false
	}
	switch {
	case j.Cancel:
		s.fault = ranAfterCancel
	case j.Status == Processing:
		s.fault = stolen
	}
	if flaw != TokenKept || j.Token == 0 {
		j.Token++
	}
	j.Status, j.By, j.Claims = Processing, int8(step.Worker), j.Claims+1
	if answered {
		w.Holds, w.Token = int8(step.Job), j.Token
	}
	return true
}

// end ends the job that a worker believes to have. When the claim is not the job's any more, nothing
// is stored, and the worker learns of it: that is a step, too.
func (s *State) end(w *Worker, j *Job, step Step, as Status, flaw Flaw) bool {
	if w.Health != Up || int(w.Holds) != step.Job {
		return false
	}
	if flaw == EndsUnguarded || j.Status == Processing && j.Token == w.Token {
		if int(j.By) != step.Worker || j.Status != Processing {
			s.fault = wroteLate
		}
		if j.Cancel { // who was told that it is cancelled is not told otherwise
			as = Cancelled
		}
		s.finish(j, as)
	}
	return true
}

// forget has what a worker had be of nobody who lives: it has begun anew, as somebody else.
func (s *State) forget(worker int) {
	for i := range s.Jobs {
		if j := &s.Jobs[i]; j.Status == Processing && int(j.By) == worker {
			j.By = gone
		}
	}
}

// finish ends a job.
func (s *State) finish(j *Job, as Status) {
	if j.ends++; j.ends > 1 {
		s.fault = endedTwice
	}
	j.Status, j.By = as, nobody
}

// giveBack has a job that nobody works on wait again, or end.
func (s *State) giveBack(j *Job, flaw Flaw) {
	switch {
	case j.Cancel && flaw != CancelForgotten:
		s.finish(j, Cancelled)
	case j.Claims >= maxAttempts:
		s.finish(j, Failed)
	default:
		if j.Status.ended() {
			s.fault = revived
		}
		j.Status, j.By = Approved, nobody
	}
}

// cancel ends a job that waits, and asks who works on one to end it. What is over stays so.
func (s *State) cancel(j *Job, flaw Flaw) bool {
	switch {
	case flaw == CancelsWhatIsOver && j.Status.ended():
		s.finish(j, Cancelled)
	case j.Status == Approved:
		j.Cancel = true
		s.finish(j, Cancelled)
	case j.Status == Processing && !j.Cancel:
		j.Cancel = true
	default:
		return false
	}
	return true
}
