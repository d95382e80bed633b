package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kappagraph/kappa/internal/postgres/db"
	"github.com/kappagraph/kappa/work"
)

// FigureStore counts what waits and runs, and reads what an operator watches.
type FigureStore struct{ *base }

// Figures returns the store that counts.
func (d *DB) Figures() FigureStore { return FigureStore{&d.base} }

// What is counted and read for the figures ends here, so that a queue of any
// length takes some tens of milliseconds.
const (
	mostCounted = work.MostCounted
	mostRead    = 1000 // jobs of a type and a priority that are read for the oldest one
)

// QueueFigures returns what waits and runs, read in one transaction on a
// connection for probes.
func (s FigureStore) QueueFigures(ctx context.Context) (work.QueueFigures, error) {
	var figures work.QueueFigures
	err := inTx(ctx, s.probes, func(q *db.Queries) error {
		lanes, err := q.LaneFigures(ctx)
		if err != nil {
			return err
		}
		queued, err := q.QueueFigures(ctx, mostCounted, mostRead)
		if err != nil {
			return err
		}
		served, err := q.ServedTypes(ctx)
		if err != nil {
			return err
		}
		figures = addQueue(lanes, queued)
		for _, t := range served { // connected workers are their lane
			delete(figures.Unclaimed, t)
		}
		figures.Jobs, err = countOpen(ctx, q, queued)
		return err
	})
	return figures, translate(err, "read the figures of the queue")
}

// countOpen counts the jobs that are not over. Those that are due are counted
// already.
func countOpen(ctx context.Context, q *db.Queries, due []db.QueueFiguresRow) (map[work.Status]int, error) {
	open, err := q.StatusFigures(ctx, mostCounted)
	approved := int(open.Later + open.Held)
	for _, d := range due {
		approved += int(d.Jobs)
	}
	return map[work.Status]int{
		work.StatusPending: int(open.Pending), work.StatusAwaitingApproval: int(open.AwaitingApproval),
		work.StatusApproved: approved, work.StatusProcessing: int(open.Processing),
	}, err
}

// addQueue gives what waits to the lanes that claim it.
func addQueue(lanes []db.LaneFiguresRow, queued []db.QueueFiguresRow) work.QueueFigures {
	figures := work.QueueFigures{Unclaimed: map[string]int{}, Waiting: map[string]int{}}
	waiting := map[string]db.QueueFiguresRow{}
	for _, q := range queued {
		waiting[q.JobType] = q
		figures.Unclaimed[q.JobType], figures.Waiting[q.JobType] = int(q.Jobs), int(q.Jobs)
	}
	for _, row := range lanes {
		l := row.KgApiWorkerLane
		lane := work.LaneFigures{Name: l.Name, Enabled: l.Enabled, MaxSlots: int(l.MaxSlots), Running: int(row.Running), Queued: map[string]int{}}
		for _, t := range l.JobTypes {
			q := waiting[t]
			lane.Queued[t] = int(q.Jobs)
			lane.OldestWait = max(lane.OldestWait, time.Duration(q.OldestWait*float64(time.Second)))
			if toLane(l).Claims() {
				delete(figures.Unclaimed, t)
			}
		}
		figures.Lanes = append(figures.Lanes, lane)
	}
	return figures
}

// databaseFigures is not in queries/, because sqlc does not know the views of the
// system. Who holds back vacuum: transactions, those that are prepared, and slots,
// of all databases where PostgreSQL takes all into account. A role sees the transactions of
// others only as a member of pg_read_all_stats.
const databaseFigures = `
SELECT (SELECT age(d.datfrozenxid) FROM pg_database d WHERE d.datname = current_database())::bigint,
	coalesce((SELECT max(greatest(age(a.backend_xmin), age(a.backend_xid))) FROM pg_stat_activity a
		WHERE a.pid <> pg_backend_pid() AND (a.datname = current_database() OR a.datname IS NULL)), 0)::bigint,
	coalesce((SELECT max(age(p.transaction)) FROM pg_prepared_xacts p WHERE p.database = current_database()), 0)::bigint,
	coalesce((SELECT max(greatest(age(s.xmin), age(s.catalog_xmin))) FROM pg_replication_slots s), 0)::bigint,
	pg_database_size(current_database()),
	coalesce((SELECT max(CASE WHEN NOT pg_is_in_recovery() THEN pg_wal_lsn_diff(pg_current_wal_lsn(), s.restart_lsn) END)
		FROM pg_replication_slots s), 0)::bigint`

const tableFigures = `
SELECT t.relname::text, t.n_live_tup, t.n_dead_tup FROM pg_stat_user_tables t
WHERE t.schemaname = 'kg_api' AND t.relname IN ('jobs', 'job_events') ORDER BY t.relname`

// DatabaseFigures returns what an operator has to watch in PostgreSQL, read in one
// round trip on a connection for probes.
func (s FigureStore) DatabaseFigures(ctx context.Context) (work.DatabaseFigures, error) {
	figures, err := s.databaseFigures(ctx)
	figures.ClockAhead = time.Until(s.clock.now())
	return figures, translate(err, "read the figures of the database")
}

func (s FigureStore) databaseFigures(ctx context.Context) (figures work.DatabaseFigures, err error) {
	var both pgx.Batch
	both.Queue(databaseFigures)
	both.Queue(tableFigures)
	results := s.probes.SendBatch(ctx, &both)
	defer func() {
		if closed := results.Close(); err == nil {
			err = closed
		}
	}()
	var sessions, prepared, slots int64
	err = results.QueryRow().Scan(&figures.FrozenXIDAge, &sessions, &prepared, &slots, &figures.Bytes, &figures.SlotWAL)
	if err != nil {
		return figures, err
	}
	figures.XminAge = map[string]int64{"transaction": sessions, "prepared": prepared, "slot": slots}
	rows, err := results.Query()
	if err != nil {
		return figures, err
	}
	figures.Tables, err = pgx.CollectRows(rows, pgx.RowToStructByPos[work.TableFigures])
	return figures, err
}
