package postgres_test

import (
	"testing"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/postgres"
)

// testLimits let two calls run at a provider.
var testLimits = kappa.ModelLimits{Calls: 32, Providers: map[string]kappa.ProviderLimits{"openai": {Calls: 2}}}

func newProviders(t *testing.T, lease time.Duration) (*postgres.DB, postgres.ProviderStore) {
	t.Helper()
	d, _ := newStore(t)
	s := d.Providers(testLimits, lease)
	must(t, s.EnsureProvider(t.Context(), "openai"))
	return d, s
}

var aCall = kappa.ModelCall{Provider: "openai", Model: "openai/m", Purpose: kappa.ForExtraction, JobID: "job_1", Tokens: 10}

func TestCallsOfTwoProcesses(t *testing.T) {
	t.Parallel()
	_, s := newProviders(t, time.Minute)
	ctx := t.Context()
	var ids []int64
	for _, holder := range []string{workerA, workerB, workerA, workerB} {
		id, _, err := s.QueueCall(ctx, holder, aCall)
		must(t, err)
		ids = append(ids, id)
	}
	view, err := s.TendCalls(ctx, workerA, ids[:1])
	must(t, err)
	if len(view.Granted) != 1 || view.Granted[0] != ids[0] || !view.Others {
		t.Errorf("the first process has %+v", view)
	}
	status, err := s.ProviderStatus(ctx, time.Minute)
	must(t, err)
	if status[0].InFlight != 2 || status[0].Waiting != 2 {
		t.Errorf("the status is %+v", status[0])
	}
	// What one process ends, the oldest waiting call gets, whosever it is.
	_, _, err = s.EndCall(ctx, workerB, ids[1], aCall, &kappa.CallResult{Usage: kappa.TokenUsage{Input: 5, Output: 2}, Cost: 0.5, Took: time.Second})
	must(t, err)
	if view, err = s.TendCalls(ctx, workerA, ids[:1]); err != nil || len(view.Granted) != 2 {
		t.Errorf("the first process has %+v, %v", view, err)
	}
	must(t, s.DropCalls(ctx, workerA))
	if view, err = s.TendCalls(ctx, workerB, ids[3:]); err != nil || len(view.Granted) != 1 || view.Others {
		t.Errorf("the second process has %+v, %v", view, err)
	}
	spent, err := s.Spent(ctx, "job_1")
	must(t, err)
	if spent.Extraction != (kappa.TokenUsage{Input: 5, Output: 2}) || spent.Cost() != 0.5 || spent.Calls != 1 || spent.Seconds != 1 {
		t.Errorf("spent %+v", spent)
	}
}

// A process that is killed renews nothing: its calls are given up with their leases.
func TestCallsOfAKilledProcess(t *testing.T) {
	t.Parallel()
	d, _ := newProviders(t, time.Minute)
	dead, alive := d.Providers(testLimits, 300*time.Millisecond), d.Providers(testLimits, time.Minute)
	for range 2 {
		_, _, err := dead.QueueCall(t.Context(), workerA, aCall)
		must(t, err)
	}
	id, view, err := alive.QueueCall(t.Context(), workerB, aCall)
	must(t, err)
	if len(view.Granted) != 0 {
		t.Fatal("a third call runs at once")
	}
	for end := time.Now().Add(30 * time.Second); len(view.Granted) == 0; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the calls of the dead process are never given up")
		}
		view, err = alive.TendCalls(t.Context(), workerB, []int64{id})
		must(t, err)
	}
}

// A failure has nobody call the provider, in any process, until it answers.
func TestThrottle(t *testing.T) {
	t.Parallel()
	d, s := newProviders(t, time.Minute)
	ctx := t.Context()
	fail := func(after time.Duration) time.Duration {
		t.Helper()
		id, _, err := s.QueueCall(ctx, workerA, aCall)
		must(t, err)
		_, wait, err := s.EndCall(ctx, workerA, id, aCall, &kappa.CallResult{Failed: true, Outage: &kappa.Outage{Reason: "openai limits our calls (429)", After: after}})
		must(t, err)
		return wait
	}
	if wait := fail(0); wait < 700*time.Millisecond || wait > 1300*time.Millisecond {
		t.Errorf("after the first failure it waits %s", wait)
	}
	if wait := fail(time.Hour); wait < 59*time.Minute {
		t.Errorf("it waits %s, not as long as the provider asked for", wait)
	}
	if wait := fail(0); wait < 59*time.Minute {
		t.Errorf("a later failure shortens it to %s", wait)
	}
	_, view, err := s.QueueCall(ctx, workerB, aCall)
	must(t, err)
	if by := view.Throttled["openai"]; len(view.Granted) != 0 || by.Wait < 59*time.Minute || by.Reason == "" {
		t.Errorf("the other process has %+v", view)
	}
	status, err := s.ProviderStatus(ctx, time.Minute)
	must(t, err)
	if status[0].ThrottledUntil == nil || status[0].LastError == "" || status[0].Failures != 1 {
		t.Errorf("the status is %+v", status[0])
	}
	must(t, s.Answered(ctx, "openai", d.Now().Add(time.Second)))
	if view, err = s.TendCalls(ctx, workerB, nil); err != nil || len(view.Granted) != 1 || len(view.Throttled) != 0 {
		t.Errorf("after an answer the other process has %+v, %v", view, err)
	}
}
