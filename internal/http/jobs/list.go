package jobs

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/api"
	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/work"
)

// JobFilterInput is a filter of jobs as words of a query, exported for huma. Each is read by work.ParseJobFilter,
// so all of them are texts here.
type JobFilterInput struct {
	Status        string   `query:"status" doc:"One of the statuses, or several with commas; running means processing, queued means approved"`
	Ontology      string   `query:"ontology" doc:"Only jobs of this ontology"`
	Type          string   `query:"job_type" doc:"Only jobs of this type"`
	Lane          string   `query:"lane" doc:"Only jobs that this lane claimed last"`
	Queue         string   `query:"queue" doc:"Only jobs of this queue"`
	User          string   `query:"client_id" doc:"A user's id or name"`
	Worker        string   `query:"worker" doc:"Only jobs that the worker with this id claimed last"`
	Parent        string   `query:"parent" doc:"Only the jobs that this one has made for parts of its work, as the chunks of a document"`
	Priority      string   `query:"priority" doc:"A number or a range: 5, 5..9, 5.., ..9, >5"`
	Attempt       string   `query:"attempt" doc:"How often it was claimed: a number or a range"`
	Age           string   `query:"age" doc:"How long ago it was submitted: >1h, <7d, or both with a comma; in s, m, h, d or w"`
	SubmittedFrom string   `query:"submitted_from" doc:"An instant, a day in UTC, or how long ago: 90s, 10m, 1h, 7d, 2w"`
	SubmittedTo   string   `query:"submitted_to" doc:"Before this moment, as are all that end in to"`
	StartedFrom   string   `query:"started_from" doc:"When it was first claimed"`
	StartedTo     string   `query:"started_to" doc:"When it was first claimed, at the latest"`
	EndedFrom     string   `query:"ended_from" doc:"When it completed, failed or was cancelled"`
	EndedTo       string   `query:"ended_to" doc:"When it ended, at the latest"`
	Error         string   `query:"error" doc:"A text in its error, in any case"`
	ErrorKey      string   `query:"error_key" doc:"The error of jobs that have failed, as GET /jobs/errors shows it"`
	File          string   `query:"file" doc:"A text in the name of its file, in any case"`
	Data          []string `query:"data,explode" doc:"NAME=VALUE: a member of the job's data and its text; also as data.NAME=VALUE. May be given up to five times"`
	Quarantined   string   `query:"quarantined" doc:"true: failed because its workers died of it, again and again; false: not so"`
	Paused        string   `query:"paused" doc:"true: it ran and awaits approval again, as at the end of its budget; false: not so"`
	Dead          string   `query:"dead" doc:"true: only what has failed for good"`
	WaitsFor      string   `query:"waits_for" doc:"time, pause, limit, slot, budget, approval, provider, or provider:NAME"`

	members map[string][]string // data.NAME
}

// Resolve keeps the words data.NAME, which no field is for.
func (in *JobFilterInput) Resolve(ctx huma.Context) []error {
	u := ctx.URL()
	for name, values := range u.Query() {
		if strings.HasPrefix(name, "data.") {
			if in.members == nil {
				in.members = map[string][]string{}
			}
			in.members[name] = values
		}
	}
	return nil
}

// words returns what was given.
func (in *JobFilterInput) words() map[string][]string {
	words := map[string][]string{
		"status": {in.Status}, "ontology": {in.Ontology}, "job_type": {in.Type}, "lane": {in.Lane}, "queue": {in.Queue}, "client_id": {in.User},
		"worker": {in.Worker}, "parent": {in.Parent}, "priority": {in.Priority}, "attempt": {in.Attempt}, "age": {in.Age},
		"submitted_from": {in.SubmittedFrom}, "submitted_to": {in.SubmittedTo}, "started_from": {in.StartedFrom}, "started_to": {in.StartedTo},
		"ended_from": {in.EndedFrom}, "ended_to": {in.EndedTo}, "error": {in.Error}, "error_key": {in.ErrorKey}, "file": {in.File}, "data": in.Data,
		"quarantined": {in.Quarantined}, "paused": {in.Paused}, "dead": {in.Dead}, "waits_for": {in.WaitsFor},
	}
	maps.Copy(words, in.members)
	return words
}

type jobListInput struct {
	JobFilterInput
	Sort   string `query:"sort" doc:"newest (the default), oldest, ended, started or priority"`
	Count  string `query:"count" doc:"exact or estimated: X-Total-Count says how many jobs there are in all, and X-Total-Count-Is whether that is exact, estimated or at_least"`
	Limit  int    `query:"limit" default:"50" doc:"1 to 500"`
	Offset int    `query:"offset" default:"0" doc:"How many to leave out before the page"`
	Cursor string `query:"cursor" doc:"X-Next-Cursor of the page before; not with offset"`
}

// knowsNoCursors reports whether a list is asked for in the words that there were before pages
// had cursors: for who knows no others, a page that is not full is the last one.
func (in *jobListInput) knowsNoCursors() bool {
	for word, values := range in.words() {
		given := strings.Join(values, "") != ""
		switch word {
		case "ontology", "job_type", "client_id", "parent":
			given = false
		case "status":
			given = strings.Contains(in.Status, ",")
		}
		if given {
			return false
		}
	}
	return in.Sort == "" && in.Count == "" && in.Cursor == ""
}

func (a *API) registerLists(r *http.Router) {
	http.Register(r, http.Route{Method: "GET", Path: "/jobs", Permission: access.JobsRead, ByRow: true, ID: "jobs.list", Summary: "List jobs, newest first"}, a.listJobs)
	http.Register(r, http.Route{Method: "GET", Path: "/jobs/errors", Permission: access.JobsRead, ByRow: true, ID: "jobs.errors", Summary: "Show by which errors jobs have failed"}, a.listErrors)
}

func (a *API) listJobs(ctx context.Context, in *jobListInput) ([]work.Job, error) {
	words := in.words()
	words["sort"], words["count"], words["cursor"] = []string{in.Sort}, []string{in.Count}, []string{in.Cursor}
	f, err := work.ParseJobFilter(words)
	if err != nil {
		return nil, err
	}
	f.Limit, f.Offset, f.Full = in.Limit, in.Offset, in.knowsNoCursors()
	if err := f.Validate(); err != nil {
		return nil, err
	}
	p := http.PrincipalOf(ctx)
	f, some := f.Narrow(p)
	if !some {
		return []work.Job{}, nil
	}
	page, err := a.cfg.Jobs.JobPage(ctx, f)
	if err != nil {
		return nil, err
	}
	if page.Next != "" {
		http.SetHeader(ctx, "X-Next-Cursor", page.Next)
	}
	if page.Total != nil {
		http.SetHeader(ctx, "X-Total-Count", strconv.FormatInt(page.Total.Jobs, 10))
		http.SetHeader(ctx, "X-Total-Count-Is", page.Total.Is)
	}
	// The store has asked the same already; this is for what it may have got wrong.
	list := slices.DeleteFunc(page.Jobs, func(j work.Job) bool { return p.PermitRow(access.JobsRead, j.Row()) != nil })
	return list, nil
}

// listErrors groups the jobs that have failed and that the caller may see.
func (a *API) listErrors(ctx context.Context, in *JobFilterInput) (api.JobErrors, error) {
	f, err := work.ParseJobFilter(in.words())
	if err != nil {
		return api.JobErrors{}, err
	}
	f.Limit, f.Dead = 1, true
	if err := f.Validate(); err != nil {
		return api.JobErrors{}, err
	}
	f, some := f.Narrow(http.PrincipalOf(ctx))
	if !some {
		return api.JobErrors{Errors: []work.JobError{}}, nil
	}
	found, err := a.cfg.Jobs.JobErrors(ctx, f)
	return api.JobErrors{Errors: found.Errors, Jobs: found.Jobs, More: found.More, Partial: found.Partial}, err
}
