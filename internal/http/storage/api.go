// Package storage is the part of the HTTP API that shows what the database holds, checks
// that it is whole, and says what is kept for how long.
package storage

import (
	"context"
	"strings"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/api"
	"github.com/kappagraph/kappa/artifacts"
	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/storage"
	"github.com/kappagraph/kappa/work"
)

// stored is what the database holds. An unknown key is CodeNotFound.
type stored interface {
	StorageUse(ctx context.Context) (storage.Use, error)
	// StorageReadable returns the name of the database when what is stored can be read.
	StorageReadable(ctx context.Context) (database string, err error)
	// StoredAbout is about how many documents are stored.
	StoredAbout(ctx context.Context) (int, error)
	StoredObjects(ctx context.Context, p storage.StoredObjectPage) ([]storage.StoredObject, error)
	StoredObject(ctx context.Context, key string) (storage.StoredObjectDetails, error)
	StorageReferences(ctx context.Context, ontology string) (storage.References, error)
	CleanupPreview(ctx context.Context, keep storage.RetentionSettings) (map[string]int64, error)
}

// jobs takes jobs in.
type jobs interface {
	SubmitJob(ctx context.Context, n work.NewJob) (work.Job, error)
}

// scheduler knows when the next cleanup is.
type scheduler interface {
	Status(ctx context.Context) (work.SchedulerStatus, error)
}

// Config is what an API needs. Every field is required.
type Config struct {
	Stored    stored
	Jobs      jobs
	Scheduler scheduler
	Keep      storage.RetentionSettings
}

// API shows what is stored.
type API struct{ cfg Config }

// New returns the resource.
func New(cfg Config) *API { return &API{cfg: cfg} }

type health struct {
	Healthy  bool    `json:"healthy"`
	Bucket   *string `json:"bucket" doc:"The name of the database"`
	Endpoint *string `json:"endpoint" doc:"postgresql: all is stored in the database"`
	Error    string  `json:"error,omitempty" doc:"Why it is not healthy"`
}

type objectsInput struct {
	Prefix string `query:"prefix" doc:"Only keys that begin so: sources/ and the first characters of a hash"`
	Limit  int    `query:"limit" default:"50" doc:"1 to 500"`
	Offset int    `query:"offset" default:"0" doc:"How many to leave out before the page"`
}

type objectInput struct {
	Key string `query:"key" doc:"As the list shows it"`
}

type referencesInput struct {
	Ontology string `query:"ontology" doc:"Only its documents; default: all"`
	Category string `query:"category" default:"sources" doc:"sources or images, which are stored alike"`
}

type checkInput struct {
	Body *storageCheckRequest
}

type storageCheckRequest struct {
	_     struct{} `additionalProperties:"false"`
	Parts []string `json:"parts,omitempty" doc:"Only these: documents, chunks, passages, quotes, statements, embeddings, artifacts; default: all"`
}

type submittedCheck struct {
	JobID   string      `json:"job_id"`
	Status  work.Status `json:"status"`
	Message string      `json:"message"`
}

// Register adds the routes.
func (a *API) Register(r *http.Router) error {
	http.Register(r, http.Route{Method: "GET", Path: "/admin/storage/health", Permission: access.StorageRead, ID: "storage.health", Summary: "Whether what is stored can be read"}, a.health)
	http.Register(r, http.Route{Method: "GET", Path: "/admin/storage/stats", Permission: access.StorageRead, ID: "storage.stats", Summary: "Show what the database holds, by kind"},
		func(ctx context.Context, _ *struct{}) (storage.Use, error) { return a.cfg.Stored.StorageUse(ctx) })
	http.Register(r, http.Route{Method: "GET", Path: "/admin/storage/objects", Permission: access.StorageRead, ID: "storage.objects", Summary: "List the stored documents"}, a.objects)
	http.Register(r, http.Route{Method: "GET", Path: "/admin/storage/objects/metadata", Permission: access.StorageRead, ID: "storage.object", Summary: "Show a stored document without its content"},
		func(ctx context.Context, in *objectInput) (storage.StoredObjectDetails, error) {
			if !http.Storable(in.Key) {
				return storage.StoredObjectDetails{}, kappa.NewError(kappa.CodeNotFound, "Object not found: "+http.Printable(in.Key))
			}
			return a.cfg.Stored.StoredObject(ctx, in.Key)
		})
	http.Register(r, http.Route{Method: "GET", Path: "/admin/storage/integrity", Permission: access.StorageRead, ID: "storage.references", Summary: "Compare the documents of the graph with those that are stored"}, a.references)
	http.Register(r, http.Route{Method: "POST", Path: "/admin/storage/check", Permission: access.StorageRead, ID: "storage.check", Summary: "Have a job check every hash and every offset of what is stored", Status: 202}, a.check)
	http.Register(r, http.Route{Method: "GET", Path: "/admin/storage/retention", Permission: access.StorageRead, ID: "storage.retention", Summary: "Show what is kept for how long, and what the next cleanup would remove"}, a.retention)
	return http.CheckConfig("http/storage", a.cfg)
}

func (a *API) health(ctx context.Context, _ *struct{}) (health, error) {
	database, err := a.cfg.Stored.StorageReadable(ctx)
	if err != nil {
		return health{Error: kappa.ErrorMessage(err)}, nil
	}
	return health{Healthy: true, Bucket: &database, Endpoint: new("postgresql")}, nil
}

func (a *API) objects(ctx context.Context, in *objectsInput) (api.ObjectList, error) {
	page := storage.StoredObjectPage{Prefix: in.Prefix, Limit: in.Limit, Offset: in.Offset}
	if err := page.Validate(); err != nil {
		return api.ObjectList{}, err
	}
	list, err := a.cfg.Stored.StoredObjects(ctx, page)
	if err != nil {
		return api.ObjectList{}, err
	}
	out := api.ObjectList{Objects: list, Total: in.Offset + len(list), Prefix: in.Prefix, Limit: in.Limit, Offset: in.Offset}
	if len(list) < in.Limit {
		return out, nil // it is the last page
	}
	out.Total++
	if !strings.HasPrefix(storage.ObjectPrefix, in.Prefix) {
		return out, nil
	}
	about, err := a.cfg.Stored.StoredAbout(ctx)
	out.Total = max(out.Total, about)
	return out, err
}

func (a *API) references(ctx context.Context, in *referencesInput) (storage.References, error) {
	if in.Category != "sources" && in.Category != "images" {
		return storage.References{}, kappa.Invalid(kappa.FieldError{In: "query", Name: "category", Rule: "must be sources or images"})
	}
	if in.Ontology != "" && !http.Storable(in.Ontology) {
		return storage.References{}, kappa.NewError(kappa.CodeNotFound, "Ontology '"+http.Printable(in.Ontology)+"' not found")
	}
	out, err := a.cfg.Stored.StorageReferences(ctx, in.Ontology)
	out.Category = in.Category
	return out, err
}

func (a *API) check(ctx context.Context, in *checkInput) (submittedCheck, error) {
	var data storageCheckRequest
	if in.Body != nil {
		data = *in.Body
	}
	if err := storage.CheckParts("body", "parts", data.Parts); err != nil {
		return submittedCheck{}, err
	}
	job, err := a.cfg.Jobs.SubmitJob(ctx, work.NewJob{
		Type: storage.TypeCheck, Queue: work.DefaultQueue, Data: http.EncodeJSON(data), AutoApprove: true, MaxRetries: work.DefaultMaxRetries, UserID: http.PrincipalOf(ctx).User.ID,
	})
	if err != nil {
		return submittedCheck{}, err
	}
	return submittedCheck{JobID: job.ID, Status: job.Status, Message: "Everything that is stored is being checked. GET /jobs/" + job.ID + " shows how far, and its result what is wrong"}, nil
}

func (a *API) retention(ctx context.Context, _ *struct{}) (storage.Retention, error) {
	due, err := a.cfg.Stored.CleanupPreview(ctx, a.cfg.Keep)
	if err != nil {
		return storage.Retention{}, err
	}
	keep := a.cfg.Keep
	policy := func(name, keep, setting string) storage.RetentionPolicy {
		return storage.RetentionPolicy{Keep: keep, Setting: setting, DueNow: due[name]}
	}
	out := storage.Retention{Policies: map[string]storage.RetentionPolicy{
		"documents":      {Keep: "until they are deleted"},
		"completed_jobs": policy("completed_jobs", keep.Jobs.Completed.String(), "KG_RETENTION_COMPLETED_HOURS"),
		"failed_jobs":    policy("failed_jobs", keep.Jobs.Failed.String(), "KG_RETENTION_FAILED_HOURS"),
		"schedule_runs":  policy("schedule_runs", keep.Jobs.Failed.String(), "KG_RETENTION_FAILED_HOURS"),
		"contents":       policy("contents", "as long as a document or a job refers to them", ""),
		"audit_entries":  policy("audit_entries", keep.Audit.String(), "KG_AUDIT_RETENTION_DAYS"),
		"submissions":    policy("submissions", keep.Keys.String(), "KG_IDEMPOTENCY_HOURS"),
		"artifacts":      policy("artifacts", "until they expire", ""),
		"files":          policy("files", (24 * time.Hour).String(), ""),
		"dataclips":      policy("dataclips", "as long as a job refers to them, unused "+artifacts.DataclipUnusedKept.String(), ""),
		"epochs":         {Keep: "for ever"},
	}}
	status, err := a.cfg.Scheduler.Status(ctx)
	out.NextCleanup = status.Stats.NextCleanup
	return out, err
}
