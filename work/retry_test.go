package work_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/check"
	"github.com/kappagraph/kappa/work"
)

func TestBackoff(t *testing.T) {
	for _, c := range []struct {
		n      int
		random float64
		want   time.Duration
	}{
		{1, 0.5, time.Second},
		{2, 0.5, 2 * time.Second},
		{6, 0.5, 32 * time.Second},
		{7, 0.5, 60 * time.Second},
		{1000, 0.5, 60 * time.Second},
		{7, 0, 48 * time.Second},
		{0, 0.5, time.Second},
	} {
		if got := kappa.Backoff(c.n, c.random); got != c.want {
			t.Errorf("Backoff(%d, %v) = %s, want %s", c.n, c.random, got, c.want)
		}
	}
}

func TestConclude(t *testing.T) {
	failed := errors.New("no answer")
	for name, c := range map[string]struct {
		cause  error // of the context's end; nil = it goes on
		err    error // what the handler returned
		tries  int   // retries so far, of 3
		want   work.Status
		counts bool
	}{
		"success completes":                          {want: work.StatusCompleted},
		"success completes even if it was to stop":   {cause: kappa.ErrShutdown, want: work.StatusCompleted},
		"a passing failure is tried again":           {err: failed, want: work.StatusApproved, counts: true},
		"the last failure is final":                  {err: failed, tries: 3, want: work.StatusFailed},
		"a permanent failure is final":               {err: kappa.Permanent(failed), want: work.StatusFailed},
		"a wrapped permanent failure is final":       {err: fmt.Errorf("chunk 3: %w", kappa.Permanent(failed)), want: work.StatusFailed},
		"bad input is final":                         {err: kappa.NewError(kappa.CodeInvalid, "bad"), want: work.StatusFailed},
		"a database that is away is tried again":     {err: kappa.NewError(kappa.CodeUnavailable, "away"), want: work.StatusApproved, counts: true},
		"a cancelled job is cancelled":               {cause: kappa.ErrCancelled, err: kappa.ErrCancelled, want: work.StatusCancelled},
		"a cancel seen as another failure cancels":   {cause: kappa.ErrCancelled, err: failed, want: work.StatusCancelled},
		"a cancel that the store reported cancels":   {err: fmt.Errorf("write: %w", kappa.ErrCancelled), want: work.StatusCancelled},
		"a stop of the server is not an attempt":     {cause: kappa.ErrShutdown, err: context.Canceled, want: work.StatusApproved},
		"a lost lease is not an attempt":             {cause: kappa.ErrLeaseLost, err: kappa.ErrLeaseLost, want: work.StatusApproved},
		"what a job needs and is away is no attempt": {err: fmt.Errorf("chunk 3: %w", kappa.Postpone(failed, time.Minute)), tries: 3, want: work.StatusApproved},
		"a postponed job that is cancelled ends":     {cause: kappa.ErrCancelled, err: kappa.Postpone(failed, time.Minute), want: work.StatusCancelled},
		"a stop with all retries used is no failure": {cause: kappa.ErrShutdown, err: failed, tries: 3, want: work.StatusApproved},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			if c.cause != nil {
				cancel(c.cause)
			}
			o := work.Conclude(ctx, work.Claim{Retries: c.tries, MaxRetries: 3}, nil, c.err, 0.5)
			if o.Status != c.want || o.CountRetry != c.counts {
				t.Errorf("got %s (counts %v), want %s (counts %v)", o.Status, o.CountRetry, c.want, c.counts)
			}
			if o.CountRetry && o.RunAt <= 0 {
				t.Error("the retry does not wait")
			}
			if o.Status == work.StatusFailed && o.Error == "" {
				t.Error("the failure has no reason")
			}
		})
	}
}

// A postponed job waits as long as it was told, and its watcher reads why.
func TestConcludePostponed(t *testing.T) {
	err := fmt.Errorf("chunk 3: %w", kappa.Postpone(kappa.NewError(kappa.CodeUnavailable, "openai does not answer"), time.Minute))
	o := work.Conclude(t.Context(), work.Claim{}, nil, err, 0)
	if o.RunAt != time.Minute || o.Error != "openai does not answer" || o.CountRetry {
		t.Errorf("%+v", o)
	}
	if kappa.Postpone(nil, time.Minute) != nil {
		t.Error("nil was postponed")
	}
}

// FuzzConclude has handlers return any bytes: what comes of it can be stored.
func FuzzConclude(f *testing.F) {
	f.Add([]byte(`{"a": "b\u0000"}`), "the provider said \x00", false)
	f.Add([]byte("\xff"), "\xff\xfe", true)
	f.Add([]byte(`[1e999]`), strings.Repeat("long ", 20_000), true)
	f.Fuzz(func(t *testing.T, result []byte, text string, cancelled bool) {
		for _, err := range []error{nil, errors.New(text), kappa.NewError(kappa.CodeUnavailable, text), kappa.Pause(errors.New(text)), kappa.Postpone(errors.New(text), 1)} {
			ctx, cancel := context.WithCancelCause(t.Context())
			if cancelled {
				cancel(kappa.ErrCancelled)
			}
			o := work.Conclude(ctx, work.Claim{JobID: "j"}, result, err, 0.5)
			cancel(nil)
			if check.Storable("the result", o.Result) != nil || !utf8.ValidString(o.Error) || strings.Contains(o.Error, "\x00") || len(o.Error) > 1<<17 {
				t.Errorf("%v became %+v", err, o)
			}
			if err == nil && check.Storable("the result", result) != nil && (o.Status != work.StatusFailed || o.Error == "" || o.Claim.JobID != "j") {
				t.Errorf("a result that cannot be stored: %+v", o)
			}
		}
	})
}

func TestSleep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		began := time.Now()
		if !kappa.Sleep(ctx, time.Hour) || time.Since(began) != time.Hour {
			t.Errorf("it took %s", time.Since(began))
		}
		time.AfterFunc(time.Minute, cancel)
		if began = time.Now(); kappa.Sleep(ctx, time.Hour) || time.Since(began) != time.Minute {
			t.Errorf("with a context that ends it took %s", time.Since(began))
		}
		for range 100 {
			if kappa.Sleep(ctx, -time.Second) {
				t.Fatal("a context that has ended has not")
			}
		}
	})
}
