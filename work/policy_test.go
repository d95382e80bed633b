package work_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/work"
)

// TestPolicyBackoff waits as a policy says; the program's own is that of the rest of Kappa.
func TestPolicyBackoff(t *testing.T) {
	for n := range 12 {
		for _, random := range []float64{0, 0.5, 0.99} {
			own, want := work.DefaultPolicy().Backoff(n, random), kappa.Backoff(n, random)
			if d := own - want; d < -time.Microsecond || d > time.Microsecond {
				t.Errorf("retry %d waits %s, want %s", n, own, want)
			}
		}
	}
	p := work.Policy{BackoffFirstMS: 100, BackoffMostMS: 2000, BackoffFactor: 3, Jitter: 0.5}
	for _, c := range []struct {
		n      int
		random float64
		want   time.Duration
	}{{1, 0.5, 100}, {2, 0.5, 300}, {3, 0.5, 900}, {4, 0.5, 2000}, {1000, 0.5, 2000}, {0, 0.5, 100}, {1, 0, 50}, {2, 0, 150}, {1, 1, 150}} {
		if got := p.Backoff(c.n, c.random); got.Round(time.Millisecond) != c.want*time.Millisecond {
			t.Errorf("retry %d (%v) waits %s, want %d ms", c.n, c.random, got, c.want)
		}
	}
}

// TestPolicyConcludes ends attempts under policies.
func TestPolicyConcludes(t *testing.T) {
	late, cancel := context.WithCancelCause(t.Context())
	cancel(work.DeadlineError{Deadline: 90 * time.Second})
	broken := errors.New("broken")
	for name, c := range map[string]struct {
		ctx       context.Context
		retries   int // so far
		submitted int
		asked     bool
		allowed   int
		err       error
		status    work.Status
		says      string
	}{
		"more than by default":                   {t.Context(), 3, 3, false, 5, broken, work.StatusApproved, "broken"},
		"fewer than by default":                  {t.Context(), 1, 3, false, 1, broken, work.StatusFailed, "broken"},
		"a job's own number, which is less":      {t.Context(), 1, 1, true, 5, broken, work.StatusFailed, "broken"},
		"a job's own number, which is more":      {t.Context(), 5, 9, true, 1, broken, work.StatusApproved, "broken"},
		"three, asked for, of a type with fewer": {t.Context(), 2, 3, true, 1, broken, work.StatusApproved, "broken"},
		"three, asked for, of a type with more":  {t.Context(), 3, 3, true, 5, broken, work.StatusFailed, "broken"},
		"late":                                   {late, 0, 3, false, 3, context.Canceled, work.StatusApproved, "the attempt ran longer than the deadline of its job type, 1m30s"},
		"late, whatever it returns":              {late, 0, 3, false, 3, kappa.Permanent(broken), work.StatusApproved, "the attempt ran longer"},
		"late too often":                         {late, 3, 3, false, 3, context.Canceled, work.StatusFailed, "the attempt ran longer"},
		"late, and yet done":                     {late, 0, 3, false, 3, nil, work.StatusCompleted, ""},
	} {
		t.Run(name, func(t *testing.T) {
			p := work.DefaultPolicy()
			p.MaxRetries, p.BackoffFirstMS, p.BackoffMostMS = c.allowed, 7000, 7000
			o := p.Conclude(c.ctx, work.Claim{Retries: c.retries, MaxRetries: c.submitted, RetriesAsked: c.asked}, nil, c.err, 0.5)
			retried := c.status == work.StatusApproved
			if o.Status != c.status || o.CountRetry != retried || !strings.HasPrefix(o.Error, c.says) || retried && o.RunAt.Round(time.Second) != 7*time.Second {
				t.Errorf("it ends as %+v", o)
			}
		})
	}
}

// TestPolicyChanges changes policies, and gives settings back.
func TestPolicyChanges(t *testing.T) {
	n := func(v int) *int { return &v }
	set := work.PolicyChange{MaxRetries: n(5), BackoffFirstMS: n(10)}
	set = set.After(work.PolicyChange{DeadlineMS: n(5000), Reset: []string{"max_retries"}})
	remote := work.JobType{Name: "r", Remote: true}.WithPolicy(set)
	if remote.Policy.MaxRetries != 3 || remote.Policy.BackoffFirstMS != 10 || *remote.Policy.DeadlineMS != 5000 || !slices.Equal(remote.Changed, []string{"backoff_first_ms", "deadline_ms"}) {
		t.Errorf("the policy is %+v", remote)
	}
	none := set.After(work.PolicyChange{Reset: work.PolicySettings()})
	if p := (work.JobType{Remote: true}).WithPolicy(none); p.Policy.Deadline() != work.DefaultRunDeadline || len(p.Changed) != 0 || p.Policy.BackoffFirstMS != 1000 {
		t.Errorf("all given back it is %+v", p)
	}
	var held work.Policies
	if held.Of("a") != work.DefaultPolicy() || (*work.Policies)(nil).Of("a") != work.DefaultPolicy() {
		t.Error("before anything was read a policy is not the program's own")
	}
	held.Set(map[string]work.PolicyChange{"a": set})
	if held.Of("a").Deadline() != 5*time.Second || held.Of("b").Deadline() != 0 {
		t.Errorf("the policies are %+v and %+v", held.Of("a"), held.Of("b"))
	}
	for want, c := range map[string]work.PolicyChange{
		"":                    {BackoffMostMS: n(1), Reset: []string{"jitter"}},
		"No fields to update": {},
		"max_retries: must be at most 100, got 101":           {MaxRetries: n(101)},
		"backoff_factor: must be between 1 and 10, got 0.5":   {BackoffFactor: new(0.5)},
		"deadline_ms: must be at least 1000, got 999":         {DeadlineMS: n(999)},
		"reset: must not name jitter, which is set as well":   {Jitter: new(0.5), Reset: []string{"jitter"}},
		"reset: must be any of max_retries, backoff_first_ms": {Reset: []string{"x"}},
	} {
		if err := c.Validate(); want == "" && err != nil || want != "" && !strings.Contains(kappa.ErrorMessage(err), want) {
			t.Errorf("%+v: got %v, want %q", c, err, want)
		}
	}
	if err := (work.Policy{BackoffFirstMS: 2, BackoffMostMS: 1}).Check(); kappa.ErrorCode(err) != kappa.CodeInvalid {
		t.Errorf("a first wait that is longer than the longest: %v", err)
	}
}
