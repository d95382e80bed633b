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
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fake does nothing, and records in words what it was asked to do.
type fake struct {
	err      error // what everything fails with, if set
	noLeader bool
	did      []string
	updates  []kappa.LaneUpdate
	sources  []kappa.EventSource
	graph    kappa.GraphStatus

	threshold *float64 // of searches
	down      bool     // the database does not answer
}

func newServer(t testing.TB, f *fake) *http.Server {
	t.Helper()
	return apitest.Serve(t, New(Config{
		Lanes: f, Scheduler: f, Schedules: f, Threshold: f, GraphSettings: f, Database: f, Inventory: f, Counters: f, Checks: f, Keys: func() Keys { return Keys{OpenAI: true} }, Sources: func() []kappa.EventSource { return f.sources },
		Graph: func(context.Context) kappa.GraphStatus { return f.graph },
	}))
}

func (f *fake) do(format string, values ...any) error {
	f.did = append(f.did, fmt.Sprintf(format, values...))
	return f.err
}

func (f *fake) Counters(context.Context) (kappa.GraphCounters, error) {
	return kappa.GraphCounters{
		Snapshot: []kappa.GraphCounter{{Name: kappa.CounterConcepts, Value: 5}, {Name: kappa.CounterEdges, Value: 3}, {Name: kappa.CounterDocuments, Value: 9}},
		Activity: []kappa.GraphCounter{}, Legacy: []kappa.GraphCounter{},
	}, f.err
}

func (f *fake) Refresh(context.Context) ([]kappa.CounterChange, error) {
	return []kappa.CounterChange{{Name: "a", Old: 1, New: 2, Changed: true}, {Name: "b", Old: 1, New: 1}}, f.do("refresh")
}

func (f *fake) LaneUsage(context.Context) ([]kappa.LaneUsage, error) { return nil, f.err }

func (f *fake) UpdateLane(_ context.Context, name string, u kappa.LaneUpdate) (kappa.LaneChange, error) {
	f.updates = append(f.updates, u)
	return kappa.LaneChange{Lane: kappa.Lane{Name: name}, Changed: map[string]kappa.SettingDiff{}}, f.err
}

func (f *fake) Settings(context.Context) (kappa.GraphSettings, error) {
	return kappa.DefaultGraphSettings(), f.err
}

func (f *fake) UpdateSettings(_ context.Context, u kappa.GraphSettingsUpdate) (kappa.GraphSettingsChange, error) {
	text, _ := json.Marshal(u)
	return u.Apply(kappa.DefaultGraphSettings()), f.do("graph settings %s", text)
}

func (f *fake) WorkerStatus(context.Context) (kappa.WorkerStatus, error) {
	return kappa.WorkerStatus{}, f.err
}

func (f *fake) Status(context.Context) (kappa.SchedulerStatus, error) {
	return kappa.SchedulerStatus{
		Running: true, Config: kappa.SchedulerConfig{CleanupInterval: 3600, ApprovalTimeout: 24, CompletedRetention: 48, FailedRetention: 168},
		Stats: kappa.SchedulerStats{JobsByStatus: kappa.AllStatuses(map[kappa.Status]int{kappa.StatusFailed: 2})},
	}, f.err
}

func (f *fake) Clean(context.Context) (kappa.Cleanup, error) {
	if f.noLeader {
		return kappa.Cleanup{}, &kappa.Error{Code: kappa.CodeUnavailable, Message: "the scheduler is not running: no server leads", RetryAfter: time.Second}
	}
	return kappa.Cleanup{Expired: 1, Jobs: 7}, f.do("clean")
}

func (f *fake) Schedules(context.Context) ([]kappa.Schedule, error) { return nil, f.err }

func (f *fake) ScheduleRuns(_ context.Context, name string, limit int) ([]kappa.ScheduleRun, error) {
	return nil, f.do("runs of %s, %d", name, limit)
}

func (f *fake) AddSchedule(_ context.Context, n kappa.NewSchedule) (kappa.Schedule, error) {
	text, _ := json.Marshal(n)
	return n.Schedule(), f.do("add %s", text)
}

func (f *fake) UpdateSchedule(_ context.Context, name string, u kappa.ScheduleUpdate) (kappa.Schedule, error) {
	text, _ := json.Marshal(u)
	return kappa.Schedule{Name: name}, f.do("update %s %s", name, text)
}

func (f *fake) RemoveSchedule(_ context.Context, name string) error { return f.do("remove %s", name) }

func (f *fake) RunSchedule(_ context.Context, name, by string) (kappa.Job, error) {
	return apitest.Job(kappa.StatusApproved), f.do("run %s by %s", name, by)
}

func (f *fake) Show(context.Context) (kappa.SearchThreshold, error) {
	return kappa.SearchThreshold{Key: kappa.SearchThresholdKey, Threshold: f.threshold, Fallback: 0.6}, f.err
}

func (f *fake) Set(ctx context.Context, threshold float64) (kappa.SearchThreshold, error) {
	f.threshold = &threshold
	if err := f.do("threshold %v", threshold); err != nil {
		return kappa.SearchThreshold{}, err
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
	s.Begin(t, New(Config{Lanes: s, Scheduler: s, Schedules: s, Threshold: s, GraphSettings: s, Database: s, Inventory: s, Counters: s, Checks: s}))
	return s
}

func (s *strict) UpdateLane(ctx context.Context, name string, u kappa.LaneUpdate) (kappa.LaneChange, error) {
	s.Allow(s.NameInPath(name), name)
	return s.fake.UpdateLane(ctx, name, u)
}

func (s *strict) ScheduleRuns(_ context.Context, name string, limit int) ([]kappa.ScheduleRun, error) {
	s.Allow(apitest.Within(limit, 1, 500) && s.NameInPath(name), name)
	return nil, nil
}

func (s *strict) Set(ctx context.Context, threshold float64) (kappa.SearchThreshold, error) {
	s.Allow(threshold >= 0 && threshold <= 1, threshold)
	return s.fake.Set(ctx, threshold)
}

func (s *strict) UpdateSchedule(ctx context.Context, name string, u kappa.ScheduleUpdate) (kappa.Schedule, error) {
	s.Allow(s.NameInPath(name), name)
	return s.fake.UpdateSchedule(ctx, name, u)
}

func (s *strict) RemoveSchedule(_ context.Context, name string) error {
	s.Allow(s.NameInPath(name), name)
	return nil
}

func (s *strict) RunSchedule(ctx context.Context, name, by string) (kappa.Job, error) {
	s.Allow(s.NameInPath(name), name)
	return s.fake.RunSchedule(ctx, name, by)
}
