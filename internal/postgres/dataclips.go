package postgres

import (
	"context"
	"fmt"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/artifacts"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/postgres/db"
)

// DataclipStore keeps the dataclips that are uploaded for runs.
type DataclipStore struct{ *base }

// Dataclips returns the store of uploaded dataclips.
func (d *DB) Dataclips() DataclipStore { return DataclipStore{&d.base} }

// UploadDataclip stores a clip of an account. It returns CodeTooLarge when the clips of the
// account would have more than quota bytes.
func (s DataclipStore) UploadDataclip(ctx context.Context, userID int, body []byte, quota int64) (artifacts.Dataclip, error) {
	clip := artifacts.Dataclip{ID: artifacts.NewDataclipID(), Bytes: len(body)}
	err := inTx(ctx, s.jobs, func(q *db.Queries) error {
		if err := q.DataclipAccountLock(ctx, int32(userID)); err != nil {
			return err
		}
		at, err := q.DataclipInsert(ctx, db.DataclipInsertParams{DataclipID: clip.ID, UserID: int32(userID), Body: body, Quota: quota})
		clip.CreatedAt = kappa.At(at)
		return err
	})
	if isNoRows(err) {
		return artifacts.Dataclip{}, kappa.NewError(kappa.CodeTooLarge, fmt.Sprintf(
			"Your dataclips would have more than %s: delete some that are not needed (DELETE /dataclips/{id}), or the jobs that refer to them", corpus.HumanSize(int(quota))))
	}
	return clip, translate(err, "store a dataclip")
}

// Dataclips lists the clips of an account, newest first, and counts all of them.
func (s DataclipStore) Dataclips(ctx context.Context, userID, limit, offset int) (artifacts.DataclipList, error) {
	rows, err := s.q().DataclipList(ctx, int32(userID), int32(offset), int32(limit))
	if err != nil {
		return artifacts.DataclipList{}, translate(err, "list dataclips")
	}
	list := artifacts.DataclipList{Dataclips: make([]artifacts.Dataclip, len(rows))}
	for i, r := range rows {
		list.Dataclips[i] = artifacts.Dataclip{ID: r.DataclipID, Bytes: int(r.Bytes), Jobs: int(r.Jobs), CreatedAt: kappa.At(r.CreatedAt)}
	}
	totals, err := s.q().DataclipTotals(ctx, int32(userID))
	list.Total, list.TotalBytes = int(totals.Clips), totals.Bytes
	return list, translate(err, "count dataclips")
}

// DeleteDataclip deletes a clip of an account. It returns CodeNotFound for one that it does
// not have, and CodeConflict for one that a job refers to.
func (s DataclipStore) DeleteDataclip(ctx context.Context, userID int, id string) error {
	deleted, err := s.q().DataclipDelete(ctx, id, int32(userID))
	switch {
	case isNoRows(err):
		return notFound("Dataclip not found: %s", id)
	case err == nil && !deleted:
		return conflict("Dataclip %s belongs to a job, and goes with it", id)
	}
	return translate(err, "delete a dataclip")
}

// PurgeDataclips deletes the clips whose jobs are gone, and those that no job has referred
// to for artifacts.DataclipUnusedKept.
func (s DataclipStore) PurgeDataclips(ctx context.Context) error {
	return translate(inTx(ctx, s.jobs, func(q *db.Queries) error { return releaseDataclips(ctx, q, nil) }), "purge dataclips")
}

// UploadedDataclip returns a dataclip that the data of a job refers to. It returns
// CodeNotFound when there is no such thing.
func (s RemoteStore) UploadedDataclip(ctx context.Context, jobID, id string) ([]byte, error) {
	body, err := s.q().DataclipOfJob(ctx, jobID, id)
	if isNoRows(err) {
		return nil, notFound("Dataclip not found: %s", id)
	}
	return body, translate(err, "read a dataclip of "+jobID)
}

// releaseDataclips deletes the clips of deleted jobs, of those that are given or of all, in
// the transaction of q.
func releaseDataclips(ctx context.Context, q *db.Queries, jobIDs []string) error {
	if err := q.DataclipsRelease(ctx, orEmpty(jobIDs)); err != nil {
		return err
	}
	return q.DataclipsPurge(ctx, artifacts.DataclipUnusedKept)
}

// useDataclips has a new job refer to clips of its submitter. It returns a CodeInvalid Error
// when one is not there.
func useDataclips(ctx context.Context, q *db.Queries, jobID string, userID int32, ids []string) error {
	if len(ids) == 0 {
		return nil
	}
	n, err := q.DataclipsUse(ctx, jobID, ids, userID)
	if err == nil && int(n) < len(ids) {
		return kappa.Invalid(kappa.FieldError{In: "body", Name: "data.dataclips", Rule: "must be objects, or ids of dataclips that you have uploaded with POST /dataclips"})
	}
	return err
}
