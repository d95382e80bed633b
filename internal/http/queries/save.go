package queries

import (
	"context"
	"encoding/json"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/knowledge/programs"
)

type createInput struct{ Body queryRequest }

type queryRequest struct {
	_          struct{}                  `additionalProperties:"false"`
	Name       string                    `json:"name" doc:"At most 200 characters, and none of another one of yours"`
	Type       string                    `json:"definition_type" doc:"search, related, connection, enriched_path, neighborhood, polarity, ask, sources, documents, dataset or program"`
	Definition json.RawMessage           `json:"definition" doc:"The request of the question, at most 64 kB, in which \"$name\" stands for a parameter; or a program"`
	Parameters []programs.QueryParameter `json:"parameters,omitempty" doc:"At most 50; a program declares its own"`
	Metadata   json.RawMessage           `json:"metadata,omitempty" doc:"An object of at most 16 kB that clients keep with it; its description is searched"`
}

type createdQuery struct {
	ID        int        `json:"id"`
	Name      string     `json:"name"`
	Type      string     `json:"definition_type"`
	OwnerID   *int       `json:"owner_id"`
	CreatedAt kappa.Time `json:"created_at"`
	UpdatedAt kappa.Time `json:"updated_at"`
}

func (a *API) create(ctx context.Context, in *createInput) (createdQuery, error) {
	b := in.Body
	n := programs.NewSavedQuery{Name: b.Name, Type: b.Type, Definition: b.Definition, Parameters: b.Parameters, Metadata: http.NotNull(b.Metadata), OwnerID: http.PrincipalOf(ctx).User.ID}
	if err := n.Validate(); err != nil {
		return createdQuery{}, err
	}
	parameters, err := a.check(ctx, programs.SavedQuery{Type: n.Type, Definition: n.Definition, Parameters: n.Parameters})
	if err != nil {
		return createdQuery{}, err
	}
	n.Parameters = parameters
	q, err := a.cfg.Queries.AddQuery(ctx, n)
	return createdQuery{ID: q.ID, Name: q.Name, Type: q.Type, OwnerID: q.OwnerID, CreatedAt: q.CreatedAt, UpdatedAt: q.UpdatedAt}, err
}

// check reports what the route of a query would find wrong with it, and returns the
// parameters of the query: of a program, those that it declares.
func (a *API) check(ctx context.Context, q programs.SavedQuery) ([]programs.QueryParameter, error) {
	if q.Type == programs.QueryProgram {
		p, report := programs.Read(q.Definition)
		return p.Parameters, report.Err()
	}
	request, examples, err := q.BindSamples()
	if err != nil {
		return nil, err
	}
	return q.Parameters, a.routes.CheckQuestion(ctx, routeOf(q.Type, q.Definition), request, examples)
}

// routeOf returns the route that a question is asked at.
func routeOf(kind string, definition json.RawMessage) string {
	switch kind {
	case programs.QueryConnection:
		var phrases struct {
			From json.RawMessage `json:"from_query"`
			To   json.RawMessage `json:"to_query"`
		}
		if json.Unmarshal(definition, &phrases) == nil && (phrases.From != nil || phrases.To != nil) {
			return "/query/connect-by-search"
		}
		return "/query/connect"
	case programs.QueryPath:
		return "/query/enriched-path"
	case programs.QueryPolarity:
		return "/query/polarity-axis"
	case programs.QueryDataset:
		return "/datasets/query"
	case programs.QuerySources, programs.QueryDocuments:
		return "/query/" + kind + "/search"
	}
	return "/query/" + kind
}

type changeInput struct {
	ID   string `path:"id" doc:"The number of a saved query"`
	Body queryChange
}

type queryChange struct {
	_          struct{}                   `additionalProperties:"false"`
	Name       *string                    `json:"name,omitempty"`
	Definition json.RawMessage            `json:"definition,omitempty" doc:"In place of the one before"`
	Parameters *[]programs.QueryParameter `json:"parameters,omitempty" doc:"In place of those before"`
	Metadata   json.RawMessage            `json:"metadata,omitempty" doc:"In place of the one before"`
}

// change checks what becomes of a query as if it was new.
func (a *API) change(ctx context.Context, in *changeInput) (programs.SavedQuery, error) {
	read, err := a.permitted(ctx, access.QueriesWrite, in.ID)
	if err != nil {
		return programs.SavedQuery{}, err
	}
	c := programs.SavedQueryChange{Name: in.Body.Name, Definition: http.NotNull(in.Body.Definition), Parameters: in.Body.Parameters, Metadata: http.NotNull(in.Body.Metadata)}
	changed, err := c.Apply(read)
	if err != nil {
		return programs.SavedQuery{}, err
	}
	if c.Definition != nil || c.Parameters != nil {
		parameters, err := a.check(ctx, changed)
		if err != nil {
			return programs.SavedQuery{}, err
		}
		c.Parameters = &parameters
	}
	return a.cfg.Queries.ChangeQuery(ctx, read, c)
}
