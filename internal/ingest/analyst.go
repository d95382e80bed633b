package ingest

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/work"
)

// The defaults of an Analyst.
const (
	analysisBatch   = 50 // documents that are claimed at once
	analysisWorkers = 2
	analysisLimit   = 5 * time.Second // of a document's first analysis
	analysisLonger  = time.Minute     // of its second one
	analysisPoll    = 5 * time.Second
	analysisLease   = 8 * time.Second
	// analysisTries is how often an analysis may fail for a reason that may pass
	// before its job fails: after about two minutes of backoff.
	analysisTries = 8
	// analysisPatience is how long a document is analysed at least while another owner's
	// waits, whose documents have been analysed for less time.
	analysisPatience = 500 * time.Millisecond
	// analysisLongest is how long a document waits at most behind everybody else's.
	analysisLongest = time.Minute
	// analysisPeek is the time between two looks for documents of other owners while all
	// workers are busy.
	analysisPeek = 100 * time.Millisecond
)

// analysisStore is what an Analyst needs of the store.
type analysisStore interface {
	analysisClaims
	Content(ctx context.Context, contentHash string) ([]byte, error)
	// Analyzed stores the analysis of a job that is still pending, which then
	// waits for approval or is approved; of any other job, and of one that another server
	// has claimed, it changes nothing.
	Analyzed(ctx context.Context, c work.AnalysisClaim, analysis corpus.Analysis, autoApprove bool) error
	// AnalysisFailed ends a job that is still pending as failed, and changes
	// nothing of any other.
	AnalysisFailed(ctx context.Context, c work.AnalysisClaim, reason string) error
}

// analysisClaims say which server analyses which document. Two servers have the same one
// only when the first of them has not renewed its lease.
type analysisClaims interface {
	// ClaimAnalyses claims documents for their first analysis, those of the owners first
	// whose documents have been analysed for the shortest time of late. more says that
	// there are others.
	ClaimAnalyses(ctx context.Context, r work.AnalysisRequest) (jobs []work.PendingJob, more bool, err error)
	// ClaimLateAnalysis claims one document, or none, that missed its first limit.
	ClaimLateAnalysis(ctx context.Context, r work.LateRequest) ([]work.PendingJob, error)
	ExtendAnalyses(ctx context.Context, server string, jobIDs []string, lease time.Duration) error
	ReleaseAnalyses(ctx context.Context, server string, jobIDs []string) error
	// RetryAnalysis gives a claim back of a document that has failed so many times.
	RetryAnalysis(ctx context.Context, c work.AnalysisClaim, tries int, pause time.Duration) error
	// AnalysisLate gives a claim back of a document that missed its first limit.
	AnalysisLate(ctx context.Context, c work.AnalysisClaim) error
	// AnalysisUsed counts how long documents were analysed, for the order of the next claims.
	AnalysisUsed(ctx context.Context, uses []work.AnalysisUse) error
	SweepAnalyses(ctx context.Context) error
}

// textReader reads the text of documents.
type textReader interface {
	// Text returns the same text for the same bytes, or says why the document
	// cannot be read.
	Text(ctx context.Context, body []byte, format corpus.ContentType) (corpus.DocumentText, error)
}

// preparedReader reads the text of documents within a limit, for which it gets ready before.
type preparedReader interface {
	textReader
	// Prepare gets ready for a document of a format, which is not its fault.
	Prepare(ctx context.Context, body []byte, format corpus.ContentType) error
}

// tokenCounter counts the tokens that a model is sent.
type tokenCounter interface {
	CountTokens(text string) int
	// PromptTokens returns how many are sent with each chunk besides its text.
	PromptTokens(types []string) int
}

// bandStore knows what earlier jobs of a model took.
type bandStore interface {
	Band(ctx context.Context, model string) (corpus.ErrorBand, error)
}

// AnalystConfig is what an Analyst works with.
type AnalystConfig struct {
	Server  string // a UUID, which no other process has
	Workers int    // documents analysed at once, 2 at least; 0 is 2

	Store   analysisStore
	Formats preparedReader
	Models  func() AnalystModels // returns what is used now
	Band    bandStore
	// Texts returns where it is kept what was read of the document of a job; nil keeps nothing.
	Texts func(jobID string) corpus.KeptParts
	Now   func() time.Time // what an analysis is dated with
	Log   *slog.Logger
}

// AnalystModels are the models for which a document is sized and priced.
type AnalystModels struct {
	Reader   models.Model // reads the chunks
	Counter  tokenCounter // of that model; nil for one that charges no tokens
	Preview  *Previewer   // nil shows no preview
	Embedder models.Model // embeds the concepts
}

// Analyst sizes and prices the documents of pending jobs. It calls no model and
// no network. The pending rows and the claims beside them are its only state: the next
// process analyses what a crashed one left, and analysing a job twice changes nothing.
//
// Nobody's documents keep those of others waiting. The owner comes first whose documents
// have been analysed for the shortest time of late, on all servers. A document that takes
// long is stopped, after its first limit or when somebody else waits, and analysed once
// more, up to its second limit, when no other one waits.
type Analyst struct {
	cfg    AnalystConfig
	wake   kappa.Waker
	memory *memory
	ended  chan *analysisRun

	// Only Run touches what follows.
	ready   []work.PendingJob // claimed, and not begun
	running map[string]*analysisRun
	uses    uses
	asking  asking
}

// asking is what Run knows of documents that it has not claimed.
type asking struct {
	more   bool      // there may be some
	others bool      // there may be some of owners of whom it has none
	peeked time.Time // when it last looked for those

	late     bool      // there are some that missed their first limit, as far as it knows
	lateIdle time.Time // when it asks for those next, when nothing else waits and it knows of none
	lateLong time.Time // when it asks for those next that have waited too long
}

// NewAnalyst returns an Analyst that does nothing until Run.
func NewAnalyst(cfg AnalystConfig) *Analyst {
	kappa.Require(cfg, "Texts")
	if cfg.Workers == 0 {
		cfg.Workers = analysisWorkers
	}
	return &Analyst{
		cfg: cfg, wake: kappa.NewWaker(), memory: processMemory(), ended: make(chan *analysisRun),
		running: map[string]*analysisRun{}, uses: newUses(),
	}
}

// Wake has Run poll for pending jobs at once. It never blocks.
func (a *Analyst) Wake() { a.wake.Wake() }

// Run analyses pending jobs, when woken and at every interval, until ctx ends. Then it gives
// back what it has not analysed. It returns nil.
func (a *Analyst) Run(ctx context.Context) error {
	var runs sync.WaitGroup
	interval := time.NewTicker(analysisPoll)
	defer interval.Stop()
	renewal := time.NewTicker(analysisLease / 4)
	defer renewal.Stop()
	sweep := time.NewTicker(time.Minute)
	defer sweep.Stop()
	again := time.NewTimer(0)
	defer again.Stop()
	for a.poll(); ; {
		next, err := a.round(ctx, &runs)
		if err != nil && ctx.Err() == nil {
			a.cfg.Log.WarnContext(ctx, "claiming analyses failed", "err", err)
		}
		again.Reset(next)
		select {
		case <-ctx.Done():
			a.stop(ctx, &runs)
			return nil
		case r := <-a.ended:
			a.done(ctx, r)
		case <-again.C:
		case <-a.wake.C():
			a.asking.more, a.asking.others = true, true
		case <-interval.C: // the guarantee
			a.poll()
		case <-renewal.C:
			a.renew(ctx)
		case <-sweep.C:
			a.warn(ctx, a.cfg.Store.SweepAnalyses(ctx))
		}
	}
}

func (a *Analyst) poll() { a.asking.more, a.asking.others = true, true }

// warn logs an error that mends itself.
func (a *Analyst) warn(ctx context.Context, err error) {
	if err != nil && ctx.Err() == nil {
		a.cfg.Log.WarnContext(ctx, "keeping the claims of analyses failed", "err", err)
	}
}

// stop waits for the analyses that run, whose context has ended, and gives the claims back.
func (a *Analyst) stop(ctx context.Context, runs *sync.WaitGroup) {
	held := a.held()
	go func() {
		runs.Wait()
		close(a.ended)
	}()
	for range a.ended { // each is given back below
	}
	if len(held) == 0 {
		return
	}
	const most = 2 * time.Second // after which the leases end by themselves
	limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), most)
	defer cancel()
	if err := a.cfg.Store.ReleaseAnalyses(limited, a.cfg.Server, held); err != nil {
		a.cfg.Log.WarnContext(ctx, "analyses could not be given back; their leases end by themselves", "err", err)
	}
}

// held returns the jobs that are claimed.
func (a *Analyst) held() []string {
	ids := make([]string, 0, len(a.ready)+len(a.running))
	for _, job := range a.ready {
		ids = append(ids, job.JobID)
	}
	for id := range a.running {
		ids = append(ids, id)
	}
	return ids
}

// renew renews the leases of the claims, and counts what is being used.
func (a *Analyst) renew(ctx context.Context) {
	held := a.held()
	if len(held) == 0 {
		return
	}
	if err := a.cfg.Store.ExtendAnalyses(ctx, a.cfg.Server, held, analysisLease); err != nil {
		a.warn(ctx, fmt.Errorf("renew the leases: %w", err))
	}
}
