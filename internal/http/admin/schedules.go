package admin

import (
	"context"
	"encoding/json"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/api"
	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/work"
)

// schedules keeps the scheduled jobs. An unknown name is CodeNotFound, a value
// that breaks a rule is CodeInvalid, a name that is taken is CodeConflict.
type schedules interface {
	Schedules(ctx context.Context) ([]work.Schedule, error)
	ScheduleRuns(ctx context.Context, name string, limit int) ([]work.ScheduleRun, error)
	AddSchedule(ctx context.Context, n work.NewSchedule) (work.Schedule, error)
	UpdateSchedule(ctx context.Context, name string, u work.ScheduleUpdate) (work.Schedule, error)
	RemoveSchedule(ctx context.Context, name string) error
	RunSchedule(ctx context.Context, name, by string) (work.Job, error)
}

type newScheduleInput struct{ Body scheduleRequest }

// scheduleRequest asks for a new schedule. What it does not know it refuses: a
// misspelt setting would otherwise be lost without a word.
type scheduleRequest struct {
	_         struct{}        `additionalProperties:"false"`
	Name      string          `json:"name" doc:"Unique"`
	JobType   string          `json:"job_type" doc:"A job type of this server"`
	Cron      string          `json:"cron" doc:"Minute, hour, day of month, month, day of week"`
	TimeZone  *string         `json:"time_zone,omitempty" doc:"IANA name that cron is read in; default: UTC"`
	Enabled   *bool           `json:"enabled,omitempty" doc:"Default: true"`
	Condition *string         `json:"condition,omitempty" doc:"What must hold for a run: queue_idle or previous_done"`
	Data      json.RawMessage `json:"data,omitempty" doc:"What the job type takes"`
	Priority  *int            `json:"priority,omitempty" doc:"-100 to 100; default: 0"`
}

type scheduleInput struct {
	Name string `path:"name" doc:"The name of a schedule"`
}

type scheduleRunsInput struct {
	Name  string `path:"name" doc:"The name of a schedule"`
	Limit int    `query:"limit" default:"50" doc:"1 to 500"`
}

type scheduleUpdateInput struct {
	Name string `path:"name" doc:"The name of a schedule"`
	Body *scheduleSettings
}

// scheduleSettings is a ScheduleUpdate that refuses what is no setting.
type scheduleSettings struct {
	_ struct{} `additionalProperties:"false"`
	work.ScheduleUpdate
}

func (a *API) registerSchedules(r *http.Router) {
	http.Register(r, http.Route{Method: "GET", Path: "/admin/schedules", Permission: access.WorkersView, ID: "scheduler.schedules", Summary: "List the scheduled jobs"},
		func(ctx context.Context, _ *struct{}) (api.ScheduleList, error) {
			list, err := a.cfg.Schedules.Schedules(ctx)
			return api.ScheduleList{Schedules: list}, err
		})
	http.Register(r, http.Route{Method: "POST", Path: "/admin/schedules", Submits: true, Permission: access.WorkersManage, ID: "scheduler.add-schedule", Summary: "Add a scheduled job", Status: 201}, a.addSchedule)
	http.Register(r, http.Route{Method: "PATCH", Path: "/admin/schedules/{name}", Permission: access.WorkersManage, ID: "scheduler.update-schedule", Summary: "Change a scheduled job"}, a.updateSchedule)
	http.RegisterEmpty(r, http.Route{Method: "DELETE", Path: "/admin/schedules/{name}", Permission: access.WorkersManage, ID: "scheduler.remove-schedule", Summary: "Remove a scheduled job; the jobs it submitted stay"}, a.removeSchedule)
	http.Register(r, http.Route{Method: "POST", Path: "/admin/schedules/{name}/run", Submits: true, Permission: access.WorkersManage, ID: "scheduler.run-schedule", Summary: "Submit a scheduled job now"}, a.runSchedule)
	http.Register(r, http.Route{Method: "GET", Path: "/admin/schedules/{name}/runs", Permission: access.WorkersView, ID: "scheduler.schedule-runs", Summary: "How the last due instants of a scheduled job were answered, newest first"}, a.scheduleRuns)
}

func (a *API) addSchedule(ctx context.Context, in *newScheduleInput) (work.Schedule, error) {
	r := in.Body
	return a.cfg.Schedules.AddSchedule(ctx, work.NewSchedule{
		Name: r.Name, JobType: r.JobType, Cron: r.Cron, TimeZone: http.Or(r.TimeZone, ""), Enabled: r.Enabled,
		Condition: http.Or(r.Condition, ""), Data: http.NotNull(r.Data), Priority: http.Or(r.Priority, work.PriorityScheduled),
	})
}

func (a *API) updateSchedule(ctx context.Context, in *scheduleUpdateInput) (work.Schedule, error) {
	if !http.Storable(in.Name) {
		return work.Schedule{}, errNoSchedule(in.Name)
	}
	var update work.ScheduleUpdate
	if in.Body != nil {
		update = in.Body.ScheduleUpdate
		update.Data = http.NotNull(update.Data)
	}
	if _, err := update.Apply(work.Schedule{}); err != nil {
		return work.Schedule{}, err
	}
	return a.cfg.Schedules.UpdateSchedule(ctx, in.Name, update)
}

func (a *API) removeSchedule(ctx context.Context, in *scheduleInput) error {
	if !http.Storable(in.Name) {
		return errNoSchedule(in.Name)
	}
	return a.cfg.Schedules.RemoveSchedule(ctx, in.Name)
}

func (a *API) runSchedule(ctx context.Context, in *scheduleInput) (api.JobReply, error) {
	if !http.Storable(in.Name) {
		return api.JobReply{}, errNoSchedule(in.Name)
	}
	job, err := a.cfg.Schedules.RunSchedule(ctx, in.Name, http.PrincipalOf(ctx).User.Username)
	if err != nil {
		return api.JobReply{}, err
	}
	return http.Submitted(job), nil
}

func (a *API) scheduleRuns(ctx context.Context, in *scheduleRunsInput) (api.ScheduleRunList, error) {
	if !http.Storable(in.Name) {
		return api.ScheduleRunList{}, errNoSchedule(in.Name)
	}
	if err := (work.JobFilter{Limit: in.Limit}).Validate(); err != nil { // the same range
		return api.ScheduleRunList{}, err
	}
	runs, err := a.cfg.Schedules.ScheduleRuns(ctx, in.Name, in.Limit)
	return api.ScheduleRunList{Runs: runs}, err
}

func errNoSchedule(name string) error {
	return kappa.NewError(kappa.CodeNotFound, "Schedule not found: "+http.Printable(name))
}
