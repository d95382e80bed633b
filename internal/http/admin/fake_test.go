package admin

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/internal/http/apitest"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/questions"
	"github.com/kappagraph/kappa/work"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fake does nothing, and records in words what it was asked to do.
type fake struct {
	err      error // what everything fails with, if set
	noLeader bool
	did      []string
	updates  []work.LaneUpdate
	sources  []work.EventSource
	graph    knowledge.GraphStatus
	stats    work.StatsFilter

	threshold *float64 // of searches
	down      bool     // the database does not answer
}

func newServer(t testing.TB, f *fake) *http.Server {
	t.Helper()
	return apitest.Serve(t, New(Config{
		Lanes: f, Pauses: f, JobLimits: f, Types: laneTypes(t), Policies: f, Scheduler: f, Schedules: f, Threshold: f, GraphSettings: f, Database: f, Inventory: f, Counters: f, Checks: f, Keys: func() Keys { return Keys{OpenAI: true} }, Sources: func() []work.EventSource { return f.sources },
		Graph: func(context.Context) knowledge.GraphStatus { return f.graph },
	}))
}

func (f *fake) do(format string, values ...any) error {
	f.did = append(f.did, fmt.Sprintf(format, values...))
	return f.err
}

func (f *fake) Counters(context.Context) (knowledge.GraphCounters, error) {
	return knowledge.GraphCounters{
		Snapshot: []knowledge.GraphCounter{{Name: knowledge.CounterConcepts, Value: 5}, {Name: knowledge.CounterEdges, Value: 3}, {Name: knowledge.CounterDocuments, Value: 9}},
		Activity: []knowledge.GraphCounter{}, Legacy: []knowledge.GraphCounter{},
	}, f.err
}

func (f *fake) Refresh(context.Context) ([]knowledge.CounterChange, error) {
	return []knowledge.CounterChange{{Name: "a", Old: 1, New: 2, Changed: true}, {Name: "b", Old: 1, New: 1}}, f.do("refresh")
}

func (f *fake) LaneUsage(context.Context) ([]work.LaneUsage, error) { return nil, f.err }

func (f *fake) UpdateLane(_ context.Context, name string, u work.LaneUpdate) (work.LaneChange, error) {
	f.updates = append(f.updates, u)
	return work.LaneChange{Lane: work.Lane{Name: name}, Changed: map[string]kappa.SettingDiff{}}, f.err
}

// laneTypes are a type of the lane interactive, and one for remote workers.
func laneTypes(t testing.TB) *work.JobTypes {
	t.Helper()
	types, err := work.NewJobTypes(work.JobType{Name: "noop", Lane: "interactive", Handler: func(context.Context, work.Claim) (json.RawMessage, error) { return nil, nil }},
		work.JobType{Name: "far", Remote: true})
	if err != nil {
		t.Fatal(err)
	}
	return types
}

func (f *fake) Policies(context.Context) (map[string]work.PolicyChange, error) {
	return map[string]work.PolicyChange{"noop": {MaxRetries: new(7)}}, f.err
}

func (f *fake) SetPolicy(_ context.Context, t work.JobType, c work.PolicyChange) (work.PolicyChange, error) {
	text, _ := json.Marshal(c)
	return c, f.do("policy of %s: %s", t.Name, text)
}

func (f *fake) CreateLane(_ context.Context, n work.NewLane) (work.LaneMoved, error) {
	return work.LaneMoved{Lane: n.Lane(), Moved: map[string][]string{}}, f.do("create lane %+v of %v, known %v", n.Lane(), n.JobTypes, n.Known)
}

func (f *fake) MoveTypes(_ context.Context, m work.TypeMove) (work.LaneMoved, error) {
	return work.LaneMoved{Lane: work.Lane{Name: m.Lane}, Moved: map[string][]string{}}, f.do("move %v to %s", m.JobTypes, m.Lane)
}

func (f *fake) DeleteLane(_ context.Context, d work.LaneDeletion) (work.LaneDeleted, error) {
	return work.LaneDeleted{Lane: work.Lane{Name: d.Name}, Moved: map[string]string{}, Unclaimed: []string{"b", "a"}}, f.do("delete %s, types to %s, home is %v", d.Name, d.MoveTo, d.Home)
}

func (f *fake) Pauses(context.Context) ([]work.Pause, error) { return nil, f.err }

func (f *fake) Pause(_ context.Context, p work.PauseRequest, by string) (work.Pause, error) {
	return work.Pause{ID: 1, PauseRequest: p, By: by}, f.do("pause %s %s: %s", p.Scope, p.Value, p.Reason)
}

func (f *fake) Resume(_ context.Context, id int) (work.Pause, error) {
	return work.Pause{ID: id, PauseRequest: work.PauseRequest{Scope: work.PauseAll}}, f.do("resume %d", id)
}

func (f *fake) Limits(context.Context) ([]work.Limit, error) { return nil, f.err }

func (f *fake) SetLimit(_ context.Context, l work.LimitRequest, by string) (work.Limit, error) {
	return work.Limit{ID: 1, LimitRequest: l, By: by}, f.do("limit %s: %s", l.What(), l.Allows())
}

func (f *fake) ChangeLimit(_ context.Context, id int, u work.LimitUpdate, by string) (work.Limit, error) {
	return work.Limit{ID: id, LimitRequest: work.LimitRequest{LimitSubject: work.LimitSubject{Scope: work.LimitType}}, By: by}, f.do("change %d: %s", id, u.Allows())
}

func (f *fake) RemoveLimit(_ context.Context, id int) (work.Limit, error) {
	return work.Limit{ID: id, LimitRequest: work.LimitRequest{LimitSubject: work.LimitSubject{Scope: work.LimitType}}}, f.do("unlimit %d", id)
}

func (f *fake) Settings(context.Context) (knowledge.GraphSettings, error) {
	return knowledge.DefaultGraphSettings(), f.err
}

func (f *fake) UpdateSettings(_ context.Context, u knowledge.GraphSettingsUpdate) (knowledge.GraphSettingsChange, error) {
	text, _ := json.Marshal(u)
	return u.Apply(knowledge.DefaultGraphSettings()), f.do("graph settings %s", text)
}

func (f *fake) AttemptStats(_ context.Context, filter work.StatsFilter) (work.AttemptStats, error) {
	f.stats = filter
	return work.NewAttemptStats(time.Unix(0, 0), time.Unix(0, 0).Add(filter.Since), nil), f.err
}

func (f *fake) WorkerStatus(context.Context) (work.WorkerStatus, error) {
	return work.WorkerStatus{}, f.err
}

func (f *fake) Status(context.Context) (work.SchedulerStatus, error) {
	return work.SchedulerStatus{
		Running: true, Config: work.SchedulerConfig{CleanupInterval: 3600, ApprovalTimeout: 24, CompletedRetention: 48, FailedRetention: 168},
		Stats: work.SchedulerStats{JobsByStatus: work.AllStatuses(map[work.Status]int{work.StatusFailed: 2})},
	}, f.err
}

func (f *fake) Clean(context.Context) (work.Cleanup, error) {
	if f.noLeader {
		return work.Cleanup{}, &kappa.Error{Code: kappa.CodeUnavailable, Message: "the scheduler is not running: no server leads", RetryAfter: time.Second}
	}
	return work.Cleanup{Expired: 1, Jobs: 7}, f.do("clean")
}

func (f *fake) Schedules(context.Context) ([]work.Schedule, error) { return nil, f.err }

func (f *fake) ScheduleRuns(_ context.Context, name string, limit int) ([]work.ScheduleRun, error) {
	return nil, f.do("runs of %s, %d", name, limit)
}

func (f *fake) AddSchedule(_ context.Context, n work.NewSchedule) (work.Schedule, error) {
	text, _ := json.Marshal(n)
	return n.Schedule(), f.do("add %s", text)
}

func (f *fake) UpdateSchedule(_ context.Context, name string, u work.ScheduleUpdate) (work.Schedule, error) {
	text, _ := json.Marshal(u)
	return work.Schedule{Name: name}, f.do("update %s %s", name, text)
}

func (f *fake) RemoveSchedule(_ context.Context, name string) error { return f.do("remove %s", name) }

func (f *fake) RunSchedule(_ context.Context, name, by string) (work.Job, error) {
	return apitest.Job(work.StatusApproved), f.do("run %s by %s", name, by)
}

func (f *fake) Show(context.Context) (questions.SearchThreshold, error) {
	return questions.SearchThreshold{Key: questions.SearchThresholdKey, Threshold: f.threshold, Fallback: 0.6}, f.err
}

func (f *fake) Set(ctx context.Context, threshold float64) (questions.SearchThreshold, error) {
	f.threshold = &threshold
	if err := f.do("threshold %v", threshold); err != nil {
		return questions.SearchThreshold{}, err
	}
	return f.Show(ctx)
}

// strict is a fake that no request reaches that breaks a rule.
type strict struct {
	*fake
	apitest.Fuzzer
}

func newStrict(t testing.TB) *strict {
	s := &strict{fake: &fake{}}
	s.Begin(t, New(Config{Lanes: s, Pauses: s, JobLimits: s, Types: laneTypes(t), Policies: s, Scheduler: s, Schedules: s, Threshold: s, GraphSettings: s, Database: s, Inventory: s, Counters: s, Checks: s}))
	return s
}

func (s *strict) UpdateLane(ctx context.Context, name string, u work.LaneUpdate) (work.LaneChange, error) {
	s.Allow(s.NameInPath(name), name)
	return s.fake.UpdateLane(ctx, name, u)
}

func (s *strict) MoveTypes(ctx context.Context, m work.TypeMove) (work.LaneMoved, error) {
	s.Allow(s.NameInPath(m.Lane), m.Lane)
	return s.fake.MoveTypes(ctx, m)
}

func (s *strict) DeleteLane(ctx context.Context, d work.LaneDeletion) (work.LaneDeleted, error) {
	s.Allow(s.NameInPath(d.Name), d.Name)
	return s.fake.DeleteLane(ctx, d)
}

func (s *strict) ScheduleRuns(_ context.Context, name string, limit int) ([]work.ScheduleRun, error) {
	s.Allow(apitest.Within(limit, 1, 500) && s.NameInPath(name), name)
	return nil, nil
}

func (s *strict) Set(ctx context.Context, threshold float64) (questions.SearchThreshold, error) {
	s.Allow(threshold >= 0 && threshold <= 1, threshold)
	return s.fake.Set(ctx, threshold)
}

func (s *strict) UpdateSchedule(ctx context.Context, name string, u work.ScheduleUpdate) (work.Schedule, error) {
	s.Allow(s.NameInPath(name), name)
	return s.fake.UpdateSchedule(ctx, name, u)
}

func (s *strict) RemoveSchedule(_ context.Context, name string) error {
	s.Allow(s.NameInPath(name), name)
	return nil
}

func (s *strict) RunSchedule(ctx context.Context, name, by string) (work.Job, error) {
	s.Allow(s.NameInPath(name), name)
	return s.fake.RunSchedule(ctx, name, by)
}
