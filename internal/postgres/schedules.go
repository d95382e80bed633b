package postgres

import (
	"context"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/internal/postgres/db"
	"github.com/kappagraph/kappa/work"
)

// ScheduleStore keeps the schedules and the answers to their due instants.
type ScheduleStore struct{ *base }

// Schedules returns the store of schedules.
func (d *DB) Schedules() ScheduleStore { return ScheduleStore{&d.base} }

const (
	scheduleNameConstraint = "scheduled_jobs_name_key"
	maxScheduleRuns        = 1000
)

// Schedules returns every schedule, by name.
func (s ScheduleStore) Schedules(ctx context.Context) ([]work.Schedule, error) {
	rows, err := s.q().ScheduleList(ctx)
	if err != nil {
		return nil, translate(err, "list schedules")
	}
	schedules := make([]work.Schedule, len(rows))
	for i, r := range rows {
		schedules[i] = toSchedule(r)
	}
	return schedules, nil
}

// Schedule returns a schedule. It returns CodeNotFound for an unknown name.
func (s ScheduleStore) Schedule(ctx context.Context, name string) (work.Schedule, error) {
	row, err := s.q().ScheduleByName(ctx, name)
	if isNoRows(err) {
		return work.Schedule{}, notFound("Schedule not found: %s", name)
	}
	return toSchedule(row), translate(err, "read schedule "+name)
}

// NextSchedules returns the enabled schedules, those first that come first, at
// most limit of them, and the time on the database's clock.
func (s ScheduleStore) NextSchedules(ctx context.Context, limit int) (schedules []work.Schedule, now time.Time, err error) {
	rows, err := s.q().ScheduleNext(ctx, int32(limit))
	if err != nil {
		return nil, now, translate(err, "read the next schedules")
	}
	for _, r := range rows {
		schedules, now = append(schedules, toSchedule(r.KgApiScheduledJob)), r.Now
	}
	return schedules, now, nil
}

// Clock returns the time on the database's clock.
func (s ScheduleStore) Clock(ctx context.Context) (time.Time, error) {
	now, err := s.q().Now(ctx)
	return now, translate(err, "read the database's clock")
}

// AddSchedule stores a schedule that the caller has validated, and notifies the
// leader. It returns CodeConflict when the name is taken.
func (s ScheduleStore) AddSchedule(ctx context.Context, n work.Schedule, next time.Time) (work.Schedule, error) {
	var added work.Schedule
	err := inTx(ctx, s.jobs, func(q *db.Queries) error {
		if err := beginSubmission(ctx, q); err != nil {
			return err
		}
		row, err := q.ScheduleInsert(ctx, db.ScheduleInsertParams{
			Name: n.Name, JobType: n.JobType, Cron: n.Cron, TimeZone: n.TimeZone, Enabled: n.Enabled,
			Condition: n.Condition, Data: n.Data, Priority: int16(n.Priority), NextRunAt: next,
		})
		if violates(err, scheduleNameConstraint) {
			return conflict("Schedule already exists: %s", n.Name)
		}
		if err != nil {
			return err
		}
		added = toSchedule(row)
		if err := record(ctx, q, act{action: "schedule.create", object: "schedule", id: n.Name, after: scheduleFacts(added)}); err != nil {
			return err
		}
		return q.ScheduleNotify(ctx, n.Name)
	})
	return added, translate(err, "store schedule "+n.Name)
}

// ChangeSchedule applies change to a schedule, which nobody else can change
// meanwhile, stores what it returns, and notifies the leader. now is the time on
// the database's clock, next the first due instant of the changed schedule. It
// returns CodeNotFound for an unknown name, and change's error as it is.
func (s ScheduleStore) ChangeSchedule(ctx context.Context, name string,
	change func(was work.Schedule, now time.Time) (is work.Schedule, next time.Time, err error),
) (work.Schedule, error) {
	var changed work.Schedule
	err := inTx(ctx, s.jobs, func(q *db.Queries) error {
		row, err := q.ScheduleForUpdate(ctx, name)
		if isNoRows(err) {
			return notFound("Schedule not found: %s", name)
		}
		if err != nil {
			return err
		}
		is, next, err := change(toSchedule(row.KgApiScheduledJob), row.Now)
		if err != nil {
			return err
		}
		updated, err := q.ScheduleUpdate(ctx, db.ScheduleUpdateParams{
			ScheduleID: row.KgApiScheduledJob.ScheduleID, JobType: is.JobType, Cron: is.Cron, TimeZone: is.TimeZone,
			Enabled: is.Enabled, Condition: is.Condition, Data: is.Data, Priority: int16(is.Priority), NextRunAt: next,
		})
		if err != nil {
			return err
		}
		changed = toSchedule(updated)
		was := toSchedule(row.KgApiScheduledJob)
		if err := record(ctx, q, act{action: "schedule.update", object: "schedule", id: name, before: scheduleFacts(was), after: scheduleFacts(changed)}); err != nil {
			return err
		}
		return q.ScheduleNotify(ctx, name)
	})
	return changed, translate(err, "change schedule "+name)
}

// RemoveSchedule deletes a schedule and the record of its runs; the jobs that it
// submitted stay. It returns CodeNotFound for an unknown name.
func (s ScheduleStore) RemoveSchedule(ctx context.Context, name string) error {
	err := s.acting(ctx, func(q *db.Queries) error {
		row, err := q.ScheduleDelete(ctx, name)
		if err != nil {
			return err
		}
		return record(ctx, q, act{action: "schedule.delete", object: "schedule", id: name, before: scheduleFacts(toSchedule(row))})
	})
	if isNoRows(err) {
		return notFound("Schedule not found: %s", name)
	}
	return translate(err, "remove schedule "+name)
}

// ScheduleRuns returns how the last due instants of a schedule were answered,
// newest first. It returns CodeNotFound for an unknown name.
func (s ScheduleStore) ScheduleRuns(ctx context.Context, name string, limit int) ([]work.ScheduleRun, error) {
	rows, err := s.q().ScheduleRuns(ctx, name, int32(min(limit, maxScheduleRuns)))
	if err != nil {
		return nil, translate(err, "list the runs of schedule "+name)
	}
	runs := make([]work.ScheduleRun, len(rows))
	for i, r := range rows {
		runs[i] = work.ScheduleRun{ScheduledFor: kappa.At(r.ScheduledFor), JobID: r.JobID, SkipReason: r.SkipReason}
	}
	if len(runs) == 0 {
		_, err = s.Schedule(ctx, name)
	}
	return runs, err
}

// RunSchedule submits the job of a schedule now, whatever its condition says
// and whether it is enabled or not; its due instants stay as they are. It
// returns CodeNotFound for an unknown name, and check's error as it is.
func (s ScheduleStore) RunSchedule(ctx context.Context, name, by string, check func(work.Schedule) error) (work.Job, error) {
	var id string
	run := func(q *db.Queries) error {
		row, err := q.ScheduleForUpdate(ctx, name)
		if isNoRows(err) {
			return notFound("Schedule not found: %s", name)
		}
		if err != nil {
			return err
		}
		schedule := toSchedule(row.KgApiScheduledJob)
		if err := check(schedule); err != nil {
			return err
		}
		id = kappa.NewJobID()
		if err := submitScheduled(ctx, q, schedule, id, by); err != nil {
			return err
		}
		if err := record(ctx, q, act{action: "schedule.run", object: "schedule", id: name, after: map[string]any{"job_id": id}}); err != nil {
			return err
		}
		return q.ScheduleRunByHand(ctx, id, row.KgApiScheduledJob.ScheduleID)
	}
	err := withNewID(func() error { return inTx(ctx, s.jobs, run) })
	if err != nil {
		return work.Job{}, translate(err, "run schedule "+name)
	}
	s.committed(id)
	return JobStore(s).Job(ctx, id)
}

// Launch answers the due instants of a schedule under the leader's term, in one
// transaction. It returns the id of the job, which is "" when it was skipped,
// and when the schedule was changed or answered since it was read. It returns
// ErrDeposed when another server leads.
func (s ScheduleStore) Launch(ctx context.Context, term int64, l work.Launch) (jobID string, err error) {
	err = withNewID(func() error {
		return s.underTerm(ctx, term, func(q *db.Queries) (err error) {
			jobID, err = launch(ctx, q, l)
			return err
		})
	})
	if err != nil {
		return "", translate(err, "launch schedule "+l.Schedule.Name)
	}
	if jobID != "" {
		s.committed(jobID)
	}
	return jobID, nil
}

// launch is Launch within the transaction that holds the term.
func launch(ctx context.Context, q *db.Queries, l work.Launch) (jobID string, err error) {
	schedule := int32(l.Schedule.ID)
	if l.Schedule.NextRunAt == nil {
		return "", nil
	}
	_, err = q.ScheduleLock(ctx, schedule, l.Schedule.NextRunAt.Time, l.Schedule.UpdatedAt.Time)
	if isNoRows(err) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	if len(l.Missed) > 0 {
		if err := q.ScheduleRunsMissed(ctx, schedule, l.MissedReason, l.Missed); err != nil {
			return "", err
		}
	}
	answer := db.ScheduleAnsweredParams{ScheduleID: schedule, NextRunAt: l.Next, LastRunAt: &l.For}
	if l.Skip != "" {
		answer.SkipReason = &l.Skip
	} else {
		answer.JobID = new(kappa.NewJobID())
	}
	answered, err := q.ScheduleRunInsert(ctx, db.ScheduleRunInsertParams{
		ScheduleID: schedule, ScheduledFor: l.For, JobID: answer.JobID, SkipReason: answer.SkipReason,
	})
	if err != nil {
		return "", err
	}
	if answered == 0 { // the database's clock went back, and the instant came again
		answer.JobID, answer.SkipReason = nil, new("this instant was answered before")
	}
	if answer.JobID != nil {
		jobID = *answer.JobID
		if err := submitScheduled(ctx, q, l.Schedule, jobID, work.ApprovedBySystem); err != nil {
			return "", err
		}
	}
	return jobID, q.ScheduleAnswered(ctx, answer)
}

// submitScheduled stores the approved job of a schedule; it belongs to the
// system.
func submitScheduled(ctx context.Context, q *db.Queries, n work.Schedule, jobID, by string) error {
	return insertNamed(ctx, q, db.JobInsertParams{
		JobID: jobID, JobType: n.JobType, Status: string(work.StatusApproved), Queue: work.DefaultQueue,
		Priority: int16(n.Priority), UserID: access.SystemUserID, IsSystem: true, ApprovedBy: &by,
		MaxRetries: work.DefaultMaxRetries, Data: n.Data,
	})
}

// holdTerm makes the transaction one of the leader: the next leader waits for
// it. It returns ErrDeposed when there is a next one already.
func holdTerm(ctx context.Context, q *db.Queries, term int64) error {
	_, err := q.LeaderHolds(ctx, term)
	if isNoRows(err) {
		return kappa.ErrDeposed
	}
	return err
}

// scheduleFacts are what is recorded of a schedule: what can be set, but for its data,
// which may be large.
func scheduleFacts(s work.Schedule) map[string]any {
	return map[string]any{
		"job_type": s.JobType, "cron": s.Cron, "time_zone": s.TimeZone, "enabled": s.Enabled, "condition": s.Condition, "priority": s.Priority,
	}
}

func toSchedule(r db.KgApiScheduledJob) work.Schedule {
	s := work.Schedule{
		ID: int(r.ScheduleID), Name: r.Name, JobType: r.JobType, Cron: r.Cron, TimeZone: r.TimeZone, Enabled: r.Enabled,
		Condition: r.Condition, Data: r.Data, Priority: int(r.Priority), LastRunAt: kappa.AtPtr(r.LastRunAt),
		LastJobID: r.LastJobID, LastReason: r.LastReason, UpdatedAt: kappa.At(r.UpdatedAt),
	}
	if r.Enabled {
		s.NextRunAt = new(kappa.At(r.NextRunAt))
	}
	if r.LastOutcome != nil {
		s.LastOutcome = new(work.ScheduleOutcome(*r.LastOutcome))
	}
	return s
}
