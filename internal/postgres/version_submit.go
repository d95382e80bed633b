package postgres

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/postgres/db"
	"github.com/kappagraph/kappa/work"
)

// newVersion is a submission among the versions of its document.
type newVersion struct {
	going, staying int       // earlier versions that it replaces, and others
	submitted      time.Time // later than those of its document before it
}

// beginVersion says when a document is submitted, and what stands of it: another submission of
// a version of it waits for the end of the transaction.
func beginVersion(ctx context.Context, q *db.Queries, sub work.Submission) (v newVersion, err error) {
	if sub.Known() {
		if err := q.IdentityLock(ctx, sub.Ontology, or(sub.Key, ""), or(sub.SourcePath, "")); err != nil {
			return v, err
		}
	}
	if v.submitted, err = q.SubmissionMoment(ctx); err != nil || !sub.Known() || sub.Apart {
		return v, err
	}
	found, err := q.EarlierVersions(ctx, db.EarlierVersionsParams{
		Owner: new(int32(sub.UserID)), Ontology: sub.Ontology, DocumentID: sub.ContentHash, DocumentKey: sub.Key,
		SourceType: sub.SourceType, SourcePath: sub.SourcePath, SourceHostname: sub.SourceHostname,
	})
	if err != nil {
		return v, err
	}
	if !v.submitted.After(found.LastSubmitted) { // by a clock that was ahead of this one
		v.submitted = found.LastSubmitted.Add(time.Microsecond)
	}
	switch sub.Replace {
	case corpus.ReplaceNone:
	case corpus.ReplaceOwn:
		v.going = int(found.Own)
	case corpus.ReplaceAll:
		v.going = int(found.Versions)
	}
	v.staying = int(found.Versions) - v.going
	return v, nil
}

// again reports whether a document that stands is ingested again all the same: there are
// others that it replaces, or will be.
func (v newVersion) again(ctx context.Context, q *db.Queries, sub work.Submission) (bool, error) {
	if v.going > 0 || sub.Replace == corpus.ReplaceNone || !sub.Known() {
		return v.going > 0, nil
	}
	_, err := q.VersionUnderWay(ctx, db.VersionUnderWayParams{
		Ontology: sub.Ontology, ContentHash: sub.ContentHash, DocumentKey: sub.Key,
		SourceType: sub.SourceType, SourcePath: sub.SourcePath, SourceHostname: sub.SourceHostname,
	})
	if isNoRows(err) {
		return false, nil
	}
	return err == nil, err
}

// submittedAgain has the job that is to ingest the same document count as submitted now: other
// versions may have been submitted since it was.
func (v newVersion) submittedAgain(ctx context.Context, q *db.Queries, sub work.Submission, jobID string) error {
	if sub.Replace == corpus.ReplaceNone || !sub.Known() {
		return nil
	}
	return q.SubmittedAgain(ctx, db.SubmittedAgainParams{
		SubmittedAt: v.submitted, JobID: jobID, DocumentKey: sub.Key,
		SourceType: sub.SourceType, SourcePath: sub.SourcePath, SourceHostname: sub.SourceHostname,
	})
}

// told returns the data of the job that ingests the version, which says when it was submitted.
func (v newVersion) told(data json.RawMessage) (json.RawMessage, error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(data, &members); err != nil {
		return nil, fmt.Errorf("decode the data of a job: %w", err)
	}
	moment, err := json.Marshal(v.submitted.UTC())
	if err != nil {
		return nil, fmt.Errorf("encode a moment: %w", err)
	}
	members["submitted_at"] = moment
	return json.Marshal(members)
}
