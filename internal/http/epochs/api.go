// Package epochs is the part of the HTTP API that says what has changed the graph, and when,
// and how single concepts came about.
package epochs

import (
	"context"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/knowledge"
)

// history knows the epochs of the graph. Unknown epochs and concepts are CodeNotFound.
type history interface {
	ListEpochs(ctx context.Context, f knowledge.EpochFilter) ([]knowledge.Epoch, error)
	FindEpoch(ctx context.Context, number int64) (knowledge.Epoch, error)
	ConceptLifetime(ctx context.Context, id string, limit, offset int) (knowledge.ConceptLifetime, error)
	Changes(ctx context.Context, q knowledge.ChangesQuery) (knowledge.Changes, error)
}

// Config is what an API needs.
type Config struct{ History history }

// API shows what has changed the graph.
type API struct{ cfg Config }

// New returns the resource.
func New(cfg Config) *API { return &API{cfg: cfg} }

type listInput struct {
	Kind   string `query:"kind" doc:"Only of this kind: ingestion, reasoning, breathing or edit"`
	Since  string `query:"since" doc:"Only from this instant on, in RFC 3339"`
	Until  string `query:"until" doc:"Only before this instant"`
	Actor  string `query:"actor" doc:"Only of the user with this name"`
	Cursor int64  `query:"cursor" doc:"next_cursor of the page before: only epochs below it"`
	Limit  int    `query:"limit" default:"50" doc:"1 to 500"`
}

type epochInput struct {
	Epoch int64 `path:"epoch" doc:"The number of an epoch"`
}

type lifetimeInput struct {
	ID     string `path:"id" doc:"The id of a concept"`
	Limit  int    `query:"limit" default:"50" doc:"1 to 500 quotes"`
	Offset int    `query:"offset" default:"0" doc:"How many to leave out before the page"`
}

// Register adds the routes.
func (a *API) Register(r *http.Router) error {
	http.Register(r, http.Route{Method: "GET", Path: "/epochs", Permission: access.GraphRead, ID: "graph.epochs", Summary: "List what has changed the graph, newest first"}, a.list)
	http.Register(r, http.Route{Method: "GET", Path: "/epochs/{epoch}", Permission: access.GraphRead, ID: "graph.show-epoch", Summary: "Show one change of the graph"},
		func(ctx context.Context, in *epochInput) (knowledge.Epoch, error) {
			return a.cfg.History.FindEpoch(ctx, in.Epoch)
		})
	http.Register(r, http.Route{Method: "GET", Path: "/changes", Permission: access.GraphRead, ByRow: true, ID: "graph.changes", Summary: "List what the graph has gained and lost since a moment"}, a.changes)
	http.Register(r, http.Route{Method: "GET", Path: "/concepts/{id}/lifetime", Permission: access.GraphRead, ID: "graph.lifetime", Summary: "Show how a concept came about, what has shown it since, and what was done to it"}, a.lifetime)
	return http.CheckConfig("http/epochs", a.cfg)
}

func (a *API) list(ctx context.Context, in *listInput) (knowledge.EpochPage, error) {
	f := knowledge.EpochFilter{Kind: in.Kind, Actor: in.Actor, Before: in.Cursor, Limit: in.Limit}
	var since, until error
	f.Since, since = http.Instant("since", in.Since)
	f.Until, until = http.Instant("until", in.Until)
	if err := kappa.JoinInvalid(since, until, f.Validate()); err != nil {
		return knowledge.EpochPage{}, err
	}
	list, err := a.cfg.History.ListEpochs(ctx, f)
	page := knowledge.EpochPage{Events: list, Limit: in.Limit}
	if len(list) == in.Limit {
		page.Next = &list[len(list)-1].Number
	}
	return page, err
}

type changesInput struct {
	Since    string `query:"since" doc:"An instant in RFC 3339, the number of an epoch (0 is the beginning), or the id of a job: what came after it"`
	Ontology string `query:"ontology" doc:"Only of this ontology"`
	Limit    int    `query:"limit" default:"100" doc:"Of each list, 1 to 1000"`
	Offset   int    `query:"offset" default:"0" doc:"How many of each list to leave out"`
}

func (a *API) changes(ctx context.Context, in *changesInput) (knowledge.Changes, error) {
	q := knowledge.ChangesQuery{Since: in.Since, Ontology: in.Ontology, Limit: in.Limit, Offset: in.Offset}
	if err := q.Validate(); err != nil {
		return knowledge.Changes{}, err
	}
	if err := http.Narrow(ctx, access.GraphRead, &q.Ontology); err != nil {
		return knowledge.Changes{}, err
	}
	return a.cfg.History.Changes(ctx, q)
}

func (a *API) lifetime(ctx context.Context, in *lifetimeInput) (knowledge.ConceptLifetime, error) {
	if err := knowledge.CheckLifetimePage(in.Limit, in.Offset); err != nil {
		return knowledge.ConceptLifetime{}, err
	}
	if !http.Storable(in.ID) {
		return knowledge.ConceptLifetime{}, kappa.NewError(kappa.CodeNotFound, "Concept not found: "+http.Printable(in.ID))
	}
	return a.cfg.History.ConceptLifetime(ctx, in.ID, in.Limit, in.Offset)
}
