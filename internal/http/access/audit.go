package access

import (
	"context"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/api"
	"github.com/kappagraph/kappa/internal/http"
)

// audit keeps who did what.
type audit interface {
	Entries(ctx context.Context, f access.AuditFilter) ([]access.AuditEntry, error)
}

type auditInput struct {
	User     string `query:"user" doc:"Name of whoever acted"`
	Action   string `query:"action" doc:"For example job.approve, or job for all of them"`
	Object   string `query:"object" doc:"Kind of thing: job, lane, schedule, user, role, …"`
	ObjectID string `query:"object_id" doc:"Only acts on the thing with this id"`
	Since    string `query:"since" doc:"RFC 3339; acts from then on"`
	Until    string `query:"until" doc:"RFC 3339; acts before then"`
	BeforeID int64  `query:"before_id" doc:"Entries older than this one: next_before_id of the page before"`
	Limit    int    `query:"limit" default:"50" doc:"1 to 500"`
	Cursor   string `query:"cursor" doc:"next_cursor of the page before"`
}

func (a *API) registerAudit(r *http.Router) {
	http.Register(r, http.Route{Method: "GET", Path: "/admin/audit", Permission: access.AuditRead, ID: "audit.list", Summary: "Who did what, when, and what that changed: of others only to administrators"}, a.listAudit)
}

func (a *API) listAudit(ctx context.Context, in *auditInput) (api.AuditList, error) {
	f := access.AuditFilter{User: in.User, Action: in.Action, Object: in.Object, ObjectID: in.ObjectID, BeforeID: in.BeforeID, Limit: in.Limit, Cursor: in.Cursor}
	since, sinceErr := http.Instant("since", in.Since)
	until, untilErr := http.Instant("until", in.Until)
	if err := kappa.JoinInvalid(sinceErr, untilErr, f.Validate()); err != nil {
		return api.AuditList{}, err
	}
	f.Since, f.Until = since, until
	if err := f.Validate(); err != nil {
		return api.AuditList{}, err
	}
	if p := http.PrincipalOf(ctx); p.Reach(access.AuditRead) != access.ReachAll {
		f.Of = p.User.ID
	}
	entries, err := a.cfg.Audit.Entries(ctx, f)
	out := api.AuditList{Entries: entries}
	out.Next = http.NextCursor(entries, f.Limit, func(e access.AuditEntry) kappa.Cursor {
		return kappa.Cursor{List: kappa.ListAudit, Keys: []int64{e.ID}}
	})
	if len(entries) == f.Limit {
		out.NextBeforeID = &entries[len(entries)-1].ID
	}
	return out, err
}
