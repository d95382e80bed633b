package datasets

import (
	"context"
	"reflect"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/corpus/datasets"
	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/knowledge/questions"
)

func (a *API) registerGraph(r *http.Router, within time.Duration) {
	http.Register(r, http.Route{
		Method: "POST", Path: "/datasets/graph/query", Permission: access.DatasetsQuery, ID: "datasets.graph-query",
		Summary: "Ask a question in SQL to the graph", AnswerWithin: within,
	}, a.queryGraph)
	http.Register(r, http.Route{
		Method: "GET", Path: "/datasets/graph/schema", Permission: access.AnyUser, ID: "datasets.graph-schema",
		Summary: "Show the tables of the graph and their columns",
	}, a.graphSchema)
}

type graphQueryInput struct{ Body graphQueryRequest }

// graphQueryRequest is a datasets.GraphQuery of which less is required.
type graphQueryRequest struct {
	_          struct{} `additionalProperties:"false"`
	SQL        string   `json:"sql" doc:"One SELECT of DuckDB"`
	Ontologies []string `json:"ontologies,omitempty" doc:"Only what documents of these ontologies say, up to 100"`
	MinEpoch   *int64   `json:"min_epoch,omitempty" doc:"The epoch that the graph must have reached"`
	Limit      *int     `json:"limit,omitempty" default:"1000" doc:"Rows of the answer, 1 to 1000"`
}

// queryGraph needs the right to read the graph besides, and answers within what may be read.
func (a *API) queryGraph(ctx context.Context, in *graphQueryInput) (graphRows, error) {
	q := datasets.GraphQuery{SQL: in.Body.SQL, Ontologies: in.Body.Ontologies, MinEpoch: in.Body.MinEpoch, Limit: http.Or(in.Body.Limit, datasets.MaxRows)}
	if err := http.NarrowSome(ctx, access.GraphRead, &q.Ontologies); err != nil {
		return graphRows{}, err
	}
	if http.OnlyChecks(ctx) {
		return graphRows{none{}}, q.Validate()
	}
	answer, err := a.cfg.Service.QueryGraph(asked(ctx), q)
	if err != nil {
		return graphRows{}, err
	}
	context.AfterFunc(ctx, answer.Close)
	http.AnswerBegins(ctx) // how long it may be read is bounded by the connection
	return graphRows{answer}, nil
}

// graphRows is an Answer that is described as what it writes.
type graphRows struct{ Answer }

// Schema describes a datasets.GraphRows.
func (graphRows) Schema(r huma.Registry) *huma.Schema {
	return r.Schema(reflect.TypeFor[datasets.GraphRows](), true, "")
}

// graphTables are the tables that questions to the graph are put to.
type graphTables struct {
	Tables []questions.TableSchema `json:"tables"`
}

func (a *API) graphSchema(context.Context, *struct{}) (graphTables, error) {
	var all graphTables
	for _, t := range questions.GraphTables() {
		all.Tables = append(all.Tables, t.Schema())
	}
	return all, nil
}
