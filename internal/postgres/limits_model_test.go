package postgres_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/internal/pgtest"
	"github.com/kappagraph/kappa/internal/postgres"
	"github.com/kappagraph/kappa/work"
)

// limiting is an installation of two lanes and a remote worker whose jobs are limited at random,
// beside a plain account of what waits, what runs and what is limited.
type limiting struct {
	t       *testing.T
	s       *postgres.DB
	dsn     string
	workers int
	lane    string // the id of the worker of the lanes
	remote  work.RemoteConnection
	paused  *work.Pause // of the admin
	limits  map[string]work.Limit
	waiting map[string]limitable
	running map[string]limitable
	done    []string // in words
}

// limitable is a job that may be limited.
type limitable struct {
	work.NewJob

	host  string
	claim *work.Claim     // of a lane
	run   *work.RemoteRun // of a remote worker
}

// limitedLanes are the types of the lanes of the test; remote workers take exec.
var limitedLanes = map[string][]string{"interactive": {"one_type", "other_type"}, "maintenance": {"third_type"}}

// valueFor returns the value by which a limit is about a job, and whether it is.
func valueFor(l work.LimitSubject, j limitable) (string, bool) {
	value := map[work.LimitScope]string{
		work.LimitType: j.Type, work.LimitQueue: j.Queue, work.LimitData: j.host,
		work.LimitUser: map[int]string{access.SystemUserID: "system", access.AdminUserID: "admin"}[j.UserID],
	}[l.Scope]
	return value, value != "" && (l.Each || l.Value == value)
}

// under returns how many jobs run that a limit counts beside a job.
func (l *limiting) under(s work.LimitSubject, j limitable) (n int) {
	value, _ := valueFor(s, j)
	for _, r := range l.running {
		if v, is := valueFor(s, r); is && v == value {
			n++
		}
	}
	return n
}

// full reports whether a limit keeps a job from being started.
func (l *limiting) full(j limitable) bool {
	for _, limit := range l.limits {
		if _, is := valueFor(limit.LimitSubject, j); is && l.under(limit.LimitSubject, j) >= *limit.MaxRunning {
			return true
		}
	}
	return false
}

// keys says by which limits and values a job is limited.
func (l *limiting) keys(j limitable) string {
	var keys []string
	for name, limit := range l.limits {
		if v, is := valueFor(limit.LimitSubject, j); is {
			keys = append(keys, name+"="+v)
		}
	}
	slices.Sort(keys)
	return strings.Join(keys, ",")
}

func (l *limiting) stopped(j limitable) bool {
	return l.paused != nil && j.UserID == access.AdminUserID
}

// took has jobs run that a claim has taken, in its order, and checks that no limit was passed,
// that what was left is left for a limit, and that higher priorities came first.
func (l *limiting) took(what string, most int, got []limitable, takes func(j limitable) bool) {
	for _, j := range got {
		if _, waits := l.waiting[j.id()]; !waits || l.stopped(j) {
			l.fail("%s took %s, which does not wait", what, j.id())
		}
		if l.full(j) {
			l.fail("%s took %s of %s, of which as many run as may", what, j.id(), l.keys(j))
		}
		delete(l.waiting, j.id())
		l.running[j.id()] = j
	}
	for id, j := range l.waiting {
		if !takes(j) || l.stopped(j) {
			continue
		}
		if len(got) < most && !l.full(j) {
			l.fail("%s left %s of %s, which may run", what, id, l.keys(j))
		}
		for _, g := range got {
			if g.Priority < j.Priority && l.keys(g) == l.keys(j) {
				l.fail("%s took %s of priority %d before %s of priority %d", what, g.id(), g.Priority, id, j.Priority)
			}
		}
	}
}

func (j limitable) id() string {
	if j.claim != nil {
		return j.claim.JobID
	}
	return j.run.JobID
}

func (l *limiting) fail(format string, values ...any) {
	l.t.Helper()
	l.t.Fatalf(format+"\nafter %s", append(values, strings.Join(l.done, ", "))...)
}

func (l *limiting) claimLane(r *rapid.T) {
	lane, most := rapid.SampledFrom([]string{"interactive", "maintenance"}).Draw(r, "lane"), rapid.SampledFrom([]int{1, 2, 16}).Draw(r, "most")
	l.take(lane, most)
}

func (l *limiting) take(lane string, most int) {
	free := 16
	for _, j := range l.running {
		if j.claim != nil && j.claim.Lane == lane {
			free--
		}
	}
	l.tell("claim %d in %s", most, lane)
	batch, err := l.s.Claims().Claim(l.t.Context(), work.ClaimRequest{Lane: lane, Worker: l.lane, Types: limitedLanes[lane], Most: most})
	must(l.t, err)
	var got []limitable
	for _, c := range batch.Claims {
		j := l.waiting[c.JobID]
		j.claim = &c
		got = append(got, j)
	}
	l.took(lane, min(most, free), got, func(j limitable) bool { return !j.Remote && slices.Contains(limitedLanes[lane], j.Type) })
}

func (l *limiting) claimRemote(r *rapid.T) {
	l.takeRemote(rapid.SampledFrom([]int{1, 3, 20}).Draw(r, "most"))
}

func (l *limiting) takeRemote(most int) {
	l.tell("claim %d remotely", most)
	var got []limitable
	for _, run := range claimRemote(l.t, l.s, l.remote, most, "*") {
		j := l.waiting[run.JobID]
		j.run = &run
		got = append(got, j)
	}
	l.took("the worker", most, got, func(j limitable) bool { return j.Remote })
}

// finish ends a job that runs, or has it wait again.
func (l *limiting) finish(r *rapid.T) {
	for _, id := range slices.Sorted(maps.Keys(l.running)) {
		l.end(id, rapid.SampledFrom([]work.Status{work.StatusCompleted, work.StatusCompleted, work.StatusApproved}).Draw(r, "to"))
		return
	}
}

func (l *limiting) end(id string, to work.Status) {
	j := l.running[id]
	l.tell("%s is %s", id, to)
	if j.claim != nil {
		_, err := l.s.Claims().Finish(l.t.Context(), l.lane, []work.Outcome{{Claim: *j.claim, Status: to}})
		must(l.t, err)
	} else {
		_, err := l.s.Remote().Finish(l.t.Context(), []work.RunOutcome{{RunKey: j.run.RunKey, Status: to, Outcome: work.RunReturned}})
		must(l.t, err)
	}
	delete(l.running, id)
	if to == work.StatusApproved {
		l.waiting[id] = j
	}
}

// crash has the server die, and its jobs be taken back.
func (l *limiting) crash(*rapid.T) {
	l.tell("crash")
	expire(l.t, l.dsn, l.lane)
	l.sweep(nil)
	execSQL(l.t, l.dsn, "UPDATE kg_api.jobs SET crash_count = 0 WHERE crash_count > 0")
	for id, j := range l.running {
		if j.claim != nil {
			delete(l.running, id)
			l.waiting[id] = j
		}
	}
	l.start()
}

func (l *limiting) start() {
	l.workers++
	l.lane = fmt.Sprintf("00000000-0000-4000-8000-%012d", l.workers)
	register(l.t, l.s, l.lane)
}

func (l *limiting) submit(r *rapid.T) {
	j := limitable{NewJob: work.NewJob{
		Type: rapid.SampledFrom([]string{"one_type", "other_type", "third_type"}).Draw(r, "type"), Queue: work.DefaultQueue, AutoApprove: true, MaxRetries: 3,
		UserID: rapid.SampledFrom(pausedOwners).Draw(r, "owner"), Priority: rapid.IntRange(0, 2).Draw(r, "priority"),
	}}
	if rapid.Bool().Draw(r, "remote") {
		j.Type, j.Remote, j.Queue = "exec", true, rapid.SampledFrom(pausedQueues).Draw(r, "queue")
	}
	if j.host = rapid.SampledFrom([]string{"", "a.org", "b.org", strings.Repeat("long.", 20)}).Draw(r, "host"); j.host != "" {
		j.Data = json.RawMessage(fmt.Sprintf(`{"to": {"host": %q}}`, j.host))
	}
	later := rapid.IntRange(0, 4).Draw(r, "later") == 0
	if later {
		j.RunAt = new(kappa.At(time.Now().Add(time.Hour)))
	}
	job, err := l.s.Jobs().SubmitJob(l.t.Context(), j.NewJob)
	must(l.t, err)
	if later {
		_, err := l.s.Jobs().Act(l.t.Context(), work.JobAct{Act: work.ActRunNow, Filter: work.JobFilter{IDs: []string{job.ID}}})
		must(l.t, err)
	}
	l.waiting[job.ID] = j
	l.tell("submit %s %s of %d in %s for %.9s, priority %d", job.ID, j.Type, j.UserID, j.Queue, j.host, j.Priority)
}

// change moves a job that waits to another queue, or gives it another priority.
func (l *limiting) change(r *rapid.T) {
	if len(l.waiting) == 0 {
		return
	}
	id := rapid.SampledFrom(slices.Sorted(maps.Keys(l.waiting))).Draw(r, "job")
	j := l.waiting[id]
	act := work.JobAct{Act: work.ActPriority, ActOptions: work.ActOptions{Priority: new(rapid.IntRange(0, 2).Draw(r, "priority"))}}
	if j.Remote && rapid.Bool().Draw(r, "move") {
		act = work.JobAct{Act: work.ActMove, ActOptions: work.ActOptions{Queue: rapid.SampledFrom(pausedQueues).Draw(r, "to")}}
		j.Queue = act.Queue
	} else {
		j.Priority = *act.Priority
	}
	l.tell("%s %s", act.Act, id)
	act.Filter.IDs = []string{id}
	_, err := l.s.Jobs().Act(l.t.Context(), act)
	must(l.t, err)
	l.waiting[id] = j
}

func limitOf(scope work.LimitScope, value string, running int) work.LimitRequest {
	l := work.LimitRequest{LimitSubject: work.LimitSubject{Scope: scope, Value: value, Each: value == ""}, LimitNumbers: work.LimitNumbers{MaxRunning: &running}, Reason: "a test"}
	if scope == work.LimitData {
		l.Key = "to.host"
	}
	return l
}

// limit sets a limit, or changes the one that there is.
func (l *limiting) limit(r *rapid.T) {
	request := rapid.SampledFrom([]work.LimitRequest{
		limitOf(work.LimitType, "one_type", 1), limitOf(work.LimitType, "exec", 2), limitOf(work.LimitType, "", 3), limitOf(work.LimitQueue, "slow", 1), limitOf(work.LimitQueue, "", 2),
		limitOf(work.LimitUser, "admin", 2), limitOf(work.LimitUser, "", 3), limitOf(work.LimitData, "a.org", 1), limitOf(work.LimitData, "", 2),
	}).Draw(r, "limit")
	request.MaxRunning = new(rapid.IntRange(1, 4).Draw(r, "running"))
	name := request.Flags()
	l.tell("limit %s to %d", name, *request.MaxRunning)
	set, err := l.s.Lanes().SetLimit(l.t.Context(), request, "bob")
	if was, is := l.limits[name]; is {
		if kappa.ErrorCode(err) != kappa.CodeConflict {
			l.fail("limited twice: %v", err)
		}
		set, err = l.s.Lanes().ChangeLimit(l.t.Context(), was.ID, work.LimitUpdate{LimitNumbers: request.LimitNumbers, Reason: "another"}, "bob")
	}
	must(l.t, err)
	l.limits[name] = set
}

func (l *limiting) remove(r *rapid.T) {
	if len(l.limits) > 0 {
		l.unlimit(rapid.SampledFrom(slices.Sorted(maps.Keys(l.limits))).Draw(r, "limit"))
	}
}

func (l *limiting) unlimit(name string) {
	l.tell("remove %s", name)
	_, err := l.s.Lanes().RemoveLimit(l.t.Context(), l.limits[name].ID)
	must(l.t, err)
	delete(l.limits, name)
}

func (l *limiting) pause(*rapid.T) {
	if l.paused != nil {
		l.tell("resume")
		_, err := l.s.Lanes().Resume(l.t.Context(), l.paused.ID)
		must(l.t, err)
		l.paused = nil
		return
	}
	l.tell("pause")
	p, err := l.s.Lanes().Pause(l.t.Context(), pauseOf(work.PauseUser, "admin"), "bob")
	must(l.t, err)
	l.paused = &p
}

func (l *limiting) sweep(*rapid.T) {
	_, err := l.s.Queue().Sweep(l.t.Context(), 0, time.Minute, 10)
	must(l.t, err)
}

func (l *limiting) tell(format string, values ...any) {
	l.done = append(l.done, fmt.Sprintf(format, values...))
}

// figures checks that the list says what runs under each limit, and what is held.
func (l *limiting) figures(*rapid.T) {
	list, err := l.s.Lanes().Limits(l.t.Context())
	must(l.t, err)
	if len(list) != len(l.limits) {
		l.fail("%d limits, want %d", len(list), len(l.limits))
	}
	for _, limit := range list {
		running, held := 0, 0
		for _, j := range l.running {
			if _, is := valueFor(limit.LimitSubject, j); is {
				running++
			}
		}
		for _, j := range l.waiting {
			if _, is := valueFor(limit.LimitSubject, j); is && !l.stopped(j) {
				held++
			}
		}
		if limit.Running != running || limit.Held != held {
			l.fail("%s: %d run and %d wait, want %d and %d", limit.Flags(), limit.Running, limit.Held, running, held)
		}
	}
}

// TestLimitsAgainstModel submits, claims in two lanes and by a remote worker, ends, crashes,
// limits, pauses and moves in any order: no claim passes a limit, what it leaves is left for one,
// and when all may end all does.
func TestLimitsAgainstModel(t *testing.T) {
	t.Parallel()
	checkLimits(t, 4)
}

func TestLimitsAgainstModel_Slow(t *testing.T) {
	pgtest.SlowTier(t)
	t.Parallel()
	checkLimits(t, 200)
}

func checkLimits(t *testing.T, seeds int) {
	t.Helper()
	s, dsn := newAccounts(t)
	for lane, types := range limitedLanes {
		must(t, s.Lanes().AddLaneTypes(t.Context(), lane, types...))
		_, err := s.Lanes().UpdateLane(t.Context(), lane, work.LaneUpdate{MaxSlots: new(16)})
		must(t, err)
	}
	l := &limiting{t: t, s: s, dsn: dsn, remote: remoteWorker(t, s, "a", workerB), limits: map[string]work.Limit{}, waiting: map[string]limitable{}, running: map[string]limitable{}}
	l.start()
	steps := []func(*rapid.T){
		l.submit, l.submit, l.submit, l.submit, l.claimLane, l.claimLane, l.claimRemote, l.finish, l.finish, l.crash, l.limit, l.limit, l.remove, l.pause, l.change, l.sweep, l.figures,
	}
	for seed := range seeds {
		_ = rapid.Custom(func(r *rapid.T) int {
			for range 60 {
				rapid.SampledFrom(steps).Draw(r, "step")(r)
			}
			return 0
		}).Example(seed)
		if l.paused != nil {
			l.pause(nil)
		}
		l.drain()
		for len(l.limits) > 0 {
			l.unlimit(slices.Sorted(maps.Keys(l.limits))[0])
		}
		l.done = nil
	}
}

// drain ends all jobs, under the limits that there are.
func (l *limiting) drain() {
	for rounds := 0; len(l.waiting)+len(l.running) > 0; rounds++ {
		if rounds > 1000 {
			l.fail("%d jobs wait for nothing", len(l.waiting))
		}
		for _, lane := range slices.SortedFunc(maps.Keys(limitedLanes), cmp.Compare[string]) {
			l.take(lane, 16)
		}
		l.takeRemote(20)
		for _, id := range slices.Sorted(maps.Keys(l.running)) {
			l.end(id, work.StatusCompleted)
		}
	}
}
