// Package projection is the part of the HTTP API that shows pictures of the items of an
// ontology, and has them made by jobs.
package projection

import (
	"context"
	nethttp "net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/gin-gonic/gin"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/api"
	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/knowledge/projection"
	"github.com/kappagraph/kappa/work"
)

// projections are kept; what is unknown is CodeNotFound.
type projections interface {
	// State returns the changelist that a projection would have now, and of how many items.
	State(ctx context.Context, q projection.Query) (changelist string, items int, err error)
	Kept(ctx context.Context, ontology, source string) (projection.Kept, error)
	Remove(ctx context.Context, ontology, source string, dry bool) (int64, error)
}

// submitter stores jobs.
type submitter interface {
	SubmitJob(ctx context.Context, j work.NewJob) (work.Job, error)
}

// Config is what an API needs. Every field is required.
type Config struct {
	Projections projections
	Jobs        submitter
}

// API shows projections.
type API struct{ cfg Config }

// New returns the resource.
func New(cfg Config) *API { return &API{cfg: cfg} }

// Register adds the routes.
func (a *API) Register(r *http.Router) error {
	http.Register(r, http.Route{Method: "GET", Path: "/projection/algorithms", Permission: access.GraphRead, ID: "projection.algorithms", Summary: "List the algorithms of projections"}, a.algorithms)
	http.Register(r, http.Route{Method: "POST", Path: "/projection/{ontology}/regenerate", Submits: true, Permission: access.GraphCreate, ID: "projection.regenerate", Summary: "Make a projection, in a job"}, a.regenerate)
	http.Register(r, http.Route{Method: "DELETE", Path: "/projection/{ontology}", Permission: access.GraphDelete, ID: "projection.delete", Summary: "Delete the projections of an ontology"}, a.remove)
	r.RegisterRaw(http.Route{
		Method: "GET", Path: "/projection/{ontology}", Permission: access.GraphRead, ByRow: true, ID: "projection.show", Summary: "Show the projection of an ontology", Document: documentShow,
	}, a.show)
	return http.CheckConfig("http/projection", a.cfg)
}

func (a *API) algorithms(context.Context, *struct{}) (api.ProjectionAlgorithms, error) {
	return api.ProjectionAlgorithms{Available: projection.Algorithms(), Default: projection.AlgorithmTSNE}, nil
}

func documentShow(op *huma.Operation) {
	text := &huma.Schema{Type: huma.TypeString}
	op.Parameters = []*huma.Param{
		{Name: "ontology", In: "path", Required: true, Description: "Its name, or " + projection.AllOntologies + " for all", Schema: text},
		{Name: "embedding_source", In: "query", Description: "What was projected: concepts (the default), sources, vocabulary or combined", Schema: text},
		{Name: "If-None-Match", In: "header", Description: "The ETag of what one has: 304 when it is still the same", Schema: text},
	}
	op.Responses["304"] = &huma.Response{Description: "What one has is still the same"}
	http.Respond(op, "200", http.JSONType, "The projection. Its ETag is the changelist; Kappa-Stale says whether the input has changed since", &huma.Schema{Type: huma.TypeObject})
}

// staleHeader says whether what was projected has changed since.
const staleHeader = "Kappa-Stale"

// show sends a projection as it is kept.
func (a *API) show(c *gin.Context) error {
	q := projection.NewQuery(c.Param("ontology"))
	if source, given := c.GetQuery("embedding_source"); given {
		q.Source = source
	}
	if err := q.Validate("query", ""); err != nil {
		return unknownUnless(q.Ontology, err)
	}
	if err := http.Narrow(c.Request.Context(), access.GraphRead, &q.Ontology); err != nil {
		return err
	}
	kept, err := a.cfg.Projections.Kept(c.Request.Context(), q.Ontology, q.Source)
	if err != nil {
		return err
	}
	tag := `"` + kept.Changelist + `"`
	c.Header("ETag", tag)
	c.Header("Cache-Control", "private, no-cache")
	stale := "false"
	if kept.Stale {
		stale = "true"
	}
	c.Header(staleHeader, stale)
	if c.GetHeader("If-None-Match") == tag {
		c.Status(nethttp.StatusNotModified)
		c.Writer.WriteHeaderNow()
		return nil
	}
	http.WriteJSON(c, nethttp.StatusOK, kept.Body)
	return nil
}

// unknownUnless returns CodeNotFound for what cannot be the name of an ontology, and
// otherwise err.
func unknownUnless(ontology string, err error) error {
	if named := projection.NewQuery(ontology); !http.Storable(ontology) || named.Validate("path", "") != nil {
		return kappa.NewError(kappa.CodeNotFound, "Ontology '"+http.Printable(ontology)+"' does not exist")
	}
	return err
}

type removeInput struct {
	Ontology string `path:"ontology" doc:"Its name, or __all__"`
	Source   string `query:"embedding_source" doc:"Only of these items; default: of any"`

	DryRun http.Flag `query:"dry_run" doc:"Delete nothing, and say what would go"`
}

func (a *API) remove(ctx context.Context, in *removeInput) (api.RemovedProjections, error) {
	q := projection.NewQuery(in.Ontology)
	if in.Source != "" {
		q.Source = in.Source
	}
	if err := q.Validate("query", ""); err != nil {
		return api.RemovedProjections{}, unknownUnless(in.Ontology, err)
	}
	n, err := a.cfg.Projections.Remove(ctx, in.Ontology, in.Source, in.DryRun.On())
	out := api.RemovedProjections{Message: "Projection of '" + in.Ontology + "' deleted", Deleted: !in.DryRun.On(), Count: n}
	if in.DryRun.On() {
		out.Message = "Projection of '" + in.Ontology + "' would be deleted"
	}
	return out, err
}
