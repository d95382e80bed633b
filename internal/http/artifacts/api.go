// Package artifacts is the part of the HTTP API that keeps results: an analysis, a
// drawing, a report. Every route that touches an artifact asks
// access.Principal.PermitRow for its owner; one without is its administrators'.
package artifacts

import (
	"context"
	"encoding/json"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/api"
	"github.com/kappagraph/kappa/artifacts"
	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/work"
)

// artifacts are kept; unknown and expired ones are CodeNotFound.
type artifactStore interface {
	AddArtifact(ctx context.Context, a artifacts.NewArtifact) (artifacts.Artifact, error)
	Artifact(ctx context.Context, id int) (artifacts.Artifact, error)
	ArtifactPayload(ctx context.Context, id int) (json.RawMessage, error)
	// ListArtifacts returns what f selects, and how many there are in all.
	ListArtifacts(ctx context.Context, f artifacts.Filter) (list []artifacts.Artifact, total int, err error)
	RemoveArtifact(ctx context.Context, id int) error
}

// files are the files of artifacts, which are read in pieces.
type files interface {
	// ArtifactFile returns CodeNotFound for an artifact without a file.
	ArtifactFile(ctx context.Context, id int) (artifacts.File, error)
	ReadArtifactPiece(ctx context.Context, file int64, n int) ([]byte, error)
}

// submitter stores jobs.
type submitter interface {
	SubmitJob(ctx context.Context, j work.NewJob) (work.Job, error)
}

// Config is what an API needs. Every field is required.
type Config struct {
	Artifacts artifactStore
	Files     files
	Jobs      submitter
	Types     *work.JobTypes // that artifacts are computed by
}

// API keeps artifacts.
type API struct{ cfg Config }

// New returns the resource.
func New(cfg Config) *API { return &API{cfg: cfg} }

// Register adds the routes.
func (a *API) Register(r *http.Router) error {
	http.Register(r, http.Route{Method: "GET", Path: "/artifacts", Permission: access.ArtifactsRead, ByRow: true, ID: "artifacts.list", Summary: "List the kept results"}, a.list)
	http.Register(r, http.Route{Method: "POST", Path: "/artifacts", Submits: true, Permission: access.ArtifactsWrite, ID: "artifacts.create", Summary: "Keep a result", Status: 201}, a.create)
	http.Register(r, http.Route{Method: "GET", Path: "/artifacts/{id}", Permission: access.ArtifactsRead, ByRow: true, ID: "artifacts.show", Summary: "Show a kept result without its payload"}, a.show)
	http.Register(r, http.Route{Method: "GET", Path: "/artifacts/{id}/payload", Permission: access.ArtifactsRead, ByRow: true, ID: "artifacts.payload", Summary: "Show a kept result with its payload"}, a.payload)
	http.RegisterEmpty(r, http.Route{Method: "DELETE", Path: "/artifacts/{id}", Permission: access.ArtifactsDelete, ByRow: true, ID: "artifacts.delete", Summary: "Delete a kept result"}, a.remove)
	http.Register(r, http.Route{Method: "POST", Path: "/artifacts/{id}/regenerate", Submits: true, Permission: access.ArtifactsWrite, ByRow: true, ID: "artifacts.regenerate", Summary: "Compute a kept result again, in a job"}, a.regenerate)
	a.registerDownload(r)
	return http.CheckConfig("http/artifacts", a.cfg)
}

type idInput struct {
	ID string `path:"id" doc:"The number of an artifact"`
}

// permitted returns an artifact when whoever makes the request has a permission for it.
func (a *API) permitted(ctx context.Context, permission access.Permission, text string) (artifacts.Artifact, error) {
	return http.Permitted(ctx, permission, "Artifact", text, a.cfg.Artifacts.Artifact)
}

func (a *API) show(ctx context.Context, in *idInput) (artifacts.Artifact, error) {
	return a.permitted(ctx, access.ArtifactsRead, in.ID)
}

func (a *API) payload(ctx context.Context, in *idInput) (api.ArtifactPayload, error) {
	artifact, err := a.permitted(ctx, access.ArtifactsRead, in.ID)
	if err != nil {
		return api.ArtifactPayload{}, err
	}
	payload, err := a.cfg.Artifacts.ArtifactPayload(ctx, artifact.ID)
	return api.ArtifactPayload{Artifact: artifact, Payload: payload}, err
}

func (a *API) remove(ctx context.Context, in *idInput) error {
	artifact, err := a.permitted(ctx, access.ArtifactsDelete, in.ID)
	if err != nil {
		return err
	}
	return a.cfg.Artifacts.RemoveArtifact(ctx, artifact.ID)
}

type listInput struct {
	Type           string `query:"artifact_type" doc:"Only artifacts of this type"`
	Representation string `query:"representation" doc:"Only artifacts that are kept in this form"`
	Ontology       string `query:"ontology" doc:"Only artifacts of this ontology"`
	OwnerID        int    `query:"owner_id" doc:"Only artifacts of this user; others than one's own are shown to administrators"`
	Limit          int    `query:"limit" default:"50" doc:"1 to 500"`
	Offset         int    `query:"offset" default:"0" doc:"How many to leave out before the page"`
	Cursor         string `query:"cursor" doc:"next_cursor of the page before; not with offset"`
}

// list shows what the caller may read of what is selected.
func (a *API) list(ctx context.Context, in *listInput) (api.ArtifactList, error) {
	f := artifacts.Filter{Type: given(in.Type), Representation: given(in.Representation), Ontology: given(in.Ontology), OwnerID: given(in.OwnerID), Limit: in.Limit, Offset: in.Offset, Cursor: in.Cursor}
	if err := f.Validate(); err != nil {
		return api.ArtifactList{}, err
	}
	answer := api.ArtifactList{Artifacts: []artifacts.Artifact{}, Limit: in.Limit, Offset: in.Offset}
	p := http.PrincipalOf(ctx)
	f, some := f.Narrow(p)
	if !some {
		return answer, nil
	}
	list, total, err := a.cfg.Artifacts.ListArtifacts(ctx, f)
	answer.Artifacts, answer.Total = list, total
	answer.Next = http.NextCursor(list, in.Limit, func(a artifacts.Artifact) kappa.Cursor {
		return kappa.Cursor{List: kappa.ListArtifacts, Keys: []int64{int64(a.ID)}}
	})
	return answer, err
}

// given returns a value of a query, nil for one that is not there.
func given[T comparable](v T) *T {
	var none T
	if v == none {
		return nil
	}
	return &v
}
