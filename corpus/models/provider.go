package models

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/kappagraph/kappa"
)

// DefaultMaxCalls is how many calls to all providers together may run at once in an
// installation.
const DefaultMaxCalls = 32

// probeFailures is how many failures in a row have a provider called by one caller at a
// time, until it answers.
const probeFailures = 3

// ProviderLimits are the limits of calls to a provider, over all processes of an
// installation.
type ProviderLimits struct {
	Calls             int `json:"max_calls"`           // at once
	RequestsPerMinute int `json:"requests_per_minute"` // 0: no limit
	TokensPerMinute   int `json:"tokens_per_minute"`   // 0: no limit
}

// Limits are the limits of calls to all providers.
type Limits struct {
	Calls     int // to all together, at once
	Providers map[string]ProviderLimits
}

// ProviderState is how a provider is at a moment.
type ProviderState struct {
	Name           string
	ThrottledUntil time.Time // nobody calls it before; zero: it is not throttled
	Failures       int       // since the last answer
	Error          string    // of the last failure since the last answer
	ErrorAt        time.Time
	// Requests and Tokens are what the limits by the minute left at BalanceAt; the zero
	// time stands for full balances.
	Requests, Tokens float64
	BalanceAt        time.Time
}

// LiveCall is a call that waits or runs.
type LiveCall struct {
	ID int64
	Call
	Holder    string
	QueuedAt  time.Time
	StartedAt time.Time // zero: it waits
}

// Runs reports whether the call is being made.
func (c LiveCall) Runs() bool { return !c.StartedAt.IsZero() }

// Grant decides which of the waiting calls may be made now: those that somebody waits for
// before those of jobs, and then the oldest first, as long as their provider and all together have room, the provider is not throttled and the limits
// by the minute allow. A provider that failed several times in a row gets one call at a
// time. Those of other holders keep their turn, and only those of holder are granted: it
// makes them at once, where another one would hear of that later, and perhaps after the
// provider has asked for rest. It returns their numbers, and changes the balances in
// states. calls are the live ones, the oldest first.
func (l Limits) Grant(states []ProviderState, calls []LiveCall, holder string, now time.Time) []int64 {
	running, all := map[string]int{}, 0
	for _, c := range calls {
		if c.Runs() {
			running[c.Provider]++
			all++
		}
	}
	calls = slices.Clone(calls)
	slices.SortStableFunc(calls, func(a, b LiveCall) int { return cmp.Compare(min(len(a.JobID), 1), min(len(b.JobID), 1)) })
	var granted []int64
	var giveBack []func()
	defer func() {
		for _, f := range giveBack {
			f()
		}
	}()
	full := map[string]bool{} // providers for whom nothing more can be done: an older call waits
	for _, c := range calls {
		i := slices.IndexFunc(states, func(s ProviderState) bool { return s.Name == c.Provider })
		if c.Runs() || full[c.Provider] || i < 0 {
			continue
		}
		limits := l.Providers[c.Provider]
		most := limits.Calls
		if states[i].Failures >= probeFailures {
			most = min(most, 1)
		}
		switch {
		case l.Calls > 0 && all >= l.Calls:
			return granted
		case running[c.Provider] >= most, now.Before(states[i].ThrottledUntil), !states[i].take(limits, c.Tokens, now):
			full[c.Provider] = true
			continue
		}
		if c.Holder == holder {
			granted = append(granted, c.ID)
		} else {
			giveBack = append(giveBack, func() { states[i].giveBack(limits, c.Tokens) })
		}
		running[c.Provider]++
		all++
	}
	return granted
}

// take takes a request and its tokens from the balances, which fill up within a minute. It
// reports false when there is not enough. A call of more tokens than a minute allows waits
// for a full balance, and leaves a debt.
func (s *ProviderState) take(limits ProviderLimits, tokens int, now time.Time) bool {
	if limits.RequestsPerMinute == 0 && limits.TokensPerMinute == 0 {
		return true
	}
	fill := func(balance float64, perMinute int) float64 {
		if s.BalanceAt.IsZero() {
			return float64(perMinute)
		}
		return min(balance+max(now.Sub(s.BalanceAt).Minutes(), 0)*float64(perMinute), float64(perMinute))
	}
	s.Requests, s.Tokens = fill(s.Requests, limits.RequestsPerMinute), fill(s.Tokens, limits.TokensPerMinute)
	s.BalanceAt = now
	if limits.RequestsPerMinute > 0 && s.Requests < 1 {
		return false
	}
	if limits.TokensPerMinute > 0 && s.Tokens < min(float64(tokens), float64(limits.TokensPerMinute)) {
		return false
	}
	s.Requests--
	s.Tokens -= float64(tokens)
	return true
}

// giveBack undoes take.
func (s *ProviderState) giveBack(limits ProviderLimits, tokens int) {
	if limits.RequestsPerMinute == 0 && limits.TokensPerMinute == 0 {
		return
	}
	s.Requests++
	s.Tokens += float64(tokens)
}

// Spent corrects the balance of tokens by what a call has really used.
func (s *ProviderState) Spent(limits ProviderLimits, estimated, used int) {
	if limits.TokensPerMinute > 0 && !s.BalanceAt.IsZero() {
		s.Tokens = math.Min(s.Tokens+float64(estimated-used), float64(limits.TokensPerMinute))
	}
}

// CallView is what a process learns of its calls.
type CallView struct {
	Granted   []int64                // its calls that may be made, or are
	Throttled map[string]ThrottledBy // providers that are not called at present
	Others    bool                   // other processes have calls too
	Waits     bool                   // jobs have begun to wait, and nobody has been told
}

// ProviderWait is how a job waits for a provider of models.
type ProviderWait struct {
	Provider string     `json:"provider"`
	Reason   string     `json:"reason" doc:"Of its last failure"`
	Since    kappa.Time `json:"since"`
	Until    kappa.Time `json:"until" doc:"It is called again then"`
}

// LateWait is a job that has waited for a provider for longer than its operator's patience.
type LateWait struct {
	JobID string
	ProviderWait
}

// ThrottledBy is why a provider is not called, and for how long.
type ThrottledBy struct {
	Wait   time.Duration
	Reason string
}

// ProviderStatus is how a provider is at present, for operators.
type ProviderStatus struct {
	Name           string         `json:"name"`
	Extraction     string         `json:"extraction_model,omitempty" doc:"Which of its models reads documents on this server"`
	Embedding      string         `json:"embedding_model,omitempty" doc:"Which of its models embeds on this server"`
	Images         string         `json:"image_model,omitempty" doc:"Which of its models describes images on this server"`
	Limits         ProviderLimits `json:"limits"`
	InFlight       int            `json:"in_flight" doc:"Calls that run, in all processes"`
	Waiting        int            `json:"waiting" doc:"Calls that wait, in all processes"`
	ThrottledUntil *kappa.Time    `json:"throttled_until,omitempty" doc:"Nobody calls it before"`
	Failures       int            `json:"failures" doc:"In a row, since the last answer"`
	LastError      string         `json:"last_error,omitempty"`
	LastErrorAt    *kappa.Time    `json:"last_error_at,omitempty"`
	JobsWaiting    int            `json:"jobs_waiting" doc:"Jobs that wait for it"`
	JobsOverdue    int            `json:"jobs_overdue" doc:"Those of them that have for longer than KG_PROVIDER_PATIENCE"`
	WaitingSince   *kappa.Time    `json:"waiting_since,omitempty" doc:"When the job that has waited longest began to"`
}

// ProviderCheck is what a real call of a provider gave.
type ProviderCheck struct {
	Provider   string  `json:"provider"`
	Model      string  `json:"model"`
	Purpose    Purpose `json:"purpose"`
	OK         bool    `json:"ok"`
	Error      string  `json:"error,omitempty"`
	Seconds    float64 `json:"seconds"`
	Dimensions int     `json:"dimensions,omitempty" doc:"Of an embedding"`
	Cost       float64 `json:"cost_usd" doc:"It is counted as other calls are"`

	Usage TokenUsage `json:"-"`
}
