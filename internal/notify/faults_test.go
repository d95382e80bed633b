package notify

import (
	"context"
	"math/rand/v2"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kappagraph/kappa/internal/pgtest"
	"github.com/kappagraph/kappa/work"
)

const (
	faultDeliveries = 50_000           // unless KG_TEST_DELIVERIES says otherwise;
	faultsWithin    = 15 * time.Second // then this is enough, too
	startWithin     = 15 * time.Second
	calmWithin      = 10 * time.Second // all is delivered after the last fault
	longestRun      = 90 * time.Minute
	shownProblems   = 20 // of a kind
)

// TestFaults breaks everything once.
func TestFaults(t *testing.T) {
	t.Parallel()
	checkFaults(t, func(*faultWorld) bool { return true })
}

// TestFaults_Slow goes on for a while. KG_TEST_DELIVERIES says how many events are
// delivered in all.
func TestFaults_Slow(t *testing.T) {
	pgtest.SlowTier(t)
	t.Parallel()
	target := fromEnv(t, "KG_TEST_DELIVERIES", 0)
	limit := time.Now().Add(longestRun)
	if target == 0 {
		target, limit = faultDeliveries, time.Now().Add(faultsWithin)
	}
	checkFaults(t, func(w *faultWorld) bool {
		return w.delivered.Load() >= int64(target)/3 || time.Now().After(limit)
	})
}

// checkFaults has hundreds of watchers that come and go follow jobs on three
// servers, while what the servers hear by is broken in every way, once for each
// way of hearing, until each fault has happened and it is enough. Each watcher must
// get every event of its jobs once and in order, and in time. KG_TEST_SEED says
// which faults come when.
func checkFaults(t *testing.T, enough func(*faultWorld) bool) {
	t.Helper()
	seed := fromEnv(t, "KG_TEST_SEED", rand.Uint64()>>32)
	var worlds sync.WaitGroup // at once, however many tests run in parallel
	for _, by := range []string{byListen, byWAL, byNATS} {
		worlds.Go(func() {
			t.Run(by, func(t *testing.T) {
				w := newFaultWorld(t, by, seed, faultJobs, faultWatchers)
				w.start(t)
				w.runUntil(t, w.shortFaults(t), w.blackholes(), func() bool { return enough(w) })
				w.problems.report(t, "lost, double or out of order")
				w.delays.report(t, "late")
			})
		})
	}
	worlds.Wait()
}

func fromEnv(t testing.TB, name string, without uint64) uint64 {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return without
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatalf("%s: must be a number, got %q", name, text)
	}
	return n
}

// faultWorld is a database, servers on it that hear each other in one way, and
// all that goes wrong.
type faultWorld struct {
	by              string
	seed            uint64
	dsn             string
	admin           *pgStore // without a link
	natsServer      *natsServer
	servers         []*faultServer
	watchers        int
	keepsConnection bool // watchers keep their connections
	board           faultBoard
	sink            func(WALSink) WALSink // what a source is given for the hub

	streams   atomic.Uint64 // of random numbers
	delivered atomic.Int64  // live
	ends      atomic.Int64  // of jobs
	calm      atomic.Bool   // no more faults, and no new jobs

	mu       sync.Mutex // guards what follows
	problems problems   // events that are lost, double or out of order, and what else must not be
	delays   problems   // events that came too late
	faults   map[string]int
	noticed  map[string][]time.Duration
}

func newFaultWorld(t testing.TB, by string, seed uint64, jobs, watchers int) *faultWorld {
	t.Helper()
	dsn := pgtest.NewDSN(t)
	return &faultWorld{
		by: by, seed: seed, watchers: watchers, board: faultBoard{jobs: make([]string, jobs)},
		dsn: dsn, admin: &pgStore{dsn: dsn, pool: faultPool(t, dsn, "kg-admin")},
		sink:   func(s WALSink) WALSink { return s },
		faults: map[string]int{}, noticed: map[string][]time.Duration{},
	}
}

// start has three servers hear each other; tune may change them before.
func (w *faultWorld) start(t testing.TB, tune ...func(*faultServer)) {
	t.Helper()
	if w.by == byNATS {
		w.natsServer = newNATSServer(t, nil)
	}
	for _, name := range []string{"a", "b", "c"} {
		s := newFaultServer(t, w, name)
		for _, f := range tune {
			f(s)
		}
		w.servers = append(w.servers, s)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	var running sync.WaitGroup
	t.Cleanup(func() {
		cancel()
		running.Wait()
	})
	for _, s := range w.servers {
		running.Go(func() { s.run(ctx, t) })
	}
	if w.by == byNATS {
		w.lead(w.servers[0])
	}
	for _, s := range w.servers {
		until(t, startWithin, func() bool { _, ok := s.connectedSince(); return ok })
	}
}

// runUntil breaks things until it is enough and each fault has happened. Then
// nothing is broken any more, the jobs end, and every watcher has to see that.
func (w *faultWorld) runUntil(t testing.TB, short []fault, holes []blackhole, enough func() bool) {
	t.Helper()
	began := time.Now()
	done := make(chan struct{})
	var writing, watching sync.WaitGroup
	for place := range w.board.jobs {
		rng := w.rng()
		writing.Go(func() { w.write(t.Context(), t, rng, place, done) })
	}
	rng := w.rng()
	writing.Go(func() { w.writeToAll(t.Context(), rng, done) })
	watchCtx, stopWatching := context.WithCancel(t.Context())
	defer stopWatching()
	watchers := w.newWatchers()
	for _, v := range watchers {
		watching.Go(func() { v.run(watchCtx) })
	}

	w.breakUntil(t, short, holes, enough)
	w.calm.Store(true)
	close(done)
	end := time.AfterFunc(calmWithin, stopWatching)
	defer end.Stop()
	writing.Wait()
	watching.Wait()
	took := time.Since(began)
	t.Log(w.summary(watchers, w.check(t, watchers), took))
}

// breakUntil breaks things until it is enough and each fault has happened, and
// leaves everything whole.
func (w *faultWorld) breakUntil(t testing.TB, short []fault, holes []blackhole, enough func() bool) {
	ctx, heal := context.WithCancel(t.Context())
	defer heal()
	var breaking, all sync.WaitGroup
	all.Add(len(short) + len(holes))
	rng := w.rng()
	breaking.Go(func() { w.inject(ctx, rng, short, &all) })
	for _, b := range holes {
		rng := w.rng()
		breaking.Go(func() { w.dig(ctx, rng, b, &all) })
	}
	all.Wait()
	w.until(ctx, longestRun, enough)
	heal()
	breaking.Wait()
}

// newWatchers returns those that follow a few jobs, and those that follow all and
// are busy with something else at times.
func (w *faultWorld) newWatchers() []*watcher {
	var list []*watcher
	for range w.watchers {
		v := &watcher{faultWorld: w, rng: w.rng()}
		v.jobs = 2 + v.rng.IntN(5)
		if v.rng.IntN(10) == 0 {
			v.pause = time.Second
		}
		list = append(list, v)
	}
	for range faultConsoles {
		list = append(list, &watcher{faultWorld: w, rng: w.rng(), jobs: len(w.board.jobs), pause: 10 * time.Second})
	}
	return list
}

// check compares what the watchers have got with the table, and returns how many
// events that has.
func (w *faultWorld) check(t testing.TB, watchers []*watcher) (events int) {
	t.Helper()
	rows, err := w.admin.pool.Query(t.Context(), "SELECT job_id, kind FROM kg_api.job_events ORDER BY job_id, seq")
	if err != nil {
		t.Fatal(err)
	}
	tables := map[string][]work.EventKind{}
	var job, kind string
	if _, err := pgx.ForEachRow(rows, []any{&job, &kind}, func() error {
		events++
		tables[job] = append(tables[job], work.EventKind(kind))
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	for job, table := range tables {
		if err := checkTable(table); err != nil {
			t.Fatalf("the writers went wrong: %s: %v", job, err)
		}
	}
	for _, v := range watchers {
		for _, r := range v.records {
			for _, p := range r.check(tables[r.job]) {
				w.problem("%s", p)
			}
		}
	}
	return events
}

// rng returns random numbers of their own for each caller. A caller that asks in the same
// order gets the same.
func (w *faultWorld) rng() *rand.Rand { return rand.New(rand.NewPCG(w.seed, w.streams.Add(1))) }

// server returns any server.
func (w *faultWorld) server(rng *rand.Rand) *faultServer { return w.servers[rng.IntN(len(w.servers))] }

// problem records what must not be.
func (w *faultWorld) problem(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.problems.add(format, args...)
}

// late records an event that came too late.
func (w *faultWorld) late(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.delays.add(format, args...)
}

func (w *faultWorld) happened(name string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.faults[name]++
}

func (w *faultWorld) wait(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// upTo returns a random duration below a limit.
func upTo(rng *rand.Rand, limit time.Duration) time.Duration {
	return time.Duration(rng.Int64N(int64(limit)))
}
