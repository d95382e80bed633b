package work_test

import (
	"strings"
	"testing"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/work"
)

// TestExplain has a case for each reason for which a job may wait.
func TestExplain(t *testing.T) {
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	ahead, past := new(kappa.At(now.Add(time.Minute))), new(kappa.At(now.Add(-time.Minute)))
	lane := func(name string, slots, running int, enabled bool) work.LaneLoad {
		return work.LaneLoad{Lane: work.Lane{Name: name, JobTypes: []string{"noop"}, MaxSlots: slots, PollIntervalMS: 2000, Enabled: enabled}, Running: running}
	}
	worker := func(active int, queues ...string) work.RemoteWorker {
		return work.RemoteWorker{State: work.RemoteOnline, Types: []string{"noop"}, Capacity: 4, Active: active, Groups: []work.RemoteGroupUsage{{Queues: queues}}}
	}
	job := func(status work.Status) work.Job {
		return work.Job{ID: "job_000000000001", Type: "noop", Status: status, JobDispatch: work.JobDispatch{Queue: "default", Attempt: 2}}
	}
	approved := func(change func(*work.WaitFacts)) work.WaitFacts {
		f := work.WaitFacts{Job: job(work.StatusApproved), Now: now, Due: true, Servers: 1, Lanes: []work.LaneLoad{lane("a", 2, 2, true)}}
		change(&f)
		return f
	}
	for name, c := range map[string]struct {
		facts  work.WaitFacts
		code   work.WaitCode
		says   string
		remedy string
	}{
		"pending":  {work.WaitFacts{Job: job(work.StatusPending)}, work.WaitAnalysis, "analysed", ""},
		"unlooked": {work.WaitFacts{Job: job(work.StatusAwaitingApproval)}, work.WaitApproval, "approve it.", "kg jobs approve job_000000000001"},
		"expiring": {func() work.WaitFacts {
			j := job(work.StatusAwaitingApproval)
			j.ExpiresAt = ahead
			return work.WaitFacts{Job: j}
		}(), work.WaitApproval, "before 2026-05-01 12:01:00 UTC", "kg jobs approve job_000000000001"},
		"paused": {func() work.WaitFacts {
			j := job(work.StatusAwaitingApproval)
			j.PauseReason = new("it has spent 2.00 USD of 2.00 USD")
			return work.WaitFacts{Job: j}
		}(), work.WaitBudget, "It has paused: it has spent 2.00 USD of 2.00 USD.", "kg jobs resume job_000000000001"},
		"over":   {work.WaitFacts{Job: job(work.StatusCompleted)}, work.WaitEnded, "completed", ""},
		"failed": {work.WaitFacts{Job: job(work.StatusFailed)}, work.WaitEnded, "failed", "kg jobs retry job_000000000001"},
		"runs":   {work.WaitFacts{Job: job(work.StatusProcessing)}, work.WaitRunning, "It runs.", ""},
		"runs and waits for a provider": {func() work.WaitFacts {
			j := job(work.StatusProcessing)
			j.WaitingFor = &models.ProviderWait{Provider: "openai", Reason: "429 too many requests", Until: *ahead}
			return work.WaitFacts{Job: j}
		}(), work.WaitProvider, "It runs, and waits for openai, which takes no calls: 429 too many requests.", ""},
		"stops": {func() work.WaitFacts {
			j := job(work.StatusProcessing)
			j.CancelRequested = true
			return work.WaitFacts{Job: j}
		}(), work.WaitCancel, "told to stop", ""},
		"a provider rests": {approved(func(f *work.WaitFacts) {
			f.Due, f.Job.RunAt = false, past
			f.Job.WaitingFor = &models.ProviderWait{Provider: "openai", Reason: "503", Until: *ahead}
		}), work.WaitProvider, "It waits for openai, which takes no calls: 503.", ""},
		"a provider answers again": {approved(func(f *work.WaitFacts) {
			f.Job.WaitingFor = &models.ProviderWait{Provider: "openai", Reason: "503", Until: *past}
		}), work.WaitSlot, "taken", ""},
		"later": {approved(func(f *work.WaitFacts) { f.Due, f.Job.RunAt = false, ahead }), work.WaitTime, "has not come", ""},
		"again": {approved(func(f *work.WaitFacts) { f.Due, f.Job.RunAt, f.Job.Error = false, ahead, new("timed out") }), work.WaitTime, "attempt 2 failed: timed out.", ""},
		"now":   {approved(func(f *work.WaitFacts) { f.Due, f.Job.RunAt = false, past }), work.WaitTime, "the leader lets it be claimed", ""},
		"a suspect": {approved(func(f *work.WaitFacts) {
			f.Due, f.Job.RunAt, f.Suspect, f.Before = false, past, true, "job_000000000002"
		}), work.WaitTurn, "job_000000000002 is before it.", ""},
		"a suspect later": {approved(func(f *work.WaitFacts) { f.Due, f.Job.RunAt, f.Suspect = false, ahead, true }), work.WaitTime, "has not come", ""},
		"no lane":         {approved(func(f *work.WaitFacts) { f.Job.Type = "other" }), work.WaitNoLane, "No lane claims jobs of type other.", "put the type into a lane"},
		"disabled":        {approved(func(f *work.WaitFacts) { f.Lanes = []work.LaneLoad{lane("a", 2, 0, false)} }), work.WaitDisabled, "The lane a is disabled", "kg admin workers lanes set a --enable"},
		"no slots":        {approved(func(f *work.WaitFacts) { f.Lanes = []work.LaneLoad{lane("a", 0, 0, true)} }), work.WaitNoSlots, "has no slots", "--max-slots 1"},
		"no server":       {approved(func(f *work.WaitFacts) { f.Servers = 0 }), work.WaitNoServer, "No server runs", "start a server"},
		"full":            {approved(func(f *work.WaitFacts) { f.Job.QueuePosition = new(1) }), work.WaitSlot, "All 2 slots of the lane a are taken.", ""},
		"second":          {approved(func(f *work.WaitFacts) { f.Job.QueuePosition = new(2) }), work.WaitSlot, "taken, and 1 job of its type is before it.", ""},
		"third":           {approved(func(f *work.WaitFacts) { f.Job.QueuePosition = new(3) }), work.WaitSlot, "taken, and 2 jobs of its type are before it.", ""},
		"over the ceiling": {approved(func(f *work.WaitFacts) {
			f.Ceiling, f.Lanes = 1, []work.LaneLoad{lane("a", 2, 1, true)}
		}), work.WaitSlot, "The slot of the lane a is taken.", ""},
		"another lane":     {approved(func(f *work.WaitFacts) { f.Lanes = append(f.Lanes, lane("b", 3, 2, true)) }), work.WaitNextClaim, "The lane b has a free slot, and claims it within 2s.", ""},
		"no remote worker": {approved(func(f *work.WaitFacts) { f.Remote, f.Workers = true, []work.RemoteWorker{worker(0, "x")} }), work.WaitNoWorker, "type noop of the queue default", "kg worker"},
		"busy workers":     {approved(func(f *work.WaitFacts) { f.Remote, f.Workers = true, []work.RemoteWorker{worker(4, "*")} }), work.WaitWorker, "All 4 slots", ""},
		"a free worker":    {approved(func(f *work.WaitFacts) { f.Remote, f.Workers = true, []work.RemoteWorker{worker(3, "default")} }), work.WaitNextClaim, "claims it next", ""},
		"a worker of others": {approved(func(f *work.WaitFacts) {
			f.Remote, f.Workers = true, []work.RemoteWorker{worker(4, "default"), worker(0, "x")}
		}), work.WaitWorker, "All 4 slots", ""},
	} {
		t.Run(name, func(t *testing.T) {
			w := c.facts.Explain()
			if w.Code != c.code || !strings.Contains(w.Reason, c.says) || !strings.Contains(w.Remedy, c.remedy) || (c.remedy == "") != (w.Remedy == "") {
				t.Errorf("got %s: %s Remedy: %s", w.Code, w.Reason, w.Remedy)
			}
			if w.JobID != "job_000000000001" || w.Status != c.facts.Job.Status {
				t.Errorf("got %s, %s", w.JobID, w.Status)
			}
		})
	}
}

// TestExplainEstimates: of two slots, the third in the queue starts when one and a half jobs
// are over; where none has ended lately, nothing is said.
func TestExplainEstimates(t *testing.T) {
	f := work.WaitFacts{Due: true, Servers: 1, RunSeconds: 10, Lanes: []work.LaneLoad{{Lane: work.Lane{Name: "a", JobTypes: []string{""}, MaxSlots: 2, Enabled: true}, Running: 2}}}
	f.Job.Status, f.Job.QueuePosition = work.StatusApproved, new(3)
	if w := f.Explain(); w.StartsIn == nil || *w.StartsIn != 15 {
		t.Errorf("got %v", w.StartsIn)
	}
	f.RunSeconds = 0
	if w := f.Explain(); w.StartsIn != nil {
		t.Errorf("got %v", *w.StartsIn)
	}
}
