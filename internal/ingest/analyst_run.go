package ingest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/work"
)

// Why the analysis of a document is stopped.
var (
	errLimit    = errors.New("the document was analysed for as long as it may be")
	errMakeRoom = errors.New("the document of another owner waits")
)

// analysisRun is an analysis that runs.
type analysisRun struct {
	job    work.PendingJob
	claim  work.AnalysisClaim
	began  time.Time
	limit  time.Duration
	cancel context.CancelCauseFunc

	stopped atomic.Bool
	late    bool // it missed its first limit; set when it has ended
}

// over reports that the analysis has been stopped, though it may not have ended.
func (r *analysisRun) over() bool { return r.stopped.Load() || time.Since(r.began) > r.limit }

func (r *analysisRun) stop() {
	r.stopped.Store(true)
	r.cancel(errMakeRoom)
}

// limitOf returns how long the document of a job may be analysed.
func (*Analyst) limitOf(job work.PendingJob) time.Duration {
	if job.Late {
		return analysisLonger
	}
	return analysisLimit
}

// begin analyses a document that is claimed.
func (a *Analyst) begin(ctx context.Context, job work.PendingJob, runs *sync.WaitGroup) {
	r := &analysisRun{
		job: job, claim: work.AnalysisClaim{JobID: job.JobID, Server: a.cfg.Server},
		began: time.Now(), limit: a.limitOf(job),
	}
	runCtx, cancel := context.WithCancelCause(ctx)
	r.cancel = cancel
	a.running[job.JobID] = r
	runs.Go(func() {
		defer cancel(nil)
		if err := a.work(runCtx, r); err != nil && ctx.Err() == nil {
			a.cfg.Log.WarnContext(ctx, "what came of an analysis could not be stored; it is made again", "job", job.JobID, "err", err)
		}
		a.ended <- r
	})
}

// done takes note of an analysis that has ended.
func (a *Analyst) done(ctx context.Context, r *analysisRun) {
	delete(a.running, r.job.JobID)
	a.uses.add(r.job.Owner, time.Since(r.began))
	if !r.late {
		return
	}
	a.asking.late = true
	// What else is claimed of its owner may be like it: all servers choose anew.
	var given []string
	a.ready = slices.DeleteFunc(a.ready, func(job work.PendingJob) bool {
		if job.Owner != r.job.Owner {
			return false
		}
		given = append(given, job.JobID)
		return true
	})
	if len(given) > 0 {
		a.asking.more = true
		a.warn(ctx, a.cfg.Store.ReleaseAnalyses(ctx, a.cfg.Server, given))
	}
}

// work analyses one document and stores the analysis, or its failure. It returns an error
// when what came of it could not be stored: then the claim ends by itself.
func (a *Analyst) work(ctx context.Context, r *analysisRun) error {
	data := pendingData(r.job)
	analysis, err := a.analyse(ctx, r.job, data)
	r.stopped.Store(r.stopped.Load() && err != nil)
	stored := context.WithoutCancel(ctx) // of one that was stopped for others
	if err == nil {
		return ignoreGone(a.cfg.Store.Analyzed(stored, r.claim, analysis, data.AutoApprove))
	}
	switch cause := context.Cause(ctx); {
	case errors.Is(err, errLimit) || errors.Is(cause, errMakeRoom):
		return a.tookLong(stored, r, err)
	case ctx.Err() != nil:
		return nil //nolint:nilerr // the server stops, and gives the claim back
	}
	return a.failed(ctx, r, err)
}

// tookLong puts a document off that missed its first limit, and fails one that missed its
// second one.
func (a *Analyst) tookLong(ctx context.Context, r *analysisRun, err error) error {
	took := time.Since(r.began).Round(time.Millisecond)
	if r.job.Late {
		a.cfg.Log.WarnContext(ctx, "analysis failed", "job", r.job.JobID, "err", err)
		message := fmt.Sprintf("The document could not be read within %v. Split it, or extract the text first.", r.limit)
		return ignoreGone(a.cfg.Store.AnalysisFailed(ctx, r.claim, "Analysis failed: "+message))
	}
	a.cfg.Log.InfoContext(ctx, "a document takes long to analyse; it goes on behind all others", "job", r.job.JobID, "took", took, "err", err)
	r.late = true
	return a.cfg.Store.AnalysisLate(ctx, r.claim) //nolint:wrapcheck // it says what failed
}

// failed fails a job, or tries again later when that may help.
func (a *Analyst) failed(ctx context.Context, r *analysisRun, err error) error {
	tries := r.job.Tries
	unavailable := kappa.ErrorCode(err) == kappa.CodeUnavailable // an outage is not the job's fault
	if !unavailable {
		tries++
	}
	if kappa.Retryable(err) && (unavailable || tries < analysisTries) {
		a.cfg.Log.WarnContext(ctx, "analysis failed; it is retried", "job", r.job.JobID, "try", tries, "err", err)
		return a.cfg.Store.RetryAnalysis(ctx, r.claim, tries, kappa.Backoff(tries, rand.Float64())) //nolint:wrapcheck // it says what failed
	}
	a.cfg.Log.ErrorContext(ctx, "analysis failed", "job", r.job.JobID, "err", err)
	return ignoreGone(a.cfg.Store.AnalysisFailed(ctx, r.claim, "Analysis failed: "+reason(err)))
}

// ignoreGone drops the error of a job that is pending no more.
func ignoreGone(err error) error {
	if gone(err) {
		return nil
	}
	return err
}
