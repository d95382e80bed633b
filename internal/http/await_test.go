package http_test

import (
	"context"
	"encoding/json"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/work"
)

// awaited is a hub with one job, and the job itself.
type awaited struct {
	mu       sync.Mutex
	job      work.Job
	ready    chan struct{}
	delivery work.Delivery
	open     int // subscriptions
	stopping bool
}

func (a *awaited) Subscribe() (work.Subscription, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.stopping {
		return nil, kappa.NewError(kappa.CodeUnavailable, "the server is stopping")
	}
	a.open++
	return a, nil
}

func (a *awaited) Watch(context.Context, string) error { return nil }
func (a *awaited) Unwatch(string)                      {}
func (a *awaited) Ready() <-chan struct{}              { return a.ready }

func (a *awaited) Close() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.open--
}

func (a *awaited) Take() work.Delivery {
	a.mu.Lock()
	defer a.mu.Unlock()
	d := a.delivery
	a.delivery = work.Delivery{}
	return d
}

func (a *awaited) Job(context.Context, string) (work.Job, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.job, nil
}

// deliver has the hub notify its subscriber, after a change of what there is.
func (a *awaited) deliver(d work.Delivery, change func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	change()
	a.delivery.Events, a.delivery.Ended = append(a.delivery.Events, d.Events...), d.Ended
	select {
	case a.ready <- struct{}{}:
	default:
	}
}

func TestAwait(t *testing.T) {
	t.Parallel()
	ended := func(status work.Status, reason *string) func(a *awaited) {
		return func(a *awaited) {
			time.Sleep(time.Second)
			a.deliver(work.Delivery{Events: []*work.Event{{Kind: work.EventProgress}}}, func() {})
			synctest.Wait()
			a.deliver(work.Delivery{Events: []*work.Event{{Kind: work.EventCompleted}}}, func() {
				a.job.Status, a.job.Error, a.job.Result = status, reason, json.RawMessage(`{}`)
			})
		}
	}
	for name, c := range map[string]struct {
		happens func(a *awaited)
		code    kappa.Code
		says    string
		took    time.Duration
	}{
		"it completes":    {ended(work.StatusCompleted, nil), "", "", time.Second},
		"it fails":        {ended(work.StatusFailed, new("embed types: no answer")), kappa.CodeUnavailable, "Job job_1 failed: embed types: no answer", time.Second},
		"it is cancelled": {ended(work.StatusCancelled, nil), kappa.CodeConflict, "Job job_1 was cancelled", time.Second},
		"nobody says that it is": {func(a *awaited) {
			time.Sleep(time.Second)
			a.mu.Lock()
			defer a.mu.Unlock()
			a.job.Status = work.StatusCompleted
		}, "", "", 2 * time.Second},
		"it goes on": {func(*awaited) {}, kappa.CodeTimeout, "The job has not ended yet and goes on; follow it with GET /jobs/job_1", http.AwaitWithin},
		"the server stops": {func(a *awaited) {
			time.Sleep(time.Second)
			a.deliver(work.Delivery{Ended: true}, func() { a.stopping = true })
		}, kappa.CodeUnavailable, "the server is stopping", time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				a := &awaited{job: work.Job{ID: "job_1", Status: work.StatusProcessing}, ready: make(chan struct{}, 1)}
				go c.happens(a)
				began := time.Now()
				job, err := http.NewAwaiter(a, a).Await(t.Context(), "job_1")
				if kappa.ErrorCode(err) != c.code || err != nil && kappa.ErrorMessage(err) != c.says || err == nil && job.Status != work.StatusCompleted {
					t.Errorf("%+v, %v", job, err)
				}
				if took := time.Since(began); took != c.took || a.open != 0 {
					t.Errorf("took %s, want %s; %d subscriptions are left", took, c.took, a.open)
				}
			})
		})
	}
}
