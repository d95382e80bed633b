package graph

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// stuck is a Viewer that answers when its context ends.
func stuck(ctx context.Context, _ func(s Snapshot) error) error {
	<-ctx.Done()
	return fmt.Errorf("read the graph: %w", ctx.Err())
}

// stuckModel answers when its context ends.
type stuckModel struct{ wholeOnly }

func (stuckModel) Embed(ctx context.Context, _ []string) ([]models.Embedding, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

func TestDeadline(t *testing.T) {
	search := questions.SearchQuery{Query: "x", Limit: 1}
	for _, c := range []struct {
		name, message string
		model         models.Embedder
		ask           func(ctx context.Context, g *Graph) error
	}{
		{"search", "the search took longer than 3s", wholeOnly{}, func(ctx context.Context, g *Graph) error {
			_, err := g.Search(ctx, search)
			return err
		}},
		{"embedding", "the embedding of the query took longer than 3s", stuckModel{}, func(ctx context.Context, g *Graph) error {
			_, err := g.Search(ctx, search)
			return err
		}},
		{"concept", "reading a concept took longer than 3s", nil, func(ctx context.Context, g *Graph) error {
			_, err := g.Concept(ctx, questions.ConceptQuery{ConceptID: "c_1"})
			return err
		}},
		{"related", "reading the neighbourhood of a concept took longer than 3s", nil, func(ctx context.Context, g *Graph) error {
			_, err := g.Related(ctx, questions.RelatedQuery{ConceptID: "c_1", MaxDepth: 1})
			return err
		}},
		{"connect", "searching for a path took longer than 3s", nil, func(ctx context.Context, g *Graph) error {
			_, err := g.Connect(ctx, questions.ConnectQuery{FromID: "c_1", ToID: "c_2", MaxHops: 1})
			return err
		}},
		{"stats", "counting the graph took longer than 3s", nil, func(ctx context.Context, g *Graph) error {
			_, err := g.Stats(ctx)
			return err
		}},
	} {
		t.Run(c.name+" ends at the deadline and says so", func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := New(Config{View: stuck, Embedder: c.model, deadline: 3 * time.Second})
				begin := time.Now()
				err := c.ask(t.Context(), g)
				if time.Since(begin) != 3*time.Second {
					t.Errorf("ended after %s", time.Since(begin))
				}
				if kappa.ErrorCode(err) != kappa.CodeUnavailable || !strings.HasPrefix(kappa.ErrorMessage(err), c.message) {
					t.Errorf("got %v", err)
				}
			})
		})
	}

	t.Run("a caller who leaves is not told about the deadline", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err := New(Config{View: stuck}).Stats(ctx)
		if !errors.Is(err, context.Canceled) || kappa.ErrorCode(err) == kappa.CodeUnavailable {
			t.Errorf("got %v", err)
		}
	})
	t.Run("the deadline is that of the settings, and follows them", func(t *testing.T) {
		settings := knowledge.DefaultGraphSettings()
		g := New(Config{View: stuck, Settings: func() knowledge.GraphSettings { return settings }})
		if g.deadline() != 30*time.Second {
			t.Errorf("got %s", g.deadline())
		}
		if settings.TimeoutSeconds = 5; g.deadline() != 5*time.Second {
			t.Errorf("after a change, got %s", g.deadline())
		}
	})
	t.Run("a failing model is named, with its reason but no secrets", func(t *testing.T) {
		for message, cause := range map[string]error{
			"the embedding of the query failed":                        errors.New("dial https://user:secret@host"),
			"the embedding of the query failed: the model is starting": kappa.NewError(kappa.CodeUnavailable, "the model is starting"),
		} {
			_, err := New(Config{View: stuck, Embedder: wholeOnly{err: cause}}).Search(t.Context(), search)
			if kappa.ErrorCode(err) != kappa.CodeUnavailable || kappa.ErrorMessage(err) != message {
				t.Errorf("got %v, want %s", err, message)
			}
		}
	})
}
