package work

import (
	"slices"
	"strconv"
	"strings"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/check"
)

// TypeJobAction is the type of the jobs that act on more jobs than are acted on at once.
const TypeJobAction = "job_action"

// The limits of an act on many jobs.
const (
	MaxActedAtOnce = 500       // more are a job of their own
	MaxActed       = 1_000_000 // of one act
	ActPreview     = 10        // jobs that a dry run shows
)

// Act is what may be done to many jobs at once.
type Act string

// The acts.
const (
	ActApprove  Act = "approve"
	ActCancel   Act = "cancel"
	ActRetry    Act = "retry"
	ActDelete   Act = "delete"
	ActPriority Act = "priority"
	ActRunNow   Act = "run-now"
	ActMove     Act = "move-to-queue"
)

// Acts returns every act.
func Acts() []Act {
	return []Act{ActApprove, ActCancel, ActRetry, ActDelete, ActPriority, ActRunNow, ActMove}
}

// Permission returns what it takes to do it to a job: the same as to do it to one alone.
func (a Act) Permission() access.Permission {
	return map[Act]access.Permission{
		ActApprove: access.JobsApprove, ActCancel: access.JobsCancel, ActRetry: access.JobsWrite, ActDelete: access.JobsDelete,
		ActPriority: access.WorkersManage, ActRunNow: access.JobsWrite, ActMove: access.JobsWrite,
	}[a]
}

// RetryFrom is where a retry begins.
type RetryFrom string

// Where retries begin; "" is what the type of the job does: a document goes on with what was
// read of it, and everything else begins at the start.
const (
	RetryFromStart      RetryFrom = "start"
	RetryFromCheckpoint RetryFrom = "checkpoint"
)

// ActOptions are how an act is done; each belongs to one act.
type ActOptions struct {
	Priority *int           `json:"priority,omitempty"` // ActPriority
	Queue    string         `json:"queue,omitempty"`    // ActMove
	Budget   *corpus.Budget `json:"budget,omitempty"`   // ActApprove: nil leaves each its own
	From     RetryFrom      `json:"from,omitempty"`     // ActRetry
	Gaps     bool           `json:"gaps,omitempty"`     // ActRetry: also what completed with gaps
	Force    bool           `json:"force,omitempty"`    // ActDelete: also what runs
}

// JobAct is one act on many jobs: those that a filter selects, or those with some ids.
type JobAct struct {
	Act Act `json:"act"`
	ActOptions
	By string `json:"by"` // username of whoever asks for it

	UserID int                         `json:"-"`
	Filter JobFilter                   `json:"-"` // Visible narrows it to what may be seen
	All    bool                        `json:"-"` // that the filter selects every job is meant so
	Expect *int64                      `json:"-"` // how many jobs are meant
	May    *access.VisibleRows         `json:"-"` // those that it may be done to; nil: any that may be seen
	Barred func(jobType string) string `json:"-"` // says why it cannot be done to jobs of a type, or ""
}

// Statuses returns those in which the act can be done to a job.
func (a JobAct) Statuses() []Status {
	switch a.Act {
	case ActApprove:
		return []Status{StatusAwaitingApproval}
	case ActCancel:
		return []Status{StatusPending, StatusAwaitingApproval, StatusApproved, StatusProcessing}
	case ActRetry:
		if a.Gaps {
			return []Status{StatusCompleted, StatusFailed, StatusCancelled}
		}
		return []Status{StatusFailed, StatusCancelled}
	case ActDelete:
		if a.Force {
			return Statuses()
		}
		return slices.DeleteFunc(Statuses(), func(s Status) bool { return s == StatusProcessing })
	case ActMove:
		return []Status{StatusPending, StatusAwaitingApproval, StatusApproved}
	default: // priority, run-now
		return []Status{StatusApproved}
	}
}

// Narrow narrows the filter to the jobs that p may see and to the statuses in which the act can
// be done, and sets which of those p may do it to. It is false when there are none.
func (a *JobAct) Narrow(p access.Principal) bool {
	f, some := a.Filter.Narrow(p)
	a.Filter = f
	if len(f.IDs) == 0 {
		can := a.Statuses()
		a.Filter.Statuses = slices.DeleteFunc(f.CanBe(), func(s Status) bool { return !slices.Contains(can, s) })
	}
	a.UserID, a.By = p.User.ID, p.User.Username
	if reach := p.Reach(a.Act.Permission()); reach != access.ReachAll {
		a.May = &access.VisibleRows{RowSet: p.Granted(a.Act.Permission())}
		if reach == access.ReachOwn {
			a.May.Owner = p.User.ID
		}
	}
	return some
}

// Validate reports every rule that a breaks, in the names of the API's body. The filter is
// valid already.
func (a JobAct) Validate() error {
	var r check.Rules
	r.Add("body", "act", check.OneOf(a.Act, Acts()...))
	if len(r) > 0 {
		return r.Err()
	}
	a.checkOptions(&r)
	a.checkSelection(&r)
	if a.Expect != nil && (*a.Expect < 0 || *a.Expect > MaxActed) {
		r.Add("body", "expect", "must be how many jobs the dry run has selected, got "+strconv.FormatInt(*a.Expect, 10))
	}
	return r.Err()
}

func (a JobAct) checkOptions(r *check.Rules) {
	of := func(name string, given bool, act Act) {
		if given && a.Act != act {
			r.Add("body", name, "belongs to the act "+string(act)+", not to "+string(a.Act))
		}
	}
	of("priority", a.Priority != nil, ActPriority)
	of("queue", a.Queue != "", ActMove)
	of("budget", a.Budget != nil, ActApprove)
	of("from", a.From != "", ActRetry)
	of("gaps", a.Gaps, ActRetry)
	of("force", a.Force, ActDelete)
	switch {
	case a.Act == ActPriority && a.Priority == nil:
		r.Add("body", "priority", "is required")
	case a.Act == ActPriority:
		r.Add("body", "priority", check.Range(*a.Priority, MinPriority, MaxPriority))
	case a.Act == ActMove:
		r.Add("body", "queue", checkQueue(a.Queue))
	case a.From != "":
		r.Add("body", "from", check.OneOf(a.From, RetryFromStart, RetryFromCheckpoint))
	}
}

func (a JobAct) checkSelection(r *check.Rules) {
	byFilter := len(a.Filter.Words()) > 0
	switch {
	case len(a.Filter.IDs) > 0 && (byFilter || a.All):
		r.Add("body", "ids", "must not come with a filter or all")
	case len(a.Filter.IDs) > MaxActedAtOnce:
		r.Add("body", "ids", "must be at most "+strconv.Itoa(MaxActedAtOnce)+"; use a filter for more")
	case len(a.Filter.IDs) > 0:
		if i := slices.IndexFunc(a.Filter.IDs, func(id string) bool { return !kappa.IsJobID(id) }); i >= 0 {
			r.Add("body", "ids", "must be ids of jobs: job_ and 12 hexadecimal digits, got "+check.Quote(a.Filter.IDs[i]))
		}
	case a.Filter.SelectsAll() && !a.All:
		r.Add("body", "filter", "selects every job: narrow it by "+strings.Join(SelectingWords(), ", ")+", or give ids, or all when every job is meant")
	case !a.Filter.SelectsAll() && a.All:
		r.Add("body", "all", "must not come with a filter that narrows")
	case !slices.ContainsFunc(a.Filter.CanBe(), func(s Status) bool { return slices.Contains(a.Statuses(), s) }):
		r.Add("body", "filter", string(a.Act)+" can be done to jobs that are "+joinStatuses(a.Statuses())+", and the filter selects those that are "+joinStatuses(a.Filter.CanBe()))
	}
}

// ActOutcome is what became of an act on one job.
type ActOutcome struct {
	JobID   string      `json:"job_id"`
	Outcome OutcomeKind `json:"outcome" doc:"done; refused; or open: not reached yet, or not at all when the act was cancelled"`
	Reason  string      `json:"reason,omitempty" doc:"Why it was refused"`
	NewID   string      `json:"new_job_id,omitempty" doc:"The job that a retry has made"`
}

// OutcomeKind is how an act on one job ended.
type OutcomeKind string

// The kinds.
const (
	OutcomeDone    OutcomeKind = "done"
	OutcomeRefused OutcomeKind = "refused"
	OutcomeOpen    OutcomeKind = "open"
)

// ActFigures are how far an act is.
type ActFigures struct {
	Selected int64 `json:"selected" doc:"Jobs that the act was asked for"`
	Done     int64 `json:"done"`
	Refused  int64 `json:"refused" doc:"Jobs that were left as they are, each with a reason"`
}

// ActReport is what an act did at once, or which job does it.
type ActReport struct {
	ActFigures
	Denied   int64        // of the selected ones: those that may be seen, but not acted on
	JobID    string       // that does it; "" when it is done
	Outcomes []ActOutcome // of each job, when it is done
	Jobs     []Job        // of a dry run: the first of them
}

// CheckExpected returns a kappa.CodeConflict Error when more than a tenth more or fewer jobs
// are selected than were expected.
func (a JobAct) CheckExpected(selected int64) error {
	if a.Expect == nil || max(selected-*a.Expect, *a.Expect-selected)*10 <= *a.Expect {
		return nil
	}
	return kappa.NewError(kappa.CodeConflict, strconv.FormatInt(selected, 10)+" jobs are selected, and "+strconv.FormatInt(*a.Expect, 10)+" were expected; nothing was changed. Look again, by a dry run")
}
