package postgres

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/postgres/db"
	"github.com/kappagraph/kappa/work"
)

// ClaimAnalyses claims documents for their first analysis: those of the owners first whose
// documents have been analysed for the shortest time of late. more says that there are others
// than those that were claimed.
func (s IngestionStore) ClaimAnalyses(ctx context.Context, r work.AnalysisRequest) (jobs []work.PendingJob, more bool, err error) {
	rows, err := s.q().AnalysisClaim(ctx, db.AnalysisClaimParams{Without: int32s(r.Without), Most: int32(r.Most), Server: r.Server, Lease: r.Lease})
	if err != nil {
		return nil, false, translate(err, "claim analyses")
	}
	jobs = make([]work.PendingJob, len(rows))
	for i, r := range rows {
		jobs[i], more = pendingJob(r), r.More
	}
	return jobs, more, nil
}

// ClaimLateAnalysis claims a document that missed its first limit; none is no error.
func (s IngestionStore) ClaimLateAnalysis(ctx context.Context, r work.LateRequest) ([]work.PendingJob, error) {
	rows, err := s.q().AnalysisClaimLate(ctx, r.Since, r.Server, r.Lease)
	if err != nil {
		return nil, translate(err, "claim a late analysis")
	}
	jobs := make([]work.PendingJob, len(rows))
	for i, r := range rows {
		jobs[i] = pendingJob(db.AnalysisClaimRow{JobID: r.JobID, Filename: r.Filename, Data: r.Data, ContentHash: r.ContentHash, UserID: r.UserID, Seconds: r.Seconds, Tries: r.Tries})
		jobs[i].Late = true
	}
	return jobs, nil
}

func pendingJob(r db.AnalysisClaimRow) work.PendingJob {
	return work.PendingJob{
		JobID: r.JobID, Filename: or(r.Filename, ""), ContentHash: or(r.ContentHash, ""), Data: r.Data,
		Owner: int(r.UserID), Used: time.Duration(r.Seconds * float64(time.Second)), Tries: int(r.Tries),
	}
}

func int32s(list []int) []int32 {
	out := make([]int32, len(list))
	for i, n := range list {
		out[i] = int32(n)
	}
	return out
}

// ExtendAnalyses renews the leases of claims.
func (s IngestionStore) ExtendAnalyses(ctx context.Context, server string, jobIDs []string, lease time.Duration) error {
	return translate(s.q().AnalysisExtend(ctx, lease, jobIDs, server), "renew the claims of analyses")
}

// ReleaseAnalyses gives claims back that nothing came of.
func (s IngestionStore) ReleaseAnalyses(ctx context.Context, server string, jobIDs []string) error {
	return translate(s.q().AnalysisRelease(ctx, jobIDs, server), "give analyses back")
}

// RetryAnalysis gives a claim back, to be claimed again after a pause, by when it has failed
// so many times.
func (s IngestionStore) RetryAnalysis(ctx context.Context, c work.AnalysisClaim, tries int, pause time.Duration) error {
	return translate(s.q().AnalysisRetry(ctx, db.AnalysisRetryParams{JobID: c.JobID, Server: c.Server, Tries: int32(tries), Pause: pause}), "retry the analysis of "+c.JobID)
}

// AnalysisLate gives a claim back of a document that missed its first limit.
func (s IngestionStore) AnalysisLate(ctx context.Context, c work.AnalysisClaim) error {
	return translate(s.q().AnalysisLate(ctx, c.JobID, c.Server), "put the analysis of "+c.JobID+" off")
}

// AnalysisUsed counts how long documents were analysed.
func (s IngestionStore) AnalysisUsed(ctx context.Context, uses []work.AnalysisUse) error {
	var owners []int32
	var seconds, documents []float64
	for _, u := range uses {
		owners, seconds, documents = append(owners, int32(u.Owner)), append(seconds, u.Took.Seconds()), append(documents, float64(max(u.Documents, 1)))
	}
	return translate(s.q().AnalysisUsed(ctx, owners, seconds, documents), "count how long documents were analysed")
}

// analysisUseKept is how long it is known how long the documents of an owner were analysed:
// hardly anything of it counts by then.
const analysisUseKept = time.Hour

// SweepAnalyses deletes what is known of analyses that nobody waits for.
func (s IngestionStore) SweepAnalyses(ctx context.Context) error {
	return translate(s.q().AnalysisSweep(ctx, analysisUseKept), "sweep the claims of analyses")
}

// serverOf returns the server of a claim; nil is none.
func serverOf(c work.AnalysisClaim) *string {
	if c.Server == "" {
		return nil
	}
	return &c.Server
}

// Analyzed stores the analysis of a pending job, which then waits for approval,
// or is approved at once and wakes its lanes. A job that is not pending any
// more, because it was cancelled or analysed elsewhere, is left alone, and so is one
// whose analysis another server has claimed.
func (s IngestionStore) Analyzed(ctx context.Context, c work.AnalysisClaim, a corpus.Analysis, autoApprove bool) error {
	if err := s.noteVersion(ctx, c.JobID, &a); err != nil {
		return err
	}
	raw, err := json.Marshal(a)
	if err != nil {
		return err
	}
	_, err = s.q().JobAnalyzed(ctx, db.JobAnalyzedParams{
		JobID: c.JobID, Server: serverOf(c), Analysis: raw, AutoApprove: autoApprove, ApprovalExpires: work.ApprovalExpires,
	})
	return s.analysisStored(c.JobID, err)
}

// noteVersion says in an analysis which version the document would be.
func (s IngestionStore) noteVersion(ctx context.Context, jobID string, a *corpus.Analysis) error {
	row, err := s.q().VersionExpected(ctx, jobID)
	if isNoRows(err) { // the first document of its ontology
		return nil
	}
	switch {
	case err != nil:
		return translate(err, "see which version the document of "+jobID+" is")
	case row.Namesake:
		a.Warnings = append(slices.Clip(a.Warnings), corpus.NamesakeWarning(row.OfFilename))
	case row.DocumentID != "":
		a.Version = corpus.NewVersionNote(row.OfFilename, int(row.Version), &corpus.VersionReplace{
			Version: int(row.Replaces), DocumentID: row.DocumentID, Filename: row.Filename, IngestedAt: kappa.At(row.CreatedAt),
		})
	case row.Known:
		a.Version = corpus.NewVersionNote(row.OfFilename, int(row.Version), nil)
	}
	return nil
}

// AnalysisFailed ends a pending job as failed, under the rules of Analyzed.
func (s IngestionStore) AnalysisFailed(ctx context.Context, c work.AnalysisClaim, reason string) error {
	_, err := s.q().JobAnalysisFailed(ctx, c.JobID, serverOf(c), reason)
	return s.analysisStored(c.JobID, err)
}

func (s IngestionStore) analysisStored(jobID string, err error) error {
	if isNoRows(err) {
		return nil
	}
	if err != nil {
		return translate(err, "store the analysis of "+jobID)
	}
	s.committed(jobID)
	return nil
}
