package work

import (
	"slices"
	"strconv"
	"strings"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/internal/check"
)

// JobFilter selects jobs, in the words of a query, of kg jobs list, and of whatever acts on
// many jobs; see [ParseJobFilter]. The zero value selects all.
type JobFilter struct {
	IDs      []string // only these; for acts, as no query has it
	Statuses []Status // any of these; none = any
	Ontology string   // "" = any, as in all of the texts
	Type     string
	Lane     string // that claimed it last
	Queue    string
	User     string // a user id or a username
	Worker   string // the id of who claimed it last
	Parent   string // the job that made them

	Priority Span
	Attempt  Span

	Submitted Period
	Started   Period
	Ended     Period

	Error    string // text in it, in any case
	ErrorKey string // the error with its volatile parts folded; see JobError
	File     string // text in its name, in any case
	Data     []DataValue

	Quarantined *bool // nil = either
	Paused      *bool // nil = either
	Dead        bool  // only what has failed for good
	WaitsFor    Wait

	Sort  JobSort
	Count CountKind

	Limit  int // 1 to 500
	Offset int
	Full   bool   // a page that is not full is the last one, however long it is looked for
	Cursor string // of the page before; "" = the first one

	Visible *access.VisibleRows // no others; nil = any
}

// JobSort is an order of a list of jobs.
type JobSort string

// The orders. The first two go along an index however many jobs there are; the others read
// what the filter may select, and are refused when that is too much.
const (
	SortNewest   JobSort = "newest" // the default: submitted last
	SortOldest   JobSort = "oldest"
	SortEnded    JobSort = "ended"    // ended last, then those that have not
	SortStarted  JobSort = "started"  // started last, then those that have not
	SortPriority JobSort = "priority" // highest first
)

// JobSorts returns every order.
func JobSorts() []JobSort {
	return []JobSort{SortNewest, SortOldest, SortEnded, SortStarted, SortPriority}
}

// Indexed reports whether a list in this order can be read a part at a time.
func (s JobSort) Indexed() bool { return s == "" || s == SortNewest || s == SortOldest }

// Wait is what jobs wait for: one of WaitCodes. A provider may be named: provider:openai.
type Wait string

// WaitCodes returns the codes that a filter can tell.
func WaitCodes() []WaitCode {
	return []WaitCode{WaitTime, WaitPause, WaitLimit, WaitSlot, WaitBudget, WaitApproval, WaitProvider}
}

// CountKind is how the jobs that a filter selects are counted beside a page of them.
type CountKind string

// The kinds; "" counts nothing.
const (
	CountExact     CountKind = "exact"
	CountEstimated CountKind = "estimated"
)

// JobPage is a page of a list of jobs. It may have fewer jobs than its limit, or none, while
// there is a next one: what no index finds is looked for in parts.
type JobPage struct {
	Jobs  []Job
	Next  string // the cursor of the next page; "" after the last one
	Total *JobTotal
}

// JobTotal is how many jobs a filter selects.
type JobTotal struct {
	Jobs int64
	Is   string // exact, estimated, or at_least when counting on would take too long
}

// Place returns the place of a job in the list of jobs, newest or oldest first.
func (j Job) Place() kappa.Cursor {
	return kappa.Cursor{List: kappa.ListJobs, Keys: []int64{j.CreatedAt.UnixMicro()}, ID: j.ID}
}

// Validate reports every rule that f breaks, in the names of the API's query.
func (f JobFilter) Validate() error {
	var r check.Rules
	for name, value := range map[string]string{"lane": f.Lane, "queue": f.Queue, "error": f.Error, "file": f.File} {
		r.Add("query", name, check.OptionalName(value, maxFilterText))
	}
	r.Add("query", "ontology", check.OptionalName(f.Ontology, kappa.MaxOntologyName))
	r.Add("query", "job_type", check.OptionalName(f.Type, check.MaxJobType))
	r.Add("query", "client_id", check.OptionalName(f.User, access.MaxUsername))
	r.Add("query", "error_key", check.OptionalName(f.ErrorKey, 2*MaxErrorKey))
	if f.Parent != "" && !kappa.IsJobID(f.Parent) {
		r.Add("query", "parent", "must be the id of a job: job_ and 12 hexadecimal digits")
	}
	if f.Worker != "" && !isUUID(f.Worker) {
		r.Add("query", "worker", "must be the id of a worker, as kg admin workers shows it")
	}
	f.checkRanges(&r)
	if f.Sort != "" {
		r.Add("query", "sort", check.OneOf(f.Sort, JobSorts()...))
	}
	if f.Count != "" {
		r.Add("query", "count", check.OneOf(f.Count, CountExact, CountEstimated))
	}
	r.Add("query", "waits_for", f.WaitsFor.rule())
	for _, s := range f.Statuses {
		r.Add("query", "status", check.OneOf(s, Statuses()...))
	}
	if len(r) == 0 && len(f.CanBe()) == 0 {
		r.Add("query", "status", "contradicts another filter: no job can be both; see "+f.narrowing())
	}
	r.Add("query", "limit", check.Range(f.Limit, 1, MaxJobList))
	r.Add("query", "offset", check.Range(f.Offset, 0, check.MaxOffset))
	r.Add("query", "cursor", f.cursorRule())
	return r.Err()
}

// CanBe returns the statuses that jobs can have which f selects, in the order of a job's
// life: none means that its words contradict each other.
func (f JobFilter) CanBe() []Status {
	can := Statuses()
	for _, n := range f.narrowings() {
		can = slices.DeleteFunc(can, func(s Status) bool { return !slices.Contains(n.statuses, s) })
	}
	return can
}

// narrowing is a word of a filter that jobs of some statuses alone can have.
type narrowing struct {
	word     string
	statuses []Status
}

// narrowings returns the words of f that jobs of some statuses alone can have.
func (f JobFilter) narrowings() (list []narrowing) {
	add := func(given bool, word string, statuses ...Status) {
		if given {
			list = append(list, narrowing{word, statuses})
		}
	}
	add(len(f.Statuses) > 0, "status", f.Statuses...)
	add(f.Dead, "dead", StatusFailed)
	add(f.ErrorKey != "", "error_key", StatusFailed)
	add(f.Quarantined != nil && *f.Quarantined, "quarantined", StatusFailed)
	add(f.Paused != nil && *f.Paused, "paused", StatusAwaitingApproval)
	add(!f.Ended.Any(), "ended_from, ended_to", StatusCompleted, StatusFailed, StatusCancelled)
	add(f.WaitsFor != "", "waits_for", f.WaitsFor.statuses()...)
	return list
}

// narrowing names those words.
func (f JobFilter) narrowing() string {
	var words []string
	for _, n := range f.narrowings() {
		words = append(words, n.word)
	}
	return strings.Join(words, ", ")
}

// cursorRule returns the rule that the cursor breaks: it must be of this very list.
func (f JobFilter) cursorRule() string {
	if rule := check.Cursor(kappa.ListJobs, f.Cursor, f.Sort.Keys(), f.Offset); rule != "" {
		return rule
	}
	at, _ := kappa.ParseCursor(kappa.ListJobs, f.Cursor, f.Sort.Keys())
	if at.Of != "" && at.Of != f.Fingerprint() {
		return "must be the next_cursor of a page of the same filter and order"
	}
	return ""
}

// Keys returns by how many keys a list in this order is sorted, before the job's id.
func (s JobSort) Keys() int {
	if s.Indexed() {
		return kappa.JobKeys
	}
	return kappa.JobKeys + 1
}

// Narrow returns f narrowed to the jobs that p may read, and false when those are
// none: p may read no jobs, or f asks for those of somebody else.
func (f JobFilter) Narrow(p access.Principal) (JobFilter, bool) {
	reach := p.Reach(access.JobsRead)
	some := p.Granted(access.JobsRead)
	if reach == access.ReachAll {
		return f, true
	}
	f.Visible = &access.VisibleRows{RowSet: some}
	if reach == access.ReachOwn {
		f.Visible.Owner = p.User.ID
	}
	own := reach == access.ReachOwn && (f.User == "" || f.User == strconv.Itoa(p.User.ID) || strings.EqualFold(f.User, p.User.Username))
	return f, own || !some.Empty()
}
