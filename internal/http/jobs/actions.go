package jobs

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/api"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/check"
	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/work"
)

type actionInput struct {
	Body actionRequest
}

// actionRequest is an act on many jobs.
type actionRequest struct {
	_        struct{}               `additionalProperties:"false"`
	Act      string                 `json:"act" doc:"approve, cancel, retry, delete, priority, run-now or move-to-queue"`
	Filter   map[string]filterValue `json:"filter,omitempty" doc:"Selects jobs in the words of GET /jobs, as {\"status\": \"failed\", \"age\": \">1h\"}, of those that are in a status that allows the act"`
	IDs      []string               `json:"ids,omitempty" doc:"The jobs, instead of a filter; at most 500"`
	All      bool                   `json:"all,omitempty" doc:"Every job that may be seen, instead of a filter"`
	Expect   *int64                 `json:"expect,omitempty" doc:"How many jobs are meant, as a dry run has said; when it is off by more than a tenth nothing is changed"`
	DryRun   bool                   `json:"dry_run,omitempty" doc:"Change nothing, and say how many jobs are selected"`
	Priority *int                   `json:"priority,omitempty" doc:"For priority: -100 to 100"`
	Queue    string                 `json:"queue,omitempty" doc:"For move-to-queue: where jobs for remote workers go"`
	Budget   string                 `json:"budget,omitempty" doc:"For approve: what each job may spend on models from now on, as POST /jobs/{id}/approve takes it"`
	From     string                 `json:"from,omitempty" doc:"For retry: checkpoint or start, as POST /jobs/{id}/retry takes it"`
	Gaps     bool                   `json:"gaps,omitempty" doc:"For retry: also ingestions that completed with chunks that could not be read"`
	Force    bool                   `json:"force,omitempty" doc:"For delete: also what runs"`
}

// filterValue is the value of a word of a filter: a text, several, a number, or true or false.
type filterValue []string

// UnmarshalJSON reads any of them.
func (v *filterValue) UnmarshalJSON(data []byte) error {
	var many []string
	if json.Unmarshal(data, &many) == nil {
		*v = many
		return nil
	}
	var one string
	if json.Unmarshal(data, &one) == nil {
		*v = []string{one}
		return nil
	}
	var scalar any
	if err := json.Unmarshal(data, &scalar); err != nil {
		return err
	}
	switch scalar.(type) {
	case bool, float64:
		*v = []string{string(data)}
		return nil
	}
	return errors.New("must be a text, a list of texts, a number, or true or false")
}

// Schema documents the forms.
func (filterValue) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{OneOf: []*huma.Schema{
		{Type: huma.TypeString}, {Type: huma.TypeArray, Items: &huma.Schema{Type: huma.TypeString}}, {Type: huma.TypeNumber}, {Type: huma.TypeBoolean},
	}}
}

type actionStatusInput struct {
	ID      string `path:"id" doc:"job_ and 12 hexadecimal digits"`
	Outcome string `query:"outcome" doc:"Only these: done, refused or open"`
	Limit   int    `query:"limit" default:"100" doc:"1 to 500"`
	Cursor  string `query:"cursor" doc:"next_cursor of the page before"`
}

func (a *API) registerActions(r *http.Router) {
	http.Register(r, http.Route{Method: "POST", Path: "/jobs/actions", Submits: true, Permission: access.JobsRead, ByRow: true, ID: "jobs.act", Summary: "Act on many jobs at once"}, a.actOnJobs)
	http.Register(r, http.Route{Method: "GET", Path: "/jobs/actions/{id}", Permission: access.JobsRead, ByRow: true, ID: "jobs.act-status", Summary: "Show what became of each job of an act"}, a.showAction)
}

// act returns the act that is asked for.
func (r actionRequest) act() (work.JobAct, error) {
	a := work.JobAct{Act: work.Act(r.Act), All: r.All, Expect: r.Expect, ActOptions: work.ActOptions{
		Priority: r.Priority, Queue: r.Queue, From: work.RetryFrom(r.From), Gaps: r.Gaps, Force: r.Force,
	}}
	words := map[string][]string{}
	for name, values := range r.Filter {
		if slices.Contains(values, "") || len(values) == 0 {
			return a, kappa.Invalid(kappa.FieldError{In: "body", Name: "filter." + http.Printable(name), Rule: "must not be empty; leave it out instead"})
		}
		words[name] = values
	}
	f, err := work.ParseActFilter(words)
	if err != nil {
		return a, inBody(err)
	}
	f.IDs = r.IDs
	a.Filter = f
	if r.Budget != "" {
		b, err := corpus.ParseBudget(r.Budget)
		if err != nil {
			return a, kappa.Invalid(kappa.FieldError{In: "body", Name: "budget", Rule: err.Error()})
		}
		a.Budget = &b
	}
	return a, a.Validate()
}

// inBody returns what is wrong with the words of a filter as members of the body.
func inBody(err error) error {
	invalid, ok := errors.AsType[*kappa.Error](err)
	if !ok {
		return err
	}
	fields := slices.Clone(invalid.Fields)
	for i := range fields {
		fields[i].In, fields[i].Name = "body", "filter."+fields[i].Name
	}
	return kappa.Invalid(fields...)
}

func (a *API) actOnJobs(ctx context.Context, in *actionInput) (api.JobActReply, error) {
	out := api.JobActReply{DryRun: in.Body.DryRun, Outcomes: []work.ActOutcome{}, Jobs: []work.Job{}}
	act, err := in.Body.act()
	if err != nil {
		return out, err
	}
	out.Act = act.Act
	p := http.PrincipalOf(ctx)
	if err := p.PermitSome(act.Act.Permission()); err != nil {
		return out, err
	}
	act.Barred = a.cfg.Types.BarredFor(act)
	do := a.cfg.Actor.Act
	if out.DryRun {
		do = a.cfg.Actor.Preview
	}
	var report work.ActReport
	if act.Narrow(p) || len(act.Filter.IDs) > 0 {
		if report, err = do(ctx, act); err != nil {
			return out, err
		}
	}
	out.ActFigures, out.Denied = report.ActFigures, report.Denied
	if report.JobID != "" {
		out.JobID = &report.JobID
	}
	out.Outcomes = append(out.Outcomes, report.Outcomes...)
	for _, j := range report.Jobs { // the store has asked the same already
		if p.PermitRow(access.JobsRead, j.Row()) == nil {
			out.Jobs = append(out.Jobs, j)
		}
	}
	out.Message = actMessage(out)
	return out, nil
}

// actMessage says in a sentence what became of an act.
func actMessage(r api.JobActReply) string {
	n := http.JobCount(int(r.Selected))
	denied := ""
	if r.Denied > 0 {
		denied = "; " + strconv.FormatInt(r.Denied, 10) + " of them may be seen, but not acted on"
	}
	switch {
	case r.DryRun:
		return "Would " + string(r.Act) + " " + n + denied
	case r.JobID != nil:
		return n + " selected; job " + *r.JobID + " does it" + denied
	case r.Refused > 0:
		return string(r.Act) + ": " + http.JobCount(int(r.Done)) + " done, " + strconv.FormatInt(r.Refused, 10) + " refused"
	}
	return string(r.Act) + ": " + http.JobCount(int(r.Done)) + " done"
}

// showAction shows an act to whoever asked for it, and to those who may see all jobs: it names
// jobs of others.
func (a *API) showAction(ctx context.Context, in *actionStatusInput) (out api.JobActStatus, err error) {
	var r check.Rules
	r.Add("query", "limit", check.Range(in.Limit, 1, work.MaxJobList))
	r.Add("query", "cursor", check.Cursor(kappa.ListOutcomes, in.Cursor, kappa.OutcomeKeys, 0))
	if in.Outcome != "" {
		r.Add("query", "outcome", check.OneOf(work.OutcomeKind(in.Outcome), work.OutcomeDone, work.OutcomeRefused, work.OutcomeOpen))
	}
	if err := r.Err(); err != nil {
		return out, err
	}
	job, err := http.PermittedJob(ctx, access.JobsRead, in.ID, a.cfg.Jobs.Job)
	if err != nil {
		return out, err
	}
	p := http.PrincipalOf(ctx)
	if job.Type != work.TypeJobAction || p.Reach(access.JobsRead) != access.ReachAll && job.UserID != p.User.ID {
		return out, http.JobNotFound(in.ID)
	}
	if at, _ := kappa.ParseCursor(kappa.ListOutcomes, in.Cursor, kappa.OutcomeKeys); at.Of != "" && at.Of != job.ID {
		return out, kappa.Invalid(kappa.FieldError{In: "query", Name: "cursor", Rule: "must be the next_cursor of a page of the same act"})
	}
	out.JobID, out.Status = job.ID, job.Status
	if out.ActFigures, err = a.cfg.Actor.ActFigures(ctx, job.ID); err != nil {
		return out, err
	}
	out.Open = out.Selected - out.Done - out.Refused
	page, next, err := a.cfg.Actor.ActOutcomes(ctx, job.ID, work.OutcomeKind(in.Outcome), in.Cursor, in.Limit)
	out.Outcomes = page
	if next != "" {
		out.NextCursor = &next
	}
	return out, err
}
