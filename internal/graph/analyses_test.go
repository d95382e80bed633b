package graph

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/questions"
	"github.com/kappagraph/kappa/work"
)

// retried reports whether an error says when to try again.
func retried(err error) bool {
	e, ok := errors.AsType[*kappa.Error](err)
	return ok && e.RetryAfter > 0
}

// busy counts who reads, and lets nobody end before its context does.
type busy struct{ now, most atomic.Int64 }

func (b *busy) view(ctx context.Context, _ func(s Snapshot) error) error {
	n := b.now.Add(1)
	defer b.now.Add(-1)
	for was := b.most.Load(); n > was && !b.most.CompareAndSwap(was, n); was = b.most.Load() {
	}
	<-ctx.Done()
	return ctx.Err()
}

func TestAnalysesHaveALimitOfTheirOwn(t *testing.T) {
	for connections, most := range map[int]int64{0: 8, 20: 8, 40: 8, 12: 5, 4: 1, 2: 1} {
		synctest.Test(t, func(t *testing.T) {
			b := &busy{}
			g := New(Config{View: b.view, Embedder: wholeOnly{}, Connections: connections})
			var group sync.WaitGroup
			var refused atomic.Int64
			for i := range 24 {
				q := questions.NewPolarityQuery("c_0", "c_1")
				if q.TimeoutSeconds = 10; int64(i) >= most {
					q.TimeoutSeconds = 5
				}
				synctest.Wait() // the ones before have what they can have
				group.Go(func() {
					begin := time.Now()
					_, err := g.Polarity(t.Context(), q, nil)
					if took := time.Since(begin); took != q.Timeout() || kappa.ErrorCode(err) != kappa.CodeUnavailable || !retried(err) {
						t.Errorf("after %s: %v", took, err)
					}
					if strings.Contains(kappa.ErrorMessage(err), "other analyses") {
						refused.Add(1)
					}
				})
			}
			group.Wait()
			if b.most.Load() != most || refused.Load() != 24-most {
				t.Errorf("of %d connections %d were taken at once, want %d; %d waited for others, want %d", connections, b.most.Load(), most, refused.Load(), 24-most)
			}
		})
	}
	t.Run("one goes on when another one has ended", func(t *testing.T) {
		s := newSphere(4)
		s.edges = star(0, 2, 3)
		g := New(Config{View: s.view, Embedder: wholeOnly{}, Connections: 4})
		for range 5 {
			if r, err := g.Polarity(t.Context(), questions.NewPolarityQuery("c_0", "c_1"), nil); err != nil || len(r.Projections) != 2 {
				t.Errorf("got %+v, %v", r, err)
			}
		}
	})
	t.Run("a caller who leaves does not wait on", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			g := New(Config{View: (&busy{}).view, Embedder: wholeOnly{}, Connections: 2})
			ctx, leave := context.WithTimeoutCause(t.Context(), time.Second, context.Canceled)
			defer leave()
			begin := time.Now()
			var group sync.WaitGroup
			for range 2 {
				group.Go(func() {
					if _, err := g.Polarity(ctx, questions.NewPolarityQuery("c_0", "c_1"), nil); kappa.ErrorCode(err) == kappa.CodeUnavailable {
						t.Errorf("got %v", err)
					}
				})
			}
			group.Wait()
			if took := time.Since(begin); took != time.Second {
				t.Errorf("ended after %s", took)
			}
		})
	})
}

// TestAnalysisAsAQuestion ends by the settings, which bound every question; in a job, which
// nobody waits for, the query's own time counts.
func TestAnalysisAsAQuestion(t *testing.T) {
	for name, c := range map[string]struct {
		yield func(work.Progress) error
		asked int // seconds
		want  time.Duration
	}{
		"a question ends with the settings":       {nil, 600, 7 * time.Second},
		"one that asks for less ends before that": {nil, 5, 5 * time.Second},
		"a job has its own time":                  {func(work.Progress) error { return nil }, 600, 600 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				settings := knowledge.DefaultGraphSettings()
				settings.TimeoutSeconds = 7
				g := New(Config{View: (&busy{}).view, Embedder: wholeOnly{}, Settings: func() knowledge.GraphSettings { return settings }})
				q := questions.NewPolarityQuery("c_0", "c_1")
				q.TimeoutSeconds = c.asked
				begin := time.Now()
				_, err := g.Polarity(t.Context(), q, c.yield)
				if took := time.Since(begin); took != c.want || kappa.ErrorCode(err) != kappa.CodeUnavailable || !strings.Contains(kappa.ErrorMessage(err), c.want.String()) {
					t.Errorf("after %s: %v", took, err)
				}
			})
		})
	}
}

// TestHelpersLeaveConnectionsToPeople reads a wide level over a small pool: however many
// workers the settings allow, two connections and those of the analyses are left.
func TestHelpersLeaveConnectionsToPeople(t *testing.T) {
	for connections, want := range map[int]int{0: 8, 20: 8, 12: 5, 6: 2, 3: 0} {
		settings := knowledge.DefaultGraphSettings()
		g := New(Config{View: viewOf(&memory{}), Settings: func() knowledge.GraphSettings { return settings }, Connections: connections})
		taken := 0
		for g.tables.take() {
			taken++
		}
		if taken != want {
			t.Errorf("of %d connections %d helpers are taken, want %d", connections, taken, want)
		}
	}
}
