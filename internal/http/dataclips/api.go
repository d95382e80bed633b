// Package dataclips is the part of the HTTP API that takes inputs of runs which are too
// large for the data of their job. Each account sees its own alone.
package dataclips

import (
	"context"
	"encoding/json"
	"io"
	"mime"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/gin-gonic/gin"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/artifacts"
	"github.com/kappagraph/kappa/internal/http"
)

const (
	uploads = 4 // at once, each of which is in memory
	grace   = 20 * time.Second
	pace    = 64 << 10 // bytes a second
	within  = grace + artifacts.MaxDataclip/pace*time.Second
)

// clips are kept for each account.
type clips interface {
	// UploadDataclip returns CodeTooLarge when the clips of the account would have more
	// than quota bytes.
	UploadDataclip(ctx context.Context, userID int, body []byte, quota int64) (artifacts.Dataclip, error)
	Dataclips(ctx context.Context, userID, limit, offset int) (artifacts.DataclipList, error)
	// DeleteDataclip returns CodeNotFound for a clip that the account does not have, and
	// CodeConflict for one that a job refers to.
	DeleteDataclip(ctx context.Context, userID int, id string) error
}

// Config is what an API needs. Every field is required.
type Config struct {
	Clips clips
	Quota int64 // bytes of all clips of an account
}

// API takes dataclips.
type API struct {
	cfg     Config
	uploads chan struct{} // a place for each upload that is under way
}

// New returns the resource.
func New(cfg Config) *API { return &API{cfg: cfg, uploads: make(chan struct{}, uploads)} }

// Register adds the routes.
func (a *API) Register(r *http.Router) error {
	r.RegisterRaw(http.Route{
		Method: "POST", Path: "/dataclips", Permission: access.JobsWrite, ID: "dataclips.upload", AnswerWithin: within, Status: 201,
		Summary: "Upload a dataclip, which the data of a job may refer to", Document: func(op *huma.Operation) {
			op.RequestBody = &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{"application/json": {Schema: &huma.Schema{Type: huma.TypeObject, Description: "Up to 10 MiB"}}}}
			http.Respond(op, "201", "application/json", "The dataclip", http.SchemaOf[artifacts.Dataclip](r))
		},
	}, a.upload)
	http.Register(r, http.Route{Method: "GET", Path: "/dataclips", Permission: access.JobsRead, ID: "dataclips.list", Summary: "List one's own dataclips, and what room they take"}, a.list)
	http.RegisterEmpty(r, http.Route{Method: "DELETE", Path: "/dataclips/{id}", Permission: access.JobsWrite, ID: "dataclips.delete", Summary: "Delete a dataclip that no job refers to"}, a.remove)
	return http.CheckConfig("http/dataclips", a.cfg)
}

// upload reads a dataclip, and stores it.
func (a *API) upload(c *gin.Context) error {
	if media, _, err := mime.ParseMediaType(c.GetHeader("Content-Type")); err != nil || media != "application/json" {
		return kappa.NewError(kappa.CodeUnsupported, "A dataclip is an object of JSON: send it as application/json")
	}
	select {
	case a.uploads <- struct{}{}:
		defer func() { <-a.uploads }()
	default:
		return &kappa.Error{Code: kappa.CodeUnavailable, Message: "Too many dataclips are being uploaded; try again in a few seconds", RetryAfter: 2 * time.Second}
	}
	body, err := http.LimitPace(c, artifacts.MaxDataclip, http.Pace{Grace: grace, Bytes: pace, Most: within})
	if err != nil {
		return err
	}
	text, err := io.ReadAll(body)
	http.BodyRead(c)
	if err != nil {
		return http.BodyError(err)
	}
	if rule := checkObject(text); rule != "" {
		return kappa.Invalid(kappa.FieldError{In: "body", Rule: rule})
	}
	clip, err := a.cfg.Clips.UploadDataclip(c.Request.Context(), http.PrincipalOf(c.Request.Context()).User.ID, text, a.cfg.Quota)
	if err != nil {
		return err
	}
	http.WriteJSON(c, 201, clip)
	return nil
}

// checkObject returns the rule that a dataclip breaks, or "".
func checkObject(text []byte) string {
	var object map[string]json.RawMessage
	if json.Unmarshal(text, &object) != nil || object == nil {
		return "must be an object of JSON"
	}
	return ""
}

type listInput struct {
	Limit  int `query:"limit" default:"100" doc:"1 to 1,000"`
	Offset int `query:"offset" default:"0" doc:"How many to leave out before the page"`
}

func (a *API) list(ctx context.Context, in *listInput) (artifacts.DataclipList, error) {
	if err := artifacts.DataclipPage(*in).Validate(); err != nil {
		return artifacts.DataclipList{}, err
	}
	list, err := a.cfg.Clips.Dataclips(ctx, http.PrincipalOf(ctx).User.ID, in.Limit, in.Offset)
	list.QuotaBytes = a.cfg.Quota
	return list, err
}

type idInput struct {
	ID string `path:"id" doc:"The id of a dataclip"`
}

func (a *API) remove(ctx context.Context, in *idInput) error {
	if !artifacts.IsDataclipID(in.ID) {
		return kappa.NewError(kappa.CodeNotFound, "Dataclip not found: "+http.Printable(in.ID))
	}
	return a.cfg.Clips.DeleteDataclip(ctx, http.PrincipalOf(ctx).User.ID, in.ID)
}
