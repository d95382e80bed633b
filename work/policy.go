package work

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/check"
)

// The ranges of a policy. Deadlines are those of MinRunDeadline and MaxRunDeadline.
const (
	MaxRetriesMost   = 100
	MaxBackoffMS     = 24 * 60 * 60 * 1000
	MaxBackoffFactor = 10
)

// Policy says how jobs of a type are tried again, and how long an attempt may take.
type Policy struct {
	MaxRetries     int     `json:"max_retries"`      // of a job that was submitted without a number, 0 to 100
	BackoffFirstMS int     `json:"backoff_first_ms"` // before the first retry, 1 to 86400000
	BackoffMostMS  int     `json:"backoff_most_ms"`  // before any retry
	BackoffFactor  float64 `json:"backoff_factor"`   // each wait is so many times the one before, 1 to 10
	Jitter         float64 `json:"jitter"`           // the share by which a wait is shorter or longer, 0 to 1
	DeadlineMS     *int    `json:"deadline_ms"`      // of an attempt, 1000 to 604800000; nil is none
}

// DefaultPolicy is the policy of a type that nobody has given another one.
func DefaultPolicy() Policy {
	return Policy{
		MaxRetries: DefaultMaxRetries, BackoffFirstMS: int(kappa.BackoffFirst.Milliseconds()), BackoffMostMS: int(kappa.BackoffMost.Milliseconds()),
		BackoffFactor: 2, Jitter: kappa.BackoffShare,
	}
}

// Policy is DefaultPolicy, with the deadline of remote workers where they work on the type.
func (t JobType) Policy() Policy {
	p := DefaultPolicy()
	if t.Remote {
		p.DeadlineMS = new(int(DefaultRunDeadline.Milliseconds()))
	}
	return p
}

// Backoff returns how long to wait before retry n, counted from 1. random is in [0, 1).
func (p Policy) Backoff(n int, random float64) time.Duration {
	wait := min(float64(p.BackoffFirstMS)*math.Pow(p.BackoffFactor, float64(max(n, 1)-1)), float64(p.BackoffMostMS))
	return time.Duration(wait * float64(time.Millisecond) * (1 - p.Jitter + 2*p.Jitter*random))
}

// Retries returns how often a job may be retried whose row has a number. It keeps one that was
// asked for when it was submitted; the default one stands for that of its type otherwise.
func (p Policy) Retries(stored int, asked bool) int {
	if stored == DefaultMaxRetries && !asked {
		return p.MaxRetries
	}
	return stored
}

// Deadline returns how long an attempt may take; 0 is for ever.
func (p Policy) Deadline() time.Duration {
	if p.DeadlineMS == nil {
		return 0
	}
	return time.Duration(*p.DeadlineMS) * time.Millisecond
}

// DeadlineError is why an attempt ends that ran longer than its type allows. Another one may
// follow, which goes on after the checkpoint.
type DeadlineError struct{ Deadline time.Duration }

// Error says how long the attempt was allowed to run.
func (e DeadlineError) Error() string {
	return "the attempt ran longer than the deadline of its job type, " + e.Deadline.String()
}

// PolicyChange changes the policy of a type; nil leaves a setting as it is.
type PolicyChange struct {
	MaxRetries     *int     `json:"max_retries,omitempty"`
	BackoffFirstMS *int     `json:"backoff_first_ms,omitempty"`
	BackoffMostMS  *int     `json:"backoff_most_ms,omitempty"`
	BackoffFactor  *float64 `json:"backoff_factor,omitempty"`
	Jitter         *float64 `json:"jitter,omitempty"`
	DeadlineMS     *int     `json:"deadline_ms,omitempty"`
	// Reset are settings that get back the program's own value.
	Reset []string `json:"reset,omitempty"`
}

// PolicySettings are the names of what a policy consists of.
func PolicySettings() []string {
	return []string{"max_retries", "backoff_first_ms", "backoff_most_ms", "backoff_factor", "jitter", "deadline_ms"}
}

// Validate reports every rule that c breaks by itself.
func (c PolicyChange) Validate() error {
	var r check.Rules
	number := func(name string, v *int, least, most int) {
		if v != nil {
			r.Add("body", name, check.Range(*v, least, most))
		}
	}
	number("max_retries", c.MaxRetries, 0, MaxRetriesMost)
	number("backoff_first_ms", c.BackoffFirstMS, 1, MaxBackoffMS)
	number("backoff_most_ms", c.BackoffMostMS, 1, MaxBackoffMS)
	if c.BackoffFactor != nil {
		r.Add("body", "backoff_factor", check.Between(*c.BackoffFactor, 1, MaxBackoffFactor))
	}
	if c.Jitter != nil {
		r.Add("body", "jitter", check.Between(*c.Jitter, 0, 1))
	}
	number("deadline_ms", c.DeadlineMS, int(MinRunDeadline.Milliseconds()), int(MaxRunDeadline.Milliseconds()))
	given := c.given()
	for _, name := range c.Reset {
		switch {
		case !slices.Contains(PolicySettings(), name):
			r.Add("body", "reset", "must be any of "+strings.Join(PolicySettings(), ", ")+", got "+check.Quote(name))
		case given[name]:
			r.Add("body", "reset", "must not name "+name+", which is set as well")
		}
	}
	if err := r.Err(); err != nil {
		return err
	}
	if len(given)+len(c.Reset) == 0 {
		return kappa.NewError(kappa.CodeInvalid, "No fields to update")
	}
	return nil
}

// given are the settings that c sets.
func (c PolicyChange) given() map[string]bool {
	given := map[string]bool{
		"max_retries": c.MaxRetries != nil, "backoff_first_ms": c.BackoffFirstMS != nil, "backoff_most_ms": c.BackoffMostMS != nil,
		"backoff_factor": c.BackoffFactor != nil, "jitter": c.Jitter != nil, "deadline_ms": c.DeadlineMS != nil,
	}
	maps.DeleteFunc(given, func(_ string, set bool) bool { return !set })
	return given
}

// After returns the settings of a type that had c before, and which next then changes. Reset is
// empty.
func (c PolicyChange) After(next PolicyChange) PolicyChange {
	after := PolicyChange{
		MaxRetries: changed(c.MaxRetries, next.MaxRetries), BackoffFirstMS: changed(c.BackoffFirstMS, next.BackoffFirstMS), BackoffMostMS: changed(c.BackoffMostMS, next.BackoffMostMS),
		BackoffFactor: changed(c.BackoffFactor, next.BackoffFactor), Jitter: changed(c.Jitter, next.Jitter), DeadlineMS: changed(c.DeadlineMS, next.DeadlineMS),
	}
	for _, name := range next.Reset {
		switch name {
		case "max_retries":
			after.MaxRetries = nil
		case "backoff_first_ms":
			after.BackoffFirstMS = nil
		case "backoff_most_ms":
			after.BackoffMostMS = nil
		case "backoff_factor":
			after.BackoffFactor = nil
		case "jitter":
			after.Jitter = nil
		case "deadline_ms":
			after.DeadlineMS = nil
		}
	}
	return after
}

func changed[T any](was, next *T) *T {
	if next != nil {
		return next
	}
	return was
}

// Over returns a policy with what c sets.
func (c PolicyChange) Over(p Policy) Policy {
	set := func(to, from *int) {
		if from != nil {
			*to = *from
		}
	}
	set(&p.MaxRetries, c.MaxRetries)
	set(&p.BackoffFirstMS, c.BackoffFirstMS)
	set(&p.BackoffMostMS, c.BackoffMostMS)
	if c.BackoffFactor != nil {
		p.BackoffFactor = *c.BackoffFactor
	}
	if c.Jitter != nil {
		p.Jitter = *c.Jitter
	}
	if c.DeadlineMS != nil {
		p.DeadlineMS = c.DeadlineMS
	}
	return p
}

// Check returns a kappa.CodeInvalid Error when the settings of a policy do not go together.
func (p Policy) Check() error {
	if p.BackoffFirstMS > p.BackoffMostMS {
		return kappa.Invalid(kappa.FieldError{In: "body", Name: "backoff_first_ms", Rule: fmt.Sprintf("must be at most backoff_most_ms, %d, got %d", p.BackoffMostMS, p.BackoffFirstMS)})
	}
	return nil
}

// JobTypePolicy is a job type with its policy.
type JobTypePolicy struct {
	JobType string `json:"job_type"`
	Summary string `json:"summary"`
	Remote  bool   `json:"remote"` // remote workers work on it
	Policy  Policy `json:"policy"`
	// Changed are the settings that are not the program's own.
	Changed []string `json:"changed"`
}

// WithPolicy returns a type with the policy that it has where set was chosen for it.
func (t JobType) WithPolicy(set PolicyChange) JobTypePolicy {
	names := slices.Sorted(maps.Keys(set.given()))
	return JobTypePolicy{JobType: t.Name, Summary: t.Summary, Remote: t.Remote, Policy: set.Over(t.Policy()), Changed: append([]string{}, names...)}
}

// Policies are the policies of job types as this process knows them. The zero value has the
// program's own for each. It may be used by many goroutines.
type Policies struct {
	set atomic.Pointer[map[string]PolicyChange]
}

// Set takes what was chosen, by type; the caller does not change it after that.
func (p *Policies) Set(chosen map[string]PolicyChange) { p.set.Store(&chosen) }

// Of returns the policy of a type. Its deadline is nil unless one was chosen.
func (p *Policies) Of(jobType string) Policy {
	if p != nil {
		if set := p.set.Load(); set != nil {
			return (*set)[jobType].Over(DefaultPolicy())
		}
	}
	return DefaultPolicy()
}
