package http_test

import (
	"context"
	"sync/atomic"
	"testing"

	"go.uber.org/goleak"

	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/internal/http/apitest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// sample is a resource with one route of each kind.
type sample struct {
	onAsk func(ctx context.Context) error // what a question waits for, if set
	asked atomic.Int64                    // questions that got through
}

// holdQuestions has questions wait until the channel is closed, or fail with err, or
// with that of their context, when that ends before.
func (s *sample) holdQuestions(err error) chan struct{} {
	answer := make(chan struct{})
	s.onAsk = func(ctx context.Context) error {
		select {
		case <-answer:
			return nil
		case <-ctx.Done():
			if err != nil {
				return err
			}
			return ctx.Err()
		}
	}
	return answer
}

type question struct {
	Body struct {
		Query string `json:"query"`
	}
}

type named struct {
	Name string `path:"name"`
}

type echo struct {
	Name string `json:"name"`
}

func (s *sample) Register(r *http.Router) error {
	http.Register(r, http.Route{Method: "POST", Path: "/sample", Permission: access.GraphRead, ID: "graph.ask", Summary: "Ask"},
		func(ctx context.Context, in *question) (echo, error) {
			s.asked.Add(1)
			if s.onAsk != nil {
				return echo{}, s.onAsk(ctx)
			}
			return echo{in.Body.Query}, nil
		})
	http.Register(r, http.Route{Method: "GET", Path: "/sample/{name}", Permission: access.GraphRead, ID: "graph.echo", Summary: "Repeat a name"},
		func(ctx context.Context, in *named) (echo, error) {
			if s.onAsk != nil {
				if err := s.onAsk(ctx); err != nil {
					return echo{}, err
				}
			}
			if in.Name == "panic" {
				panic("boom with a secret")
			}
			return echo(*in), nil
		})
	for _, path := range []string{"/", "/livez"} {
		http.Register(r, http.Route{Method: "GET", Path: path, Permission: access.Public, ID: "health" + path, Summary: "Answer everybody"},
			func(context.Context, *struct{}) (echo, error) { return echo{}, nil })
	}
	return nil
}

// run runs a server of one sample, and returns its address and what stops it.
func run(t testing.TB, cfg http.Config, s http.Resource) (addr string, stop func() error) {
	t.Helper()
	return apitest.Run(t, apitest.ServeWith(t, cfg, s))
}
