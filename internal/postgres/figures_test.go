package postgres_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/await"
	"github.com/kappagraph/kappa/internal/postgres"
	"github.com/kappagraph/kappa/work"
)

// run runs a statement.
func run(t *testing.T, conn *pgx.Conn, sql string, args ...any) {
	t.Helper()
	_, err := conn.Exec(t.Context(), sql, args...)
	must(t, err)
}

// TestQueueFigures compares the figures with jobs of every kind.
func TestQueueFigures(t *testing.T) {
	t.Parallel()
	s, dsn := newStore(t)
	conn := connect(t, dsn)
	register(t, s, workerA)
	priority := func(p int) func(*work.NewJob) { return func(j *work.NewJob) { j.Priority = p } }
	waiting := func(j *work.NewJob) { j.AutoApprove = false }
	submit(t, s, "polarity", priority(10))
	claim(t, s, workerA, 1)
	low := submit(t, s, "polarity", priority(-3))
	submit(t, s, "polarity", priority(10))
	later := submit(t, s, "polarity")
	run(t, conn, "UPDATE kg_api.jobs SET due = false, run_at = clock_timestamp() + interval '1 hour' WHERE job_id = $1", later.ID)
	submit(t, s, "restore")
	submit(t, s, "noop") // in no lane
	submit(t, s, "noop", waiting)
	// The oldest job is neither the first in the order of claims nor the one that
	// was submitted first.
	run(t, conn, "UPDATE kg_api.jobs SET approved_at = clock_timestamp() - interval '90 s', run_at = clock_timestamp() - interval '90 s' WHERE job_id = $1", low.ID)
	run(t, conn, "UPDATE kg_api.worker_lanes SET enabled = false WHERE name = 'system'")

	f, err := s.Figures().QueueFigures(t.Context())
	must(t, err)
	lanes := map[string]work.LaneFigures{}
	for _, l := range f.Lanes {
		lanes[l.Name] = l
	}
	interactive, system := lanes["interactive"], lanes["system"]
	if interactive.MaxSlots != 2 || !interactive.Enabled || interactive.Running != 1 ||
		!maps.Equal(interactive.Queued, map[string]int{"polarity": 2, "ingestion": 0, "ingest_image": 0}) {
		t.Errorf("the lane interactive: %+v", interactive)
	}
	if w := interactive.OldestWait; w < 90*time.Second || w > 2*time.Minute {
		t.Errorf("the oldest job waits for %s, want 90 s", w)
	}
	if system.Enabled || system.Queued["restore"] != 1 || system.OldestWait <= 0 || lanes["maintenance"].OldestWait != 0 {
		t.Errorf("the other lanes: %+v", lanes)
	}
	if want := map[string]int{"noop": 1, "restore": 1}; !maps.Equal(f.Unclaimed, want) {
		t.Errorf("unclaimed are %v, want %v", f.Unclaimed, want)
	}
	checkUsage(t, s, conn, later)
	want := map[work.Status]int{work.StatusPending: 0, work.StatusAwaitingApproval: 1, work.StatusApproved: 5, work.StatusProcessing: 1}
	if !maps.Equal(f.Jobs, want) {
		t.Errorf("the jobs are %v, want %v", f.Jobs, want)
	}
}

// TestQueueFigures_Remote says that what a connected remote worker takes is claimed.
func TestQueueFigures_Remote(t *testing.T) {
	t.Parallel()
	s, _ := newStore(t)
	c := remoteWorker(t, s, "figures", workerB)
	must(t, s.Remote().Join(t.Context(), c, work.RemoteProfile{Profile: "kappa/1", Types: []string{"exec"}, Capacity: 1, Lease: time.Minute}))
	submit(t, s, "exec", remote("q", 0))
	submit(t, s, "openfn_run", remote("q", 0))
	for _, want := range []map[string]int{{"openfn_run": 1}, {"openfn_run": 1, "exec": 1}} {
		f, err := s.Figures().QueueFigures(t.Context())
		must(t, err)
		if !maps.Equal(f.Unclaimed, want) {
			t.Errorf("unclaimed are %v, want %v", f.Unclaimed, want)
		}
		must(t, s.Remote().Disconnect(t.Context(), c))
	}
}

// checkUsage compares what operators are shown with the same jobs. later is one
// that is approved and not due, and is counted too.
func checkUsage(t *testing.T, s *postgres.DB, conn *pgx.Conn, later work.Job) {
	t.Helper()
	usage, err := s.Lanes().LaneUsage(t.Context())
	must(t, err)
	lanes := map[string]work.LaneUsage{}
	for _, l := range usage {
		lanes[l.Name] = l
	}
	l := lanes["interactive"]
	if l.QueuedJobs != 3 || l.RunningJobs != 1 || l.SlotsAvailable != 1 || l.OldestWait == nil || *l.OldestWait < 90 || *l.OldestWait > 120 {
		t.Errorf("the lane interactive: %+v", l)
	}
	if l := lanes["maintenance"]; l.QueuedJobs != 0 || l.OldestWait != nil {
		t.Errorf("the lane maintenance: %+v", l)
	}
	status, err := s.Lanes().WorkerStatus(t.Context())
	must(t, err)
	got := ""
	for _, q := range status.QueuedByType {
		got += fmt.Sprintf("%s %d, %d s; ", q.JobType, q.Count, int(s.Now().Sub(q.Oldest.Time).Seconds()/45))
	}
	if want := "noop 1, 0 s; polarity 3, 2 s; restore 1, 0 s; "; got != want || status.TotalQueued != 5 || !slices.Equal(status.Unclaimed, []string{"noop", "restore"}) {
		t.Errorf("queued are %s%d, unclaimed %v", got, status.TotalQueued, status.Unclaimed)
	}
	run(t, conn, "UPDATE kg_api.jobs SET approved_at = clock_timestamp() - interval '1 h' WHERE job_id = $1", later.ID)
	status, err = s.Lanes().WorkerStatus(t.Context())
	must(t, err)
	if age := s.Now().Sub(status.QueuedByType[1].Oldest.Time); age > 2*time.Minute {
		t.Errorf("the oldest job of polarity is %s old, as the one that is not due", age)
	}
	run(t, conn, "UPDATE kg_api.jobs SET due = false, run_at = clock_timestamp() + interval '1 h' WHERE status = 'approved' AND job_type = 'polarity'")
	status, err = s.Lanes().WorkerStatus(t.Context())
	must(t, err)
	if q := status.QueuedByType[1]; q.Count != 3 || q.Oldest != nil {
		t.Errorf("of polarity %d jobs wait since %v, want 3 that none of may run", q.Count, q.Oldest)
	}
}

// TestWorkerStatusOfManyJobs runs more jobs than are listed.
func TestWorkerStatusOfManyJobs(t *testing.T) {
	t.Parallel()
	s, dsn := newStore(t)
	const running = 1234
	run(t, connect(t, dsn), `INSERT INTO kg_api.jobs (job_id, job_type, status, user_id, approved_at, approved_by, lane, claimed_by, claimed_at, claim_token)
		SELECT 'job_' || lpad(to_hex(i), 12, '0'), 'polarity', 'processing', 1, clock_timestamp(), 'test', 'interactive', $1, clock_timestamp(), i
		FROM generate_series(1, $2) i`, workerA, running)
	status, err := s.Lanes().WorkerStatus(t.Context())
	must(t, err)
	if status.RunningCount != running || status.SlotsInUse != running || len(status.RunningJobs) != 1000 {
		t.Errorf("%d jobs run in %d slots, %d are listed; want %d in as many, and the first 1000",
			status.RunningCount, status.SlotsInUse, len(status.RunningJobs), running)
	}
}

// TestLaneWithoutSlots closes a lane by taking its slots: its jobs wait for ever,
// as those of a disabled lane.
func TestLaneWithoutSlots(t *testing.T) {
	t.Parallel()
	s, _ := newStore(t)
	submit(t, s, "polarity")
	none := 0
	_, err := s.Lanes().UpdateLane(t.Context(), "interactive", work.LaneUpdate{MaxSlots: &none})
	must(t, err)
	status, err := s.Lanes().WorkerStatus(t.Context())
	must(t, err)
	figures, err := s.Figures().QueueFigures(t.Context())
	must(t, err)
	if !slices.Equal(status.Unclaimed, []string{"polarity"}) || figures.Unclaimed["polarity"] != 1 {
		t.Errorf("unclaimed are %v, in the figures %v", status.Unclaimed, figures.Unclaimed)
	}
}

// TestQueueFiguresAreBounded lets more jobs wait than are counted.
func TestQueueFiguresAreBounded(t *testing.T) {
	t.Parallel()
	s, dsn := newStore(t)
	run(t, connect(t, dsn), `INSERT INTO kg_api.jobs (job_id, job_type, status, queue, priority, user_id, is_system, run_at, due, approved_at, approved_by, max_retries, event_seq)
		SELECT 'job_' || lpad(to_hex(i), 12, '0'), 'polarity', 'approved', 'normal', (i % 7)::smallint, 1, true, clock_timestamp() - interval '1 min', true,
			clock_timestamp() - interval '1 min', 'test', 3, 1
		FROM generate_series(1, $1) i`, work.MostCounted+1000)
	f, err := s.Figures().QueueFigures(t.Context())
	must(t, err)
	at := slices.IndexFunc(f.Lanes, func(l work.LaneFigures) bool { return l.Name == "interactive" })
	if n := f.Lanes[at].Queued["polarity"]; n != work.MostCounted || f.Jobs[work.StatusApproved] != n {
		t.Errorf("%d jobs are counted, %v by status", n, f.Jobs)
	}
	usage, err := s.Lanes().LaneUsage(t.Context())
	must(t, err)
	at = slices.IndexFunc(usage, func(l work.LaneUsage) bool { return l.Name == "interactive" })
	if n := usage[at].QueuedJobs; n != work.MostCounted+1000 || *usage[at].OldestWait < 60 {
		t.Errorf("operators are shown %d jobs, the oldest of %v s", n, *usage[at].OldestWait)
	}
}

// TestQ51_DatabaseFigures holds back vacuum in each way, and sees it.
func TestQ51_DatabaseFigures(t *testing.T) {
	t.Parallel()
	s, dsn := newStore(t)
	conn := connect(t, dsn)
	figures := func() work.DatabaseFigures {
		t.Helper()
		f, err := s.Figures().DatabaseFigures(t.Context())
		must(t, err)
		return f
	}
	before := figures()
	if before.FrozenXIDAge <= 0 || before.Bytes < 1<<20 || len(before.Tables) != 2 || before.Tables[0].Name != "job_events" || before.Tables[1].Name != "jobs" {
		t.Errorf("the figures are %+v", before)
	}
	holder := connect(t, dsn)
	run(t, holder, "BEGIN ISOLATION LEVEL REPEATABLE READ")
	run(t, holder, "SELECT count(*) FROM kg_api.jobs") // takes a snapshot
	for range 20 {
		submit(t, s, "polarity")
	}
	run(t, conn, "DELETE FROM kg_api.jobs")
	held := figures()
	if held.XminAge["transaction"] < 20 || held.FrozenXIDAge < before.FrozenXIDAge+20 {
		t.Errorf("with an old transaction: %+v, before %+v", held, before)
	}
	run(t, holder, "ROLLBACK")
	run(t, conn, "SELECT pg_stat_force_next_flush()")
	run(t, conn, "SELECT 1") // flushes
	awaitFigures(t, figures, "20 dead rows", func(f work.DatabaseFigures) bool { return f.Tables[1].Dead >= 20 })
	if after := figures(); after.XminAge["transaction"] >= held.XminAge["transaction"] {
		t.Errorf("without it: %+v, with it %+v", after, held)
	}

	slot := "figures_" + conn.Config().Database[len(conn.Config().Database)-4:]
	run(t, conn, "SELECT pg_create_physical_replication_slot($1, true)", slot)
	t.Cleanup(func() {
		cleanup, err := pgx.Connect(context.WithoutCancel(t.Context()), dsn)
		must(t, err)
		defer cleanup.Close(context.WithoutCancel(t.Context()))
		_, err = cleanup.Exec(context.WithoutCancel(t.Context()), "SELECT pg_drop_replication_slot($1)", slot)
		must(t, err)
	})
	run(t, conn, "SELECT pg_logical_emit_message(false, 'test', repeat('x', 1000000))")
	awaitFigures(t, figures, "a slot that holds a million bytes back", func(f work.DatabaseFigures) bool { return f.SlotWAL >= 1_000_000 })
}

// awaitFigures asks until the statistics say what is wanted: they are updated a
// moment after the statement.
func awaitFigures(t *testing.T, figures func() work.DatabaseFigures, what string, good func(work.DatabaseFigures) bool) {
	t.Helper()
	await.That(t, what, func() bool { return good(figures()) })
}

// TestQ39_Schema changes the version that goose has recorded.
func TestQ39_Schema(t *testing.T) {
	t.Parallel()
	s, dsn := newStore(t)
	conn := connect(t, dsn)
	want := func(version, floor int64) {
		t.Helper()
		if got, err := s.Schema(t.Context()); err != nil || got != (work.Schema{Version: version, Floor: floor}) {
			t.Errorf("the schema is %+v (%v), want version %d and floor %d", got, err, version, floor)
		}
	}
	var latest int64
	must(t, conn.QueryRow(t.Context(), "SELECT max(version_id) FROM kg_api.schema_migrations").Scan(&latest))
	want(latest, 14)
	run(t, conn, "DELETE FROM kg_api.schema_migrations WHERE version_id = $1", latest)
	must(t, conn.QueryRow(t.Context(), "SELECT max(version_id) FROM kg_api.schema_migrations").Scan(&latest))
	want(latest, 14)
	run(t, conn, "UPDATE kg_api.schema_floor SET version = 20")
	run(t, conn, "INSERT INTO kg_api.schema_migrations (version_id, is_applied) VALUES (9999, true)")
	want(9999, 20)
	run(t, conn, "DROP TABLE kg_api.schema_floor")
	want(9999, 9999)
	run(t, conn, "DROP TABLE kg_api.schema_migrations")
	want(0, 0)
}

// TestProbesDoNotWaitForBusyPools takes every connection of the other pools.
func TestProbesDoNotWaitForBusyPools(t *testing.T) {
	t.Parallel()
	_, dsn := newStore(t)
	s, err := postgres.Open(t.Context(), postgres.Config{DSN: dsn, JobConns: 2, GraphConns: 1, AuthConns: 1, AcquireTimeout: 500 * time.Millisecond})
	must(t, err)
	t.Cleanup(s.Close)
	lock := connect(t, dsn)
	run(t, lock, "BEGIN")
	run(t, lock, "LOCK TABLE kg_api.leader")
	ctx, cancel := context.WithCancel(t.Context())
	var busy sync.WaitGroup
	for range 2 {
		busy.Go(func() {
			for ctx.Err() == nil { // on a busy machine it may take more than one try to get a connection
				_, _ = s.Retention().SchedulerState(ctx) // waits for the lock
			}
		})
	}
	await.That(t, "the pool is busy", func() bool { return s.PoolFigures()[0].Acquired == 2 })
	if _, err := s.Figures().JobCounts(t.Context()); kappa.ErrorCode(err) != kappa.CodeUnavailable {
		t.Errorf("the pool for jobs is not busy: %v", err)
	}
	if _, err := s.Schema(t.Context()); err != nil {
		t.Error(err)
	}
	if _, err := s.Figures().QueueFigures(t.Context()); err != nil {
		t.Error(err)
	}
	if _, err := s.Figures().DatabaseFigures(t.Context()); err != nil {
		t.Error(err)
	}
	jobs := s.PoolFigures()[0]
	if jobs.Name != "jobs" || jobs.Acquired != 2 || jobs.Max != 2 || jobs.Idle != 0 || jobs.Waits+jobs.GivenUp == 0 {
		t.Errorf("the pool for jobs is %+v", jobs)
	}
	cancel()
	busy.Wait()
	run(t, lock, "ROLLBACK")
}

// TestTypesWithoutHandler has a server lead that does not know a job type of which
// jobs wait, and then one that does.
func TestTypesWithoutHandler(t *testing.T) {
	t.Parallel()
	s, dsn := newStore(t)
	submit(t, s, "polarity")
	submit(t, s, "noop")
	for _, c := range []struct {
		name, worker string
		types, want  []string
	}{
		{"nobody leads", "", nil, []string{}},
		{"an old program leads, which does not say", workerA, nil, []string{}},
		{"one without noop leads", "00000000-0000-4000-8000-00000000000c", []string{"polarity"}, []string{"noop"}},
		{"one with both leads", workerB, []string{"noop", "polarity"}, []string{}},
	} {
		if c.worker != "" {
			must(t, s.Workers().Register(t.Context(), work.Worker{ID: c.worker, JobTypes: c.types}, "test", lease))
		}
		leader, err := s.DialLeader(t.Context(), 5*time.Second)
		must(t, err)
		for won := c.worker == ""; !won; { // until the last leader's session is over
			_, won, err = leader.Campaign(t.Context(), c.worker)
			must(t, err)
		}
		status, err := s.Lanes().WorkerStatus(t.Context())
		must(t, err)
		if !slices.Equal(status.Unhandled, c.want) || (status.Leader == nil) != (c.worker == "") {
			t.Errorf("%s: without a handler are %v, want %v", c.name, status.Unhandled, c.want)
		}
		must(t, leader.Close(t.Context()))
	}
	t.Run("the leader goes on under a new identity", func(t *testing.T) {
		leader, err := s.DialLeader(t.Context(), 5*time.Second)
		must(t, err)
		defer func() { must(t, leader.Close(t.Context())) }()
		var term int64
		for won := false; !won; {
			term, won, err = leader.Campaign(t.Context(), workerA)
			must(t, err)
		}
		renamed := "00000000-0000-4000-8000-00000000000d"
		must(t, s.Workers().Register(t.Context(), work.Worker{ID: renamed, JobTypes: []string{"noop"}}, "test", lease))
		if done, err := leader.Rename(t.Context(), term-1, renamed); done || err != nil {
			t.Errorf("a term that is over: done %v, %v", done, err)
		}
		rowLock := connect(t, dsn)
		run(t, rowLock, "BEGIN")
		run(t, rowLock, "SELECT FROM kg_api.leader FOR SHARE")
		if done, err := leader.Rename(t.Context(), term, renamed); done || err != nil {
			t.Errorf("while a write is open under the term: done %v, %v", done, err)
		}
		run(t, rowLock, "ROLLBACK")
		done, err := leader.Rename(t.Context(), term, renamed)
		must(t, err)
		status, err := s.Lanes().WorkerStatus(t.Context())
		must(t, err)
		if want := []string{"polarity"}; !done || !slices.Equal(status.Unhandled, want) {
			t.Errorf("done %v, and without a handler are %v, want %v", done, status.Unhandled, want)
		}
	})
	types, err := s.Lanes().WaitingTypes(t.Context())
	must(t, err)
	if want := []string{"noop", "polarity"}; !slices.Equal(types, want) {
		t.Errorf("types %v wait, want %v", types, want)
	}
}
