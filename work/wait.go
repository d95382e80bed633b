package work

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kappagraph/kappa"
)

// WaitCode says in a word why a job does not run.
type WaitCode string

// The codes of a wait, in the order in which they are looked for.
const (
	WaitEnded     WaitCode = "ended"         // it is over
	WaitCancel    WaitCode = "cancel"        // it runs, and was told to stop
	WaitProvider  WaitCode = "provider"      // a provider of models takes no calls
	WaitRunning   WaitCode = "running"       // it runs
	WaitAnalysis  WaitCode = "analysis"      // its document is analysed
	WaitBudget    WaitCode = "budget"        // it has spent its budget
	WaitApproval  WaitCode = "approval"      // somebody has to approve it
	WaitPause     WaitCode = "pause"         // an operator has paused its type, queue, ontology or user, or everything
	WaitLimit     WaitCode = "limit"         // as many jobs of its kind run, or started, as an operator allows
	WaitTime      WaitCode = "time"          // its time has not come
	WaitTurn      WaitCode = "turn"          // it may be what crashes servers, and so runs alone
	WaitNoWorker  WaitCode = "no_worker"     // no remote worker takes its type and queue
	WaitWorker    WaitCode = "worker"        // the remote workers that take it are busy
	WaitNoLane    WaitCode = "no_lane"       // no lane claims its type
	WaitDisabled  WaitCode = "lane_disabled" // only disabled ones do
	WaitNoSlots   WaitCode = "no_slots"      // only lanes without slots do
	WaitNoServer  WaitCode = "no_server"     // no server works on its type
	WaitSlot      WaitCode = "slot"          // all slots of its lane are taken
	WaitNextClaim WaitCode = "claim"         // nothing: it is claimed next
)

// JobWait says why a job does not run, and what ends that.
type JobWait struct {
	JobID  string   `json:"job_id"`
	Status Status   `json:"status"`
	Code   WaitCode `json:"code"`
	Reason string   `json:"reason" doc:"A sentence for people"`
	Remedy string   `json:"remedy" doc:"What ends the wait, where somebody has to do something; empty where nobody has"`
	Lane   *string  `json:"lane" doc:"The lane that claims it"`
	// Until is when the wait ends at the earliest, where that is known.
	Until *kappa.Time `json:"until" doc:"When the wait ends at the earliest; null when nobody knows"`
	// Position is the place in the queue of the job's type, or of its limit, from 1; nil when it is in none.
	Position *int `json:"position" doc:"Its place among the jobs of its type, or of the limit that it waits for, from 1; users take turns, so that it may be sooner"`
	// StartsIn estimates the seconds to the start; nil when there is nothing to estimate by.
	StartsIn *float64 `json:"starts_in_seconds" doc:"About how long until it starts, by how long jobs of its type took lately; null when that is not known"`
}

// LaneLoad is a lane, and how many jobs it runs.
type LaneLoad struct {
	Lane
	Running int
}

// WaitFacts is what decides when a job runs.
type WaitFacts struct {
	Job     Job
	Now     time.Time
	Due     bool   // its time has come, and it may be claimed
	Suspect bool   // its next crash would quarantine it
	Before  string // another suspect, which runs or is next; "" for none
	Remote  bool   // it is for remote workers
	Servers int    // that run now and have a handler for its type
	// RunSeconds is how long jobs of its type that have completed lately ran, in the mean;
	// 0 when there are none.
	RunSeconds float64
	Lanes      []LaneLoad
	Workers    []RemoteWorker // for a job that is for them
	Ceiling    int            // the highest number of slots that a lane uses; 0 is none
	Pause      *Pause         // that it waits for; nil for none
	Limit      *LimitWait     // that it waits for; nil for none
}

// Explain says why the job does not run.
func (f WaitFacts) Explain() JobWait {
	w := JobWait{JobID: f.Job.ID, Status: f.Job.Status, Lane: f.Job.Lane}
	switch f.Job.Status {
	case StatusPending:
		w.Code, w.Reason = WaitAnalysis, "Its document waits to be analysed, or is."
	case StatusAwaitingApproval:
		f.explainApproval(&w)
	case StatusApproved:
		f.explainQueue(&w)
	case StatusProcessing:
		f.explainRunning(&w)
	default:
		w.Code, w.Reason = WaitEnded, "It is over: "+string(f.Job.Status)+"."
		if f.Job.Status != StatusCompleted {
			w.Remedy = "kg jobs retry " + f.Job.ID
		}
	}
	return w
}

func (f WaitFacts) explainApproval(w *JobWait) {
	w.Code, w.Reason, w.Remedy = WaitApproval, "Somebody has to approve it.", "kg jobs approve "+f.Job.ID
	if f.Job.ExpiresAt != nil {
		w.Reason = "Somebody has to approve it before " + f.Job.ExpiresAt.UTC().Format(time.DateTime) + " UTC; it is cancelled then."
	}
	if f.Job.PauseReason != nil {
		w.Code, w.Reason, w.Remedy = WaitBudget, "It has paused: "+sentence(*f.Job.PauseReason), "kg jobs resume "+f.Job.ID+" --budget none, or a higher budget"
	}
}

func (f WaitFacts) explainRunning(w *JobWait) {
	w.Code, w.Reason = WaitRunning, "It runs."
	switch p := f.Job.WaitingFor; {
	case f.Job.CancelRequested:
		w.Code, w.Reason = WaitCancel, "It was told to stop, and does at its next step."
	case p != nil:
		w.Code, w.Reason, w.Until = WaitProvider, "It runs, and waits for "+p.Provider+", which takes no calls: "+sentence(p.Reason), &p.Until
	}
}

func (f WaitFacts) explainQueue(w *JobWait) {
	w.Position, w.Lane = f.Job.QueuePosition, nil
	switch p := f.Job.WaitingFor; {
	case f.Pause != nil:
		w.Code, w.Reason, w.Remedy = WaitPause, f.Pause.explain(), f.Pause.Resume()
	case f.Limit != nil:
		w.Code, w.Reason, w.Position = WaitLimit, f.Limit.explain(), &f.Limit.Position
		if !f.Limit.Full {
			w.Until = new(kappa.At(f.Limit.OpensAt))
		}
	case p != nil && !f.Due:
		w.Code, w.Reason, w.Until = WaitProvider, "It waits for "+p.Provider+", which takes no calls: "+sentence(p.Reason), later(p.Until, f.Job.RunAt)
	case f.Suspect && !f.Due && !f.early():
		w.Code, w.Reason = WaitTurn, "Servers have crashed while it ran, so it runs while no other such job does."
		if f.Before != "" {
			w.Reason += " " + f.Before + " is before it."
		}
	case !f.Due:
		f.explainTime(w)
	case f.Remote:
		f.explainRemote(w)
	default:
		f.explainLane(w)
	}
}

// early reports whether the time of the job lies ahead.
func (f WaitFacts) early() bool { return f.Job.RunAt != nil && f.Job.RunAt.After(f.Now) }

func (f WaitFacts) explainTime(w *JobWait) {
	w.Code, w.Until = WaitTime, f.Job.RunAt
	switch {
	case !f.early():
		w.Reason = "Its time has come; the leader lets it be claimed within a second."
	case f.Job.Error != nil:
		w.Reason = "It is tried again then, because attempt " + strconv.Itoa(f.Job.Attempt) + " failed: " + sentence(*f.Job.Error)
	default:
		w.Reason = "Its time has not come."
	}
}

func (f WaitFacts) explainRemote(w *JobWait) {
	pair := WaitingPair{JobType: f.Job.Type, Queue: f.Job.Queue}
	of := fmt.Sprintf("jobs of type %s of the queue %s", pair.JobType, pair.Queue)
	takers := slices.DeleteFunc(slices.Clone(f.Workers), func(r RemoteWorker) bool { return !r.Takes(pair) })
	capacity, held := 0, 0
	for _, r := range takers {
		capacity, held = capacity+r.Capacity, held+r.Active+r.Reserved
	}
	switch {
	case len(takers) == 0:
		w.Code, w.Reason = WaitNoWorker, "No remote worker is connected that takes "+of+"."
		w.Remedy = "start a kg worker that does, or resume one that drains"
	case held >= capacity:
		w.Code, w.Reason = WaitWorker, taken(capacity, "the remote workers that take "+of)+"."
		f.estimate(w, capacity)
	default:
		w.Code, w.Reason = WaitNextClaim, "A remote worker that takes it has a free slot, and claims it next."
	}
}

func (f WaitFacts) explainLane(w *JobWait) {
	of := slices.DeleteFunc(slices.Clone(f.Lanes), func(l LaneLoad) bool { return !slices.Contains(l.JobTypes, f.Job.Type) })
	open := slices.DeleteFunc(slices.Clone(of), func(l LaneLoad) bool { return !l.Claims() })
	free := slices.IndexFunc(open, func(l LaneLoad) bool { return l.Running < l.Slots(f.Ceiling) })
	disabled := slices.IndexFunc(of, func(l LaneLoad) bool { return !l.Enabled })
	switch {
	case len(of) == 0:
		w.Code, w.Reason = WaitNoLane, "No lane claims jobs of type "+f.Job.Type+"."
		w.Remedy = "put the type into a lane, or cancel the job"
	case len(open) == 0 && disabled >= 0:
		l := of[disabled].Name
		w.Code, w.Reason, w.Lane = WaitDisabled, "The lane "+l+" is disabled: it claims nothing.", &l
		w.Remedy = "kg admin workers lanes set " + l + " --enable"
	case len(open) == 0:
		l := of[0].Name
		w.Code, w.Reason, w.Lane = WaitNoSlots, "The lane "+l+" has no slots.", &l
		w.Remedy = "kg admin workers lanes set " + l + " --max-slots 1"
	case f.Servers == 0:
		w.Code, w.Reason, w.Lane = WaitNoServer, "No server runs that works on jobs of type "+f.Job.Type+".", &open[0].Name
		w.Remedy = "start a server whose version and settings know the type"
	case free >= 0:
		l := open[free]
		w.Code, w.Lane = WaitNextClaim, &l.Name
		w.Reason = fmt.Sprintf("The lane %s has a free slot, and claims it within %s.", l.Name, l.Poll())
	default:
		l := open[0]
		w.Code, w.Lane = WaitSlot, &l.Name
		w.Reason = taken(l.Slots(f.Ceiling), "the lane "+l.Name)
		switch p := w.Position; {
		case p != nil && *p == 2:
			w.Reason += ", and 1 job of its type is before it"
		case p != nil && *p > 2:
			w.Reason += ", and " + strconv.Itoa(*p-1) + " jobs of its type are before it"
		}
		w.Reason += "."
		f.estimate(w, l.Slots(f.Ceiling))
	}
}

// estimate says when a job starts for which slots are taken: each of those before it, and one
// of the slots' jobs, takes as long as such jobs did.
func (f WaitFacts) estimate(w *JobWait, slots int) {
	if f.RunSeconds > 0 && w.Position != nil && slots > 0 {
		w.StartsIn = new(f.RunSeconds * float64(*w.Position) / float64(slots))
	}
}

// sentence ends a text as a sentence.
func sentence(text string) string {
	text = strings.TrimSpace(text)
	if text == "" || strings.ContainsAny(text[len(text)-1:], ".!?") {
		return text
	}
	return text + "."
}

// taken says that all slots of something are taken.
func taken(slots int, of string) string {
	if slots == 1 {
		return "The slot of " + of + " is taken"
	}
	return "All " + strconv.Itoa(slots) + " slots of " + of + " are taken"
}

// later returns the later of two times, of which one may be missing.
func later(a kappa.Time, b *kappa.Time) *kappa.Time {
	if b != nil && b.After(a.Time) {
		return b
	}
	return &a
}
