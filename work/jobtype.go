package work

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/internal/check"
)

// JobType is a kind of work: what its jobs take, where they run, what may be done
// with them, and what works on them. A new kind is one JobType in the registry.
type JobType struct {
	Name     string // unique; what job_type says
	Summary  string // one sentence for people
	Lane     string // the lane that the type is put into when it is in none; "" for a remote type
	Priority int    // of a job whose submission names none

	// Permission is what it takes to submit a job, besides jobs:write; "" for no more.
	Permission access.Permission

	NeedsDocument bool // its jobs are made by submitting a document, not by POST /jobs
	Schedulable   bool // the clock may submit it
	Retryable     bool // a failed or cancelled job may be submitted again
	Resumable     bool // and may then go on after the checkpoint of the old one

	// Remote says that remote workers work on it: it has no Handler then.
	Remote bool
	// Check returns a kappa.CodeInvalid Error that names every member of a job's data that
	// breaks a rule, in "data.member" form. It is asked at submission; nil accepts
	// any data.
	Check func(data json.RawMessage) error
	// Handler works on the jobs in this process.
	Handler Handler
}

// validate reports what is wrong with a type that is to be registered.
func (t JobType) validate() error {
	var broken []error
	add := func(wrong bool, rule string) {
		if wrong {
			broken = append(broken, fmt.Errorf("job type %q: %s", t.Name, rule))
		}
	}
	add(check.Name(t.Name, check.MaxJobType) != "", "the name "+check.Name(t.Name, check.MaxJobType))
	add(t.Remote && t.Handler != nil, "a type for remote workers has no handler")
	add(!t.Remote && t.Handler == nil, "it needs a handler, unless remote workers work on it")
	add(!t.Remote && t.Lane == "", "it needs a lane, unless remote workers work on it")
	add(t.NeedsDocument && t.Schedulable, "what needs a document cannot be scheduled")
	add(check.Range(t.Priority, MinPriority, MaxPriority) != "", "the priority "+check.Range(t.Priority, MinPriority, MaxPriority))
	return errors.Join(broken...)
}

// JobTypes is the registry: every job type that this server knows. It never
// changes, so it may be used by many goroutines.
type JobTypes struct{ list []JobType } // by name

// NewJobTypes returns a registry. It reports every type that is not complete and
// every name that comes twice.
func NewJobTypes(types ...JobType) (*JobTypes, error) {
	list := slices.Clone(types)
	slices.SortStableFunc(list, func(a, b JobType) int { return strings.Compare(a.Name, b.Name) })
	var broken []error
	for i, t := range list {
		broken = append(broken, t.validate())
		if i > 0 && list[i-1].Name == t.Name {
			broken = append(broken, fmt.Errorf("job type %q is registered twice", t.Name))
		}
	}
	if err := errors.Join(broken...); err != nil {
		return nil, err
	}
	return &JobTypes{list: list}, nil
}

// All returns every type, by name. The caller does not change it.
func (ts *JobTypes) All() []JobType { return ts.list }

// Find returns the type with a name.
func (ts *JobTypes) Find(name string) (JobType, bool) {
	i, found := slices.BinarySearchFunc(ts.list, name, func(t JobType, name string) int { return strings.Compare(t.Name, name) })
	if !found {
		return JobType{}, false
	}
	return ts.list[i], true
}

// Names returns the names of the types that are wanted, sorted; nil wants all.
func (ts *JobTypes) Names(wanted func(JobType) bool) []string {
	names := []string{}
	for _, t := range ts.list {
		if wanted == nil || wanted(t) {
			names = append(names, t.Name)
		}
	}
	return names
}

// Handled returns the names of the types that this process works on, sorted.
func (ts *JobTypes) Handled() []string {
	return ts.Names(func(t JobType) bool { return t.Handler != nil })
}

// Homes returns the lanes that types are put into when they are in none, by type.
func (ts *JobTypes) Homes() map[string]string {
	homes := map[string]string{}
	for _, t := range ts.list {
		if t.Lane != "" {
			homes[t.Name] = t.Lane
		}
	}
	return homes
}

// BuiltIn reports whether some type is put into a lane when it is in none.
func (ts *JobTypes) BuiltIn(lane string) bool {
	return slices.ContainsFunc(ts.list, func(t JobType) bool { return t.Lane != "" && t.Lane == lane })
}

// CheckSubmission returns a kappa.CodeInvalid Error unless a job of this type may be
// submitted with this data and without a document.
func (ts *JobTypes) CheckSubmission(name string, data json.RawMessage) error {
	t, known := ts.Find(name)
	if known && t.NeedsDocument {
		return invalidType("is not submitted here: use POST /ingest or POST /ingest/text")
	}
	if !known {
		return invalidType(unknownType(name, "submit here", ts.Names(func(t JobType) bool { return !t.NeedsDocument })))
	}
	return t.CheckData(data)
}

// CheckSchedule returns a kappa.CodeInvalid Error unless the clock may submit jobs of
// this type with this data.
func (ts *JobTypes) CheckSchedule(name string, data json.RawMessage) error {
	t, known := ts.Find(name)
	switch {
	case known && t.NeedsDocument:
		return invalidType("must not be " + name + ", which needs a document")
	case known && !t.Schedulable:
		return invalidType("must not be " + name + ", which cannot be scheduled")
	case !known:
		return invalidType(unknownType(name, "schedule", ts.Names(func(t JobType) bool { return t.Schedulable })))
	}
	return t.CheckData(data)
}

// CheckRetry returns a kappa.CodeConflict Error unless a job of this type may be submitted
// again, from where r says, and what CheckSubmission says of other data. An unknown type may:
// another server knows it.
func (ts *JobTypes) CheckRetry(name string, r Retry) error {
	t, known := ts.Find(name)
	switch {
	case known && !t.Retryable:
		return kappa.NewError(kappa.CodeConflict, "Jobs of the type "+name+" cannot be submitted again")
	case known && r.Resumes() && !t.Resumable && !t.NeedsDocument:
		return kappa.NewError(kappa.CodeConflict, "Jobs of the type "+name+" keep no checkpoint that another job could go on after")
	case r.Data != nil && known && t.NeedsDocument:
		return kappa.NewError(kappa.CodeConflict, "A job of the type "+name+" cannot be submitted again with other data: it is about a document")
	case r.Data != nil:
		return ts.CheckSubmission(name, r.Data)
	}
	return nil
}

// BarredFor returns what says why an act cannot be done to jobs of a type, or "".
func (ts *JobTypes) BarredFor(a JobAct) func(jobType string) string {
	return func(jobType string) string {
		if a.Act != ActRetry {
			return ""
		}
		if err := ts.CheckRetry(jobType, Retry{From: a.From}); err != nil {
			return kappa.ErrorMessage(err)
		}
		return ""
	}
}

// CheckData returns what Check says of the data of a job.
func (t JobType) CheckData(data json.RawMessage) error {
	if t.Check == nil {
		return nil
	}
	return t.Check(data)
}

func invalidType(rule string) error {
	return kappa.Invalid(kappa.FieldError{In: "body", Name: "job_type", Rule: rule})
}

// unknownType is the rule that an unknown type breaks.
func unknownType(name, verb string, known []string) string {
	if len(known) == 0 {
		return "is not known: this server has no job types to " + verb + ", got " + strconv.Quote(name)
	}
	return "must be one of " + strings.Join(known, ", ") + ", got " + strconv.Quote(name)
}
