package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/postgres/db"
)

// base is what the stores share: the pools, one a kind of work, the database's
// clock, and who hears of commits.
type base struct {
	jobs, graph, auth *pool
	rights            *pool // open streams, and reads that took long, are examined over it
	probes            *pool
	clock             clock
	primary           *Primary
	onCommit          func(events []kappa.Event, jobIDs []string)
	deleted           func(jobIDs ...string)
	holdOff           time.Duration
}

// The stores, one a noun. They are small values, which share the connections of
// their DB and end with it.
type (
	// AccountStore keeps users and their passwords.
	AccountStore struct{ *base }
	// ClaimStore hands out jobs to workers, and stores what becomes of the attempts.
	ClaimStore struct{ *base }
	// ClientStore keeps the clients that act for users.
	ClientStore struct{ *base }
	// DocumentStore writes documents to the graph, chunk by chunk.
	DocumentStore struct{ *base }
	// EventStore reads the histories of jobs.
	EventStore struct{ *base }
	// FigureStore counts what waits and runs, and reads what an operator watches.
	FigureStore struct{ *base }
	// GraphStore reads the graph.
	GraphStore struct{ *base }
	// IngestionStore takes documents in, with their jobs and analyses.
	IngestionStore struct{ *base }
	// JobStore keeps jobs: it submits and reads them, and stores what users decide.
	JobStore struct{ *base }
	// LaneStore keeps the lanes, and shows how busy they are.
	LaneStore struct{ *base }
	// ListenerStore looks after those who wait for notifications.
	ListenerStore struct{ *base }
	// QueueStore is for the leader, who keeps the queue moving.
	QueueStore struct{ *base }
	// RetentionStore deletes what is old, and knows when that was done.
	RetentionStore struct{ *base }
	// ScheduleStore keeps the schedules and the answers to their due instants.
	ScheduleStore struct{ *base }
	// TokenStore keeps what is known of tokens and tickets.
	TokenStore struct{ *base }
	// WorkerStore keeps the workers and their leases.
	WorkerStore struct{ *base }
)

// Accounts returns the store of users.
func (d *DB) Accounts() AccountStore { return AccountStore{&d.base} }

// Claims returns the store that workers work with.
func (d *DB) Claims() ClaimStore { return ClaimStore{&d.base} }

// Clients returns the store of the clients of users.
func (d *DB) Clients() ClientStore { return ClientStore{&d.base} }

// Documents returns the store that writes the graph.
func (d *DB) Documents() DocumentStore { return DocumentStore{&d.base} }

// Events returns the store of the histories of jobs.
func (d *DB) Events() EventStore { return EventStore{&d.base} }

// Figures returns the store that counts.
func (d *DB) Figures() FigureStore { return FigureStore{&d.base} }

// Graph returns the store that reads the graph.
func (d *DB) Graph() GraphStore { return GraphStore{&d.base} }

// Ingestions returns the store of documents that are taken in.
func (d *DB) Ingestions() IngestionStore { return IngestionStore{&d.base} }

// Jobs returns the store of jobs.
func (d *DB) Jobs() JobStore { return JobStore{&d.base} }

// Lanes returns the store of lanes.
func (d *DB) Lanes() LaneStore { return LaneStore{&d.base} }

// Listeners returns the store that looks after listeners.
func (d *DB) Listeners() ListenerStore { return ListenerStore{&d.base} }

// Queue returns the leader's store.
func (d *DB) Queue() QueueStore { return QueueStore{&d.base} }

// Retention returns the store that deletes what is old.
func (d *DB) Retention() RetentionStore { return RetentionStore{&d.base} }

// Schedules returns the store of schedules.
func (d *DB) Schedules() ScheduleStore { return ScheduleStore{&d.base} }

// Tokens returns the store of tokens and tickets.
func (d *DB) Tokens() TokenStore { return TokenStore{&d.base} }

// Workers returns the store of workers.
func (d *DB) Workers() WorkerStore { return WorkerStore{&d.base} }

// committed notifies of jobs that have new events.
func (s *base) committed(jobIDs ...string) { s.onCommit(nil, jobIDs) }

// q returns the queries on the pool for jobs.
func (s *base) q() *db.Queries { return db.New(s.jobs) }

// inTx runs f in one transaction on p; an error rolls back.
func inTx(ctx context.Context, p *pool, f func(q *db.Queries) error) error {
	return pgx.BeginFunc(ctx, p, func(tx pgx.Tx) error { return f(db.New(tx)) })
}
