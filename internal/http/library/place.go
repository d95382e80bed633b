package library

import (
	"context"

	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/http"
)

// placer says where documents come from.
type placer interface {
	PlaceDocument(ctx context.Context, p corpus.Placement) error
}

func (a *API) registerPlace(r *http.Router) {
	http.RegisterEmpty(r, http.Route{Method: "PUT", Path: "/documents/{id}/place", Permission: access.IngestCreate, ID: "documents.place", Summary: "Say where a document comes from now, whose file was moved"}, a.place)
}

type placeInput struct {
	ID   string `path:"id" doc:"sha256: and 64 hexadecimal digits"`
	Body struct {
		Ontology   string `json:"ontology" doc:"The one whose document is meant"`
		SourcePath string `json:"source_path" doc:"Where its file is now"`
		Filename   string `json:"filename,omitempty" doc:"Its name; default: the last element of source_path"`
	}
}

// place moves a document of the caller, or, for who may delete any, of anybody.
func (a *API) place(ctx context.Context, in *placeInput) error {
	p := corpus.Placement{DocumentID: in.ID, Ontology: in.Body.Ontology, SourcePath: in.Body.SourcePath, Filename: in.Body.Filename}
	if err := p.Validate(); err != nil {
		return err
	}
	if _, err := a.find(ctx, p.DocumentID, p.Ontology); err != nil {
		return err
	}
	if caller := http.PrincipalOf(ctx); caller.Reach(access.SourcesDelete) != access.ReachAll {
		p.Owner = caller.User.ID
	}
	return a.cfg.Placer.PlaceDocument(ctx, p)
}
