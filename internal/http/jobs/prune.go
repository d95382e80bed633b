package jobs

import (
	"context"
	"maps"
	"slices"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/validation"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/api"
	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/work"
)

type pruneInput struct {
	Confirm   http.Flag `query:"confirm" doc:"Required, unless dry_run is true"`
	DryRun    http.Flag `query:"dry_run" doc:"Delete nothing, and show what would be deleted"`
	Status    string    `query:"status" doc:"Only jobs of this status"`
	System    http.Flag `query:"system" doc:"Only jobs of the system"`
	OlderThan string    `query:"older_than" doc:"Only jobs created longer ago: 1h, 24h, 7d or 30d"`
	Type      string    `query:"job_type" doc:"Only jobs of this type"`
}

// Resolve refuses parameters that the route does not know, that come twice or
// that are empty: none of them may widen what the caller meant to delete.
func (in *pruneInput) Resolve(ctx huma.Context) []error {
	u := ctx.URL()
	query := u.Query()
	var broken []error
	for _, name := range slices.Sorted(maps.Keys(query)) {
		detail := &huma.ErrorDetail{Location: "query." + name}
		switch name {
		case "confirm", "dry_run", "status", "system", "older_than", "job_type":
			if len(query[name]) == 1 && query.Get(name) != "" {
				continue
			}
			detail.Message = "must be given once, with a value, or left out"
		default:
			detail.Message = validation.MsgUnexpectedProperty
		}
		broken = append(broken, detail)
	}
	return broken
}

// selection returns the jobs to delete.
func (in *pruneInput) selection() (sel work.JobSelection, err error) {
	var statusErr, ageErr error
	sel.System, sel.Type = in.System.On(), in.Type
	if in.Status != "" {
		sel.Status, statusErr = work.ParseStatus(in.Status)
	}
	sel.OlderThan, ageErr = work.ParseAge(in.OlderThan)
	typeErr := work.JobFilter{Type: in.Type, Limit: 1}.Validate()
	return sel, kappa.JoinInvalid(statusErr, ageErr, typeErr)
}

func (a *API) deleteJobs(ctx context.Context, in *pruneInput) (either[api.PrunePreview, api.Pruned], error) {
	var out either[api.PrunePreview, api.Pruned]
	sel, err := in.selection()
	if err != nil {
		return out, err
	}
	if !in.Confirm.On() && !in.DryRun.On() {
		return out, kappa.NewError(kappa.CodeMalformed, "Must set confirm=true to delete jobs (or use dry_run=true to preview)")
	}
	// Nobody's own jobs are selected by this: it takes the right to all rows.
	if err := http.PrincipalOf(ctx).PermitRow(access.JobsDelete, access.Row{Owner: access.SystemUserID}); err != nil {
		return out, err
	}
	deletion, err := a.cfg.Operator.BulkDelete(ctx, sel, in.DryRun.On())
	if err != nil {
		return out, err
	}
	if in.DryRun.On() {
		out.first = &api.PrunePreview{
			DryRun: true, ToDelete: deletion.Count, Jobs: deletion.Jobs,
			Message: "Would delete " + http.JobCount(deletion.Count) + leftAlone(deletion.Running),
		}
		return out, nil
	}
	out.second = &api.Pruned{
		Success: true, Deleted: deletion.Count,
		Filters: api.PruneFilters{Status: given(sel.Status), System: sel.System, OlderThan: given(in.OlderThan), Type: given(in.Type)},
		Message: "Deleted " + http.JobCount(deletion.Count) + leftAlone(deletion.Running),
	}
	return out, nil
}

// leftAlone says how many jobs a bulk delete skips.
func leftAlone(running int) string {
	if running == 0 {
		return ""
	}
	return "; skipped " + http.JobCount(running) + " in status processing"
}

// given returns a pointer to v, nil for the zero value.
func given[T comparable](v T) *T {
	var zero T
	if v == zero {
		return nil
	}
	return &v
}
