package main

import (
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/pgtest"
	"github.com/kappagraph/kappa/internal/postgres"
)

const (
	workerA = "00000000-0000-4000-8000-00000000000a"
	workerB = "00000000-0000-4000-8000-00000000000b"
)

// history makes a database in which three jobs have ended well: an effect job
// in two attempts with a fault between them, one that was cancelled, and one
// whose submission was not answered. It returns what a campaign would know.
func history(t *testing.T) (string, *outcome) {
	t.Helper()
	dsn := pgtest.NewDSN(t)
	check(t, prepare(t.Context(), dsn, 0)) // roles belong to the cluster, which other tests share
	s, err := postgres.Open(t.Context(), postgres.Config{DSN: dsn, JobConns: 2, GraphConns: 1, AuthConns: 1})
	check(t, err)
	defer s.Close()
	for _, id := range []string{workerA, workerB} {
		check(t, s.Register(t.Context(), kappa.Worker{ID: id, Hostname: "test", PID: 1}, "test", defaultLease))
	}
	o := &outcome{submitted: submissions{Accepted: map[string]int{}, Unsure: map[int]bool{3: true}, Cancelled: map[string]bool{}}, witnessed: map[witnessedStep]int{}}
	effect := submitTest(t, s, kappa.TypeEffect, `{"n":1,"steps":2}`)
	cancelled := submitTest(t, s, kappa.TypeNoop, `{"n":2}`)
	o.submitted.Accepted[effect], o.submitted.Accepted[cancelled] = 1, 2
	_, err = s.Cancel(t.Context(), cancelled)
	check(t, err)
	o.submitted.Cancelled[cancelled] = true

	execute := func(sql string) { executeSQL(t, dsn, sql) }
	first := claimTest(t, s, kappa.TypeEffect, workerA)
	check(t, s.Effect(t.Context(), first, "1", kappa.Checkpoint{}))
	execute("INSERT INTO campaign.faults VALUES ('kill', '', 0, true, clock_timestamp(), clock_timestamp())")
	execute("UPDATE kg_api.workers SET state = 'dead' WHERE worker_id = '" + workerA + "'")
	_, err = s.Rescue(t.Context(), 0, 10)
	check(t, err)
	second := claimTest(t, s, kappa.TypeEffect, workerB)
	check(t, s.Effect(t.Context(), second, "2", kappa.Checkpoint{}))
	finishTest(t, s, second)
	o.witnessed[witnessedStep{effect, "1"}], o.witnessed[witnessedStep{effect, "2"}] = 2, 1
	submitTest(t, s, kappa.TypeNoop, `{"n":3}`)
	finishTest(t, s, claimTest(t, s, kappa.TypeNoop, workerB))
	execute("UPDATE kg_api.leader SET term = term + 1")
	execute("UPDATE kg_api.leader SET term = term + 1")
	return dsn, o
}

func submitTest(t *testing.T, s *postgres.Store, jobType, data string) string {
	t.Helper()
	job, err := s.SubmitJob(t.Context(), kappa.NewJob{
		Type: jobType, Queue: kappa.DefaultQueue, AutoApprove: true, MaxRetries: 1, UserID: kappa.SystemUserID, Data: []byte(data),
	})
	check(t, err)
	return job.ID
}

func claimTest(t *testing.T, s *postgres.Store, jobType, worker string) kappa.Claim {
	t.Helper()
	claims, err := s.Claim(t.Context(), campaignLane+jobType, worker, jobTypes(), 1)
	check(t, err)
	if len(claims) != 1 {
		t.Fatalf("%d jobs were claimed, want 1", len(claims))
	}
	return claims[0]
}

func finishTest(t *testing.T, s *postgres.Store, c kappa.Claim) {
	t.Helper()
	ended, err := s.Finish(t.Context(), c.Worker, []kappa.Outcome{{Claim: c, Status: kappa.StatusCompleted}})
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
	defer conn.Close(ctx) //nolint:errcheck // the test is over
	_, err = conn.Exec(ctx, sql)
	check(t, err)
}

// breach is a way to break one invariant.
type breach struct {
	breaks, name string
	sql          string // with the triggers off
	change       func(o *outcome)
}

const ofEffect = ` WHERE job_id = (SELECT job_id FROM kg_api.jobs WHERE job_type = 'effect')`

func breaches() []breach {
	unhistoric := "SET session_replication_role = replica; "
	return []breach{
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
		{breaks: "I07", name: "an effect was not witnessed", change: func(o *outcome) { clear(o.witnessed) }},
		{breaks: "I07", name: "an effect was done too often", change: func(o *outcome) {
			for s := range o.witnessed {
				o.witnessed[s] = 3
			}
		}},
		{breaks: "I08", name: "an effect has a foreign token", sql: `UPDATE kg_api.job_effects SET claim_token = 999 WHERE step = '2'`},
		{breaks: "I08", name: "effects are out of order", sql: `UPDATE kg_api.job_effects e SET claim_token = (SELECT min(token) + max(token) - e.claim_token
			FROM campaign.history h WHERE h.job_id = e.job_id)`},
		{breaks: "I09", name: "a claim is not counted", sql: `UPDATE campaign.history SET attempt = 1`},
		{breaks: "I09", name: "there are too many crashes", sql: unhistoric + `UPDATE kg_api.jobs SET crash_count = 4`},
		{breaks: "I10", name: "a repetition has no fault", sql: `DELETE FROM campaign.faults`},
		{breaks: "I11", name: "a cancelled job is completed", change: func(o *outcome) {
			for id := range o.submitted.Accepted {
				o.submitted.Cancelled[id] = true
			}
		}},
		{breaks: "I18", name: "a term comes twice", sql: `UPDATE kg_api.leader SET worker_id = '` + workerA + `'`},
		{breaks: "I20", name: "an event is missing", sql: `DELETE FROM kg_api.job_events WHERE seq = 2`},
		{breaks: "I20", name: "an event is older than the one before", sql: `UPDATE kg_api.job_events SET at = at - interval '1 day' WHERE seq = 2`},
		{breaks: "I21", name: "the last status event is wrong", sql: `UPDATE kg_api.job_events SET payload = payload || '{"status":"failed"}' WHERE kind = 'status'`},
		{breaks: "I21", name: "the end is told twice", sql: `UPDATE kg_api.job_events SET kind = 'completed' WHERE seq = 2`},
		{breaks: "I28", name: "a server did not stop", change: func(o *outcome) { o.leftovers = []string{"server 0"} }},
		{breaks: "I29", name: "a handler panicked", change: func(o *outcome) { o.logs.Panics = 1 }},
		{breaks: "I30", name: "a kind of fault is missing", change: func(o *outcome) {
			o.config.Faults, o.faults = completeSchedule, make([]injected, completeSchedule)
		}},
	}
}

// TestInvariants breaks each invariant in a history that keeps them all.
func TestInvariants(t *testing.T) {
	t.Parallel()
	t.Run("a sound history breaks none", func(t *testing.T) {
		t.Parallel()
		dsn, o := history(t)
		violations, err := verify(t.Context(), dsn, o)
		check(t, err)
		for _, v := range violations {
			t.Errorf("%s %s", v.Invariant, v.Evidence)
		}
	})
	for _, b := range breaches() {
		t.Run(b.breaks+" is broken when "+b.name, func(t *testing.T) {
			t.Parallel()
			dsn, o := history(t)
			if b.sql != "" {
				executeSQL(t, dsn, b.sql)
			}
			if b.change != nil {
				b.change(o)
			}
			violations, err := verify(t.Context(), dsn, o)
			check(t, err)
			if !slices.ContainsFunc(violations, func(v violation) bool { return v.Invariant == b.breaks }) {
				t.Errorf("it was not found; found %v", violations)
			}
			told, err := histories(t.Context(), dsn, violations)
			check(t, err)
			if len(named(violations)) > 0 && b.name != "a job is gone" && len(told) == 0 {
				t.Errorf("no history is told of %v", named(violations))
			}
		})
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
