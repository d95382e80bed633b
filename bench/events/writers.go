package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/internal/lanes"
	"github.com/kappagraph/kappa/internal/notify"
	"github.com/kappagraph/kappa/internal/postgres"
	"github.com/kappagraph/kappa/migrations"
	"github.com/kappagraph/kappa/work"
)

// writers hold running jobs, and what notifies others of them in a server: the notifier,
// and a connection that listens. It is the server's own code on both sides.
type writers struct {
	db       *postgres.DB
	notifier *notify.Notifier
	conn     *pgx.Conn // for everything else
	claims   []work.Claim
	notifies atomic.Bool  // whether commits go to the notifier
	heard    atomic.Int64 // notifications
	stop     func()
}

func (b *bench) newWriters(ctx context.Context) (*writers, error) {
	dsn, err := b.newDatabase(ctx, "commits")
	if err != nil {
		return nil, err
	}
	log := slog.New(slog.DiscardHandler)
	if err := migrations.Up(ctx, dsn, log); err != nil {
		return nil, err
	}
	w := &writers{stop: func() {}}
	committed := func(events []work.Event, jobs []string) {
		if !w.notifies.Load() {
			return
		}
		for _, e := range events {
			jobs = append(jobs, e.JobID)
		}
		w.notifier.Notify(jobs...)
	}
	w.db, err = postgres.Open(ctx, postgres.Config{DSN: dsn, JobConns: int32(b.writers) + 1, Committed: committed})
	if err != nil {
		return nil, err
	}
	id := lanes.NewID()
	w.notifier = notify.NewNotifier(id, w.db.Notify, log)
	if w.conn, err = pgx.Connect(ctx, dsn); err == nil {
		err = w.claim(ctx, id, b.writers)
	}
	if err == nil {
		err = w.run(ctx, dsn)
	}
	if err != nil {
		w.close(ctx)
	}
	return w, err
}

// claim makes one running job a writer.
func (w *writers) claim(ctx context.Context, id string, jobs int) error {
	for _, sql := range []string{
		fmt.Sprintf("UPDATE kg_api.worker_lanes SET job_types = '{noop}', max_slots = %d WHERE name = 'interactive'", jobs),
		`CREATE FUNCTION notify_inside() RETURNS trigger LANGUAGE plpgsql AS $$
			BEGIN PERFORM pg_notify('kg_events', NEW.job_id); RETURN NULL; END $$`,
		"CREATE TRIGGER notify_inside AFTER INSERT ON kg_api.job_events FOR EACH ROW EXECUTE FUNCTION notify_inside()",
	} {
		if _, err := w.conn.Exec(ctx, sql); err != nil {
			return err
		}
	}
	for range jobs {
		if _, err := w.db.Jobs().SubmitJob(ctx, work.NewJob{Type: work.TypeNoop, Queue: work.DefaultQueue, UserID: access.SystemUserID, AutoApprove: true}); err != nil {
			return err
		}
	}
	worker := work.Worker{ID: id, Hostname: "bench", PID: os.Getpid()}
	if err := w.db.Workers().Register(ctx, worker, "bench", time.Hour); err != nil {
		return err
	}
	batch, err := w.db.Claims().Claim(ctx, work.ClaimRequest{Lane: "interactive", Worker: id, Types: []string{work.TypeNoop}, Most: jobs})
	if err == nil && len(batch.Claims) != jobs {
		err = fmt.Errorf("claimed %d of %d jobs", len(batch.Claims), jobs)
	}
	w.claims = batch.Claims
	return err
}

// run starts the notifier and the connection that listens.
func (w *writers) run(ctx context.Context, dsn string) error {
	listener, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return err
	}
	if _, err := listener.Exec(ctx, "LISTEN kg_events"); err != nil {
		return err
	}
	runCtx, cancel := context.WithCancel(ctx)
	var group sync.WaitGroup
	group.Go(func() { _ = w.notifier.Run(runCtx) }) // returns nil
	group.Go(func() {
		defer listener.Close(context.WithoutCancel(ctx))
		for {
			if _, err := listener.WaitForNotification(runCtx); err != nil {
				return
			}
			w.heard.Add(1)
		}
	})
	w.stop = func() {
		cancel()
		group.Wait()
	}
	return nil
}

func (w *writers) close(ctx context.Context) {
	w.stop()
	w.db.Close()
	if w.conn != nil {
		_ = w.conn.Close(context.WithoutCancel(ctx)) // its statements have ended
	}
}

// turn is what the writers did in a second.
type turn struct{ commits, events, notifications float64 }

// turn lets all writers store checkpoints for a time. It begins with an empty
// event table and a clean job table.
func (w *writers) turn(ctx context.Context, v variant, length time.Duration) (t turn, err error) {
	trigger := map[bool]string{true: "ENABLE", false: "DISABLE"}[v.inside]
	for _, sql := range []string{
		"ALTER TABLE kg_api.job_events " + trigger + " TRIGGER notify_inside",
		"TRUNCATE kg_api.job_events", "VACUUM ANALYZE kg_api.jobs", "CHECKPOINT",
	} {
		if _, err := w.conn.Exec(ctx, sql); err != nil {
			return t, err
		}
	}
	w.notifies.Store(v.notifies)
	heard := w.heard.Load()
	var commits, events atomic.Int64
	errs := make(chan error, len(w.claims))
	began := time.Now()
	for _, claim := range w.claims {
		go func() { errs <- w.write(ctx, claim, v.every, began.Add(length), &commits, &events) }()
	}
	for range w.claims {
		if e := <-errs; e != nil {
			err = e
		}
	}
	took := time.Since(began).Seconds()
	return turn{
		commits: float64(commits.Load()) / took, events: float64(events.Load()) / took,
		notifications: float64(w.heard.Load()-heard) / took,
	}, err
}

// write stores checkpoints of one job until an instant.
func (w *writers) write(ctx context.Context, claim work.Claim, every time.Duration, until time.Time, commits, events *atomic.Int64) error {
	var emitted time.Time
	for n := 1; ; n++ {
		now := time.Now()
		if now.After(until) {
			return nil
		}
		c := work.Checkpoint{
			State:    fmt.Appendf(nil, `{"done": %d}`, n),
			Progress: work.Progress{Stage: "writing", Percent: 50, ItemsTotal: 2 * n, ItemsProcessed: n},
		}
		if every >= 0 && now.Sub(emitted) >= every {
			c.Emit, emitted = true, now
			events.Add(1)
		}
		if err := w.db.Claims().Checkpoint(ctx, claim, c); err != nil {
			return err
		}
		commits.Add(1)
	}
}
