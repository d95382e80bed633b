package postgres_test

import (
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/kappagraph/kappa/internal/postgres/db"
	"github.com/kappagraph/kappa/work"
)

// TestQ08_EachRuleOfSuspectsIsNeeded takes each rule out of its statement: without
// it a bystander is counted, or lost, or two suspects run together.
func TestQ08_EachRuleOfSuspectsIsNeeded(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		sql, rule, instead string
		broken             func(l *crashLab, q *db.Queries) bool
	}{
		"a worker's suspects alone are counted": {db.JobRescue, "l.has_suspect AND l.crashes <", "false AND l.crashes <", bystanderIsCounted},
		"a batch is whole workers":              {db.JobRescue, "rank() OVER", "row_number() OVER", bystanderIsLeft},
		"all of a worker's jobs or none":        {db.JobRescue, "WHERE c.whole", "", bystanderIsTakenAlone},
		"a suspect waits after its crash":       {db.JobRescue, "due = j.cancel_requested OR", "due = true OR", suspectsAreRescuedTogether},
		"no suspect goes beside another":        {db.JobDue, "WHERE b.status = 'processing' OR b.due", "WHERE false", suspectsGoTogether},
		"suspects are not among the others":     {db.JobDue, "AND o.job_id NOT IN (SELECT s.job_id FROM suspects s)", "", suspectsGoTogether},
		"a turn that nobody takes is passed on": {db.JobDue, "AND EXISTS (SELECT 1 FROM longest)", "AND false", pausedSuspectHoldsUp},
		"suspects are polled with pauses":       {db.JobNextRun, "greatest(", "least(", schedulerSpins},
	} {
		t.Run("without the rule that "+name, func(t *testing.T) {
			t.Parallel()
			if n := strings.Count(c.sql, c.rule); n != 1 {
				t.Fatalf("the statement has the rule %d times, want once:\n%s", n, c.sql)
			}
			for text, want := range map[string]bool{c.sql: false, strings.Replace(c.sql, c.rule, c.instead, 1): true} {
				l := newCrashLab(t)
				conn, err := pgx.Connect(t.Context(), l.dsn)
				must(t, err)
				if broken := c.broken(l, db.New(mutant{conn, c.sql, text})); broken != want {
					t.Errorf("broken is %t, want %t of:\n%s", broken, want, text)
				}
				must(t, conn.Close(t.Context()))
			}
		})
	}
}

// takeBack rescues with a statement of the test.
func (l *crashLab) takeBack(q *db.Queries, most int32) {
	l.Helper()
	_, err := q.JobRescue(l.Context(), db.JobRescueParams{CrashWindow: work.CrashWindow, Quarantine: work.QuarantineCrashes, MaxJobs: most})
	must(l.T, err)
}

// due makes jobs due with a statement of the test, twice.
func (l *crashLab) due(q *db.Queries) {
	l.Helper()
	for range 2 {
		_, err := q.JobDue(l.Context(), work.QuarantineCrashes, work.CrashWindow, work.SuspectTurn)
		must(l.T, err)
	}
}

// dieBeside has a worker die with a suspect and another job, and returns that.
func (l *crashLab) dieBeside() (beside string) {
	l.Helper()
	suspect := l.suspect("polarity")
	l.makeDue()
	beside = l.submit()
	worker, claims := l.work()
	l.same(claims, suspect, beside)
	expire(l.T, l.dsn, worker)
	return beside
}

func bystanderIsCounted(l *crashLab, q *db.Queries) bool {
	l.dieBeside()
	l.takeBack(q, 10)
	return l.count("status = 'approved' AND crash_count > 0") > 0
}

func bystanderIsLeft(l *crashLab, q *db.Queries) bool {
	l.dieBeside()
	for range 3 {
		l.takeBack(q, 1)
	}
	return l.count("status = 'processing'") > 0
}

func bystanderIsTakenAlone(l *crashLab, q *db.Queries) bool {
	beside := l.dieBeside()
	conn, err := pgx.Connect(l.Context(), l.dsn)
	must(l.T, err)
	defer conn.Close(l.Context())
	_, err = conn.Exec(l.Context(), "BEGIN; SELECT 1 FROM kg_api.jobs WHERE job_id <> '"+beside+"' FOR UPDATE")
	must(l.T, err)
	l.takeBack(q, 10)
	return l.count("status = 'processing'") < 2
}

func suspectsAreRescuedTogether(l *crashLab, q *db.Queries) bool {
	l.submit()
	l.submit()
	for range 2 {
		worker, claims := l.work()
		if len(claims) != 2 {
			l.Fatalf("claimed %v", ids(claims))
		}
		expire(l.T, l.dsn, worker)
		l.takeBack(q, 10)
	}
	return l.count("due") > 1
}

func suspectsGoTogether(l *crashLab, q *db.Queries) bool {
	l.suspect("polarity")
	l.suspect("ontology_annealing")
	l.due(q)
	return l.count("due") > 1
}

func pausedSuspectHoldsUp(l *crashLab, q *db.Queries) bool {
	paused := l.suspect("polarity")
	l.makeDue()
	l.suspect("ontology_annealing")
	execSQL(l.T, l.dsn, "UPDATE kg_api.jobs SET run_at = run_at - $2::interval WHERE job_id = $1", paused, work.SuspectTurn)
	l.due(q)
	return l.count("job_type = 'ontology_annealing' AND due") == 0
}

func schedulerSpins(l *crashLab, q *db.Queries) bool {
	l.suspect("polarity")
	wait, err := q.JobNextRun(l.Context(), db.JobNextRunParams{
		Quarantine: work.QuarantineCrashes, CrashWindow: work.CrashWindow, WithinMs: 2000, SuspectMs: 250,
	})
	must(l.T, err)
	return wait <= 0
}
