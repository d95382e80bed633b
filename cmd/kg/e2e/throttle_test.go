package e2e

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/internal/llm/llmtest"
	"github.com/kappagraph/kappa/work"
)

// TestAThrottleHolds has a provider limit one of eight calls that run, while the others,
// which wait for that, end well one after another: no call is sent before the second that it
// asked for is over.
func TestAThrottleHolds(t *testing.T) {
	t.Parallel()
	const atOnce = 8
	models := newModels(t)
	var mu sync.Mutex
	var sent []time.Time
	var limited time.Time
	allRun := make(chan struct{})
	models.Answer = func(c llmtest.Call) llmtest.Reply {
		mu.Lock()
		sent = append(sent, time.Now())
		n := len(sent)
		if n == atOnce {
			limited = time.Now()
			close(allRun)
		}
		mu.Unlock()
		switch {
		case n == atOnce:
			return llmtest.Reply{Status: 429, RetryAfter: "1", Error: "slow down"}
		case n < atOnce:
			select {
			case <-allRun:
			case <-time.After(30 * time.Second):
				t.Errorf("call %d runs, and %d never do at once", n, atOnce)
			}
			return llmtest.Reply{Text: llmtest.Read(c.Passage()), Wait: time.Duration(200+80*n) * time.Millisecond}
		}
		return llmtest.Reply{Text: llmtest.Read(c.Passage())}
	}
	s := startServer(t, withModels(models, map[string]string{"KG_OPENAI_CALLS": fmt.Sprint(atOnce)}))
	id := submitDocumentIn(t, s, work.ModeParallel, "Lovelace", 72)
	if job := awaitEnd(t, s, id); job.Status != work.StatusCompleted {
		t.Fatalf("the job is %s: %v", job.Status, job.Error)
	}
	mu.Lock()
	defer mu.Unlock()
	early := 0
	for _, at := range sent[atOnce:] {
		if at.Sub(limited) < time.Second {
			early++
		}
	}
	// That they come at all is seen by the end of the job; how soon, by nobody on a busy machine.
	if n := len(sent) - atOnce; early > 0 || n == 0 {
		t.Errorf("of the %d calls that followed, %d were sent within the second that the provider asked for", n, early)
	}
}

// TestWhatAJobWaitsFor has providers refuse a job: whoever follows it, or asks for it, reads
// before it is called again for what it waits and what to do, and is warned when that takes long. It
// goes on as soon as the provider answers, and says what it did cost.
func TestWhatAJobWaitsFor(t *testing.T) {
	t.Parallel()
	for status, want := range map[int]string{
		401: "waits for openai: openai refuses the key (401): no; set OPENAI_API_KEY or KG_OPENAI_API_KEY_FILE, or kg admin models keys set openai; called again at ",
		404: "waits for openai: openai knows no such model or address (404): no; see kg admin models, KG_EXTRACTION_MODEL, KG_EMBEDDING_MODEL and KG_OPENAI_BASE_URL; called again at ",
		429: "waits for openai: openai limits our calls (429): no; called again at ",
	} {
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			t.Parallel()
			models := newModels(t)
			var mu sync.Mutex
			var called []time.Time
			up := false
			models.Answer = func(c llmtest.Call) llmtest.Reply {
				mu.Lock()
				defer mu.Unlock()
				called = append(called, time.Now())
				if up {
					return llmtest.Reply{Text: llmtest.Read(c.Passage()), Whole: true}
				}
				return llmtest.Reply{Status: status, Error: "no", RetryAfter: "4"}
			}
			s := startServer(t, withModels(models, map[string]string{"KG_PROVIDER_PATIENCE": "2"}))
			id := submitDocument(t, s, "Lovelace", 1)
			said := followWait(t, s, id, want, func() {
				mu.Lock()
				defer mu.Unlock()
				up = true
			})
			mu.Lock()
			if len(called) < 2 || said.After(called[1]) {
				t.Errorf("it is said at %s, and called at %s: want it said before the second call", said, called)
			}
			mu.Unlock()
			job, err := s.client.Jobs.Get(t.Context(), id)
			check(t, err)
			if job.Status != work.StatusCompleted || job.WaitingFor != nil || job.Spent == nil || job.Spent.USD <= 0 {
				t.Errorf("the job is %s, waits for %+v and spent %+v", job.Status, job.WaitingFor, job.Spent)
			}
			if total := job.Analysis.Cost.Total; total.CostLow <= 0 || total.CostHigh <= total.CostLow {
				t.Errorf("it was announced as %+v", total)
			}
			if !strings.Contains(string(job.Result), `"total":"$0.00`) || strings.Contains(string(job.Result), `"total":"$0.00"`) {
				t.Errorf("it says of its cost: %s", job.Result)
			}
		})
	}
}

// followWait follows a job to its end, and returns when it was said for what it waits.
// After its warning it calls warned.
func followWait(t *testing.T, s *testServer, id, want string, warned func()) (said time.Time) {
	t.Helper()
	var warnings []*work.Warning
	for u, err := range s.client.Jobs.Watch(t.Context(), id) {
		check(t, err)
		if u.Progress != nil && strings.HasPrefix(u.Progress.Message, want) && said.IsZero() {
			said = time.Now()
			job, err := s.client.Jobs.Get(t.Context(), id)
			check(t, err)
			if w := job.WaitingFor; w == nil || w.Provider != "openai" || !strings.Contains(want, w.Reason) {
				t.Errorf("the job waits for %+v", w)
			}
		}
		if u.Kind == client.UpdateSnapshot && u.Job.WaitingFor != nil && said.IsZero() {
			said = time.Now()
		}
		if u.Warning == nil {
			continue
		}
		warnings = append(warnings, u.Warning)
		list, err := s.client.Models.Providers(t.Context())
		check(t, err)
		if p := list[0]; p.JobsWaiting != 1 || p.JobsOverdue != 1 || p.WaitingSince == nil {
			t.Errorf("the provider is %+v", p)
		}
		warned()
	}
	if said.IsZero() {
		t.Errorf("it was never said: %s", want)
	}
	if len(warnings) != 1 || !strings.HasPrefix(warnings[0].Message, "has waited for openai since ") || warnings[0].Provider != "openai" {
		t.Errorf("warned of %+v", warnings)
	}
	return said
}
