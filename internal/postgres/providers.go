package postgres

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/internal/check"
	"github.com/kappagraph/kappa/internal/postgres/db"
	"github.com/kappagraph/kappa/work"
)

// CallLease is how long a call of a process counts that renews it no more.
const CallLease = 15 * time.Second

// mostReasonBytes is how much is kept of why a provider does not answer.
const mostReasonBytes = 4096

// ProviderStore keeps the calls to providers of models, of all processes, and what they
// cost. Its limits decide; all servers of an installation should have the same.
type ProviderStore struct {
	*base
	limits func() models.Limits
	lease  time.Duration

	counted func(c models.Call, r models.CallResult) // nil tells nobody
}

// Providers returns the store of providers. lease is CallLease unless it is a test's.
func (d *DB) Providers(limits models.Limits, lease time.Duration) ProviderStore {
	return d.ProvidersLimited(func() models.Limits { return limits }, lease)
}

// ProvidersLimited returns the store of providers whose limits may change: they are asked
// for at each decision.
func (d *DB) ProvidersLimited(limits func() models.Limits, lease time.Duration) ProviderStore {
	return ProviderStore{base: &d.base, limits: limits, lease: lease}
}

// Telling returns the store that calls tell with what is counted, once it is stored. tell must not
// wait. A call whose end was stored while the answer was lost is not told.
func (s ProviderStore) Telling(tell func(c models.Call, r models.CallResult)) ProviderStore {
	s.counted = tell
	return s
}

// tell tells of what is counted, unless err says that it is not.
func (s ProviderStore) tell(c models.Call, r models.CallResult, err error) {
	if s.counted != nil && err == nil {
		s.counted(c, r)
	}
}

// CountCall counts what a call cost that was made past the limits, for no job.
func (s ProviderStore) CountCall(ctx context.Context, c models.Call, r models.CallResult) error {
	err := addUsage(ctx, s.q(), c, r)
	s.tell(c, r, err)
	return translate(err, "count a call to "+c.Provider)
}

// EnsureProvider makes a provider known, without which it cannot be called.
func (s ProviderStore) EnsureProvider(ctx context.Context, name string) error {
	return translate(s.q().ProviderEnsure(ctx, name), "store a provider")
}

// QueueCall adds a call that waits, and returns its number. Queueing the call of a key again
// changes nothing, and returns the same number.
func (s ProviderStore) QueueCall(ctx context.Context, holder string, c models.Call) (id int64, view models.CallView, err error) {
	view, err = s.govern(ctx, holder, func(t *turn) (err error) {
		id, err = t.ModelCallQueue(ctx, db.ModelCallQueueParams{
			CallKey: c.Key, Provider: c.Provider, Model: c.Model, Purpose: string(c.Purpose), JobID: c.JobID, Holder: holder, Tokens: int32(c.Tokens), Lease: s.lease,
		})
		return err
	})
	return id, view, translate(err, "queue a call to "+c.Provider)
}

// ForgetCall ends a call that may have been queued although QueueCall has failed: the answer
// was lost. key is the call's.
func (s ProviderStore) ForgetCall(ctx context.Context, key string) error {
	return translate(s.q().ModelCallForgetKey(ctx, key), "end a call that may wait")
}

// EndCall ends a call that was made, or with a nil result one that is not to be made any
// more. It counts what the call cost, and how the provider is, once however often it is
// called. wait is how long the provider is not to be called, 0 when it may be.
func (s ProviderStore) EndCall(ctx context.Context, holder string, id int64, c models.Call, r *models.CallResult) (view models.CallView, wait time.Duration, err error) {
	anew := false
	view, err = s.govern(ctx, holder, func(t *turn) error {
		anew = false
		ended, err := t.ModelCallEnd(ctx, id)
		if err != nil || r == nil {
			return err
		}
		counted, err := t.ModelCallCharge(ctx, id)
		if err != nil {
			return err
		}
		state := t.state(c.Provider)
		if counted == 0 { // it was before, and the answer to that was lost
			wait = max(state.ThrottledUntil.Sub(t.now), 0)
			return nil
		}
		anew = true
		if err := addUsage(ctx, t.Queries, c, *r); err != nil {
			return err
		}
		var began time.Time // long ago, if its lease has ended
		if len(ended) > 0 && ended[0] != nil {
			began = *ended[0]
		}
		state.Spent(s.limits().Providers[c.Provider], c.Tokens, r.Usage.Total())
		wait, err = s.settle(ctx, t, state, c.JobID, *r, began)
		return err
	})
	if anew {
		s.tell(c, *r, err)
	}
	return view, wait, translate(err, "end a call to "+c.Provider)
}

// settle learns from a call that began at a time how its provider is, and returns for how
// long that is not to be called.
func (s ProviderStore) settle(ctx context.Context, t *turn, state *models.ProviderState, jobID string, r models.CallResult, began time.Time) (wait time.Duration, err error) {
	switch {
	case r.Outage != nil:
		reason := check.StorableText(r.Outage.Reason, mostReasonBytes) // the provider's words
		failures, err := t.ProviderFailed(ctx, began, reason, state.Name)
		if err != nil {
			return 0, err
		}
		wait = max(kappa.Backoff(int(failures), rand.Float64()), r.Outage.After)
		if wait, err = t.ProviderThrottle(ctx, wait, r.Outage.After, state.Name); err != nil {
			return 0, err
		}
		state.Failures, state.ThrottledUntil, state.Error = int(failures), s.clock.now().Add(wait), reason
		return wait, t.wait(ctx, state.Name, []string{jobID})
	case r.Cut:
		return 0, nil
	}
	lifted, err := t.ProviderAnswered(ctx, state.Name, began)
	if err != nil {
		return 0, err
	}
	if lifted > 0 {
		state.Failures, state.ThrottledUntil = 0, time.Time{}
	}
	if jobID == "" {
		return 0, nil
	}
	return 0, t.ProviderWaitEnd(ctx, jobID, state.Name)
}

func addUsage(ctx context.Context, q *db.Queries, c models.Call, r models.CallResult) error {
	p := db.ModelUsageAddParams{
		JobID: c.JobID, Model: c.Model, Purpose: string(c.Purpose), InputTokens: int64(r.Usage.Input), OutputTokens: int64(r.Usage.Output),
		CostUsd: r.Cost, Seconds: r.Took.Seconds(),
	}
	if r.Failed {
		p.Failed = 1
	}
	return q.ModelUsageAdd(ctx, p)
}

// ChargeRun counts what a remote worker's job has spent for the job that c names, once
// however often it is called.
func (s ProviderStore) ChargeRun(ctx context.Context, runID string, c models.Call, r models.CallResult) error {
	anew := false
	err := inTx(ctx, s.jobs, func(q *db.Queries) error {
		anew = false
		n, err := q.RunCharge(ctx, runID)
		if err != nil || n == 0 {
			return err
		}
		anew = true
		return addUsage(ctx, q, c, r)
	})
	if anew {
		s.tell(c, r, err)
	}
	return translate(err, "count what "+runID+" has spent")
}

// TendCalls renews the leases of a process's calls, forgets those of processes that are
// gone, and returns which may be made.
func (s ProviderStore) TendCalls(ctx context.Context, holder string, ids []int64) (models.CallView, error) {
	view, err := s.govern(ctx, holder, func(t *turn) error {
		if err := t.ModelCallRenew(ctx, s.lease, ids); err != nil {
			return err
		}
		return t.ModelCallReap(ctx, s.lease)
	})
	return view, translate(err, "renew the leases of calls to models")
}

// DropCalls ends all calls of a process that stops.
func (s ProviderStore) DropCalls(ctx context.Context, holder string) error {
	return translate(s.q().ModelCallsDrop(ctx, holder), "end the calls to models")
}

// turn is the time in which one process decides about calls, and nobody else does.
type turn struct {
	*db.Queries
	states []models.ProviderState
	now    time.Time // of the database, at the beginning
	waits  bool      // a job has begun to wait for a provider, or for another reason
}

// state returns that of a provider, to be changed. One that was never made known gets a
// state that is not kept.
func (t *turn) state(provider string) *models.ProviderState {
	for i := range t.states {
		if t.states[i].Name == provider {
			return &t.states[i]
		}
	}
	return &models.ProviderState{Name: provider}
}

// wait notes that jobs wait for a provider that is throttled.
func (t *turn) wait(ctx context.Context, provider string, jobIDs []string) error {
	changed, err := t.ProviderWaitsBegin(ctx, jobIDs, provider)
	t.waits = t.waits || changed > 0
	return err
}

// noteWaits notes for which jobs of a process a provider is not called.
func (t *turn) noteWaits(ctx context.Context, holder string, calls []models.LiveCall) error {
	for _, state := range t.states {
		if !state.ThrottledUntil.After(t.now) {
			continue
		}
		var jobs []string
		for _, c := range calls {
			if c.Provider == state.Name && c.Holder == holder && c.JobID != "" && !c.Runs() {
				jobs = append(jobs, c.JobID)
			}
		}
		if len(jobs) > 0 {
			if err := t.wait(ctx, state.Name, jobs); err != nil {
				return err
			}
		}
	}
	return nil
}

// govern does something while nobody else decides about calls, and then decides which of
// those of holder that wait may be made.
func (s ProviderStore) govern(ctx context.Context, holder string, do func(t *turn) error) (view models.CallView, err error) {
	err = inTx(ctx, s.jobs, func(q *db.Queries) error {
		if err := q.GovernorLock(ctx); err != nil {
			return err
		}
		t := &turn{Queries: q}
		if t.states, t.now, err = providerStates(ctx, q); err != nil {
			return err
		}
		if err := do(t); err != nil {
			return err
		}
		calls, err := liveCalls(ctx, q)
		if err != nil {
			return err
		}
		granted := s.limits().Grant(t.states, calls, holder, t.now)
		if len(granted) > 0 {
			if err := q.ModelCallStart(ctx, granted); err != nil {
				return err
			}
		}
		if err := t.noteWaits(ctx, holder, calls); err != nil {
			return err
		}
		if err := keepBalances(ctx, q, t.states); err != nil {
			return err
		}
		view = viewOf(holder, t.states, calls, granted, t.now)
		view.Waits = t.waits
		return nil
	})
	return view, err
}

// keepBalances stores what the limits by the minute leave.
func keepBalances(ctx context.Context, q *db.Queries, states []models.ProviderState) error {
	for _, state := range states {
		if state.BalanceAt.IsZero() {
			continue
		}
		if err := q.ProviderBalance(ctx, db.ProviderBalanceParams{Name: state.Name, Requests: state.Requests, Tokens: state.Tokens, BalanceAt: state.BalanceAt}); err != nil {
			return err
		}
	}
	return nil
}

// viewOf is what a process learns.
func viewOf(holder string, states []models.ProviderState, calls []models.LiveCall, granted []int64, now time.Time) models.CallView {
	view := models.CallView{Throttled: map[string]models.ThrottledBy{}}
	fresh := map[int64]bool{}
	for _, id := range granted {
		fresh[id] = true
	}
	for _, c := range calls {
		switch {
		case c.Holder != holder:
			view.Others = true
		case c.Runs() || fresh[c.ID]:
			view.Granted = append(view.Granted, c.ID)
		}
	}
	for _, s := range states {
		if wait := s.ThrottledUntil.Sub(now); wait > 0 {
			view.Throttled[s.Name] = models.ThrottledBy{Wait: wait, Reason: s.Error}
		}
	}
	return view
}

// providerStates returns the providers, and the database's time.
func providerStates(ctx context.Context, q *db.Queries) (states []models.ProviderState, now time.Time, err error) {
	rows, err := q.Providers(ctx)
	if err != nil {
		return nil, now, err
	}
	orZero := func(t *time.Time) time.Time {
		if t == nil {
			return time.Time{}
		}
		return *t
	}
	for _, r := range rows {
		now = r.Now
		states = append(states, models.ProviderState{
			Name: r.Name, ThrottledUntil: orZero(r.ThrottledUntil), Failures: int(r.Failures), Error: r.Error, ErrorAt: orZero(r.ErrorAt),
			Requests: r.Requests, Tokens: r.Tokens, BalanceAt: orZero(r.BalanceAt),
		})
	}
	return states, now, nil
}

// liveCalls returns the calls that wait or run.
func liveCalls(ctx context.Context, q *db.Queries) ([]models.LiveCall, error) {
	rows, err := q.ModelCalls(ctx)
	if err != nil {
		return nil, err
	}
	calls := make([]models.LiveCall, len(rows))
	for i, r := range rows {
		calls[i] = models.LiveCall{
			ID: r.CallID, Holder: r.Holder, QueuedAt: r.QueuedAt,
			Call: models.Call{Provider: r.Provider, Model: r.Model, Purpose: models.Purpose(r.Purpose), JobID: r.JobID, Tokens: int(r.Tokens)},
		}
		if r.StartedAt != nil {
			calls[i].StartedAt = *r.StartedAt
		}
	}
	return calls, nil
}

// ProviderStatus returns how every provider is that was ever used. Jobs that have waited for
// one for longer than patience are counted apart.
func (s ProviderStore) ProviderStatus(ctx context.Context, patience time.Duration) ([]models.ProviderStatus, error) {
	states, now, err := providerStates(ctx, s.q())
	if err != nil {
		return nil, translate(err, "list providers")
	}
	calls, err := liveCalls(ctx, s.q())
	if err != nil {
		return nil, translate(err, "list calls to models")
	}
	list := make([]models.ProviderStatus, len(states))
	for i, state := range states {
		p := models.ProviderStatus{Name: state.Name, Limits: s.limits().Providers[state.Name], Failures: state.Failures, LastError: state.Error}
		if state.Error != "" {
			p.LastErrorAt = new(kappa.At(state.ErrorAt))
		}
		if state.ThrottledUntil.After(now) {
			p.ThrottledUntil = new(kappa.At(state.ThrottledUntil))
		}
		for _, c := range calls {
			switch {
			case c.Provider != state.Name:
			case c.Runs():
				p.InFlight++
			default:
				p.Waiting++
			}
		}
		list[i] = p
	}
	return list, translate(addWaits(ctx, s.q(), list, patience), "count the jobs that wait for providers")
}

// Checked ends the throttle of a provider that has answered a call of an operator that began
// at a time of the database's clock, unless it failed since, or has asked for a rest that is
// not over.
func (s ProviderStore) Checked(ctx context.Context, provider string, began time.Time) error {
	_, err := s.q().ProviderChecked(ctx, provider, began)
	return translate(err, "end the throttle of "+provider)
}

// SpentSince returns what jobs have used of each model that have called one within a time,
// dearest first. A job counts with all its calls.
func (s ProviderStore) SpentSince(ctx context.Context, within time.Duration) ([]work.ModelUsage, error) {
	rows, err := s.q().ModelUsageSince(ctx, within)
	usage := make([]work.ModelUsage, len(rows))
	for i, r := range rows {
		usage[i] = work.ModelUsage{
			Model: r.Model, Purpose: r.Purpose, Calls: int(r.Calls), FailedCalls: int(r.FailedCalls), InputTokens: r.InputTokens, OutputTokens: r.OutputTokens,
			USD: r.CostUsd, Seconds: r.Seconds,
		}
	}
	return usage, translate(err, "read what models have cost")
}

// Spent returns what calls to models have cost a job so far, over all its attempts.
func (s ProviderStore) Spent(ctx context.Context, jobID string) (models.Spending, error) {
	rows, err := s.q().ModelUsageOf(ctx, jobID)
	if err != nil {
		return models.Spending{}, translate(err, "read what a job has cost")
	}
	var sum models.Spending
	for _, r := range rows {
		usage := models.TokenUsage{Input: int(r.InputTokens), Output: int(r.OutputTokens)}
		sum.Calls += int(r.Calls)
		sum.Seconds += r.Seconds
		if models.Purpose(r.Purpose) == models.ForEmbedding {
			sum.Embedding = sum.Embedding.Add(usage)
			sum.EmbeddingCost += r.CostUsd
			continue
		}
		sum.Extraction = sum.Extraction.Add(usage)
		sum.ExtractionCost += r.CostUsd
	}
	return sum, nil
}
