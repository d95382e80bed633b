package postgres

import (
	"context"
	"time"

	"github.com/kappagraph/kappa/work"
)

// Config says where the database is and how many connections each kind of work
// may hold. Kinds do not share, so that none starves another.
type Config struct {
	DSN            string
	JobConns       int32         // submissions, claims, completions; default 10
	GraphConns     int32         // searches and graph writes; default 20
	AuthConns      int32         // accounts and tokens; default 5
	AcquireTimeout time.Duration // wait for a free connection; default 2 s
	// HoldOff is how long after a restart of the database, or after nobody led, no
	// worker is taken for dead, so that live ones can renew their leases or hand
	// back their jobs; it is one lease, default 15 s.
	HoldOff time.Duration
	// Committed is called after each commit that gave jobs new events: with the events
	// that the statement returned, and with the ids of the jobs of which it returned
	// none. It must not block; nil notifies nobody.
	Committed func(events []work.Event, jobIDs []string)
	// Deleted is called with the ids of jobs that are gone, after the commit. It
	// must not block; nil notifies nobody.
	Deleted func(jobIDs ...string)
	// Traced has each statement that has a name be a span, where there is one to be a part of.
	Traced bool
	// Hook, unless nil, is called around each statement: for tests that break the
	// server at a place.
	Hook Hook
}

func (c Config) withDefaults() Config {
	if c.JobConns == 0 {
		c.JobConns = 10
	}
	if c.GraphConns == 0 {
		c.GraphConns = 20
	}
	if c.AuthConns == 0 {
		c.AuthConns = 5
	}
	if c.AcquireTimeout == 0 {
		c.AcquireTimeout = 2 * time.Second
	}
	if c.HoldOff == 0 {
		c.HoldOff = defaultHoldOff
	}
	if c.Committed == nil {
		c.Committed = func([]work.Event, []string) {}
	}
	if c.Deleted == nil {
		c.Deleted = func(...string) {}
	}
	return c
}

// DB is a connection to the database: the pools, the sessions outside them, and the
// database's clock. What is stored is in the stores that it gives, one a noun; all
// may be used by many goroutines. A failure of the database itself is a
// CodeUnavailable Error.
type DB struct {
	base
	dsn  string // for sessions outside the pools
	hook Hook
}

// Open connects the pools and checks that the database answers. Close them with
// DB.Close.
func Open(ctx context.Context, cfg Config) (*DB, error) {
	cfg = cfg.withDefaults()
	d := &DB{dsn: cfg.DSN, hook: cfg.Hook}
	d.primary, d.onCommit, d.deleted, d.holdOff = &Primary{}, cfg.Committed, cfg.Deleted, cfg.HoldOff
	d.memory = newGraphMemory()
	for _, p := range []struct {
		pool **pool
		name string
		most int32
	}{
		{&d.jobs, jobsPool, cfg.JobConns},
		{&d.graph, "kg-graph", cfg.GraphConns},
		{&d.auth, "kg-auth", cfg.AuthConns},
		{&d.rights, rightsPool, rightsConns},
		{&d.probes, probesPool, probeConns},
	} {
		pool, err := d.openPool(ctx, cfg, p.name, p.most)
		if err != nil {
			d.Close()
			return nil, err
		}
		*p.pool = pool
	}
	if err := d.jobs.Ping(ctx); err != nil {
		d.Close()
		return nil, translate(err, "connect to the database")
	}
	if _, err := d.ReadClock(ctx); err != nil {
		d.Close()
		return nil, err
	}
	return d, nil
}

// Close ends every connection, after the statements that still run.
func (d *DB) Close() {
	for _, p := range []*pool{d.jobs, d.graph, d.auth, d.rights, d.probes} {
		if p != nil {
			p.Close()
		}
	}
}

// Primary returns what this store knows of the primary, for connections that it
// does not make.
func (d *DB) Primary() *Primary { return d.primary }

// Ping reports whether the database answers.
func (d *DB) Ping(ctx context.Context) error {
	return translate(d.jobs.Ping(ctx), "reach the database")
}

// Notify sends a payload on a channel, outside any transaction. It is for the
// coalescing notifier only; see package notify. It does not wait for the disk:
// PostgreSQL flushes no commit of a transaction that has changed no row.
func (d *DB) Notify(ctx context.Context, channel, payload string) error {
	_, err := d.jobs.Exec(ctx, "SELECT pg_notify($1, $2)", channel, payload)
	return translate(err, "notify "+channel)
}
