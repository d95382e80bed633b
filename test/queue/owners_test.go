package queue_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/kappagraph/kappa/internal/await"
	"github.com/kappagraph/kappa/internal/lanes"
	"github.com/kappagraph/kappa/internal/pgtest"
	"github.com/kappagraph/kappa/internal/postgres"
	"github.com/kappagraph/kappa/work"
)

// queueServer works on jobs of the type "step", one after the other, as a lane with so
// many slots does.
type queueServer struct {
	db   *postgres.DB
	mu   sync.Mutex
	done []int // owners of the jobs, in the order in which they began
	gate chan struct{}
}

type workerStore struct {
	postgres.ClaimStore
	postgres.WorkerStore
}

type managerStore struct {
	postgres.ClaimStore
	postgres.LaneStore
}

func newQueueServer(t *testing.T, slots int) *queueServer {
	t.Helper()
	dsn := pgtest.NewDSN(t)
	db, err := postgres.Open(t.Context(), postgres.Config{DSN: dsn, JobConns: 8, GraphConns: 2, AuthConns: 2})
	must(t, err)
	s := &queueServer{db: db, gate: make(chan struct{})}
	conn := remoteConn(t, dsn)
	_, err = conn.Exec(t.Context(), `INSERT INTO kg_api.users (id, username, role) SELECT n, 'owner' || n, 'contributor' FROM generate_series(2000, 2099) n;
		UPDATE kg_api.worker_lanes SET enabled = false`)
	must(t, err)
	_, err = conn.Exec(t.Context(), "INSERT INTO kg_api.worker_lanes (name, job_types, max_slots, poll_interval_ms) VALUES ('steps', '{step}', $1, 500)", slots)
	must(t, err)
	types, err := work.NewJobTypes(work.JobType{Name: "step", Summary: "A step.", Lane: "steps", Handler: s.work})
	must(t, err)
	log := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	finisher := lanes.NewFinisher(db.Claims(), log)
	runner := lanes.NewRunner(types, finisher, log)
	var manager *lanes.Manager
	worker := lanes.NewWorker(lanes.WorkerConfig{
		ID: lanes.NewID(), Hostname: "test", PID: 1, Store: workerStore{db.Claims(), db.Workers()}, Log: log, Live: func() { manager.WakeAll() },
		Dial: func(ctx context.Context) (lanes.Heartbeat, error) { return db.DialHeartbeat(ctx, time.Second) },
	}, runner)
	manager = lanes.NewManager(lanes.ManagerConfig{Store: managerStore{db.Claims(), db.Lanes()}, Worker: worker, Runner: runner, Waiting: db.Lanes().WaitingTypes, Log: log})
	finishing, stopFinishing := context.WithCancel(context.WithoutCancel(t.Context()))
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	var finished, running sync.WaitGroup
	finished.Go(func() { _ = finisher.Run(finishing) })
	running.Go(func() { _ = worker.Run(ctx) })
	running.Go(func() { _ = manager.Run(ctx) })
	t.Cleanup(func() {
		cancel()
		runner.Drain(ctx, 0)
		running.Wait()
		stopFinishing()
		finished.Wait()
		db.Close()
	})
	return s
}

func (s *queueServer) work(ctx context.Context, c work.Claim) (json.RawMessage, error) {
	s.mu.Lock()
	s.done = append(s.done, c.UserID)
	s.mu.Unlock()
	select {
	case <-s.gate:
		return nil, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

func (s *queueServer) submit(t *testing.T, owner, jobs, priority int) {
	t.Helper()
	for range jobs {
		_, err := s.db.Jobs().SubmitJob(t.Context(), work.NewJob{
			Type: "step", Queue: work.DefaultQueue, AutoApprove: true, MaxRetries: 3, UserID: owner, Priority: priority, Data: json.RawMessage(`{}`),
		})
		must(t, err)
	}
}

// next has so many running jobs end, one after the other, each when the slots are full
// again, and returns the owners of all that have begun since.
func (s *queueServer) next(t *testing.T, jobs int) []int {
	t.Helper()
	from := s.began()
	for i := range jobs {
		select {
		case s.gate <- struct{}{}:
		case <-time.After(time.Minute):
			t.Fatalf("job %d of %d does not run", i, jobs)
		}
		await.That(t, fmt.Sprintf("after job %d another one begins", i), func() bool { return s.began() > from+i })
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]int(nil), s.done[from:]...)
}

func (s *queueServer) began() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.done)
}

// TestOwnersTakeTurns has somebody submit many jobs, and others few after that: within a
// priority they take turns from then on, whoever was served alone before, and a higher
// priority goes first whoever has it.
func TestOwnersTakeTurns(t *testing.T) {
	t.Parallel()
	for _, slots := range []int{1, 2, 3} {
		t.Run(fmt.Sprintf("%d slots", slots), func(t *testing.T) {
			t.Parallel()
			s := newQueueServer(t, slots)
			s.submit(t, 2050, 80, 0)
			await.That(t, "every slot has a job", func() bool { return s.began() >= slots })
			s.next(t, 20)
			s.submit(t, 2001, 10, 0)
			s.submit(t, 2099, 10, 0)
			counts := map[int]int{}
			for _, owner := range s.next(t, 15) {
				counts[owner]++
			}
			for _, owner := range []int{2001, 2050, 2099} {
				if counts[owner] < 4 || counts[owner] > 7 {
					t.Errorf("of 15 jobs %d were of %d: %v", counts[owner], owner, counts)
				}
			}
			s.submit(t, 2050, 1, 5)
			if got := s.next(t, 2); got[0] != 2050 && got[1] != 2050 {
				t.Errorf("a job of higher priority waits behind %v", got)
			}
		})
	}
}

// TestAllOwnersAreFound has more owners than a claim goes to one by one, each with more
// jobs than there are slots: all are served once before one of them is twice.
func TestAllOwnersAreFound(t *testing.T) {
	t.Parallel()
	s := newQueueServer(t, 1)
	s.submit(t, 2050, 3, 0)
	await.That(t, "a job runs", func() bool { return s.began() >= 1 })
	for owner := 2000; owner < 2012; owner++ {
		s.submit(t, owner, 3, 0)
	}
	counts := map[int]int{}
	for _, owner := range s.next(t, 13) {
		if counts[owner]++; counts[owner] > 1 && owner != 2050 {
			t.Errorf("%d is served again: %v", owner, counts)
		}
	}
	if len(counts) < 12 {
		t.Errorf("only %d owners were served: %v", len(counts), counts)
	}
}

// TestAnOlderJobOfAnOwnerIsFound approves an older job while a newer one of its owner runs
// and does not end: the free slot takes it at once.
func TestAnOlderJobOfAnOwnerIsFound(t *testing.T) {
	t.Parallel()
	s := newQueueServer(t, 2)
	older, err := s.db.Jobs().SubmitJob(t.Context(), work.NewJob{
		Type: "step", Queue: work.DefaultQueue, MaxRetries: 3, UserID: 2050, Data: json.RawMessage(`{}`),
	})
	must(t, err)
	s.submit(t, 2050, 1, 0)
	began := func(n int) {
		t.Helper()
		await.That(t, fmt.Sprintf("%d jobs run", n), func() bool { return s.began() >= n })
	}
	began(1)
	must(t, s.db.Jobs().Approve(t.Context(), older.ID, "test"))
	began(2)
}
