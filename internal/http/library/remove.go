package library

import (
	"context"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/api"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/work"
)

// remover takes documents out of the graph, with all that no other document supports.
type remover interface {
	RemoveDocument(ctx context.Context, r corpus.Removal) (corpus.Removed, error)
}

// jobs are asked whose document is taken back.
type jobs interface {
	Job(ctx context.Context, id string) (work.Job, error)
}

func (a *API) registerRemove(r *http.Router) {
	http.Register(r, http.Route{Method: "DELETE", Path: "/documents/{id}", Permission: access.SourcesDelete, ID: "documents.delete", Summary: "Take a document out of the graph, with all that no other document supports"}, a.removeDocument)
	http.Register(r, http.Route{Method: "POST", Path: "/jobs/{id}/undo", Submits: true, ByRow: true, Permission: access.JobsWrite, ID: "jobs.undo", Summary: "Take the document of an ingestion out of the graph"}, a.undo)
}

type removeDocumentInput struct {
	ID       string    `path:"id" doc:"sha256: and 64 hexadecimal digits"`
	Ontology string    `query:"ontology" doc:"Of the ontologies that have it; default: the one that took it last"`
	DryRun   http.Flag `query:"dry_run" doc:"Delete nothing, and say what would go"`
}

func (a *API) removeDocument(ctx context.Context, in *removeDocumentInput) (corpus.Removed, error) {
	return a.cfg.Remover.RemoveDocument(ctx, corpus.Removal{DocumentID: in.ID, Ontology: in.Ontology, DryRun: in.DryRun.On()})
}

type undoInput struct {
	ID     string    `path:"id" doc:"job_ and 12 hexadecimal digits"`
	DryRun http.Flag `query:"dry_run" doc:"Take nothing out, and say what would go"`
}

// undo takes back what a job has stored. Who may change a job may do so.
func (a *API) undo(ctx context.Context, in *undoInput) (api.Undone, error) {
	job, err := http.PermittedJob(ctx, access.JobsWrite, in.ID, a.cfg.Jobs.Job)
	if err != nil {
		return api.Undone{}, err
	}
	switch {
	case job.ContentHash == nil || job.Ontology == nil:
		return api.Undone{}, kappa.NewError(kappa.CodeConflict, "Job "+job.ID+" has ingested no document")
	case !job.Status.Terminal():
		return api.Undone{}, kappa.NewError(kappa.CodeConflict, "Cannot undo job in status: "+string(job.Status)+". Cancel it first.")
	}
	removed, err := a.cfg.Remover.RemoveDocument(ctx, corpus.Removal{DocumentID: *job.ContentHash, Ontology: *job.Ontology, By: job.ID, DryRun: in.DryRun.On()})
	message := "The document was taken out of the graph"
	if in.DryRun.On() {
		message = "Nothing was taken out: this is what would go"
	}
	return api.Undone{JobID: job.ID, Undone: !in.DryRun.On(), Message: message, Removed: removed}, err
}
