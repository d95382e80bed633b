package postgres_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"pgregory.net/rapid"

	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/internal/pgtest"
	"github.com/kappagraph/kappa/internal/postgres"
)

// callWorld is a provider that several servers call, with the store between them. Time
// passes by moving all that the database knows of into the past.
type callWorld struct {
	t      *rapid.T
	conn   *pgx.Conn
	store  postgres.ProviderStore
	start  time.Time
	passed time.Duration // by pass
	until  time.Duration // nobody may begin a call before
	calls  map[int64]*worldCall
	order  int // of what happens
	last   int // when the provider failed last
}

// worldCall is a call that waits, or runs.
type worldCall struct {
	holder string
	runs   bool
	began  int
}

// now is the time of the world.
func (w *callWorld) now() time.Duration { return w.passed + time.Since(w.start) }

var worldServers = []string{workerA, workerB, "00000000-0000-4000-8000-00000000000c"}

// see takes what a server learnt of its calls: those that may be made begin at once.
func (w *callWorld) see(holder string, view models.CallView) {
	for _, id := range view.Granted {
		c := w.calls[id]
		if c == nil || c.runs {
			continue
		}
		if c.holder != holder {
			w.t.Fatalf("a call of %s was granted to %s", c.holder, holder)
		}
		if now := w.now(); now < w.until {
			w.t.Fatalf("call %d begins %s before the provider may be called", id, w.until-now)
		}
		w.order++
		c.runs, c.began = true, w.order
	}
}

// tend has every server see about its calls.
func (w *callWorld) tend() {
	for _, holder := range worldServers {
		var ids []int64
		for id, c := range w.calls {
			if c.holder == holder {
				ids = append(ids, id)
			}
		}
		view, err := w.store.TendCalls(w.t.Context(), holder, ids)
		w.must(err)
		w.see(holder, view)
	}
}

func (w *callWorld) must(err error) {
	if err != nil {
		w.t.Fatal(err)
	}
}

// pass has time pass.
func (w *callWorld) pass(d time.Duration) {
	w.passed += d
	_, err := w.conn.Exec(w.t.Context(), `WITH calls AS (UPDATE kg_api.model_calls SET started_at = started_at - $1::interval)
		UPDATE kg_api.providers SET throttled_until = throttled_until - $1::interval, error_at = error_at - $1::interval`, d)
	w.must(err)
}

// end ends a call that runs.
func (w *callWorld) end(id int64, r models.CallResult) {
	c, before := w.calls[id], w.now()
	delete(w.calls, id)
	w.order++
	began := time.Now()
	view, wait, err := w.store.EndCall(w.t.Context(), c.holder, id, aCall, &r)
	w.must(err)
	switch {
	case r.Outage != nil:
		// What the provider asked for. The waits of a second or more that are ours alone
		// are taken from what the store says.
		if passed := time.Since(began); wait < r.Outage.After-passed-time.Millisecond {
			w.t.Fatalf("the provider asked for %s, and is called again after %s", r.Outage.After, wait)
		}
		w.until, w.last = max(w.until, before+wait), w.order
	case !r.Cut && c.began > w.last:
		w.until = 0 // an answer to a call that began after the last failure
	}
	w.see(c.holder, view)
}

// one draws a call that waits, or runs.
func (w *callWorld) one(runs bool) (id int64, ok bool) {
	var ids []int64
	for i := int64(1); i < 1<<20 && len(ids) < len(w.calls); i++ {
		if c := w.calls[i]; c != nil {
			ids = append(ids, i)
		}
	}
	var fit []int64
	for _, i := range ids {
		if w.calls[i].runs == runs {
			fit = append(fit, i)
		}
	}
	if len(fit) == 0 {
		return 0, false
	}
	return rapid.SampledFrom(fit).Draw(w.t, "call"), true
}

// TestNoCallWithinARest has several servers call a provider in random orders of beginnings,
// answers, refusals with and without Retry-After, failures, timeouts and cancels: no call
// begins within a wait that the provider asked for, and when that is over as many do as
// may.
func TestNoCallWithinARest(t *testing.T) {
	t.Parallel()
	checkRests(t, 30)
}

func TestNoCallWithinARest_Slow(t *testing.T) {
	pgtest.SlowTier(t)
	t.Parallel()
	checkRests(t, allExamples)
}

func checkRests(t *testing.T, examples int) {
	t.Helper()
	d, dsn := newStore(t)
	conn, err := pgx.Connect(t.Context(), dsn)
	must(t, err)
	defer conn.Close(context.Background())
	limits := models.Limits{Calls: 32, Providers: map[string]models.ProviderLimits{"openai": {Calls: 8}}}
	store := d.Providers(limits, time.Hour)
	must(t, store.EnsureProvider(t.Context(), "openai"))
	checkSome(t, examples, func(rt *rapid.T) {
		_, err := conn.Exec(rt.Context(), `TRUNCATE kg_api.model_calls, kg_api.charged_calls, kg_api.provider_waits RESTART IDENTITY`)
		if err == nil {
			_, err = conn.Exec(rt.Context(), `UPDATE kg_api.providers SET throttled_until = NULL, failures = 0, error = '', error_at = NULL`)
		}
		w := &callWorld{t: rt, conn: conn, store: store, start: time.Now(), calls: map[int64]*worldCall{}}
		w.must(err)
		outage := func(after time.Duration) models.CallResult {
			return models.CallResult{Failed: true, Outage: &models.Outage{Reason: "no", After: after}}
		}
		for range rapid.IntRange(5, 25).Draw(rt, "steps") {
			w.pass(time.Millisecond)
			switch rapid.SampledFrom([]string{"begin", "begin", "begin", "answer", "answer", "429", "5xx", "timeout", "cancel", "withdraw", "tend", "time"}).Draw(rt, "step") {
			case "begin":
				holder := rapid.SampledFrom(worldServers).Draw(rt, "server")
				id, view, err := store.QueueCall(rt.Context(), holder, aCall)
				w.must(err)
				w.calls[id] = &worldCall{holder: holder}
				w.see(holder, view)
			case "answer":
				if id, ok := w.one(true); ok {
					w.end(id, models.CallResult{})
				}
			case "429":
				if id, ok := w.one(true); ok {
					w.end(id, outage(time.Duration(rapid.IntRange(1, 60).Draw(rt, "retry after"))*time.Second))
				}
			case "5xx", "timeout":
				if id, ok := w.one(true); ok {
					w.end(id, outage(0))
				}
			case "cancel":
				if id, ok := w.one(true); ok {
					w.end(id, models.CallResult{Failed: true, Cut: true})
				}
			case "withdraw":
				if id, ok := w.one(false); ok {
					c := w.calls[id]
					delete(w.calls, id)
					view, _, err := store.EndCall(rt.Context(), c.holder, id, aCall, nil)
					w.must(err)
					w.see(c.holder, view)
				}
			case "tend":
				w.tend()
			case "time":
				w.pass(time.Duration(rapid.IntRange(1, 40_000).Draw(rt, "ms")) * time.Millisecond)
			}
		}
		w.comesBack()
	})
}

// comesBack has the provider answer from now on: all that waits is called within a second
// of the end of its rest.
func (w *callWorld) comesBack() {
	w.pass(max(w.until-w.now(), 0) + time.Second)
	for range 2 * (len(w.calls) + 1) {
		w.tend()
		id, ok := w.one(true)
		if !ok {
			break
		}
		w.pass(time.Millisecond)
		w.end(id, models.CallResult{})
	}
	if len(w.calls) > 0 {
		w.t.Fatal(fmt.Sprintf("%d calls are never made though the provider answers", len(w.calls)))
	}
}
