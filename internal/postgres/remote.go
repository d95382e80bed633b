package postgres

import (
	"context"
	_ "embed" // of the statement
	"encoding/json"
	"math"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/postgres/db"
	"github.com/kappagraph/kappa/work"
)

// RemoteClaimStatement is the name of the statement with which remote workers claim,
// which is not in queries/ and has no method in db.
const RemoteClaimStatement = "RemoteClaim"

//go:embed remote_claim.sql
var remoteClaimSQL string

// RemoteStore keeps the remote workers, and hands out jobs to them.
type RemoteStore struct{ *base }

// Remote returns the store of remote workers.
func (d *DB) Remote() RemoteStore { return RemoteStore{&d.base} }

// Connect takes the next generation of a worker. It returns ErrLeaseLost for a worker
// that names its own id when that one is over.
func (s RemoteStore) Connect(ctx context.Context, h work.RemoteHello) (work.RemoteOpened, error) {
	p := db.RemoteConnectParams{
		Server: h.Server, Address: h.Address, Version: h.Version, Identity: h.Identity, WorkerID: h.WorkerID, Name: h.Name, Lease: h.Lease,
	}
	for {
		row, err := s.q().RemoteConnect(ctx, p)
		switch {
		case isNoRows(err):
			return work.RemoteOpened{}, kappa.ErrLeaseLost
		case violates(err, "workers_identity_idx"):
			continue // another connection of it was first
		case err != nil:
			return work.RemoteOpened{}, translate(err, "connect a remote worker")
		}
		orders, err := remoteOrders(row.Orders, row.Draining, row.AskedGroups)
		return work.RemoteOpened{
			RemoteConnection: work.RemoteConnection{WorkerID: row.WorkerID, Generation: row.Generation}, Known: row.Known, Orders: orders,
		}, err
	}
}

// Known returns what is known of an identity before it connects.
func (s RemoteStore) Known(ctx context.Context, identity string) (work.KnownWorker, error) {
	row, err := s.q().RemoteKnown(ctx, identity)
	return work.KnownWorker{Seen: row.Seen, Blocked: row.Blocked}, translate(err, "read what is known of a worker")
}

// Join stores what a worker said when it joined. It returns ErrLeaseLost when a newer
// connection has come, or the worker is over.
func (s RemoteStore) Join(ctx context.Context, c work.RemoteConnection, j work.RemoteProfile) error {
	labels, err := json.Marshal(j.Labels)
	if err != nil {
		return err
	}
	groups, err := json.Marshal(j.Groups)
	if err != nil {
		return err
	}
	n, err := s.q().RemoteJoin(ctx, db.RemoteJoinParams{
		Profile: j.Profile, Name: j.Name, Version: j.Version, JobTypes: j.Types, Labels: labels, Groups: groups, Capacity: int32(j.Capacity),
		Lease: j.Lease, WorkerID: c.WorkerID, Generation: c.Generation,
	})
	if err == nil && n == 0 {
		return kappa.ErrLeaseLost
	}
	return translate(err, "store what a remote worker takes")
}

// Extend renews the leases of workers, in one statement. It returns what each that is still
// live, and has no newer connection, holds, and what an operator wants of it.
func (s RemoteStore) Extend(ctx context.Context, connections []work.RemoteConnection) (map[string]work.RemoteExtended, error) {
	ids, generations := make([]string, len(connections)), make([]int64, len(connections))
	for i, c := range connections {
		ids[i], generations[i] = c.WorkerID, c.Generation
	}
	rows, err := s.q().RemoteExtend(ctx, ids, generations)
	if err != nil {
		return nil, translate(err, "renew the leases of remote workers")
	}
	live := make(map[string]work.RemoteExtended, len(ids))
	for _, r := range rows {
		worker, ok := live[r.WorkerID]
		if !ok {
			if worker.Orders, err = remoteOrders(r.Orders, r.Draining, r.AskedGroups); err != nil {
				return nil, err
			}
		}
		if r.JobID != "" {
			worker.Held = append(worker.Held, work.HeldRun{
				RunKey: work.RunKey{JobID: r.JobID, Token: r.ClaimToken, Worker: r.WorkerID}, Group: r.GroupKey, Seq: r.WorkerSeq,
				Confirmed: r.Confirmed, CancelRequested: r.CancelRequested,
			})
		}
		live[r.WorkerID] = worker
	}
	return live, nil
}

// Seen stores what this server knows of its connections. It returns those whose
// worker is live and that are the latest of it, and what an operator wants of each.
func (s RemoteStore) Seen(ctx context.Context, seen []work.RemoteSeen) (map[string]work.RemoteOrders, error) {
	n := len(seen)
	p := db.RemoteSeenParams{
		WorkerIds: make([]string, n), Generations: make([]int64, n), SilentMs: make([]int64, n), Usages: make([]string, n),
		Completed: make([]int64, n), Failed: make([]int64, n), Late: make([]int64, n), Renew: make([]bool, n),
	}
	for i, w := range seen {
		usage, err := json.Marshal(w.Usage)
		if err != nil {
			return nil, err
		}
		p.WorkerIds[i], p.Generations[i], p.SilentMs[i], p.Usages[i] = w.WorkerID, w.Generation, w.Silent.Milliseconds(), string(usage)
		p.Completed[i], p.Failed[i], p.Late[i], p.Renew[i] = w.Completed, w.Failed, w.Late, w.Renew
	}
	rows, err := s.q().RemoteSeen(ctx, p)
	if err != nil {
		return nil, translate(err, "store what remote workers do")
	}
	live := make(map[string]work.RemoteOrders, len(rows))
	for _, r := range rows {
		if live[r.WorkerID], err = remoteOrders(r.Orders, r.Draining, r.AskedGroups); err != nil {
			return nil, err
		}
	}
	return live, nil
}

// Disconnect says that a connection is gone.
func (s RemoteStore) Disconnect(ctx context.Context, c work.RemoteConnection) error {
	return translate(s.q().RemoteDisconnect(ctx, c.WorkerID, c.Generation), "store that a remote worker is gone")
}

// Held returns the runs that workers hold.
func (s RemoteStore) Held(ctx context.Context, workers ...string) ([]work.HeldRun, error) {
	rows, err := s.q().RemoteHeld(ctx, workers)
	if err != nil {
		return nil, translate(err, "read the runs of remote workers")
	}
	held := make([]work.HeldRun, len(rows))
	for i, r := range rows {
		held[i] = work.HeldRun{
			RunKey: work.RunKey{JobID: r.JobID, Token: r.ClaimToken, Worker: r.WorkerID}, Group: r.GroupKey, Seq: r.WorkerSeq,
			Confirmed: r.Confirmed, CancelRequested: r.CancelRequested,
		}
	}
	return held, nil
}

// Marks returns the types and queues in which work waits for remote workers. What it
// costs does not depend on how much waits.
func (s RemoteStore) Marks(ctx context.Context) ([]work.WaitingPair, error) {
	rows, err := s.q().RemoteMarks(ctx)
	if err != nil {
		return nil, translate(err, "read what waits for remote workers")
	}
	pairs := make([]work.WaitingPair, len(rows))
	for i, r := range rows {
		pairs[i] = work.WaitingPair{JobType: r.JobType, Queue: r.Queue}
	}
	return pairs, nil
}

// Claim takes jobs for slot groups of remote workers, as reservations, and returns what
// each got.
func (s RemoteStore) Claim(ctx context.Context, r work.RemoteClaimRequest) ([]work.RemoteClaimed, error) {
	n := len(r.Groups)
	workers, generations, groups, most := make([]string, n), make([]int64, n), make([]string, n), make([]int32, n)
	claimed := make([]work.RemoteClaimed, n)
	for i, g := range r.Groups {
		workers[i], generations[i], groups[i], most[i] = g.WorkerID, g.Generation, g.Group, int32(g.Most)
		claimed[i].Stale = true // without a row
	}
	rows, err := limitsLocked(s.jobs, r.Types).Query(ctx, remoteClaimSQL,
		workers, generations, groups, most, r.Types, r.Queues, r.Others, r.Spare, r.Reserve, r.Inline, served(r.Served), highestOwner(r.From), ownersAtOnce)
	if err != nil {
		return nil, translate(err, "claim jobs for remote workers")
	}
	defer rows.Close()
	var ids []string
	for rows.Next() {
		number, reached, run, err := scanRemoteRun(rows)
		if err != nil {
			return nil, translate(err, "read a claim of remote workers")
		}
		c := &claimed[number-1]
		c.Reached = reached
		if c.Stale = false; run.JobID == "" {
			continue
		}
		run.Worker = workers[number-1]
		c.Runs, ids = append(c.Runs, run), append(ids, run.JobID)
	}
	if err := rows.Err(); err != nil {
		return nil, translate(err, "claim jobs for remote workers")
	}
	if len(ids) > 0 {
		s.committed(ids...)
	}
	return claimed, nil
}

// ownersAtOnce is how many owners a claim goes to one by one, from one of them on, in a
// type and queue of which it cannot read all.
const ownersAtOnce = 64

// highestOwner returns the owner from whom a claim goes down.
func highestOwner(from int) int {
	if from <= 0 {
		return math.MaxInt32
	}
	return from
}

// scanRemoteRun reads a row of a claim: the number of the group, and a job for it or
// none. reached is the last owner that the claim went to, if there may be more.
func scanRemoteRun(rows pgx.Rows) (number, reached int, run work.RemoteRun, err error) {
	var id, jobType, queue *string
	var priority, attempt, owner, last *int
	var token, deadline *int64
	var notified int
	err = rows.Scan(&number, &id, &jobType, &queue, &priority, &token, &attempt, &deadline, &run.Data, &run.Checkpoint, &notified, &owner, &last, &run.Traceparent)
	if last != nil {
		reached = *last
	}
	if err != nil || id == nil {
		return number, reached, run, err
	}
	run.RunKey = work.RunKey{JobID: *id, Token: *token}
	run.JobType, run.Queue, run.Priority, run.Attempt, run.Owner = *jobType, *queue, *priority, *attempt, *owner
	run.Deadline = time.Duration(*deadline) * time.Millisecond
	return number, reached, run, nil
}

// Adopt makes the jobs of these types those of remote workers.
func (s RemoteStore) Adopt(ctx context.Context, types []string) error {
	return translate(s.q().RemoteAdopt(ctx, types), "adopt the jobs of remote types")
}
