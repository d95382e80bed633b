package graph

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/internal/graph/signatures"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// held is a Graph that finds concepts in memory, in an index of one concept.
func held(cfg Config) *Graph {
	x := signatures.NewIndex(true)
	v := models.Embedding{1, 0, 0}
	x.Put([]questions.SearchEntry{{ID: 1, ConceptID: "c_1", LabelKey: "one", Terms: []string{"one"}, Embedding: v, Signature: v.Signature()}})
	x.Tidy(true)
	cfg.Index = func(context.Context, string) *signatures.Index { return x }
	if cfg.View == nil {
		cfg.View = func(context.Context, func(Snapshot) error) error {
			return errors.New("a search in memory needs no view")
		}
	}
	return New(cfg)
}

func TestSearchInMemoryFaults(t *testing.T) {
	search := questions.SearchQuery{Query: "one", Limit: 1}
	stuckShow := func(ctx context.Context, _ []int, _ int) (questions.ShownConcepts, error) {
		<-ctx.Done()
		return questions.ShownConcepts{}, fmt.Errorf("read what is shown: %w", ctx.Err())
	}
	show := func(context.Context, []int, int) (questions.ShownConcepts, error) {
		return questions.ShownConcepts{}, nil
	}
	for _, c := range []struct {
		name, says string
		cfg        Config
	}{
		{"the database stalls", "the search took longer than 1ms", Config{Embedder: wholeOnly{}, Search: Search{Show: stuckShow}}},
		{"the model stalls", "the embedding of the query took longer than 1ms", Config{Embedder: stuckModel{}, Search: Search{Show: show}}},
		{"the model is away", "the embedding of the query failed", Config{Embedder: wholeOnly{err: errors.New("connection refused")}, Search: Search{Show: show}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c.cfg.deadline = time.Millisecond
				began := time.Now()
				_, err := held(c.cfg).Search(t.Context(), search)
				if kappa.ErrorCode(err) != kappa.CodeUnavailable || !strings.HasPrefix(kappa.ErrorMessage(err), c.says) {
					t.Errorf("got %v", err)
				}
				if took := time.Since(began); took > time.Millisecond {
					t.Errorf("took %s", took)
				}
			})
		})
	}
	t.Run("more searches than connections wait for each other, and none for ever", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			connections := make(chan struct{}, 2)
			g := held(Config{Embedder: wholeOnly{}, deadline: 3 * time.Second, Search: Search{
				Show: func(ctx context.Context, _ []int, _ int) (questions.ShownConcepts, error) {
					select {
					case connections <- struct{}{}:
						defer func() { <-connections }()
					case <-ctx.Done():
						return questions.ShownConcepts{}, ctx.Err()
					}
					time.Sleep(time.Second)
					return questions.ShownConcepts{}, nil
				},
			}})
			began := time.Now()
			var mu sync.Mutex
			answered, refused := 0, 0
			var crowd sync.WaitGroup
			for range 50 {
				crowd.Go(func() {
					_, err := g.Search(t.Context(), search)
					mu.Lock()
					defer mu.Unlock()
					switch {
					case err == nil:
						answered++
					case kappa.ErrorCode(err) == kappa.CodeUnavailable:
						refused++
					default:
						t.Error(err)
					}
				})
			}
			crowd.Wait()
			if took := time.Since(began); took > 4*time.Second || answered < 4 || answered+refused != 50 || len(connections) != 0 {
				t.Errorf("after %s: %d answered, %d refused, %d connections held", took, answered, refused, len(connections))
			}
		})
	})
}
