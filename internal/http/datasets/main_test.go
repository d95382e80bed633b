package datasets

import (
	"context"
	"io"
	"sync"
	"sync/atomic"
	"testing"

	"go.uber.org/goleak"

	"github.com/kappagraph/kappa/corpus/datasets"
	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/internal/http/apitest"
	"github.com/kappagraph/kappa/work"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fake answers with little, and keeps what it was asked.
type fake struct {
	mu        sync.Mutex
	err       error // of every question
	uploadErr error
	urls      []string
	asked     []datasets.Query
	graph     []datasets.GraphQuery
	uploads   []string // what was sent
	released  int
	submitted []work.NewJob
	closed    atomic.Int64  // answers
	breaksOff bool          // an answer does, after its first bytes
	hold      chan struct{} // an upload waits for two values from it; nil = none does
}

func (f *fake) Validate(_ context.Context, url string) (datasets.Validity, error) {
	f.urls = append(f.urls, url)
	return datasets.Validity{Valid: true}, f.err
}

func (f *fake) Schema(_ context.Context, url string) (datasets.Schema, error) {
	f.urls = append(f.urls, url)
	return datasets.Schema{RowCount: 7, SizeBytes: 100}, f.err
}

func (f *fake) Query(_ context.Context, q datasets.Query) (Answer, error) {
	f.asked = append(f.asked, q)
	return f, f.err
}

func (f *fake) QueryGraph(_ context.Context, q datasets.GraphQuery) (Answer, error) {
	f.graph = append(f.graph, q)
	return ofGraph{f}, f.err
}

// ofGraph answers a question to the graph.
type ofGraph struct{ *fake }

func (ofGraph) WriteJSON(w io.Writer) error {
	_, err := io.WriteString(w, `{"columns":[],"rows":[],"total_rows":7,"truncated":true,"duration_ms":0,"epoch":9,"as_of":"2026-01-31T08:00:00.000Z"}`)
	return err
}

func (f *fake) WriteJSON(w io.Writer) error {
	_, err := io.WriteString(w, `{"columns":[],"rows":[],"total_rows":7,"truncated":true,"duration_ms":0}`)
	if f.breaksOff {
		return io.ErrUnexpectedEOF
	}
	return err
}

func (f *fake) Close() { f.closed.Add(1) }

func (f *fake) Upload(_ context.Context, content io.Reader) (string, func(), error) {
	if f.hold != nil {
		<-f.hold
		<-f.hold
	}
	text, err := io.ReadAll(content)
	if err != nil {
		return "", nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.uploadErr != nil {
		return "", nil, f.uploadErr
	}
	f.uploads = append(f.uploads, string(text))
	return "upload:" + string(text), func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.released++
	}, nil
}

func (f *fake) SubmitJob(_ context.Context, j work.NewJob) (work.Job, error) {
	f.submitted = append(f.submitted, j)
	return work.Job{ID: "job_0123456789ab", Status: work.StatusApproved}, f.err
}

func (f *fake) status(context.Context) datasets.Status {
	return datasets.Status{Workers: 4, Version: "v1", Figures: f.figures()}
}

func (f *fake) figures() datasets.Figures {
	return datasets.Figures{Alive: 1, Busy: 2, Tasks: 3, Started: 4, Killed: 5, Crashed: 6, Retired: 7, DiskBytes: 8}
}

func (f *fake) calls() int { return len(f.urls) + len(f.asked) + len(f.graph) + len(f.submitted) }

func serve(t testing.TB, f *fake, limits Limits) (*http.Server, *apitest.Accounts) {
	t.Helper()
	accounts := apitest.NewAccounts()
	return apitest.ServeWith(t, http.Config{Auth: accounts}, New(Config{Service: f, Jobs: f, Status: f.status, Figures: f.figures, Limits: limits})), accounts
}
