package postgres

import (
	"cmp"
	"context"
	_ "embed" // of the statement
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/kappagraph/kappa/work"
)

// ClaimStatement is the name of the statement of claims, which is not in queries/
// and has no method in db.
const ClaimStatement = "JobClaim"

//go:embed claim.sql
var claimSQL string

// Claim takes up to r.Most jobs for the free slots of a lane: of the lane's types
// only those that were asked for. The lane is locked first and the slots
// are counted from rows, so max_slots holds over all processes. It returns after
// the commit; a disabled or unknown lane gives none. All of it is one round trip
// to the database.
func (s ClaimStore) Claim(ctx context.Context, r work.ClaimRequest) (work.ClaimBatch, error) {
	rows, err := laneLocked(s.jobs, r.Lane).Query(ctx, claimSQL, claimArgs(r)...)
	if err != nil {
		return work.ClaimBatch{TokenFloor: r.TokenFloor}, translate(err, "claim jobs for lane "+r.Lane)
	}
	claims, oldest, err := readClaims(rows, r)
	if err != nil {
		return work.ClaimBatch{TokenFloor: r.TokenFloor}, translate(err, "claim jobs for lane "+r.Lane)
	}
	s.announceClaims(claims)
	return work.ClaimBatch{Claims: claims, TokenFloor: nextFloor(r.TokenFloor, claims, oldest)}, nil
}

// readClaims reads the rows of a claim to their end, and returns them in the
// order of the claim, and the lowest token of what ran before; 0 is none.
func readClaims(rows pgx.Rows, r work.ClaimRequest) (claims []work.Claim, oldest int64, err error) {
	defer rows.Close()
	var (
		row work.Claim
		all int
	)
	at := &row.Position
	columns := []any{
		&row.JobID, &row.JobType, &row.Token, &row.Attempt, &row.EventSeq, &row.UserID, &row.Data, &row.Checkpoint,
		&row.Retries, &row.MaxRetries, &row.RetriesAsked, &row.ApprovedAt, &row.ClaimedAt, &at.Priority, &at.CreatedAt, &row.RunAt, &row.Traceparent,
		&all, &oldest,
	}
	for rows.Next() {
		row = work.Claim{Lane: r.Lane, Worker: r.Worker}
		if err := rows.Scan(columns...); err != nil {
			return nil, 0, err
		}
		at.JobType, at.JobID, at.UserID = row.JobType, row.JobID, row.UserID
		if claims == nil {
			claims = make([]work.Claim, 0, all)
		}
		claims = append(claims, row)
	}
	slices.SortFunc(claims, func(a, b work.Claim) int {
		return cmp.Or(cmp.Compare(b.Position.Priority, a.Position.Priority), a.Position.Compare(b.Position))
	})
	return claims, oldest, rows.Err()
}

// nextFloor returns the token floor after a claim: the lowest token that runs,
// where oldest is the one before the claim, or 0. Tokens that fall, because a
// sequence has lost its last numbers, void the floor.
func nextFloor(floor int64, claimed []work.Claim, oldest int64) int64 {
	if len(claimed) == 0 {
		return floor
	}
	lowest := claimed[0].Token
	for i := range claimed {
		lowest = min(lowest, claimed[i].Token)
	}
	switch {
	case lowest < floor:
		return 0
	case oldest == 0: // nothing else runs
		return lowest
	}
	return min(max(floor, oldest), lowest)
}

// announceClaims notifies of claims.
func (s ClaimStore) announceClaims(claims []work.Claim) {
	if len(claims) == 0 {
		return
	}
	ids := make([]string, len(claims))
	for i := range claims {
		ids[i] = claims[i].JobID
	}
	s.committed(ids...)
}
