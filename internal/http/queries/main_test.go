package queries

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"go.uber.org/goleak"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/internal/http/apitest"
	"github.com/kappagraph/kappa/knowledge/programs"
	"github.com/kappagraph/kappa/knowledge/questions"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fake keeps queries, and says what was done.
type fake struct {
	queries []programs.SavedQuery
	filter  programs.SavedQueryFilter // of the last list
	did     []string
	deck    []programs.Run
	asked   []string // questions that were answered
	checked int      // questions that were only checked
}

func (f *fake) AddQuery(_ context.Context, n programs.NewSavedQuery) (programs.SavedQuery, error) {
	f.did = append(f.did, "add "+n.Name)
	q := programs.SavedQuery{ID: 100 + len(f.queries), Name: n.Name, Type: n.Type, Definition: n.Definition, Parameters: n.Parameters, Metadata: n.Metadata, OwnerID: &n.OwnerID}
	f.queries = append(f.queries, q)
	return q, nil
}

func (f *fake) Query(_ context.Context, id int) (programs.SavedQuery, error) {
	for _, q := range f.queries {
		if q.ID == id {
			return q, nil
		}
	}
	return programs.SavedQuery{}, kappa.NewError(kappa.CodeNotFound, fmt.Sprintf("Saved query not found: %d", id))
}

func (f *fake) ChangeQuery(_ context.Context, read programs.SavedQuery, c programs.SavedQueryChange) (programs.SavedQuery, error) {
	f.did = append(f.did, fmt.Sprintf("change %d", read.ID))
	return c.Apply(read)
}

func (f *fake) RemoveQuery(_ context.Context, id int) error {
	f.did = append(f.did, fmt.Sprintf("remove %d", id))
	return nil
}

// ListQueries narrows as the store does, by owner, name and visible rows.
func (f *fake) ListQueries(_ context.Context, filter programs.SavedQueryFilter) (list []programs.SavedQuery, total int, err error) {
	f.filter = filter
	for _, q := range f.queries {
		v := filter.Visible
		switch {
		case filter.Name != "" && q.Name != filter.Name, filter.OwnerID != nil && *filter.OwnerID != q.Row().Owner, filter.Type != "" && q.Type != filter.Type:
		case v != nil && v.Owner != q.Row().Owner && !v.Has(q.Row()):
		default:
			list = append(list, q)
		}
	}
	return list[:min(len(list), filter.Limit)], len(list), nil
}

func (f *fake) run(ctx context.Context, deck []programs.Run, ask Asker, _ func(string) (string, error)) (programs.Chain, error) {
	f.deck = deck
	if _, err := ask(ctx, "POST", "/query/search", map[string]any{"query": "ice"}); err != nil {
		return programs.Chain{}, err
	}
	chain := programs.Chain{Result: programs.Graph{Nodes: []programs.Node{}, Links: []programs.Link{}}}
	for range deck {
		chain.Programs = append(chain.Programs, programs.Result{Result: chain.Result, Log: []programs.Step{}})
	}
	return chain, nil
}

// Register adds questions as the graph has them.
func (f *fake) Register(r *http.Router) error {
	type search struct {
		Body struct {
			Query string `json:"query"`
			Limit *int   `json:"limit,omitempty" default:"10"`
		}
	}
	type echo struct {
		Query string `json:"query"`
		Limit int    `json:"limit"`
	}
	http.Register(r, http.Route{Method: "POST", Path: "/query/search", Permission: access.GraphRead, ID: "query.search", Summary: "Search"}, func(ctx context.Context, in *search) (echo, error) {
		q := questions.SearchQuery{Query: in.Body.Query, Limit: *in.Body.Limit}
		if err := q.Validate(); err != nil || http.OnlyChecks(ctx) {
			f.checked++
			return echo{}, err
		}
		f.asked = append(f.asked, fmt.Sprintf("%s %d as %d", q.Query, q.Limit, http.PrincipalOf(ctx).User.ID))
		return echo{q.Query, q.Limit}, nil
	})
	for _, path := range []string{"/query/connect", "/query/connect-by-search"} {
		http.Register(r, http.Route{Method: "POST", Path: path, Permission: access.GraphRead, ID: "query" + path, Summary: "Connect"}, func(context.Context, *struct{ Body map[string]any }) (echo, error) {
			f.asked = append(f.asked, path)
			return echo{}, nil
		})
	}
	return nil
}

// saved returns a search of an owner, with a parameter.
func saved(id int, name string, owner *int) programs.SavedQuery {
	return programs.SavedQuery{
		ID: id, Name: name, Type: programs.QuerySearch, Definition: json.RawMessage(`{"query":"$q","limit":3}`), OwnerID: owner,
		Parameters: []programs.QueryParameter{{Name: "q", Type: programs.ParameterString, Default: json.RawMessage(`"ice"`)}},
	}
}

const aProgram = `{"version":1,"params":[{"name":"q","type":"string"}],"statements":[{"op":"+","operation":{"type":"api","endpoint":"/search/concepts","params":{"query":"$q"}}}]}`

func program(id int, owner *int) programs.SavedQuery {
	return programs.SavedQuery{ID: id, Name: "find", Type: programs.QueryProgram, Definition: json.RawMessage(aProgram), OwnerID: owner, Parameters: []programs.QueryParameter{{Name: "q", Type: programs.ParameterString}}}
}

// serve serves a fake to user 1001.
func serve(t testing.TB, f *fake, accounts *apitest.Accounts) *http.Server {
	t.Helper()
	return apitest.ServeWith(t, http.Config{Auth: accounts}, New(Config{Queries: f, Run: f.run}), f)
}

// inRole returns accounts in which user 1001 has a role.
func inRole(role string) *apitest.Accounts {
	accounts := apitest.NewAccounts()
	accounts.InRole(role)
	return accounts
}

// changed reports whether f was changed or asked anything.
func (f *fake) changed() bool { return len(f.did)+len(f.deck) > 0 || !slices.Equal(f.asked, nil) }
