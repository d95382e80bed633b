package postgres

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/postgres/db"
)

// The names of the pools for jobs and for probes, as pg_stat_activity shows them.
const (
	jobsPool   = "kg-jobs"
	rightsPool = "kg-rights"
	probesPool = "kg-probes"
)

// Probes have connections of their own, which exist only while somebody probes: a
// busy pool is no sign that the database is away, and must not look like one.
const (
	probeConns   = 2
	probeTimeout = time.Second     // for a statement, and to wait for a connection
	probeIdle    = 2 * time.Minute // longer than between two probes
)

// Whether open streams may go on is asked on connections of their own, which exist
// only while there are streams: requests that wait for theirs must not silence them.
const (
	rightsConns = 2
	rightsIdle  = 2 * time.Minute // longer than between two looks
)

// jobsLockTimeout is how long a statement of that pool waits for a lock. Claims
// and completions are held for milliseconds; whoever holds one for longer is not
// to hold up the others.
const jobsLockTimeout = "2s"

// pingIdle is how long a connection rests before it is tested at its next use:
// longer than between two looks at the queue, each of which would be two round
// trips otherwise.
const pingIdle = 3 * time.Second

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
	// Committed is called with the ids of jobs that have new events, after the
	// commit. It must not block; nil tells nobody.
	Committed func(jobIDs ...string)
	// Deleted is called with the ids of jobs that are gone, after the commit. It
	// must not block; nil tells nobody.
	Deleted func(jobIDs ...string)
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
		c.Committed = func(...string) {}
	}
	if c.Deleted == nil {
		c.Deleted = func(...string) {}
	}
	return c
}

// Store keeps everything that Kappa knows. Its methods may be called from many
// goroutines. A failure of the database itself is a CodeUnavailable Error.
type Store struct {
	jobs, graph, auth *pool
	rights            *pool // open streams, and reads that took long, are examined over it
	probes            *pool
	committed         func(jobIDs ...string)
	deleted           func(jobIDs ...string)
	holdOff           time.Duration

	dsn     string // for sessions outside the pools
	clock   clock
	primary *Primary
	hook    Hook
}

// Open connects the pools and checks that the database answers. Close them with
// Store.Close.
func Open(ctx context.Context, cfg Config) (*Store, error) {
	cfg = cfg.withDefaults()
	s := &Store{committed: cfg.Committed, deleted: cfg.Deleted, holdOff: cfg.HoldOff, dsn: cfg.DSN, primary: &Primary{}, hook: cfg.Hook}
	for _, p := range []struct {
		pool **pool
		name string
		most int32
	}{{&s.jobs, jobsPool, cfg.JobConns}, {&s.graph, "kg-graph", cfg.GraphConns}, {&s.auth, "kg-auth", cfg.AuthConns}, {&s.rights, rightsPool, rightsConns}, {&s.probes, probesPool, probeConns}} {
		pool, err := s.openPool(ctx, cfg, p.name, p.most)
		if err != nil {
			s.Close()
			return nil, err
		}
		*p.pool = pool
	}
	if err := s.jobs.Ping(ctx); err != nil {
		s.Close()
		return nil, translate(err, "connect to the database")
	}
	if _, err := s.ReadClock(ctx); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// openPool makes one pool. Each connection carries server-side limits, so that
// nothing waits for ever when this process dies or forgets.
func (s *Store) openPool(ctx context.Context, cfg Config, name string, most int32) (*pool, error) {
	pc, err := pgxpool.ParseConfig(cfg.DSN)
	if err != nil {
		return nil, fmt.Errorf("read the database address: %w", errors.Unwrap(err))
	}
	pc.MaxConns = most
	// The acquire timeout is also the connect timeout: both end in a 503.
	pc.ConnConfig.ConnectTimeout = cfg.AcquireTimeout
	made := &pool{wait: cfg.AcquireTimeout, hook: cfg.Hook}
	pc.ShouldPing = func(_ context.Context, p pgxpool.ShouldPingParams) bool { return made.doubts(p.IdleDuration) }
	pc.ConnConfig.ValidateConnect = s.primary.Validate
	pc.PrepareConn = func(_ context.Context, conn *pgx.Conn) (bool, error) { return !s.primary.outlived(conn), nil }
	setLimits(pc.ConnConfig, name)
	switch name {
	case jobsPool:
		pc.ConnConfig.RuntimeParams["lock_timeout"] = jobsLockTimeout
		preferIndexes(pc.ConnConfig)
	case rightsPool:
		pc.MaxConnIdleTime = rightsIdle
	case probesPool:
		onlyIndexes(pc.ConnConfig)
		pc.MaxConnIdleTime, pc.ConnConfig.ConnectTimeout, made.wait = probeIdle, probeTimeout, probeTimeout
		pc.ConnConfig.RuntimeParams["statement_timeout"] = strconv.FormatInt(probeTimeout.Milliseconds(), 10)
	}
	if made.Pool, err = pgxpool.NewWithConfig(ctx, pc); err != nil {
		return nil, translate(err, "open the pool "+name)
	}
	return made, nil
}

// setLimits names a connection and sets the server's limits for it. Its commits
// wait for the disk.
func setLimits(cc *pgx.ConnConfig, name string) {
	cc.AfterConnect = commitDurably
	for k, v := range map[string]string{
		"application_name":                    name,
		"statement_timeout":                   "30s",
		"lock_timeout":                        "5s",
		"idle_in_transaction_session_timeout": "15s",
		"client_connection_check_interval":    "5s",
	} {
		cc.RuntimeParams[k] = v
	}
}

// durableCommits overrules a database, or a role, that does not wait for the disk
// at a commit; every stricter setting stays.
const durableCommits = `SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'`

// commitDurably has what is committed on a connection survive a crash of the
// server: a claim or a term that was lost would have its number issued again, and
// two workers or leaders would hold the same one.
func commitDurably(ctx context.Context, conn *pgconn.PgConn) error {
	return conn.Exec(ctx, durableCommits).Close()
}

// preferIndexes keeps the planner to nested loops over indexes: what is asked
// about jobs touches few rows, and the planner cannot know how few when the
// number is computed within the statement.
func preferIndexes(cc *pgx.ConnConfig) {
	for k, v := range map[string]string{
		"enable_hashjoin": "off", "enable_mergejoin": "off", "random_page_cost": "1.1", "jit": "off",
	} {
		cc.RuntimeParams[k] = v
	}
}

// onlyIndexes has the planner read rows in the order of an index, so that what is
// counted up to a limit costs no more than that, however long the queue is.
func onlyIndexes(cc *pgx.ConnConfig) {
	preferIndexes(cc)
	cc.RuntimeParams["enable_bitmapscan"], cc.RuntimeParams["enable_seqscan"] = "off", "off"
}

// Close ends every connection, after the statements that still run.
func (s *Store) Close() {
	for _, p := range []*pool{s.jobs, s.graph, s.auth, s.rights, s.probes} {
		if p != nil {
			p.Close()
		}
	}
}

// Primary returns what this store knows of the primary, for connections that it
// does not make.
func (s *Store) Primary() *Primary { return s.primary }

// Ping reports whether the database answers.
func (s *Store) Ping(ctx context.Context) error {
	return translate(s.jobs.Ping(ctx), "reach the database")
}

// q returns the queries on the pool for jobs.
func (s *Store) q() *db.Queries { return db.New(s.jobs) }

// inTx runs f in one transaction on p; an error rolls back.
func inTx(ctx context.Context, p *pool, f func(q *db.Queries) error) error {
	return pgx.BeginFunc(ctx, p, func(tx pgx.Tx) error { return f(db.New(tx)) })
}

// Notify sends a payload on a channel, outside any transaction. It is for the
// coalescing notifier only; see package notify. It does not wait for the disk:
// PostgreSQL flushes no commit of a transaction that has changed no row.
func (s *Store) Notify(ctx context.Context, channel, payload string) error {
	_, err := s.jobs.Exec(ctx, "SELECT pg_notify($1, $2)", channel, payload)
	return translate(err, "notify "+channel)
}

// isNoRows reports that a guarded statement changed nothing.
func isNoRows(err error) bool { return errors.Is(err, pgx.ErrNoRows) }

// notFound is the answer for an id that nothing has.
func notFound(format string, args ...any) error {
	return kappa.NewError(kappa.CodeNotFound, fmt.Sprintf(format, args...))
}

// conflict is the answer for a state that does not allow what was asked.
func conflict(format string, args ...any) error {
	return kappa.NewError(kappa.CodeConflict, fmt.Sprintf(format, args...))
}
