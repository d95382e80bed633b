package postgres

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/postgres/db"
)

// defaultHoldOff is one lease: after a restart of the database nobody is taken
// for dead who could not renew meanwhile.
const defaultHoldOff = 15 * time.Second

// Claim takes up to most jobs for the free slots of a lane: of the lane's types
// only those that were asked for. The lane's row is locked first and the slots
// are counted from rows, so max_slots holds over all processes. It returns after
// the commit; a disabled or unknown lane gives none.
func (s *Store) Claim(ctx context.Context, r kappa.ClaimRequest) (kappa.ClaimBatch, error) {
	var rows []db.JobClaimRow
	floor := r.TokenFloor
	err := inTx(ctx, s.jobs, func(q *db.Queries) error {
		lane, err := q.LaneLock(ctx, r.Lane)
		if isNoRows(err) {
			return nil
		}
		if err != nil {
			return err
		}
		room, err := q.LaneRoom(ctx, r.Lane, r.TokenFloor)
		if err != nil {
			return err
		}
		floor = max(floor, room.OldestToken)
		types := slices.DeleteFunc(lane.JobTypes, func(t string) bool { return !slices.Contains(r.Types, t) })
		free := min(int(lane.MaxSlots-room.Running), r.Most)
		if len(types) == 0 || free <= 0 {
			return nil
		}
		if rows, err = q.JobClaim(ctx, claimParams(r, types, free)); err != nil {
			return err
		}
		floor = nextFloor(floor, int(room.Running), rows)
		return nil
	})
	if err != nil {
		return kappa.ClaimBatch{TokenFloor: r.TokenFloor}, translate(err, "claim jobs for lane "+r.Lane)
	}
	return kappa.ClaimBatch{Claims: s.toClaims(rows, r), TokenFloor: floor}, nil
}

// nextFloor returns the token floor after a claim: the lowest token that was just
// issued, when nothing else runs. Tokens that fall, because a sequence has lost
// its last numbers, void the floor.
func nextFloor(floor int64, running int, claimed []db.JobClaimRow) int64 {
	if len(claimed) == 0 {
		return floor
	}
	lowest := *slices.MinFunc(claimed, func(a, b db.JobClaimRow) int { return cmp.Compare(*a.ClaimToken, *b.ClaimToken) }).ClaimToken
	switch {
	case lowest < floor:
		return 0
	case running == 0:
		return lowest
	}
	return floor
}

// toClaims returns claimed rows in the order of the claim, and tells of them.
func (s *Store) toClaims(rows []db.JobClaimRow, r kappa.ClaimRequest) []kappa.Claim {
	claims, ids := make([]kappa.Claim, len(rows)), make([]string, len(rows))
	for i, row := range rows {
		claims[i], ids[i] = toClaim(row, r.Lane, r.Worker), row.JobID
	}
	slices.SortFunc(claims, func(a, b kappa.Claim) int {
		return cmp.Or(b.Position.Priority-a.Position.Priority, a.Position.Compare(b.Position))
	})
	if len(ids) > 0 {
		s.committed(ids...)
	}
	return claims
}

func toClaim(r db.JobClaimRow, lane, worker string) kappa.Claim {
	c := kappa.Claim{
		JobID: r.JobID, JobType: r.JobType, Lane: lane, Token: *r.ClaimToken, Worker: worker, Attempt: int(r.Attempt),
		EventSeq: r.EventSeq, UserID: int(r.UserID), Data: r.Data, Checkpoint: r.Checkpoint,
		Document: kappa.JobDocument{
			ContentHash: r.ContentHash, Ontology: r.Ontology, ProcessingMode: r.ProcessingMode, Filename: r.Filename,
			SourceType: r.SourceType, SourcePath: r.SourcePath, SourceHostname: r.SourceHostname,
		},
		Position:   kappa.ClaimPosition{JobType: r.JobType, Priority: int(r.Priority), CreatedAt: r.CreatedAt, JobID: r.JobID},
		MaxRetries: int(r.MaxRetries), Retries: int(r.Retries), ApprovedAt: *r.ApprovedAt, ClaimedAt: *r.ClaimedAt,
	}
	_ = json.Unmarshal(r.Progress, &c.Progress) // only a picture for the watcher; the next report replaces it
	return c
}

// Checkpoint stores a handler's state and progress under its claim. It returns
// ErrStale when the claim is not current, and ErrCancelled, having stored, when
// the job was asked to stop.
func (s *Store) Checkpoint(ctx context.Context, c kappa.Claim, p kappa.Checkpoint) error {
	cancelled, err := checkpoint(ctx, s.q(), c, p)
	if err != nil {
		return translate(err, "store a checkpoint of "+c.JobID)
	}
	if p.Emit {
		s.committed(c.JobID)
	}
	if cancelled {
		return kappa.ErrCancelled
	}
	return nil
}

// checkpoint is Checkpoint within the caller's transaction.
func checkpoint(ctx context.Context, q *db.Queries, c kappa.Claim, p kappa.Checkpoint) (cancelled bool, err error) {
	progress, err := json.Marshal(p.Progress)
	if err != nil {
		return false, err
	}
	params := db.JobCheckpointParams{JobID: c.JobID, ClaimToken: c.Token, Worker: c.Worker, State: p.State, Progress: progress}
	if p.Emit {
		params.Emit = 1
	}
	row, err := q.JobCheckpoint(ctx, params)
	if isNoRows(err) {
		return false, kappa.ErrStale
	}
	return row.CancelRequested, err
}

// Finish ends attempts of one worker, many in one statement. It returns the
// status in which each job really is now, by job id; an outcome whose claim is
// not current any more changes nothing and is left out.
func (s *Store) Finish(ctx context.Context, worker string, outcomes []kappa.Outcome) (map[string]kappa.Status, error) {
	p := db.JobFinishParams{Worker: worker}
	for _, o := range outcomes {
		p.JobIds = append(p.JobIds, o.Claim.JobID)
		p.Tokens = append(p.Tokens, o.Claim.Token)
		p.Statuses = append(p.Statuses, string(o.Status))
		p.Results = append(p.Results, string(o.Result))
		p.Errors = append(p.Errors, o.Error)
		p.DelaysMs = append(p.DelaysMs, o.RunAt.Milliseconds())
		retries := int32(0)
		if o.CountRetry {
			retries = 1
		}
		p.Retries = append(p.Retries, retries)
	}
	rows, err := s.q().JobFinish(ctx, p)
	if err != nil {
		return nil, translate(err, "finish jobs")
	}
	return s.changed(len(rows), func(i int) (string, string) { return rows[i].JobID, rows[i].Status }), nil
}

// Rescue takes back the jobs of workers whose lease has ended, under the
// leader's term, and returns their new statuses by job id.
func (s *Store) Rescue(ctx context.Context, term int64, most int) (map[string]kappa.Status, error) {
	rows, err := s.rescue(ctx, s.q(), term, most)
	if err != nil {
		return nil, translate(err, "rescue jobs")
	}
	return s.changed(len(rows), func(i int) (string, string) { return rows[i].JobID, rows[i].Status }), nil
}

// rescue is Rescue on the caller's connection.
func (s *Store) rescue(ctx context.Context, q *db.Queries, term int64, most int) ([]db.JobRescueRow, error) {
	if err := q.WorkerReap(ctx, s.holdOff); err != nil {
		return nil, err
	}
	return q.JobRescue(ctx, db.JobRescueParams{
		Term: term, CrashWindow: kappa.CrashWindow, Quarantine: kappa.QuarantineCrashes, MaxJobs: int32(most),
		HoldOff: s.holdOff,
	})
}

// RecoverStale takes back jobs that report no progress within their lane's
// stale timeout, under the leader's term, and returns their new statuses.
func (s *Store) RecoverStale(ctx context.Context, term int64, most int) (map[string]kappa.Status, error) {
	rows, err := s.q().JobStale(ctx, term, int32(most))
	if err != nil {
		return nil, translate(err, "recover stale jobs")
	}
	return s.changed(len(rows), func(i int) (string, string) { return rows[i].JobID, rows[i].Status }), nil
}

// changed tells the watchers and collects the statuses of n changed jobs.
func (s *Store) changed(n int, row func(i int) (id, status string)) map[string]kappa.Status {
	statuses := make(map[string]kappa.Status, n)
	ids := make([]string, n)
	for i := range n {
		id, status := row(i)
		ids[i], statuses[id] = id, kappa.Status(status)
	}
	if n > 0 {
		s.committed(ids...)
	}
	return statuses
}
