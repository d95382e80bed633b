package ingest

import (
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
)

// fakeAnalyses holds pending jobs in the order in which they were submitted.
type fakeAnalyses struct {
	mu       sync.Mutex
	pending  []kappa.PendingJob
	contents map[string]func() ([]byte, error)
	analysed map[string]kappa.Analysis
	approved map[string]bool
	failed   map[string]string
	rounds   int
	storeErr error // of Analyzed
}

func newFakeAnalyses(bodies ...string) *fakeAnalyses {
	f := &fakeAnalyses{
		contents: map[string]func() ([]byte, error){}, analysed: map[string]kappa.Analysis{},
		approved: map[string]bool{}, failed: map[string]string{},
	}
	for _, body := range bodies {
		f.submit(body, func() ([]byte, error) { return []byte(body), nil })
	}
	return f
}

// submit adds a pending job whose document content returns; its id is name.
func (f *fakeAnalyses) submit(name string, content func() ([]byte, error)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	o, _, _ := kappa.ChunkRequest{}.Options()
	f.contents[name] = content
	f.pending = append(f.pending, kappa.PendingJob{JobID: name, ContentHash: name, Filename: name + ".txt", Data: encoded(jobData{Chunking: o})})
}

func encoded(d jobData) json.RawMessage {
	text, _ := json.Marshal(d)
	return text
}

func (f *fakeAnalyses) PendingJobs(_ context.Context, limit int) ([]kappa.PendingJob, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.rounds++
	return slices.Clone(f.pending[:min(limit, len(f.pending))]), nil
}

func (f *fakeAnalyses) Content(_ context.Context, hash string) ([]byte, error) {
	return f.contents[hash]()
}

func (f *fakeAnalyses) Analyzed(_ context.Context, jobID string, a kappa.Analysis, autoApprove bool) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.storeErr != nil {
		return f.storeErr
	}
	f.analysed[jobID], f.approved[jobID] = a, autoApprove
	f.remove(jobID)
	return nil
}

func (f *fakeAnalyses) AnalysisFailed(_ context.Context, jobID, reason string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.failed[jobID] = reason
	f.remove(jobID)
	return nil
}

func (f *fakeAnalyses) remove(jobID string) {
	f.pending = slices.DeleteFunc(f.pending, func(j kappa.PendingJob) bool { return j.JobID == jobID })
}

func newTestAnalyst(t *testing.T, store analysisStore) *Analyst {
	return NewAnalyst(AnalystConfig{
		Store: store, Formats: fakeFormats{}, Log: testLog(t),
		Counter: wordCounter{}, Reader: kappa.Model{Name: "reader", PricePerMillion: 6.25}, Embedder: kappa.Model{Name: "embedder", PricePerMillion: 0.02},
	})
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
		if err := analyst.runOnce(t.Context()); err != nil || len(analyst.tries) != 0 || len(store.failed) != 0 {
			t.Errorf("%v, tries %v, failed %v", err, analyst.tries, store.failed)
		}
	})
	t.Run("a context that ends stops between jobs and fails none", func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		store := newFakeAnalyses()
		store.submit("first", func() ([]byte, error) { cancel(kappa.ErrShutdown); return nil, context.Canceled })
		store.submit("second", func() ([]byte, error) { t.Error("went on"); return nil, nil })
		analyst := newTestAnalyst(t, store)
		analyst.tries["first"] = tries{count: analysisTries - 1} // the next failure would be the last
		if err := analyst.runOnce(ctx); !errors.Is(err, kappa.ErrShutdown) || len(store.failed) != 0 {
			t.Errorf("%v, failed %v", err, store.failed)
		}
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
		if store.rounds > 3 {
			t.Errorf("ten wake-ups made %d rounds", store.rounds)
		}

		store.submit("polled", func() ([]byte, error) { return []byte("text"), nil })
		time.Sleep(defaultInterval + time.Millisecond)
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
