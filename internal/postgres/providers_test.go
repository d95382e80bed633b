package postgres_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/internal/await"
	"github.com/kappagraph/kappa/internal/postgres"
	"github.com/kappagraph/kappa/work"
)

// testLimits let two calls run at a provider.
var testLimits = models.Limits{Calls: 32, Providers: map[string]models.ProviderLimits{"openai": {Calls: 2}}}

func newProviders(t *testing.T, lease time.Duration) (*postgres.DB, postgres.ProviderStore) {
	t.Helper()
	d, _ := newStore(t)
	s := d.Providers(testLimits, lease)
	must(t, s.EnsureProvider(t.Context(), "openai"))
	return d, s
}

var aCall = models.Call{Provider: "openai", Model: "openai/m", Purpose: models.ForExtraction, JobID: "job_1", Tokens: 10}

// TestCountedCallsAreTold tells of each call once whose cost is stored, however often its end is
// stored, and of none whose cost is not.
func TestCountedCallsAreTold(t *testing.T) {
	t.Parallel()
	d, s := newProviders(t, time.Minute)
	run := submit(t, d, "polarity").ID
	var told []float64
	s = s.Telling(func(c models.Call, r models.CallResult) {
		if c.Model != aCall.Model {
			t.Errorf("told of %+v", c)
		}
		told = append(told, r.Cost)
	})
	ctx := t.Context()
	id, _, err := s.QueueCall(ctx, workerA, aCall)
	must(t, err)
	for range 2 {
		_, _, err = s.EndCall(ctx, workerA, id, aCall, &models.CallResult{Cost: 0.5})
		must(t, err)
	}
	given, _, err := s.QueueCall(ctx, workerA, aCall)
	must(t, err)
	_, _, err = s.EndCall(ctx, workerA, given, aCall, nil)
	must(t, err)
	must(t, s.CountCall(ctx, aCall, models.CallResult{Cost: 2}))
	for range 2 {
		must(t, s.ChargeRun(ctx, run, aCall, models.CallResult{Cost: 8}))
	}
	gone, end := context.WithCancel(ctx)
	end()
	if err := s.CountCall(gone, aCall, models.CallResult{Cost: 32}); err == nil {
		t.Error("a call was counted without a database")
	}
	if !slices.Equal(told, []float64{0.5, 2, 8}) {
		t.Errorf("told of %v, want each once", told)
	}
}

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
	_, _, err = s.EndCall(ctx, workerB, ids[1], aCall, &models.CallResult{Usage: models.TokenUsage{Input: 5, Output: 2}, Cost: 0.5, Took: time.Second})
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
	if spent.Extraction != (models.TokenUsage{Input: 5, Output: 2}) || spent.Cost() != 0.5 || spent.Calls != 1 || spent.Seconds != 1 {
		t.Errorf("spent %+v", spent)
	}
	used, err := s.SpentSince(ctx, time.Hour)
	must(t, err)
	if len(used) != 1 || used[0].Model != aCall.Model || used[0].Calls != 1 || used[0].InputTokens != 5 || used[0].USD != 0.5 {
		t.Errorf("spent in the last hour: %+v", used)
	}
	if used, err = s.SpentSince(ctx, 0); err != nil || len(used) != 0 {
		t.Errorf("spent from now on: %+v, %v", used, err)
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
	await.That(t, "the calls of the dead process are given up", func() bool {
		view, err := alive.TendCalls(t.Context(), workerB, []int64{id})
		must(t, err)
		return len(view.Granted) > 0
	})
}

// A failure has nobody call the provider, in any process, until it answers.
func TestThrottle(t *testing.T) {
	t.Parallel()
	d, dsn := newStore(t)
	s := d.Providers(testLimits, time.Minute)
	must(t, s.EnsureProvider(t.Context(), "openai"))
	ctx := t.Context()
	fail := func(after time.Duration) time.Duration {
		t.Helper()
		id, _, err := s.QueueCall(ctx, workerA, aCall)
		must(t, err)
		_, wait, err := s.EndCall(ctx, workerA, id, aCall, &models.CallResult{Failed: true, Outage: &models.Outage{Reason: "openai limits our calls (429)", After: after}})
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
	must(t, s.Checked(ctx, "openai", d.Now().Add(time.Second)))
	if view, err = s.TendCalls(ctx, workerB, nil); err != nil || len(view.Granted) != 0 || len(view.Throttled) != 1 {
		t.Errorf("a check ends the hour that the provider has asked for: %+v, %v", view, err)
	}
	execSQL(t, dsn, "UPDATE kg_api.providers SET asked_until = clock_timestamp()")
	must(t, s.Checked(ctx, "openai", d.Now().Add(time.Second)))
	if view, err = s.TendCalls(ctx, workerB, nil); err != nil || len(view.Granted) != 1 || len(view.Throttled) != 0 {
		t.Errorf("after an answer the other process has %+v, %v", view, err)
	}
}

// An answer to a call that began before the last failure says nothing about now: it lifts
// neither the throttle, nor the count of failures, nor has it the trial call end.
func TestALateAnswerLiftsNothing(t *testing.T) {
	t.Parallel()
	_, s := newProviders(t, time.Minute)
	ctx := t.Context()
	first, _, err := s.QueueCall(ctx, workerA, aCall)
	must(t, err)
	second, _, err := s.QueueCall(ctx, workerB, aCall)
	must(t, err)
	limited := &models.CallResult{Failed: true, Outage: &models.Outage{Reason: "limited", After: time.Hour}}
	_, _, err = s.EndCall(ctx, workerA, first, aCall, limited)
	must(t, err)
	for name, r := range map[string]models.CallResult{"an answer": {}, "a cancel": {Failed: true, Cut: true}} {
		view, _, err := s.EndCall(ctx, workerB, second, aCall, &r)
		must(t, err)
		if by := view.Throttled["openai"]; by.Wait < 59*time.Minute {
			t.Errorf("after %s the provider is called again in %s", name, by.Wait)
		}
	}
	status, err := s.ProviderStatus(ctx, time.Minute)
	must(t, err)
	if status[0].Failures != 1 || status[0].LastError != "limited" {
		t.Errorf("the status is %+v", status[0])
	}
}

// An end that is stored again, because the answer to the first time was lost, counts
// nothing twice; and a call that is queued again is the same one.
func TestACallIsCountedOnce(t *testing.T) {
	t.Parallel()
	_, s := newProviders(t, time.Minute)
	ctx := t.Context()
	c := aCall
	c.Key = "00000000-0000-4000-8000-0000000000ff"
	id, _, err := s.QueueCall(ctx, workerA, c)
	must(t, err)
	again, _, err := s.QueueCall(ctx, workerA, c)
	must(t, err)
	if again != id {
		t.Errorf("queued as %d, and then as %d", id, again)
	}
	for range 3 {
		_, wait, err := s.EndCall(ctx, workerA, id, c, &models.CallResult{
			Usage: models.TokenUsage{Input: 5, Output: 2}, Cost: 0.5, Failed: true, Outage: &models.Outage{Reason: "no", After: time.Minute},
		})
		must(t, err)
		if wait < 50*time.Second {
			t.Errorf("it waits %s", wait)
		}
	}
	spent, err := s.Spent(ctx, "job_1")
	must(t, err)
	if spent.Calls != 1 || spent.Cost() != 0.5 {
		t.Errorf("spent %+v", spent)
	}
}

// A call that another process waits for keeps its turn, and is granted to that one alone:
// it would hear of it late, and perhaps after the provider has asked for rest.
func TestAGrantIsForWhoMakesTheCall(t *testing.T) {
	t.Parallel()
	_, s := newProviders(t, time.Minute)
	ctx := t.Context()
	var ids []int64
	for _, holder := range []string{workerA, workerA, workerB, workerA} {
		id, _, err := s.QueueCall(ctx, holder, aCall)
		must(t, err)
		ids = append(ids, id)
	}
	view, _, err := s.EndCall(ctx, workerA, ids[0], aCall, &models.CallResult{})
	must(t, err)
	if len(view.Granted) != 1 || view.Granted[0] != ids[1] {
		t.Errorf("the process that ended a call has %v", view.Granted)
	}
	_, _, err = s.EndCall(ctx, workerA, ids[1], aCall, &models.CallResult{Failed: true, Outage: &models.Outage{Reason: "limited", After: time.Hour}})
	must(t, err)
	if view, err = s.TendCalls(ctx, workerB, ids[2:3]); err != nil || len(view.Granted) != 0 {
		t.Errorf("the other process calls %v within the wait, %v", view.Granted, err)
	}
}

// A job waits for a provider from its first call that is not taken up to its first answer:
// those who follow it are told once, and warned once when that takes long.
func TestProviderWaits(t *testing.T) {
	t.Parallel()
	d, s := newProviders(t, time.Minute)
	ctx := t.Context()
	register(t, d, workerA)
	job := submit(t, d, "polarity")
	if claims := claim(t, d, workerA, 1); len(claims) != 1 {
		t.Fatal("the job is not claimed")
	}
	c := aCall
	c.JobID = job.ID
	id, _, err := s.QueueCall(ctx, workerA, c)
	must(t, err)
	view, _, err := s.EndCall(ctx, workerA, id, c, &models.CallResult{Failed: true, Outage: &models.Outage{Reason: "openai limits our calls (429)", After: time.Hour}})
	must(t, err)
	if !view.Waits {
		t.Error("nobody is to be told")
	}
	for i, want := range []int{1, 0} {
		if n, err := s.TellWaits(ctx); err != nil || n != want {
			t.Errorf("time %d: %d jobs were told, %v", i, n, err)
		}
	}
	shown, err := d.Jobs().Job(ctx, job.ID)
	must(t, err)
	if w := shown.WaitingFor; w == nil || w.Provider != "openai" || w.Reason != "openai limits our calls (429)" || time.Until(w.Until.Time) < 59*time.Minute {
		t.Errorf("the job waits for %+v", shown.WaitingFor)
	}
	if shown.Progress == nil || !strings.HasPrefix(shown.Progress.Message, "waits for openai: openai limits our calls (429); called again at ") {
		t.Errorf("its progress is %+v", shown.Progress)
	}
	if late, err := s.WarnWaits(ctx, time.Hour); err != nil || len(late) != 0 {
		t.Errorf("warned of %+v early, %v", late, err)
	}
	for i, want := range []int{1, 0} {
		if late, err := s.WarnWaits(ctx, 0); err != nil || len(late) != want {
			t.Errorf("time %d: warned of %+v, %v", i, late, err)
		}
	}
	status, err := s.ProviderStatus(ctx, 0)
	must(t, err)
	if p := status[0]; p.JobsWaiting != 1 || p.JobsOverdue != 1 || p.WaitingSince == nil {
		t.Errorf("the provider is %+v", p)
	}
	events, err := d.Events().EventsAfter(ctx, job.ID, 0, 100)
	must(t, err)
	var kinds []work.EventKind
	for _, e := range events {
		kinds = append(kinds, e.Kind)
	}
	if n := len(kinds); n < 2 || kinds[n-2] != work.EventProgress || kinds[n-1] != work.EventWarning {
		t.Errorf("the events are %v", kinds)
	}
	if id, _, err = s.QueueCall(ctx, workerA, c); err == nil {
		_, _, err = s.EndCall(ctx, workerA, id, c, &models.CallResult{})
	}
	must(t, err)
	if shown, err = d.Jobs().Job(ctx, job.ID); err != nil || shown.WaitingFor != nil || shown.Spent == nil || shown.Spent.Calls != 2 {
		t.Errorf("after an answer the job waits for %+v and spent %+v, %v", shown.WaitingFor, shown.Spent, err)
	}
}

// A provider says anything of why it does not answer: the end of the call is stored, and
// the provider is left alone.
func TestAReasonOfAnyBytes(t *testing.T) {
	t.Parallel()
	_, providers := newProviders(t, time.Minute)
	for _, reason := range []string{"a\x00b", "\xff\xfe", strings.Repeat("long ", 100_000)} {
		call := models.Call{Provider: "openai", Model: "m", Purpose: models.ForExtraction}
		id, _, err := providers.QueueCall(t.Context(), workerA, call)
		must(t, err)
		_, wait, err := providers.EndCall(t.Context(), workerA, id, call, &models.CallResult{Failed: true, Outage: &models.Outage{Reason: reason}})
		if err != nil || wait <= 0 {
			t.Errorf("%.20q: wait %s, %v", reason, wait, err)
		}
	}
}
