package ingestion

import (
	"context"
	nethttp "net/http"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/internal/http/apitest"
	"github.com/kappagraph/kappa/work"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fake takes every document.
type fake struct {
	answer work.Submitted
	err    error         // what everything fails with, if set
	wait   chan struct{} // what a submission waits for, if set
	vision models.Model  // that describes images; none without a name

	mu        sync.Mutex
	submitted []work.Submission
}

func newFake() *fake {
	return &fake{answer: work.Submitted{JobID: apitest.KnownJob, Status: work.StatusPending, ContentHash: "sha256:00"}}
}

func newServer(t testing.TB, f *fake) *http.Server {
	t.Helper()
	return apitest.Serve(t, New(Config{Documents: f, Web: noWeb{}, Limits: Limits{DocumentBytes: 1 << 20}}))
}

func (f *fake) Submit(ctx context.Context, in work.Submission) (work.Submitted, error) {
	f.mu.Lock()
	f.submitted = append(f.submitted, in)
	f.mu.Unlock()
	if f.wait != nil {
		select {
		case <-f.wait:
		case <-ctx.Done():
			return f.answer, ctx.Err()
		}
	}
	return f.answer, f.err
}

func (f *fake) ImageModel() (models.Model, bool) { return f.vision, f.vision.Name != "" }

// taken returns how many documents were submitted.
func (f *fake) taken() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.submitted)
}

// strict is a fake that no document reaches that breaks a rule.
type strict struct {
	*fake
	apitest.Fuzzer
}

func newStrict(t testing.TB) *strict {
	s := &strict{fake: newFake()}
	s.Begin(t, New(Config{Documents: s, Web: noWeb{}, Limits: Limits{DocumentBytes: 1 << 20}}))
	return s
}

func (s *strict) Submit(_ context.Context, in work.Submission) (work.Submitted, error) {
	c := in.Chunking
	s.Allow(apitest.Sentence(in.Ontology, 200) && apitest.Sentence(in.Filename, 500) && len(in.Body) <= 1<<20 && (in.ProcessingMode == "serial" || in.ProcessingMode == "parallel") &&
		apitest.Within(c.TargetWords, 100, 5000) && apitest.Within(c.MinWords, 1, c.TargetWords) && apitest.Within(c.MaxWords, c.TargetWords, 10_000) && apitest.Within(c.OverlapWords, 0, c.MinWords/2), c)
	return s.answer, nil
}

// noWeb reaches nothing.
type noWeb struct{}

func (noWeb) Get(context.Context, string, nethttp.Header) (*nethttp.Response, error) {
	return nil, kappa.NewError(kappa.CodeUpstream, "nothing is reached")
}
