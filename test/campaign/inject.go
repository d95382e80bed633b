package main

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kappagraph/kappa/internal/pgproxy"
	"github.com/kappagraph/kappa/internal/postgres"
	"github.com/kappagraph/kappa/work"
)

const (
	setLimit      = 30 * time.Second // for an edit of a lane, through faults
	electionLimit = 2 * time.Second
	electionLook  = 100 * time.Millisecond
)

// injected is a fault that took place.
type injected struct {
	fault
	target       int  // the server that it met
	broke        bool // of a point: the server got there
	began, ended time.Time
}

// injector carries out a schedule.
type injector struct {
	dsn      string // past the servers' proxies
	database *database
	db       *postgres.DB
	servers  []*server
	log      *slog.Logger

	restarting sync.Mutex // one restart of PostgreSQL at a time
	lanes      sync.Mutex // one edit at a time
	leading    sync.Mutex // one server at a time is made to lead

	mu    sync.Mutex // guards what follows
	done  []injected
	exits percentiles // how long servers took to stop
	err   error
}

// run injects the faults at their times, each beside those that still last,
// until all are over or ctx ends; those that have begun are brought to their
// end. It returns what took place.
func (i *injector) run(ctx context.Context, faults []fault) ([]injected, error) {
	began := time.Now()
	var group sync.WaitGroup
	for _, f := range faults {
		if !pause(ctx, time.Until(began.Add(f.at))) {
			break
		}
		group.Go(func() { i.inject(context.WithoutCancel(ctx), f) })
	}
	group.Wait()
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.done, i.err
}

// inject carries out one fault, waiting for its target to be free of others.
func (i *injector) inject(ctx context.Context, f fault) {
	target := i.servers[f.server]
	if f.leader {
		if leader := i.awaitLeader(ctx); leader != nil {
			target = leader
		}
	}
	became := injected{fault: f, target: target.index}
	if f.place.leads {
		i.leading.Lock()
		defer i.leading.Unlock()
	}
	switch f.kind {
	case faultRestart:
		i.restarting.Lock()
		defer i.restarting.Unlock()
	case faultSlots, faultDisable:
		i.lanes.Lock()
		defer i.lanes.Unlock()
	case faultTerminate:
	default:
		target.busy.Lock()
		defer target.busy.Unlock()
	}
	became.leader = i.leader(ctx) == target // it may have changed while the fault waited
	became.began = time.Now()
	i.log.DebugContext(ctx, "fault", "kind", f.kind, "server", target.index, "leader", f.leader, "role", f.role, "lasts", f.lasts)
	var err error
	if f.kind == faultPoint {
		became.broke, err = i.breakAt(ctx, f, target)
	} else {
		err = i.do(ctx, f, target)
	}
	became.ended = time.Now()
	i.mu.Lock()
	defer i.mu.Unlock()
	if err != nil {
		i.err = fmt.Errorf("inject %s into server %d: %w", f.kind, target.index, err)
		return
	}
	i.done = append(i.done, became)
}

// do carries out a fault on its target.
func (i *injector) do(ctx context.Context, f fault, target *server) error {
	switch f.kind {
	case faultKill:
		target.kill()
		pause(ctx, f.lasts)
		return target.start(ctx)
	case faultStop:
		began := time.Now()
		target.stop()
		i.mu.Lock()
		i.exits = append(i.exits, time.Since(began))
		i.mu.Unlock()
		pause(ctx, f.lasts)
		return target.start(ctx)
	case faultPause, faultStall:
		target.signal(syscall.SIGSTOP)
		defer target.signal(syscall.SIGCONT)
		if f.kind == faultPause {
			target.proxy.Cut(roleOfLeader) // another one leads, and takes the jobs over
		}
		pause(ctx, f.lasts)
	case faultTerminate:
		return i.terminate(ctx, f.role)
	case faultRestart:
		return i.database.restart(ctx)
	case faultSlots:
		return i.edit(ctx, f.lane, work.LaneUpdate{MaxSlots: &f.slots})
	case faultDisable:
		off, on, slots := false, true, laneSlots
		if err := i.edit(ctx, f.lane, work.LaneUpdate{Enabled: &off}); err != nil {
			return err
		}
		pause(ctx, f.lasts)
		return i.edit(ctx, f.lane, work.LaneUpdate{Enabled: &on, MaxSlots: &slots})
	case faultCut:
		target.proxy.Cut(f.role)
	default:
		i.disturb(ctx, f, target.proxy)
	}
	return nil
}

// disturb changes what a proxy does, for a while.
func (i *injector) disturb(ctx context.Context, f fault, p *pgproxy.Proxy) {
	modes := map[faultKind]pgproxy.Mode{
		faultRefuse: pgproxy.Refuse, faultHole: pgproxy.Hole, faultBlind: pgproxy.Hole, faultLose: pgproxy.Lose, faultSlow: pgproxy.Slow,
	}
	affected := []string{f.role}
	if f.kind == faultBlind {
		affected = append(affected, roleOfAuth)
	}
	for _, role := range affected {
		p.Set(role, modes[f.kind])
	}
	pause(ctx, f.lasts)
	for _, role := range affected {
		p.Set(role, pgproxy.Pass)
	}
}

// terminate ends the backends of a role. The database may be away, which is
// fault enough.
func (i *injector) terminate(ctx context.Context, role string) error {
	callCtx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	conn, err := pgx.Connect(callCtx, i.dsn)
	if err != nil {
		return nil
	}
	defer conn.Close(ctx)
	_, _ = conn.Exec(callCtx, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1", role)
	return nil
}

// edit changes a lane, as soon as the database lets it.
func (i *injector) edit(ctx context.Context, lane string, update work.LaneUpdate) error {
	limit, cancel := context.WithTimeout(ctx, setLimit)
	defer cancel()
	for {
		_, err := i.db.Lanes().UpdateLane(limit, lane, update)
		if err == nil {
			return nil
		}
		if !pause(limit, storeRetry) {
			return err
		}
	}
}

// awaitLeader returns the server that leads, giving the servers a moment to
// elect one, or nil.
func (i *injector) awaitLeader(ctx context.Context) *server {
	limit, cancel := context.WithTimeout(ctx, electionLimit)
	defer cancel()
	for {
		leader := i.leader(limit)
		if leader != nil || !pause(limit, electionLook) {
			return leader
		}
	}
}

// leader returns the server that leads at present, or nil.
func (i *injector) leader(ctx context.Context) *server {
	callCtx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	conn, err := pgx.Connect(callCtx, i.dsn)
	if err != nil {
		return nil
	}
	defer conn.Close(ctx)
	var pid int
	err = conn.QueryRow(callCtx, `
		SELECT w.pid FROM kg_api.leader l JOIN kg_api.workers w ON w.worker_id = l.worker_id
		WHERE EXISTS (SELECT 1 FROM pg_locks k WHERE k.locktype = 'advisory' AND k.granted AND k.classid = 0 AND k.objid = 100000001)`).Scan(&pid)
	if err != nil {
		return nil
	}
	for _, s := range i.servers {
		if s.pid() == pid {
			return s
		}
	}
	return nil
}
