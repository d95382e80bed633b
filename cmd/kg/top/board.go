package top

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/work"
)

const (
	// rateSeconds is over how many seconds rates are shown.
	rateSeconds = 60
	// keepEnded is how long a job is still shown that has ended.
	keepEnded = 15 * time.Second
)

// row is a job as it is shown.
type row struct {
	work.Job
	reason string    // of a failure
	since  time.Time // it has been what it is
}

// what names what a job is about.
func (r *row) what() string {
	for _, name := range []*string{r.Filename, r.SourcePath, r.Ontology} {
		if name != nil && *name != "" {
			return *name
		}
	}
	return ""
}

func (r *row) owner() string {
	if r.Username == nil {
		return ""
	}
	return *r.Username
}

// percent is how far a job that runs is; -1 when nothing is known.
func (r *row) percent() int {
	if r.Status != work.StatusProcessing || r.Progress == nil {
		return -1
	}
	return r.Progress.Percent
}

// board is what is known of the server.
type board struct {
	jobs      map[string]*row
	lanes     map[string]work.LaneUsage
	truncated bool
	begun     bool
	lost      error

	started, ended, failed rate
}

func newBoard() *board {
	return &board{jobs: map[string]*row{}, lanes: map[string]work.LaneUsage{}}
}

// rate counts what happened in each of the last seconds.
type rate struct {
	counts [rateSeconds]int64
	second int64 // the last that was counted
}

func (r *rate) add(at time.Time) {
	r.turn(at)
	r.counts[r.second%rateSeconds]++
}

// turn forgets what is too long ago.
func (r *rate) turn(at time.Time) {
	now := at.Unix()
	for s := max(r.second+1, now-rateSeconds+1); s <= now; s++ {
		r.counts[s%rateSeconds] = 0
	}
	r.second = max(r.second, now)
}

// last returns the counts of the last n seconds, the oldest first.
func (r *rate) last(at time.Time, n int) []int64 {
	r.turn(at)
	list := make([]int64, n)
	for i := range n {
		list[i] = r.counts[(r.second-int64(n-1-i)+rateSeconds)%rateSeconds]
	}
	return list
}

// perSecond is the mean of the last ten seconds that are over.
func (r *rate) perSecond(at time.Time) float64 {
	const over = 10
	var sum int64
	for _, n := range r.last(at, over+1)[:over] {
		sum += n
	}
	return float64(sum) / over
}

// apply takes news that came at an instant.
func (b *board) apply(n client.News, at time.Time) {
	switch {
	case n.Lost != nil:
		b.lost = n.Lost
	case n.Begins:
		b.jobs, b.lanes, b.truncated, b.lost, b.begun = map[string]*row{}, map[string]work.LaneUsage{}, n.Truncated, nil, true
	case n.Truncated:
		b.truncated = true
	case n.Gone != "":
		delete(b.jobs, n.Gone)
	case n.NoLane != "":
		delete(b.lanes, n.NoLane)
	case n.Lane != nil:
		b.lanes[n.Lane.Name] = *n.Lane
	case n.Job != nil:
		b.update(*n.Job, at)
	}
}

// update takes a change of a job.
func (b *board) update(u client.Update, at time.Time) {
	if u.Job != nil {
		b.jobs[u.JobID] = &row{Job: *u.Job, since: sinceOf(*u.Job, at)}
		return
	}
	r := b.jobs[u.JobID]
	if r == nil {
		return // its snapshot comes
	}
	if u.Progress != nil {
		r.Progress = u.Progress
	}
	status := u.Status()
	if status == "" || status == r.Status {
		return
	}
	r.Status, r.since, r.reason = status, at, u.Reason
	switch {
	case status == work.StatusProcessing:
		r.Progress = nil
		b.started.add(at)
	case status.Terminal():
		b.ended.add(at)
		if status == work.StatusFailed {
			b.failed.add(at)
		}
	}
	if u.Change != nil && u.Change.Error != nil {
		r.reason = *u.Change.Error
	}
}

// sinceOf says since when a job has been what it is.
func sinceOf(j work.Job, at time.Time) time.Time {
	switch {
	case j.Status == work.StatusProcessing && j.StartedAt != nil:
		return j.StartedAt.Time
	case j.Status == work.StatusApproved && j.ApprovedAt != nil:
		return j.ApprovedAt.Time
	case j.Status.Terminal():
		return at
	}
	return j.CreatedAt.Time
}

// tidy drops the jobs that ended a while ago.
func (b *board) tidy(at time.Time) {
	for id, r := range b.jobs {
		if r.Status.Terminal() && at.Sub(r.since) > keepEnded {
			delete(b.jobs, id)
		}
	}
}

var orders = []string{"status", "oldest", "progress", "type", "owner"}

// Orders are what jobs can be sorted by.
func Orders() []string { return slices.Clone(orders) }

// CheckOrder returns why jobs cannot be sorted by that, or nil.
func CheckOrder(order string) error {
	if !slices.Contains(orders, order) {
		return fmt.Errorf("%q is none of %s", order, strings.Join(orders, ", "))
	}
	return nil
}

// rank is the place of a status in a list.
var rank = map[work.Status]int{
	work.StatusProcessing: 0, work.StatusApproved: 1, work.StatusAwaitingApproval: 2, work.StatusPending: 3,
	work.StatusFailed: 4, work.StatusCancelled: 5, work.StatusCompleted: 6,
}

// list returns the jobs whose line has the words of a filter, sorted by one of orders.
func (b *board) list(order, filter string) []*row {
	words := strings.Fields(strings.ToLower(filter))
	var list []*row
	for _, r := range b.jobs {
		line := strings.ToLower(strings.Join([]string{r.ID, r.Type, string(r.Status), r.owner(), r.what(), r.Queue}, " "))
		if !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(line, w) }) {
			list = append(list, r)
		}
	}
	byStatus := func(x, y *row) int { return rank[x.Status] - rank[y.Status] }
	slices.SortFunc(list, func(x, y *row) int {
		first := 0
		switch order {
		case "oldest":
		case "progress":
			first = y.percent() - x.percent()
		case "type":
			first = cmp.Or(cmp.Compare(x.Type, y.Type), byStatus(x, y))
		case "owner":
			first = cmp.Or(cmp.Compare(x.owner(), y.owner()), byStatus(x, y))
		default:
			first = byStatus(x, y)
		}
		return cmp.Or(first, x.CreatedAt.Compare(y.CreatedAt.Time), cmp.Compare(x.ID, y.ID))
	})
	return list
}

// sortedLanes returns the lanes by name.
func (b *board) sortedLanes() []work.LaneUsage {
	var list []work.LaneUsage
	for _, l := range b.lanes {
		list = append(list, l)
	}
	slices.SortFunc(list, func(x, y work.LaneUsage) int { return cmp.Compare(x.Name, y.Name) })
	return list
}
