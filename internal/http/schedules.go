package http

import (
	"context"
	"encoding/json"

	"github.com/kappagraph/kappa"
)

// schedules keeps the scheduled jobs. An unknown name is CodeNotFound, a value
// that breaks a rule is CodeInvalid, a name that is taken is CodeConflict.
type schedules interface {
	Schedules(ctx context.Context) ([]kappa.Schedule, error)
	ScheduleRuns(ctx context.Context, name string, limit int) ([]kappa.ScheduleRun, error)
	AddSchedule(ctx context.Context, n kappa.NewSchedule) (kappa.Schedule, error)
	UpdateSchedule(ctx context.Context, name string, u kappa.ScheduleUpdate) (kappa.Schedule, error)
	RemoveSchedule(ctx context.Context, name string) error
	RunSchedule(ctx context.Context, name, by string) (kappa.Job, error)
}

type scheduleList struct {
	Schedules []kappa.Schedule `json:"schedules"`
}

type scheduleRunList struct {
	Runs []kappa.ScheduleRun `json:"runs"`
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
	Name string `path:"name"`
}

type scheduleRunsInput struct {
	Name  string `path:"name"`
	Limit int    `query:"limit" default:"50" doc:"1 to 500"`
}

type scheduleUpdateInput struct {
	Name string `path:"name"`
	Body *scheduleSettings
}

// scheduleSettings is a ScheduleUpdate that refuses what is no setting.
type scheduleSettings struct {
	_ struct{} `additionalProperties:"false"`
	kappa.ScheduleUpdate
}

func (s *Server) registerSchedules(r *Router) {
	Register(r, Route{Method: "GET", Path: "/admin/schedules", Permission: kappa.WorkersView, ID: "scheduler.schedules", Summary: "List the scheduled jobs"},
		func(ctx context.Context, _ *struct{}) (scheduleList, error) {
			list, err := s.cfg.Schedules.Schedules(ctx)
			return scheduleList{Schedules: NotNil(list)}, err
		})
	Register(r, Route{Method: "POST", Path: "/admin/schedules", Permission: kappa.WorkersManage, ID: "scheduler.add-schedule", Summary: "Add a scheduled job", Status: 201}, s.addSchedule)
	Register(r, Route{Method: "PATCH", Path: "/admin/schedules/{name}", Permission: kappa.WorkersManage, ID: "scheduler.update-schedule", Summary: "Change a scheduled job"}, s.updateSchedule)
	RegisterEmpty(r, Route{Method: "DELETE", Path: "/admin/schedules/{name}", Permission: kappa.WorkersManage, ID: "scheduler.remove-schedule", Summary: "Remove a scheduled job; the jobs it submitted stay"}, s.removeSchedule)
	Register(r, Route{Method: "POST", Path: "/admin/schedules/{name}/run", Permission: kappa.WorkersManage, ID: "scheduler.run-schedule", Summary: "Submit a scheduled job now"}, s.runSchedule)
	Register(r, Route{Method: "GET", Path: "/admin/schedules/{name}/runs", Permission: kappa.WorkersView, ID: "scheduler.schedule-runs", Summary: "How the last due instants of a scheduled job were answered, newest first"}, s.scheduleRuns)
}

func (s *Server) addSchedule(ctx context.Context, in *newScheduleInput) (kappa.Schedule, error) {
	r := in.Body
	return s.cfg.Schedules.AddSchedule(ctx, kappa.NewSchedule{
		Name: r.Name, JobType: r.JobType, Cron: r.Cron, TimeZone: Or(r.TimeZone, ""), Enabled: r.Enabled,
		Condition: Or(r.Condition, ""), Data: NotNull(r.Data), Priority: Or(r.Priority, kappa.PriorityScheduled),
	})
}

func (s *Server) updateSchedule(ctx context.Context, in *scheduleUpdateInput) (kappa.Schedule, error) {
	if !Storable(in.Name) {
		return kappa.Schedule{}, errNoSchedule(in.Name)
	}
	var update kappa.ScheduleUpdate
	if in.Body != nil {
		update = in.Body.ScheduleUpdate
		update.Data = NotNull(update.Data)
	}
	if _, err := update.Apply(kappa.Schedule{}); err != nil {
		return kappa.Schedule{}, err
	}
	return s.cfg.Schedules.UpdateSchedule(ctx, in.Name, update)
}

func (s *Server) removeSchedule(ctx context.Context, in *scheduleInput) error {
	if !Storable(in.Name) {
		return errNoSchedule(in.Name)
	}
	return s.cfg.Schedules.RemoveSchedule(ctx, in.Name)
}

func (s *Server) runSchedule(ctx context.Context, in *scheduleInput) (DecisionAnswer, error) {
	if !Storable(in.Name) {
		return DecisionAnswer{}, errNoSchedule(in.Name)
	}
	job, err := s.cfg.Schedules.RunSchedule(ctx, in.Name, PrincipalOf(ctx).User.Username)
	if err != nil {
		return DecisionAnswer{}, err
	}
	return Submitted(job), nil
}

func (s *Server) scheduleRuns(ctx context.Context, in *scheduleRunsInput) (scheduleRunList, error) {
	if !Storable(in.Name) {
		return scheduleRunList{}, errNoSchedule(in.Name)
	}
	if err := (kappa.JobFilter{Limit: in.Limit}).Validate(); err != nil { // the same range
		return scheduleRunList{}, err
	}
	runs, err := s.cfg.Schedules.ScheduleRuns(ctx, in.Name, in.Limit)
	return scheduleRunList{Runs: NotNil(runs)}, err
}

func errNoSchedule(name string) error {
	return kappa.NewError(kappa.CodeNotFound, "Schedule not found: "+Printable(name))
}
