package notify

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/pgtest"
	"github.com/kappagraph/kappa/work"
)

// pgStore reads and writes events in a migrated database, as the servers do.
type pgStore struct {
	dsn  string
	pool *pgxpool.Pool
}

func newPGStore(t testing.TB) *pgStore {
	t.Helper()
	dsn := pgtest.NewDSN(t)
	pool, err := pgxpool.New(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	return &pgStore{dsn: dsn, pool: pool}
}

// addJobs inserts n jobs without events and returns their ids.
func (s *pgStore) addJobs(t testing.TB, n int) []string {
	t.Helper()
	rows, err := s.pool.Query(t.Context(), `INSERT INTO kg_api.jobs (job_id, job_type, status, user_id)
		SELECT 'job_' || substr(md5(random()::text || i::text), 1, 12), 'polarity', 'pending', 1 FROM generate_series(1, $1) i RETURNING job_id`, n)
	if err != nil {
		t.Fatal(err)
	}
	ids, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	return ids
}

// commit adds an event to a job, in a transaction of its own.
func (s *pgStore) commit(ctx context.Context, jobID string, kind work.EventKind) (work.Event, error) {
	payload := `{"status": "pending", "previous": null}`
	if kind != work.EventStatus {
		payload = `{}`
	}
	rows, err := s.pool.Query(ctx, `WITH job AS (UPDATE kg_api.jobs SET event_seq = event_seq + 1 WHERE job_id = $1 RETURNING job_id, event_seq)
		INSERT INTO kg_api.job_events (job_id, seq, kind, payload) SELECT job_id, event_seq, $2, $3 FROM job
		RETURNING job_id, seq, kind, payload, at`, jobID, string(kind), json.RawMessage(payload))
	if err != nil {
		return work.Event{}, err
	}
	return pgx.CollectExactlyOneRow(rows, toStoredEvent)
}

// claim claims a job: an event that the job's row shows.
func (s *pgStore) claim(ctx context.Context, jobID string) (work.Event, error) {
	if _, err := s.pool.Exec(ctx, `WITH job AS (UPDATE kg_api.jobs SET status = 'processing', approved_at = now(), approved_by = 'test', lane = 'test',
			claimed_by = '00000000-0000-4000-8000-00000000000a', claimed_at = now(), claim_token = 1, event_seq = event_seq + 1, claim_seq = event_seq + 1
			WHERE job_id = $1 RETURNING job_id, event_seq)
		SELECT pg_logical_emit_message(true, 'kg_jobs', job_id || ':' || event_seq) FROM job`, jobID); err != nil {
		return work.Event{}, err
	}
	events, err := s.EventsOf(ctx, map[string]int64{jobID: 0}, 10)
	if err != nil || len(events) != 1 {
		return work.Event{}, fmt.Errorf("%d events, %w", len(events), err)
	}
	return events[0], nil
}

// EventsOf implements events.
func (s *pgStore) EventsOf(ctx context.Context, after map[string]int64, limit int) ([]work.Event, error) {
	ids, seqs := make([]string, 0, len(after)), make([]int64, 0, len(after))
	for id, seq := range after {
		ids, seqs = append(ids, id), append(seqs, seq)
	}
	rows, err := s.pool.Query(ctx, `SELECT e.job_id, e.seq, e.kind, e.payload, e.at
		FROM (SELECT unnest($1::text[]) AS job_id, unnest($2::bigint[]) AS seq) known
		JOIN kg_api.job_history e ON e.job_id = known.job_id AND e.seq > known.seq
		ORDER BY e.job_id, e.seq LIMIT $3`, ids, seqs, limit)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, toStoredEvent)
}

// EventSeqs implements events.
func (s *pgStore) EventSeqs(ctx context.Context, ids []string) (map[string]int64, error) {
	rows, err := s.pool.Query(ctx, "SELECT job_id, event_seq FROM kg_api.jobs WHERE job_id = ANY ($1)", ids)
	if err != nil {
		return nil, err
	}
	seqs := map[string]int64{}
	var id string
	var seq int64
	_, err = pgx.ForEachRow(rows, []any{&id, &seq}, func() error { seqs[id] = seq; return nil })
	return seqs, err
}

// notify sends a notification, as the store does for the Notifier.
func (s *pgStore) notify(ctx context.Context, channel, payload string) error {
	_, err := s.pool.Exec(ctx, "SELECT pg_notify($1, $2)", channel, payload)
	return err
}

// cut ends the connections to this database whose application has a name, and
// returns how many there were.
func (s *pgStore) cut(t testing.TB, application string) (n int) {
	t.Helper()
	err := s.pool.QueryRow(t.Context(), `SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
		WHERE application_name = $1 AND datname = current_database()`, application).Scan(&n)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// connections returns how many connections of a source the server has.
func (s *pgStore) connections(t testing.TB, application string) (n int) {
	t.Helper()
	err := s.pool.QueryRow(t.Context(), `SELECT count(*) FROM pg_stat_activity
		WHERE application_name = $1 AND datname = current_database()`, application).Scan(&n)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func toStoredEvent(row pgx.CollectableRow) (work.Event, error) {
	var e work.Event
	var kind string
	var at time.Time
	if err := row.Scan(&e.JobID, &e.Seq, &kind, &e.Payload, &at); err != nil {
		return e, fmt.Errorf("read an event: %w", err)
	}
	e.Kind, e.At = work.EventKind(kind), kappa.At(at)
	return work.StoredEvent(e)
}
