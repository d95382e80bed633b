package llm

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kappagraph/kappa/corpus/models"
)

// lateAnswers is a store whose answers to the ends of calls that went well come late.
type lateAnswers struct{ *fakeCalls }

func (l lateAnswers) EndCall(ctx context.Context, holder string, id int64, c models.Call, r *models.CallResult) (models.CallView, time.Duration, error) {
	view, wait, err := l.fakeCalls.EndCall(ctx, holder, id, c, r)
	if r != nil && r.Outage == nil {
		time.Sleep(100 * time.Millisecond)
	}
	return view, wait, err
}

// TestAnOlderAnswerEndsNoRest has the store's answer to a call that ended well arrive after
// the one to a call that the provider limited, while a third call, which was permitted
// before, reads the budget of its job: that one is not sent before the provider may be
// called again.
func TestAnOlderAnswerEndsNoRest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeCalls{limit: 2}
		budget := func(_ context.Context, jobID string) error {
			if jobID == "job_3" {
				time.Sleep(100 * time.Millisecond)
			}
			return nil
		}
		once := func(ctx context.Context, _ string, call func(context.Context) error) error { return call(ctx) }
		g := NewGovernor(GovernorConfig{Store: lateAnswers{f}, Retry: once, Budget: budget, Log: slog.New(slog.DiscardHandler)})
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan error)
		go func() { done <- g.Run(ctx) }()
		began := time.Now()
		var limited, sent time.Duration
		calls := make(chan error)
		call := func(jobID string, do func() (models.CallResult, error)) {
			go func() {
				calls <- g.Call(ctx, models.Call{Provider: "p", JobID: jobID}, func(context.Context) (models.CallResult, error) { return do() })
			}()
			synctest.Wait()
		}
		call("job_1", func() (models.CallResult, error) {
			time.Sleep(time.Second)
			return models.CallResult{}, nil
		})
		call("job_2", func() (models.CallResult, error) {
			if limited > 0 {
				return models.CallResult{}, nil
			}
			time.Sleep(1050 * time.Millisecond)
			limited = time.Since(began)
			return models.CallResult{Failed: true, Outage: &models.Outage{After: 3 * time.Second, Reason: "slow down"}}, errors.New("slow down")
		})
		call("job_3", func() (models.CallResult, error) {
			sent = time.Since(began)
			return models.CallResult{}, nil
		})
		for range 3 {
			if err := <-calls; err != nil {
				t.Error(err)
			}
		}
		if limited == 0 || sent < limited+3*time.Second {
			t.Errorf("limited after %s for 3 s, the next call is sent after %s", limited, sent)
		}
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}
