package postgres

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
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
	rightsIdle  = 2 * time.Minute // longer than between two checks
)

// jobsLockTimeout is how long a statement of that pool waits for a lock. Claims
// and completions are held for milliseconds; whoever holds one for longer is not
// to hold up the others.
const jobsLockTimeout = "2s"

// pingIdle is how long a connection rests before it is tested at its next use:
// longer than between two polls of the queue, each of which would be two round
// trips otherwise.
const pingIdle = 3 * time.Second

// openPool makes one pool. Each connection carries server-side limits, so that
// nothing waits for ever when this process dies or forgets.
func (d *DB) openPool(ctx context.Context, cfg Config, name string, most int32) (*pool, error) {
	pc, err := pgxpool.ParseConfig(cfg.DSN)
	if err != nil {
		return nil, fmt.Errorf("read the database address: %w", errors.Unwrap(err))
	}
	pc.MaxConns = most
	// The acquire timeout is also the connect timeout: both end in a 503.
	pc.ConnConfig.ConnectTimeout = cfg.AcquireTimeout
	made := &pool{wait: cfg.AcquireTimeout, hook: cfg.Hook}
	pc.ShouldPing = func(ctx context.Context, p pgxpool.ShouldPingParams) bool {
		return made.needsTest(p.IdleDuration) && !made.answers(ctx, p.Conn)
	}
	pc.ConnConfig.ValidateConnect = d.primary.Validate
	pc.PrepareConn = func(_ context.Context, conn *pgx.Conn) (bool, error) { return !d.primary.outlived(conn), nil }
	pc.AfterConnect = useRealArrays
	setLimits(pc.ConnConfig, name)
	if cfg.Traced {
		pc.ConnConfig.Tracer = statementSpans{}
	}
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

// setLimits names a connection and sets the server's limits for it.
func setLimits(cc *pgx.ConnConfig, name string) {
	cc.AfterConnect = prepareSession
	maps.Copy(cc.RuntimeParams, map[string]string{
		"application_name":                    name,
		"statement_timeout":                   "30s",
		"lock_timeout":                        "5s",
		"idle_in_transaction_session_timeout": "15s",
		"client_connection_check_interval":    "5s",
	})
}

// sessionSettings overrule a database, or a role, that does not wait for the disk at
// a commit; every stricter setting stays. And they keep out of the server's log what
// a statement carried that failed, jobs' data among it: its arguments, as any role may
// decide; and as far as the role may decide that, too, the row that broke a rule and the
// JSON around a fault.
const sessionSettings = `SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off';
	SELECT set_config('log_parameter_max_length_on_error', '0', false);
	SELECT set_config('log_error_verbosity', 'terse', false) WHERE has_parameter_privilege('log_error_verbosity', 'SET')`

// prepareSession has what is committed on a connection survive a crash of the
// server: a claim or a term that was lost would have its number issued again, and
// two workers or leaders would hold the same one. And it keeps data out of the
// server's log.
func prepareSession(ctx context.Context, conn *pgconn.PgConn) error {
	return conn.Exec(ctx, sessionSettings).Close()
}

// preferIndexes keeps the planner to nested loops over indexes: what is asked
// about jobs touches few rows, and the planner cannot know how few when the
// number is computed within the statement.
func preferIndexes(cc *pgx.ConnConfig) {
	maps.Copy(cc.RuntimeParams, map[string]string{
		"enable_hashjoin": "off", "enable_mergejoin": "off", "random_page_cost": "1.1", "jit": "off",
	})
}

// onlyIndexes has the planner read rows in the order of an index, so that what is
// counted up to a limit costs no more than that, however long the queue is.
func onlyIndexes(cc *pgx.ConnConfig) {
	preferIndexes(cc)
	cc.RuntimeParams["enable_bitmapscan"], cc.RuntimeParams["enable_seqscan"] = "off", "off"
}
