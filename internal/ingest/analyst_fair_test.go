package ingest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kappagraph/kappa/corpus"
)

// slowFormats reads documents that begin with the time that this takes.
type slowFormats struct{ fakeFormats }

func (slowFormats) Text(ctx context.Context, body []byte, _ corpus.ContentType) (corpus.DocumentText, error) {
	word, _, _ := strings.Cut(string(body), " ")
	takes, err := time.ParseDuration(word)
	if err != nil {
		takes = time.Millisecond
	}
	select {
	case <-time.After(takes):
		return corpus.DocumentText{Text: string(body), Markup: corpus.ContentPlain}, nil
	case <-ctx.Done():
		return corpus.DocumentText{}, context.Cause(ctx)
	}
}

// analyses runs analysts, one for each server, until the test ends its context.
func analyses(t *testing.T, store *fakeAnalyses, servers int) (analysts []*Analyst, stop func()) {
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	for i := range servers {
		a := newTestAnalyst(t, store)
		a.cfg.Server, a.cfg.Formats = fmt.Sprint("server-", i), slowFormats{}
		analysts = append(analysts, a)
		go func() { done <- a.Run(ctx) }()
	}
	return analysts, func() {
		cancel()
		for range servers {
			<-done
		}
	}
}

// document submits a document, as owner, which takes a time to read.
func (f *fakeAnalyses) document(owner int, takes string, n int) string {
	text := fmt.Sprintf("%s document %d of owner %d", takes, n, owner)
	f.submitAs(owner, text, func() ([]byte, error) { return []byte(text), nil })
	return text
}

// TestAnalysisIsFair has a user submit documents that nobody can read, and others small ones.
func TestAnalysisIsFair(t *testing.T) {
	const hostile, visitors = 60, 200
	synctest.Test(t, func(t *testing.T) {
		store := newFakeAnalyses()
		analysts, stop := analyses(t, store, 1)
		for n := range hostile {
			store.document(1, "1h", n)
		}
		analysts[0].Wake()
		time.Sleep(20 * time.Second)
		var waits []time.Duration
		for n := range visitors {
			text, submitted := store.document(2+n%3, "3ms", n), time.Now()
			analysts[0].Wake()
			time.Sleep(3*time.Second + time.Duration(n*37%1000)*time.Millisecond)
			store.mu.Lock()
			began, done := store.begun[text], store.analysed[text].AnalyzedAt
			store.mu.Unlock()
			if began.IsZero() || done.IsZero() {
				t.Fatalf("document %d of another user was not analysed within 3 s", n)
			}
			waits = append(waits, began.Sub(submitted))
		}
		slices.Sort(waits)
		p99 := waits[len(waits)*99/100]
		t.Logf("the analysis of another user's document began after %v at most, %v (p99)", waits[len(waits)-1], p99)
		if p99 > time.Second {
			t.Errorf("the analysis of another user's document began after %v (p99), want a second at most", p99)
		}
		time.Sleep(hostile * time.Minute)
		stop()
		if len(store.pending) != 0 || len(store.failed) != hostile {
			t.Errorf("%d are pending, %d failed; want each of the hostile ones to fail", len(store.pending), len(store.failed))
		}
		for _, reason := range store.failed {
			if reason != "Analysis failed: The document could not be read within 1m0s. Split it, or extract the text first." {
				t.Errorf("it failed with %q", reason)
			}
		}
	})
}

// TestAnalysisOrder has documents that take long beside others.
func TestAnalysisOrder(t *testing.T) {
	t.Run("a document that takes 40 s is analysed, also while others submit without end", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			store := newFakeAnalyses()
			analysts, stop := analyses(t, store, 1)
			slow := store.document(1, "40s", 0)
			for n := range 3000 {
				store.document(2, "70ms", n)
				analysts[0].Wake()
				time.Sleep(100 * time.Millisecond)
			}
			stop()
			if _, ok := store.analysed[slow]; !ok {
				t.Errorf("after five minutes it is not analysed; failed %v", store.failed)
			}
		})
	})
	t.Run("owners take turns, whatever the number of their documents", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			store := newFakeAnalyses()
			for n := range 100 {
				store.document(1, "200ms", n)
			}
			few := store.document(2, "200ms", 0)
			_, stop := analyses(t, store, 1)
			time.Sleep(time.Second)
			stop()
			if _, ok := store.analysed[few]; !ok {
				t.Error("the second owner waits for all of the first one's documents")
			}
		})
	})
	t.Run("the first limit of a document that takes 2 s is not cut without need", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			store := newFakeAnalyses()
			store.document(1, "2s", 0)
			_, stop := analyses(t, store, 1)
			time.Sleep(2100 * time.Millisecond)
			stop()
			if len(store.analysed) != 1 {
				t.Errorf("analysed %d, failed %v", len(store.analysed), store.failed)
			}
		})
	})
}

// TestAnalysesOfServers has several servers analyse what is pending.
func TestAnalysesOfServers(t *testing.T) {
	t.Run("each document is analysed by one of them", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			store, read := newFakeAnalyses(), 0
			for n := range 300 {
				name := fmt.Sprint("document ", n)
				store.submitAs(n%7, name, func() ([]byte, error) {
					store.mu.Lock()
					defer store.mu.Unlock()
					read++
					return []byte(name), nil
				})
			}
			_, stop := analyses(t, store, 3)
			time.Sleep(10 * time.Second)
			stop()
			if len(store.analysed) != 300 || read != 300 {
				t.Errorf("%d documents were read %d times", len(store.analysed), read)
			}
		})
	})
	t.Run("what a killed one had claimed is analysed by another within seconds", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			store := newFakeAnalyses()
			text := store.document(1, "3ms", 0)
			store.claims[text] = fakeClaim{server: "killed", until: time.Now().Add(analysisLease)}
			_, stop := analyses(t, store, 2)
			time.Sleep(analysisLease + analysisPoll)
			stop()
			if len(store.analysed) != 1 {
				t.Error("it was not taken over")
			}
		})
	})
	t.Run("a claim is renewed as long as the document is analysed", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			store := newFakeAnalyses()
			text := store.document(1, "50s", 0)
			_, stop := analyses(t, store, 1)
			time.Sleep(30 * time.Second)
			store.mu.Lock()
			c := store.claims[text]
			store.mu.Unlock()
			if c.late.IsZero() || !time.Now().Before(c.until) {
				t.Errorf("the claim is %+v at %v", c, time.Now())
			}
			stop()
		})
	})
}
