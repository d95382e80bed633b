package ingest

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/work"
)

// fakeAnalyses holds pending jobs in the order in which they were submitted.
type fakeAnalyses struct {
	mu       sync.Mutex
	pending  []work.PendingJob
	contents map[string]func() ([]byte, error)
	analysed map[string]corpus.Analysis
	approved map[string]bool
	failed   map[string]string
	claims   map[string]fakeClaim
	used     map[int]time.Duration
	begun    map[string]time.Time // when the document was read first
	rounds   int
	storeErr error // of Analyzed
}

// fakeClaim is what is known of a document that has been claimed.
type fakeClaim struct {
	server string
	until  time.Time
	late   time.Time
	tries  int
}

func newFakeAnalyses(bodies ...string) *fakeAnalyses {
	f := &fakeAnalyses{
		contents: map[string]func() ([]byte, error){}, analysed: map[string]corpus.Analysis{},
		approved: map[string]bool{}, failed: map[string]string{},
		claims: map[string]fakeClaim{}, used: map[int]time.Duration{}, begun: map[string]time.Time{},
	}
	for _, body := range bodies {
		f.submit(body, func() ([]byte, error) { return []byte(body), nil })
	}
	return f
}

// submit adds a pending job whose document content returns; its id is name.
func (f *fakeAnalyses) submit(name string, content func() ([]byte, error)) {
	f.submitAs(1, name, content)
}

func (f *fakeAnalyses) submitAs(owner int, name string, content func() ([]byte, error)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	o, _, _ := corpus.ChunkRequest{}.Options()
	f.contents[name] = content
	f.pending = append(f.pending, work.PendingJob{JobID: name, ContentHash: name, Filename: name + ".txt", Owner: owner, Data: encoded(jobData{Chunking: o})})
}

func encoded(d jobData) json.RawMessage {
	text, _ := json.Marshal(d)
	return text
}

// ClaimAnalyses claims one document of each owner, in the order of the store.
func (f *fakeAnalyses) ClaimAnalyses(_ context.Context, r work.AnalysisRequest) (jobs []work.PendingJob, more bool, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.rounds++
	var free []work.PendingJob
	for _, j := range f.pending {
		c := f.claims[j.JobID]
		if !c.late.IsZero() || time.Now().Before(c.until) || slices.Contains(r.Without, j.Owner) {
			continue
		}
		if slices.ContainsFunc(free, func(o work.PendingJob) bool { return o.Owner == j.Owner }) {
			more = true
			continue
		}
		j.Used, j.Tries = f.used[j.Owner], c.tries
		free = append(free, j)
	}
	slices.SortStableFunc(free, func(a, b work.PendingJob) int { return cmp.Compare(a.Used, b.Used) })
	more = more || len(free) > r.Most
	free = free[:min(len(free), r.Most)]
	for _, j := range free {
		f.claims[j.JobID] = fakeClaim{server: r.Server, until: time.Now().Add(r.Lease), tries: j.Tries}
	}
	return free, more, nil
}

func (f *fakeAnalyses) ClaimLateAnalysis(_ context.Context, r work.LateRequest) ([]work.PendingJob, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, j := range f.pending {
		if c := f.claims[j.JobID]; !c.late.IsZero() && !time.Now().Before(c.until) && time.Since(c.late) >= r.Since {
			c.server, c.until = r.Server, time.Now().Add(r.Lease)
			f.claims[j.JobID] = c
			j.Late, j.Used = true, f.used[j.Owner]
			return []work.PendingJob{j}, nil
		}
	}
	return nil, nil
}

// change changes the claims of a server.
func (f *fakeAnalyses) change(server string, jobIDs []string, change func(c *fakeClaim)) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, id := range jobIDs {
		if c := f.claims[id]; c.server == server {
			change(&c)
			f.claims[id] = c
		}
	}
	return nil
}

func (f *fakeAnalyses) ExtendAnalyses(_ context.Context, server string, jobIDs []string, lease time.Duration) error {
	return f.change(server, jobIDs, func(c *fakeClaim) { c.until = time.Now().Add(lease) })
}

func (f *fakeAnalyses) ReleaseAnalyses(_ context.Context, server string, jobIDs []string) error {
	return f.change(server, jobIDs, func(c *fakeClaim) { c.until = time.Time{} })
}

func (f *fakeAnalyses) RetryAnalysis(_ context.Context, c work.AnalysisClaim, tries int, pause time.Duration) error {
	return f.change(c.Server, []string{c.JobID}, func(c *fakeClaim) { c.tries, c.until = tries, time.Now().Add(pause) })
}

func (f *fakeAnalyses) AnalysisLate(_ context.Context, c work.AnalysisClaim) error {
	return f.change(c.Server, []string{c.JobID}, func(c *fakeClaim) { c.late, c.until = time.Now(), time.Now() })
}

func (f *fakeAnalyses) AnalysisUsed(_ context.Context, uses []work.AnalysisUse) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, u := range uses {
		f.used[u.Owner] += u.Took
	}
	return nil
}

func (f *fakeAnalyses) SweepAnalyses(context.Context) error { return nil }

func (f *fakeAnalyses) Content(_ context.Context, hash string) ([]byte, error) {
	f.mu.Lock()
	content := f.contents[hash]
	if f.begun[hash].IsZero() {
		f.begun[hash] = time.Now()
	}
	f.mu.Unlock()
	return content()
}

func (f *fakeAnalyses) Analyzed(_ context.Context, c work.AnalysisClaim, a corpus.Analysis, autoApprove bool) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.storeErr != nil {
		return f.storeErr
	}
	f.analysed[c.JobID], f.approved[c.JobID] = a, autoApprove
	f.remove(c.JobID)
	return nil
}

func (f *fakeAnalyses) AnalysisFailed(_ context.Context, c work.AnalysisClaim, reason string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.failed[c.JobID] = reason
	f.remove(c.JobID)
	return nil
}

func (f *fakeAnalyses) remove(jobID string) {
	f.pending = slices.DeleteFunc(f.pending, func(j work.PendingJob) bool { return j.JobID == jobID })
}

// testModels are those of a test Analyst.
var testModels = AnalystModels{
	Counter: wordCounter{}, Reader: models.Model{Name: "reader", PricePerMillion: 6.25}, Embedder: models.Model{Name: "embedder", PricePerMillion: 0.02},
}

// noBand knows of no earlier jobs.
type noBand struct{}

func (noBand) Band(context.Context, string) (corpus.ErrorBand, error) { return corpus.ErrorBand{}, nil }

func newTestAnalyst(t *testing.T, store analysisStore) *Analyst {
	return NewAnalyst(AnalystConfig{
		Store: store, Formats: fakeFormats{}, Log: testLog(t),
		Band: noBand{}, Now: time.Now, Models: func() AnalystModels { return testModels },
	})
}

// runOnce analyses all that can be analysed at once.
func (a *Analyst) runOnce(ctx context.Context) error {
	var runs sync.WaitGroup
	for a.poll(); ; {
		if _, err := a.round(ctx, &runs); err != nil {
			return err
		}
		if len(a.running) == 0 {
			return context.Cause(ctx)
		}
		a.done(ctx, <-a.ended)
	}
}

// wordCounter takes each word for a token.
type wordCounter struct{}

func (wordCounter) CountTokens(text string) int { return len(strings.Fields(text)) }
func (wordCounter) PromptTokens([]string) int   { return 10 }

func TestAnalysis(t *testing.T) {
	body := strings.Repeat("Water boils at last. ", 600) // 2400 words
	store := newFakeAnalyses(body)
	store.pending[0].Data = encoded(jobData{AutoApprove: true, OverlapReduced: true})
	if err := newTestAnalyst(t, store).runOnce(t.Context()); err != nil {
		t.Fatal(err)
	}
	got := store.analysed[body]
	if f := got.FileStats; f.WordCount != 2400 || f.EstimatedChunks != 3 || f.Chunks != 3 || f.ChunkCount() != 3 || f.SizeBytes != len(body) || f.SizeHuman != "12.3 KB" || f.Filename != body+".txt" {
		t.Errorf("file stats: %d words, %d chunks, %d bytes, %s", f.WordCount, f.EstimatedChunks, f.SizeBytes, f.SizeHuman)
	}
	if c := got.Cost.Extraction; c.Model != "reader" || c.TextTokens != 2800 || c.TokensLow != 2800+3*10+1120 || c.TokensHigh != 3396+4480 || c.CostHigh != 0.021 || c.Basis != "assumed" {
		t.Errorf("extraction: %+v", c)
	}
	if got.Config.TargetWords != 1000 || got.Config.CheckpointInterval != 1 || len(got.Warnings) != 1 || got.AnalyzedAt.IsZero() {
		t.Errorf("config %+v, warnings %q, at %v", got.Config, got.Warnings, got.AnalyzedAt)
	}
	if !store.approved[body] {
		t.Error("the submitter's approval was not passed on")
	}
}

func TestAnalystKeepsGoing(t *testing.T) {
	t.Run("all pending jobs, however many", func(t *testing.T) {
		store := newFakeAnalyses()
		for i := range 3*analysisBatch + 7 {
			store.submit(fmt.Sprint("job_", i), func() ([]byte, error) { return []byte("text"), nil })
		}
		if err := newTestAnalyst(t, store).runOnce(t.Context()); err != nil || len(store.pending) != 0 {
			t.Errorf("%d jobs are left: %v", len(store.pending), err)
		}
	})
	t.Run("a document that is gone or makes the analysis panic fails its job alone", func(t *testing.T) {
		store := newFakeAnalyses()
		store.submit("gone", func() ([]byte, error) { return nil, kappa.NewError(kappa.CodeNotFound, "Document not found: x") })
		store.submit("panics", func() ([]byte, error) { panic("secret") })
		store.submit("fine", func() ([]byte, error) { return []byte("text"), nil })
		if err := newTestAnalyst(t, store).runOnce(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := store.failed["gone"]; got != "Analysis failed: Document not found: x" {
			t.Errorf("reason: %q", got)
		}
		if got := store.failed["panics"]; !strings.HasPrefix(got, "Analysis failed: ") || strings.Contains(got, "secret") {
			t.Errorf("reason: %q", got)
		}
		if _, ok := store.analysed["fine"]; !ok {
			t.Error("the job behind them was not analysed")
		}
	})
	t.Run("jobs that back off do not keep others waiting", func(t *testing.T) {
		store := newFakeAnalyses()
		broken := func() ([]byte, error) { return nil, errors.New("disk error") }
		for i := range 2 * analysisBatch {
			store.submit(fmt.Sprint("broken", i), broken)
		}
		store.submit("fine", func() ([]byte, error) { return []byte("text"), nil })
		analyst := newTestAnalyst(t, store)
		for range 3 {
			if err := analyst.runOnce(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if _, ok := store.analysed["fine"]; !ok {
			t.Error("the job behind them was not analysed")
		}
		if len(store.failed) != 0 {
			t.Errorf("%d jobs failed at once", len(store.failed))
		}
	})
	t.Run("a job that was cancelled meanwhile is nobody's concern", func(t *testing.T) {
		store := newFakeAnalyses("text")
		store.storeErr = kappa.NewError(kappa.CodeConflict, "not pending")
		analyst := newTestAnalyst(t, store)
		if err := analyst.runOnce(t.Context()); err != nil || store.claims["text"].tries != 0 || len(store.failed) != 0 {
			t.Errorf("%v, claims %v, failed %v", err, store.claims, store.failed)
		}
	})
	t.Run("a context that ends fails none, and gives back what is claimed", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			store := newFakeAnalyses()
			store.submitAs(1, "first", func() ([]byte, error) { cancel(kappa.ErrShutdown); return nil, context.Canceled })
			store.submitAs(2, "second", func() ([]byte, error) { <-ctx.Done(); return nil, errors.New("connection closed") })
			store.submitAs(3, "third", func() ([]byte, error) { t.Error("went on"); return nil, nil })
			store.claims["first"] = fakeClaim{tries: analysisTries - 1} // the next failure would be the last
			if err := newTestAnalyst(t, store).Run(ctx); err != nil || len(store.failed) != 0 || len(store.pending) != 3 {
				t.Errorf("%v, failed %v", err, store.failed)
			}
			for id, c := range store.claims {
				if time.Now().Before(c.until) {
					t.Errorf("%s is still claimed: %+v", id, c)
				}
			}
		})
	})
}

func TestAnalystTries(t *testing.T) {
	run := func(t *testing.T, err error) (tried int, lasted time.Duration, store *fakeAnalyses) {
		store = newFakeAnalyses()
		synctest.Test(t, func(t *testing.T) {
			start := time.Now()
			store.submit("broken", func() ([]byte, error) {
				tried, lasted = tried+1, time.Since(start)
				return nil, err
			})
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
			defer cancel()
			if err := newTestAnalyst(t, store).Run(ctx); err != nil {
				t.Error(err)
			}
		})
		return tried, lasted, store
	}
	t.Run("an error that might pass fails the job in the end", func(t *testing.T) {
		tried, lasted, store := run(t, errors.New("disk error at /dev/sda"))
		if tried != analysisTries || lasted < time.Minute {
			t.Errorf("%d tries in %v", tried, lasted)
		}
		if got := store.failed["broken"]; got != "Analysis failed: the document could not be read; submit it again" {
			t.Errorf("reason %q", got)
		}
	})
	t.Run("a database that is down fails nobody", func(t *testing.T) {
		tried, _, store := run(t, kappa.NewError(kappa.CodeUnavailable, "the database is busy"))
		if tried < 100 || len(store.failed) != 0 {
			t.Errorf("%d tries, failed %v", tried, store.failed)
		}
	})
}

func TestAnalystRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newFakeAnalyses()
		analyst := newTestAnalyst(t, store)
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- analyst.Run(ctx) }()
		synctest.Wait()

		store.submit("woken", func() ([]byte, error) { return []byte("text"), nil })
		for range 10 { // none blocks
			analyst.Wake()
		}
		synctest.Wait()
		if _, ok := store.analysed["woken"]; !ok {
			t.Error("a wake-up was not heard")
		}
		if store.rounds > 4 {
			t.Errorf("ten wake-ups made %d rounds", store.rounds)
		}

		store.submit("polled", func() ([]byte, error) { return []byte("text"), nil })
		time.Sleep(analysisPoll + time.Millisecond)
		synctest.Wait()
		if _, ok := store.analysed["polled"]; !ok {
			t.Error("a job without a wake-up was not found")
		}
		cancel()
		if err := <-done; err != nil {
			t.Errorf("Run returned %v", err)
		}
	})
}
