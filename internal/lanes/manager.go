package lanes

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"reflect"
	"slices"
	"sync"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/work"
)

const (
	rereadLanes  = 5 * time.Second
	rereadPause  = 100 * time.Millisecond // between two reads of the table
	lanesTimeout = 5 * time.Second
)

// laneStore is the lane table and the queue.
type laneStore interface {
	claimer
	Lanes(ctx context.Context) ([]work.Lane, error)
}

// Manager runs a Lane for each row of the lane table. A new, changed or removed
// row acts without a restart: at once when it notifies, else within 5 s.
type Manager struct {
	cfg    ManagerConfig
	reread kappa.Waker
	survey *survey // nil: each lane polls for itself
	pulse  pulse   // of reading the table

	mu       sync.Mutex // guards what follows
	lanes    map[string]*managedLane
	warnings []string // of what is wrong with the rows
}

// ManagerConfig is what a Manager works with.
type ManagerConfig struct {
	Store   laneStore
	Worker  *Worker
	Runner  *Runner
	Ceiling int // highest number of slots of a lane, whatever its row says; 0 is none
	// Waiting returns which types have jobs that a lane could claim: one query polls for
	// all idle lanes. With nil each of them claims every interval instead.
	Waiting func(ctx context.Context) (types []string, err error)
	Log     *slog.Logger
}

type managedLane struct {
	*Lane
	stop context.CancelFunc
}

// NewManager returns a Manager; Run makes it run lanes.
func NewManager(cfg ManagerConfig) *Manager {
	kappa.Require(cfg, "Waiting")
	m := &Manager{cfg: cfg, reread: kappa.NewWaker(), lanes: map[string]*managedLane{}}
	if cfg.Waiting != nil {
		m.survey = &survey{query: cfg.Waiting, log: cfg.Log}
	}
	return m
}

// Wake wakes a lane and has the table read again. It returns at once.
func (m *Manager) Wake(name string) {
	m.mu.Lock()
	if l, ok := m.lanes[name]; ok {
		l.Wake()
	}
	m.mu.Unlock()
	m.reread.Wake()
}

// Waiting takes an answer to what ManagerConfig.Waiting asks, which somebody else has
// asked for: idle lanes need not.
func (m *Manager) Waiting(began time.Time, types []string) {
	if m.survey != nil {
		m.survey.answered(began, types)
	}
}

// WakeAll wakes every lane: notifications may have been lost.
func (m *Manager) WakeAll() {
	m.mu.Lock()
	for _, l := range m.lanes {
		l.Wake()
	}
	m.mu.Unlock()
	m.reread.Wake()
}

// Run runs the lanes until ctx ends and the last of them has stopped claiming;
// it returns nil. Jobs that run then go on; see Runner.Drain.
func (m *Manager) Run(ctx context.Context) error {
	var group sync.WaitGroup
	defer group.Wait()
	defer m.stopAll()
	defer m.pulse.rest()
	tick := time.NewTicker(rereadLanes)
	defer tick.Stop()
	for {
		m.pulse.begin()
		if err := m.apply(ctx, &group); err == nil {
			m.pulse.next(rereadLanes)
		} else if ctx.Err() == nil {
			m.cfg.Log.WarnContext(ctx, "reading the lanes failed; they go on as they are", "err", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(rereadPause):
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		case <-m.reread.C():
		}
	}
}

// Check returns an error that says which lane does not poll any more,
// though it should, or that the table of lanes is not read. It is nil while Run
// does not run, never waits for the database, and asks each lane.
func (m *Manager) Check() error {
	now := time.Now()
	if late := m.pulse.late(now); late > 0 {
		return overdue("the table of lanes has not been read", late)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, name := range slices.Sorted(maps.Keys(m.lanes)) {
		if late := m.lanes[name].pulse.late(now); late > 0 {
			return overdue("lane "+name+" has not polled", late)
		}
	}
	return nil
}

func overdue(what string, late time.Duration) error {
	return kappa.NewError(kappa.CodeUnavailable, fmt.Sprintf("%s, overdue for %s; see the server's log", what, late.Round(time.Second)))
}

// apply makes the running lanes those of the table.
func (m *Manager) apply(ctx context.Context, group *sync.WaitGroup) error {
	readCtx, cancel := context.WithTimeout(ctx, lanesTimeout)
	defer cancel()
	rows, err := m.cfg.Store.Lanes(readCtx)
	if err != nil {
		return err
	}
	m.warn(ctx, rows)
	m.mu.Lock()
	defer m.mu.Unlock()
	for name, l := range m.lanes {
		if !slices.ContainsFunc(rows, func(r work.Lane) bool { return r.Name == name }) {
			m.cfg.Log.InfoContext(ctx, "lane removed", "lane", name)
			l.stop()
			delete(m.lanes, name)
		}
	}
	for _, row := range rows {
		switch l, running := m.lanes[row.Name]; {
		case !running:
			m.startLocked(ctx, row, group)
		case !reflect.DeepEqual(*l.settings.Load(), row):
			m.logLane(ctx, "lane changed", row)
			l.update(row)
		}
	}
	return nil
}

// logLane logs how a lane is set.
func (m *Manager) logLane(ctx context.Context, what string, row work.Lane) {
	m.cfg.Log.InfoContext(ctx, what, "lane", row.Name, "slots", row.MaxSlots, "poll_ms", row.PollIntervalMS, "enabled", row.Enabled) //nolint:sloglint // what is one of two constants
}

func (m *Manager) startLocked(ctx context.Context, row work.Lane, group *sync.WaitGroup) {
	m.logLane(ctx, "lane started", row)
	laneCtx, stop := context.WithCancel(ctx)
	l := &managedLane{Lane: newLane(row, m.cfg, m.survey), stop: stop}
	m.lanes[row.Name] = l
	group.Go(func() { _ = l.Run(laneCtx) }) // it only ever returns nil
}

func (m *Manager) stopAll() {
	m.mu.Lock()
	defer m.mu.Unlock()
	for name, l := range m.lanes {
		l.stop()
		delete(m.lanes, name)
	}
}

// warn logs what is wrong with the rows, once for each change: job types that no
// lane or several lanes claim, and lanes above the ceiling.
func (m *Manager) warn(ctx context.Context, rows []work.Lane) {
	warnings := append(work.CheckCoverage(m.cfg.Runner.handled, rows), work.CheckCeiling(m.cfg.Ceiling, rows)...)
	m.mu.Lock()
	changed := !slices.Equal(warnings, m.warnings)
	m.warnings = warnings
	m.mu.Unlock()
	if !changed {
		return
	}
	for _, w := range warnings {
		m.cfg.Log.WarnContext(ctx, "a lane needs attention", "problem", w)
	}
}
