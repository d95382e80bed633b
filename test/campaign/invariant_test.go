package main

import (
	"log/slog"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/internal/pgtest"
	"github.com/kappagraph/kappa/internal/postgres"
	"github.com/kappagraph/kappa/work"
)

const (
	// allRows gives every event a row, so that it can be broken.
	allRows = `INSERT INTO kg_api.job_events SELECT h.* FROM kg_api.job_history h ON CONFLICT DO NOTHING;
		UPDATE kg_api.jobs SET claim_seq = NULL, end_seq = NULL; `

	workerA = "00000000-0000-4000-8000-00000000000a"
	workerB = "00000000-0000-4000-8000-00000000000b"
)

// history makes a database in which jobs have ended well: an effect job in two
// attempts with a pause between them, after which the first worker woke up once
// more; one that was cancelled; one whose submission was not answered; one that
// killed three workers, and another one beside it; and one of a schedule, beside
// another schedule that was skipped. A client has followed the
// effect job, and principals have lost their rights. It returns what a campaign would know.
func history(t *testing.T) (string, *outcome) {
	t.Helper()
	dsn := pgtest.NewDSN(t)
	check(t, prepare(t.Context(), dsn, 0, "")) // roles belong to the cluster, which other tests share
	s, err := postgres.Open(t.Context(), postgres.Config{DSN: dsn, JobConns: 2, GraphConns: 1, AuthConns: 1, AcquireTimeout: time.Minute})
	check(t, err)
	defer s.Close()
	for _, id := range []string{workerA, workerB} {
		check(t, s.Workers().Register(t.Context(), work.Worker{ID: id, Hostname: "test", PID: 1}, "test", time.Minute))
	}
	o := &outcome{submitted: submissions{Accepted: map[string]int{}, Unsure: map[int]bool{3: true}, Cancelled: map[string]bool{}}}
	effect := submitTest(t, s, work.TypeEffect, `{"n":1,"steps":2}`)
	cancelled := submitTest(t, s, work.TypeNoop, `{"n":2}`)
	o.submitted.Accepted[effect], o.submitted.Accepted[cancelled] = 1, 2
	_, err = s.Jobs().Cancel(t.Context(), cancelled)
	check(t, err)
	o.submitted.Cancelled[cancelled] = true

	execute := func(sql string) { executeSQL(t, dsn, sql) }
	first := claimTest(t, s, work.TypeEffect, workerA)
	o.witnessTest(first, "1")
	check(t, s.Claims().Effect(t.Context(), first, "1", work.Checkpoint{}))
	execute("INSERT INTO campaign.faults VALUES ('pause', '', 0, true, clock_timestamp(), clock_timestamp() + interval '1 minute')")
	execute("UPDATE campaign.history SET by_server = 'kg_server0' WHERE worker = '" + workerA + "' AND was = 'approved'")
	execute("UPDATE kg_api.workers SET state = 'dead' WHERE worker_id = '" + workerA + "'")
	_, err = s.Queue().Rescue(t.Context(), 0, 10)
	check(t, err)
	second := claimTest(t, s, work.TypeEffect, workerB)
	o.witnessTest(first, "2")
	o.witnessTest(second, "2")
	check(t, s.Claims().Effect(t.Context(), second, "2", work.Checkpoint{}))
	finishTest(t, s, second)
	submitTest(t, s, work.TypeNoop, `{"n":3}`)
	o.poisonTest(t, s, dsn)
	scheduleTest(t, s, dsn)
	for range 2 {
		finishTest(t, s, claimTest(t, s, work.TypeNoop, workerB))
	}
	o.followed = []followed{followTest(t, dsn, effect)}
	o.visited = visitTest(t, dsn, effect)
	execute("UPDATE kg_api.leader SET term = term + 1")
	execute("UPDATE kg_api.leader SET term = term + 1")
	return dsn, o
}

// poisonTest has a job kill its worker three times, the third time with another
// one beside it, which then completes.
func (o *outcome) poisonTest(t *testing.T, s *postgres.DB, dsn string) {
	t.Helper()
	poison := submitTest(t, s, work.TypeSleep, `{"n":4}`)
	o.submitted.Accepted[poison] = 4
	for n := range work.QuarantineCrashes {
		worker := "00000000-0000-4000-8000-00000000001" + strconv.Itoa(n)
		check(t, s.Workers().Register(t.Context(), work.Worker{ID: worker, Hostname: "test", PID: 1}, "test", time.Minute))
		claimTest(t, s, work.TypeSleep, worker)
		if n == work.QuarantineCrashes-1 {
			o.submitted.Accepted[submitTest(t, s, work.TypeSleep, `{"n":5}`)] = 5
			claimTest(t, s, work.TypeSleep, worker)
		}
		executeSQL(t, dsn, "UPDATE campaign.history SET by_server = 'kg_server0' WHERE worker = '"+worker+"'")
		executeSQL(t, dsn, "UPDATE kg_api.workers SET state = 'dead' WHERE worker_id = '"+worker+"'")
		_, err := s.Queue().Sweep(t.Context(), 0, time.Minute, 10)
		check(t, err)
	}
	finishTest(t, s, claimTest(t, s, work.TypeSleep, workerB))
}

// witnessTest has a step done under a claim.
func (o *outcome) witnessTest(c work.Claim, step string) {
	o.steps = append(o.steps, witnessedStep{c.JobID, step, c.Token, time.Now()})
}

// scheduleTest has each schedule of a campaign answer one instant.
func scheduleTest(t *testing.T, s *postgres.DB, dsn string) {
	t.Helper()
	check(t, addSchedules(t.Context(), s))
	ticks := &ticker{dsn: dsn, log: slog.New(slog.DiscardHandler)}
	check(t, ticks.tick(t.Context()))
	ended, err := ticks.stop(t.Context())
	check(t, err)
	if ended {
		t.Fatal("the schedules ended with an instant that has no answer")
	}
	for again := 0; !ended; again++ { // both are due once more where a minute has passed meanwhile
		due := launchTest(t, s)
		if ended, err = ticks.stop(t.Context()); err != nil || again == 0 && due != 2 || again > 10 {
			t.Fatalf("%d schedules were due, ended %t, %v", due, ended, err)
		}
	}
}

// launchTest answers each instant that is due, and returns how many there were.
func launchTest(t *testing.T, s *postgres.DB) int {
	t.Helper()
	due, now, err := s.Schedules().NextSchedules(t.Context(), 10)
	check(t, err)
	for _, n := range due {
		launch := work.Launch{Schedule: n, For: n.NextRunAt.Time, Next: now.Truncate(time.Minute).Add(time.Minute)}
		if n.Condition != nil {
			launch.Skip = "this server does not know the condition " + *n.Condition
		}
		_, err := s.Schedules().Launch(t.Context(), 0, launch)
		check(t, err)
	}
	return len(due)
}

// followTest returns what a client sees that leaves after the snapshot, comes
// back for the rest, and is then asked to stay away.
func followTest(t *testing.T, dsn, job string) followed {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), dsn)
	check(t, err)
	defer conn.Close(t.Context())
	rows, err := conn.Query(t.Context(), "SELECT seq, kind FROM kg_api.job_history WHERE job_id = $1 AND seq > 1 ORDER BY seq", job)
	check(t, err)
	rest := connection{after: 1, status: http.StatusOK}
	var f shown
	_, err = pgx.ForEachRow(rows, []any{&f.id, &f.event}, func() error {
		rest.frames = append(rest.frames, f)
		return nil
	})
	check(t, err)
	return followed{job: job, ended: true, connections: []connection{
		{after: -1, status: http.StatusOK, frames: []shown{{id: 1, event: eventSnapshot, status: work.StatusApproved}}},
		{after: 1}, // cut before the answer
		rest,
		{after: f.id, status: http.StatusNoContent},
	}}
}

func submitTest(t *testing.T, s *postgres.DB, jobType, data string) string {
	t.Helper()
	job, err := s.Jobs().SubmitJob(t.Context(), work.NewJob{
		Type: jobType, Queue: work.DefaultQueue, AutoApprove: true, MaxRetries: 1, UserID: access.SystemUserID, Data: []byte(data),
	})
	check(t, err)
	return job.ID
}

func claimTest(t *testing.T, s *postgres.DB, jobType, worker string) work.Claim {
	t.Helper()
	batch, err := s.Claims().Claim(t.Context(), work.ClaimRequest{Lane: campaignLane + jobType, Worker: worker, Types: jobTypes(), Most: 1})
	check(t, err)
	if len(batch.Claims) != 1 {
		t.Fatalf("%d jobs were claimed, want 1", len(batch.Claims))
	}
	return batch.Claims[0]
}

func finishTest(t *testing.T, s *postgres.DB, c work.Claim) {
	t.Helper()
	ended, err := s.Claims().Finish(t.Context(), c.Worker, []work.Outcome{{Claim: c, Status: work.StatusCompleted}})
	check(t, err)
	if len(ended) != 1 {
		t.Fatal("the claim is stale")
	}
}

func executeSQL(t *testing.T, dsn, sql string) {
	t.Helper()
	ctx := t.Context()
	conn, err := pgx.Connect(ctx, dsn)
	check(t, err)
	defer conn.Close(ctx)
	_, err = conn.Exec(ctx, sql)
	check(t, err)
}

// breach is a way to break one invariant.
type breach struct {
	breaks, name string
	sql          string // with the triggers off
	change       func(o *outcome)
	evidence     string // what is reported of it, where more than one law has the id
}

// rest returns the frames of the connection in which the client sees most.
func (o *outcome) rest() []shown { return o.followed[0].connections[2].frames }

// ofBystander chooses the job that ran beside a suspect.
const ofBystander = ` WHERE job_id = (SELECT job_id FROM kg_api.jobs WHERE data->>'n' = '5')`

const ofEffect = ` WHERE job_id = (SELECT job_id FROM kg_api.jobs WHERE job_type = 'effect')`

func breaches() []breach {
	unhistoric := "SET session_replication_role = replica; "
	return append(rightBreaches(), []breach{
		{breaks: "I01", name: "a job is gone", sql: unhistoric + "DELETE FROM kg_api.jobs" + ofEffect},
		{breaks: "I01", name: "a job has not ended", sql: unhistoric + "UPDATE kg_api.jobs SET status = 'approved', completed_at = NULL" + ofEffect},
		{breaks: "I01", name: "a job failed", sql: unhistoric + "UPDATE kg_api.jobs SET status = 'failed', error = 'no reason'" + ofEffect},
		{breaks: "I02", name: "a job was never submitted", change: func(o *outcome) { o.submitted.Unsure = nil }},
		{breaks: "I02", name: "a job exists twice", sql: unhistoric + `UPDATE kg_api.jobs SET data = '{"n":1,"steps":2}'`},
		{breaks: "I03", name: "a step is illegal", sql: `UPDATE campaign.history SET "is" = 'completed' WHERE was IS NULL`},
		{breaks: "I03", name: "a change is missing", sql: `DELETE FROM campaign.history WHERE "is" = 'completed'`},
		{breaks: "I04", name: "a claim ended twice", sql: `INSERT INTO campaign.history (job_id, was, "is", token, worker, attempt, retries, crashes, event_seq)
			SELECT job_id, was, "is", token, worker, attempt, retries, crashes, event_seq FROM campaign.history WHERE was = 'processing'`},
		{breaks: "I05", name: "tokens go back", sql: `UPDATE campaign.history SET token = -token`},
		{breaks: "I05", name: "a pair occurs twice", sql: `UPDATE campaign.history SET token = 1, worker = '` + workerA + `'`},
		{breaks: "I06", name: "a stale claim records an effect", sql: `INSERT INTO kg_api.job_effects SELECT job_id, '3', 1 FROM kg_api.jobs WHERE job_type = 'effect'`},
		{breaks: "I06", name: "another server ends a claim", sql: `UPDATE campaign.history SET by_server = 'another' WHERE "is" = 'completed'`},
		{breaks: "I07", name: "an effect is missing", sql: `DELETE FROM kg_api.job_effects WHERE step = '2'`},
		{breaks: "I07", name: "an effect was not witnessed", change: func(o *outcome) { o.steps = nil }},
		{breaks: "I07", name: "an effect was done too often", change: func(o *outcome) {
			o.steps = append(o.steps, o.steps...)
		}},
		{breaks: "I08", name: "an effect has a foreign token", sql: `UPDATE kg_api.job_effects SET claim_token = 999 WHERE step = '2'`},
		{breaks: "I08", name: "effects are out of order", sql: `UPDATE kg_api.job_effects e SET claim_token = (SELECT min(token) + max(token) - e.claim_token
			FROM campaign.history h WHERE h.job_id = e.job_id)`},
		{breaks: "I09", name: "a claim is not counted", sql: `UPDATE campaign.history SET attempt = 1`},
		{breaks: "I09", name: "there are too many crashes", sql: unhistoric + `UPDATE kg_api.jobs SET crash_count = 4`},
		{breaks: "I06", name: "a job is spared without a suspect", sql: `UPDATE campaign.history SET tx = '1' WHERE "is" = 'failed'`, evidence: "ended as approved by"},
		{breaks: "I09", name: "a job is spared without a suspect", sql: `UPDATE campaign.history SET tx = '1' WHERE "is" = 'failed'`, evidence: "was not counted, and no suspect was"},
		{
			breaks: "I09", name: "another one is counted beside a suspect", sql: `UPDATE campaign.history SET crashes = 1` + ofBystander + ` AND was = 'processing' AND "is" = 'approved'`,
			evidence: "was counted beside a suspect",
		},
		{breaks: "I09", name: "two suspects run at once", sql: `UPDATE campaign.history SET crashes = 2` + ofBystander, evidence: "ran as a suspect beside another one"},
		{breaks: "I10", name: "a repetition has no fault", sql: `DELETE FROM campaign.faults`},
		{breaks: "I11", name: "a cancelled job is completed", change: func(o *outcome) {
			for id := range o.submitted.Accepted {
				o.submitted.Cancelled[id] = true
			}
		}},
		{breaks: "I13", name: "a job of a higher priority is left", sql: `UPDATE campaign.history SET priority = 50
			WHERE job_id = (SELECT job_id FROM kg_api.schedule_runs WHERE job_id IS NOT NULL)`},
		{breaks: "I13", name: "an older job is left", sql: `UPDATE campaign.history SET created_at = created_at - interval '1 day'
			WHERE job_id = (SELECT job_id FROM kg_api.schedule_runs WHERE job_id IS NOT NULL)`},
		{breaks: "I16", name: "a handler works on without a lease", change: func(o *outcome) { o.steps[0].at = o.steps[0].at.Add(time.Hour) }},
		{breaks: "I16", name: "a worker never had a lease", sql: `DELETE FROM campaign.leases WHERE worker = '` + workerB + `'`},
		{breaks: "I17", name: "two handlers overlap and none was stopped", sql: `UPDATE campaign.faults SET kind = 'kill'`},
		{breaks: "I17", name: "the earlier handler records an effect", sql: `UPDATE kg_api.job_effects SET at = at + interval '1 hour' WHERE step = '1'`},
		{breaks: "I18", name: "a term comes twice", sql: `UPDATE kg_api.leader SET worker_id = '` + workerA + `', since = clock_timestamp()`},
		{breaks: "I19", name: "an instant has no answer", sql: `DELETE FROM kg_api.schedule_runs`},
		{breaks: "I19", name: "a full minute has no answer", sql: `SET session_replication_role = replica;
			UPDATE kg_api.scheduled_jobs SET next_run_at = next_run_at + interval '2 minutes'`},
		{breaks: "I19", name: "an instant has two answers", sql: `ALTER TABLE kg_api.schedule_runs DROP CONSTRAINT schedule_runs_pkey;
			INSERT INTO kg_api.schedule_runs SELECT schedule_id, scheduled_for, 'job_000000000000' FROM kg_api.schedule_runs WHERE job_id IS NOT NULL`},
		{breaks: "I19", name: "the job of an instant is another's", sql: `INSERT INTO kg_api.schedule_runs
			SELECT schedule_id, scheduled_for - interval '1 second', job_id FROM kg_api.schedule_runs WHERE job_id IS NOT NULL`},
		{breaks: "I19", name: "a job has no instant", sql: `UPDATE kg_api.schedule_runs SET job_id = 'job_000000000000' WHERE job_id IS NOT NULL`},
		{breaks: "I19", name: "a skip has another reason", sql: `UPDATE kg_api.schedule_runs SET skip_reason = 'no time' WHERE job_id IS NULL`},
		{breaks: "I19", name: "a condition is not heeded", sql: `UPDATE kg_api.schedule_runs SET skip_reason = NULL, job_id = 'job_000000000000' WHERE job_id IS NULL`},
		{breaks: "I20", name: "an event is missing", sql: allRows + `DELETE FROM kg_api.job_events WHERE seq = 2`},
		{breaks: "I20", name: "an event is older than the one before", sql: allRows + `UPDATE kg_api.job_events SET at = at - interval '1 day' WHERE seq = 2`},
		{breaks: "I21", name: "the last status event is wrong", sql: allRows + `UPDATE kg_api.job_events SET payload = payload || '{"status":"failed"}' WHERE kind = 'status'`},
		{breaks: "I21", name: "a status has no event", sql: allRows + `DELETE FROM kg_api.job_events WHERE seq = 2`},
		{breaks: "I21", name: "a claim is reported of another worker", sql: `UPDATE kg_api.jobs SET claimed_by = '` + workerA + `'`},
		{breaks: "I21", name: "the end is reported twice", sql: allRows + `UPDATE kg_api.job_events SET kind = 'completed' WHERE seq = 2`},
		{breaks: "I22", name: "an id comes twice in a stream", change: func(o *outcome) { o.rest()[1] = o.rest()[0] }},
		{breaks: "I22", name: "a stream begins with what was seen", change: func(o *outcome) { o.followed[0].connections[2].after = 2 }},
		{breaks: "I22", name: "a client misses a status", change: func(o *outcome) {
			o.followed[0].connections[2].frames = slices.DeleteFunc(o.rest(), func(f shown) bool { return f.id == 3 })
		}},
		{breaks: "I22", name: "a second snapshot hides a status", change: func(o *outcome) {
			o.followed[0].connections[1].frames, o.followed[0].connections[2].frames = []shown{{id: 3, event: eventSnapshot}}, o.rest()[2:]
		}},
		{breaks: "I22", name: "what was shown is not stored", change: func(o *outcome) { o.rest()[0].event = string(work.EventProgress) }},
		{breaks: "I22", name: "a snapshot has an id of its own", change: func(o *outcome) { o.followed[0].connections[0].frames[0].id = 1000 }},
		{breaks: "I22", name: "the end is shown twice", change: func(o *outcome) {
			o.followed[0].connections[1].frames = o.rest()[len(o.rest())-1:]
		}},
		{breaks: "I22", name: "the end is not shown", change: func(o *outcome) {
			o.followed[0].connections[2].frames = o.rest()[:len(o.rest())-1]
		}},
		{breaks: "I22", name: "a client is left waiting", change: func(o *outcome) { o.followed[0].ended = false }},
		{breaks: "I22", name: "a client is refused", change: func(o *outcome) { o.followed[0].trouble = "was answered 404" }},
		{breaks: "I27", name: "a token is logged", change: func(o *outcome) { o.logs.Secrets = 1 }},
		{breaks: "I28", name: "a server did not stop", change: func(o *outcome) { o.leftovers = []string{"server 0"} }},
		{breaks: "I29", name: "a handler panicked", change: func(o *outcome) { o.logs.Panics = 1 }},
		{breaks: "I30", name: "a kind of fault is missing", change: func(o *outcome) {
			o.config.Faults, o.faults = completeSchedule, make([]injected, completeSchedule)
		}},
		{breaks: "I31", name: "a concept has no quote", sql: `INSERT INTO kg_api.concepts (concept_id, label, term_keys) VALUES ('bare_1', 'bare', '{}')`},
	}...)
}

// TestInvariants breaks each invariant, in one way, in a history that keeps them
// all.
func TestInvariants(t *testing.T) {
	t.Parallel()
	t.Run("a sound history breaks none", func(t *testing.T) {
		t.Parallel()
		dsn, o := history(t)
		check(t, noteSteps(t.Context(), dsn, o.steps))
		violations, err := verify(t.Context(), dsn, o)
		check(t, err)
		for _, v := range violations {
			t.Errorf("%s %s", v.Invariant, v.Evidence)
		}
	})
	for i, b := range breaches() {
		if everyChange(i) {
			t.Run(b.breaks+" is broken when "+b.name, b.isFound)
		}
	}
	t.Run("every invariant has a way to break it", func(t *testing.T) {
		t.Parallel()
		for _, law := range invariants() {
			if !slices.ContainsFunc(breaches(), func(b breach) bool { return b.breaks == law.id }) {
				t.Errorf("%s has none", law.id)
			}
		}
	})
}

// TestInvariants_Slow breaks them in every other way.
func TestInvariants_Slow(t *testing.T) {
	pgtest.SlowTier(t)
	t.Parallel()
	for i, b := range breaches() {
		if !everyChange(i) {
			t.Run(b.breaks+" is broken when "+b.name, b.isFound)
		}
	}
}

// everyChange reports whether a way to break an invariant, by number, is tried with every
// change: one in eight.
func everyChange(i int) bool { return i%8 == 0 }

// isFound breaks an invariant, and wants that to be found.
func (b breach) isFound(t *testing.T) {
	t.Parallel()
	dsn, o := history(t)
	if b.sql != "" {
		executeSQL(t, dsn, b.sql)
	}
	if b.change != nil {
		b.change(o)
	}
	check(t, noteSteps(t.Context(), dsn, o.steps))
	violations, err := verify(t.Context(), dsn, o)
	check(t, err)
	if !slices.ContainsFunc(violations, func(v violation) bool {
		return v.Invariant == b.breaks && strings.Contains(v.Evidence, b.evidence)
	}) {
		t.Errorf("it was not found; found %v", violations)
	}
	shown, err := histories(t.Context(), dsn, violations)
	check(t, err)
	if len(named(violations)) > 0 && named(violations)[0] != "job_000000000000" && b.name != "a job is gone" && len(shown) == 0 {
		t.Errorf("no history is shown of %v", named(violations))
	}
}
