package cli

import (
	"encoding/json"

	"github.com/spf13/cobra"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/cmd/kg/exit"
	"github.com/kappagraph/kappa/cmd/kg/show"
	"github.com/kappagraph/kappa/work"
)

// scheduleFlags are the settings of a schedule as flags give them.
type scheduleFlags struct {
	jobType, cron, zone, condition, data string
	priority                             int
}

// define gives cmd the flags.
func (f *scheduleFlags) define(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.jobType, "type", "", "the job type; one of the server, but not ingestion")
	flags.StringVar(&f.cron, "cron", "", "when: minute, hour, day of month, month, day of week")
	flags.StringVar(&f.zone, "zone", "", "the IANA time zone that --cron is read in (default UTC)")
	flags.StringVar(&f.condition, "condition", "", `what must hold for a run: queue_idle or previous_done; "" for nothing`)
	flags.StringVar(&f.data, "data", "", "what the job type takes, as JSON")
	flags.IntVar(&f.priority, "priority", 0, "-100 to 100; the highest is claimed first")
	flags.Bool("enable", false, "let the clock run it")
	flags.Bool("disable", false, "do not let the clock run it")
	completeWith(cmd, "condition", "queue_idle", "previous_done")
}

// update returns the settings that were given.
func (f *scheduleFlags) update(cmd *cobra.Command) (work.ScheduleUpdate, error) {
	var u work.ScheduleUpdate
	given := func(flag string, to **string, value *string) {
		if cmd.Flags().Changed(flag) {
			*to = value
		}
	}
	given("type", &u.JobType, &f.jobType)
	given("cron", &u.Cron, &f.cron)
	given("zone", &u.TimeZone, &f.zone)
	given("condition", &u.Condition, &f.condition)
	if cmd.Flags().Changed("priority") {
		u.Priority = &f.priority
	}
	if cmd.Flags().Changed("data") {
		if !json.Valid([]byte(f.data)) {
			return u, exit.Usage("--data must be JSON, got %q", f.data)
		}
		u.Data = json.RawMessage(f.data)
	}
	if err := givenEnabled(cmd, &u.Enabled); err != nil {
		return u, err
	}
	if _, err := u.Apply(work.Schedule{}); err != nil {
		return u, exit.Usage("nothing to change: give at least one setting")
	}
	return u, nil
}

// writeSchedules draws schedules.
func (a *App) writeSchedules(list []work.Schedule) {
	if len(list) == 0 {
		a.note("No schedules.")
		return
	}
	g := show.NewGrid(show.Column{Name: "schedule", Flex: true}, show.Column{Name: "type"}, show.Column{Name: "cron"}, show.Column{Name: "zone"}, show.Column{Name: "next"}, show.Column{Name: "last"})
	for _, s := range list {
		next := laneState(false)
		if s.NextRunAt != nil {
			next = whenShort(s.NextRunAt)
		}
		g.Add(s.Name, s.JobType, s.Cron, s.TimeZone, next, lastRun(s))
	}
	p := a.paint(a.out)
	a.writeGrid(g, func(_ int, cell string) string {
		if cell == laneState(false) {
			return p.Yellow(cell)
		}
		return cell
	})
}

// lastRun says how the last due time of a schedule was answered.
func lastRun(s work.Schedule) string {
	switch {
	case s.LastOutcome == nil:
		return "-"
	case *s.LastOutcome == work.ScheduleSkipped:
		return "skipped"
	}
	return orEmpty(s.LastJobID)
}

// whenShort shows an instant to the minute, in this machine's time zone.
func whenShort(t *kappa.Time) string { return t.Time.Local().Format("01-02 15:04") }

// writeScheduleRuns draws the answers of a schedule.
func (a *App) writeScheduleRuns(runs []work.ScheduleRun) {
	if len(runs) == 0 {
		a.note("No runs yet.")
		return
	}
	g := show.NewGrid(show.Column{Name: "due"}, show.Column{Name: "job"}, show.Column{Name: "skipped because", Flex: true})
	for _, r := range runs {
		g.Add(whenShort(&r.ScheduledFor), orDash(orEmpty(r.JobID)), orEmpty(r.SkipReason))
	}
	a.writeGrid(g, nil)
}
