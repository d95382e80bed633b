package e2e

import (
	"strings"
	"testing"
	"time"

	"github.com/kappagraph/kappa/work"
)

// poisonCases have a job end its server each time it runs, beside others.
func poisonCases(run runCase) {
	run("a job that ends its server is quarantined, and takes no other with it", func(t *testing.T, l *pointLab) {
		rows(t, l.dsn, `WITH other AS (INSERT INTO kg_api.worker_lanes (name, job_types, max_slots, poll_interval_ms) VALUES ('other', '{sleep,noop}', 3, 500)),
			own AS (UPDATE kg_api.worker_lanes SET job_types = '{effect,sleep}', max_slots = 2 WHERE name = $1)
			SELECT 0`, "interactive")
		const deadly = "before JobEffect=exit"
		poison := l.submit(`{"ms":2500,"steps":1}`)
		old := []string{l.submitType(work.TypeSleep, longSleep), l.submitType(work.TypeSleep, longSleep), l.submitType(work.TypeSleep, longSleep)}
		servers := []*pointServer{l.start(deadly), l.start(deadly)}
		until(t, func() bool { return rows(t, l.dsn, runningLanes) == 2 }, func() string { return "not both lanes run something" })

		var late []string
		crashes := 0
		for over := false; !over; {
			select {
			case <-servers[0].exited:
			case <-time.After(pointPoll): // polled: the database notifies nobody
				job, err := l.db.Jobs().Job(t.Context(), poison)
				check(t, err)
				over = job.Status.Terminal()
				servers[0], servers[1] = servers[1], servers[0]
				continue
			}
			if code := servers[0].exitCode(); code != failpointExit {
				t.Fatalf("the server ended with %d:\n%s", code, servers[0].log())
			}
			if crashes++; crashes > work.QuarantineCrashes {
				t.Fatalf("the job has ended %d servers", crashes)
			}
			if crashes == work.QuarantineCrashes-1 { // from here on it is a suspect
				late = append(late, l.submitType(work.TypeSleep, `{"ms":20000,"steps":200}`))
			}
			servers[0] = l.start(deadly)
			if crashes == work.QuarantineCrashes-1 {
				quick := l.ended(l.submitType(work.TypeNoop, `{}`)) // the other lane goes on
				if quick.Status != work.StatusCompleted || quick.Attempt != 1 {
					t.Errorf("a job of the other lane is %s after %d attempts", quick.Status, quick.Attempt)
				}
			}
		}
		job := l.ended(poison)
		if job.Status != work.StatusFailed || !strings.HasPrefix(deref(job.Error), "Quarantined: ") || job.Attempt != work.QuarantineCrashes || crashes != work.QuarantineCrashes {
			t.Errorf("the job is %s after %d attempts and %d ends of servers: %s", job.Status, job.Attempt, crashes, deref(job.Error))
		}
		l.bystanders(old, work.QuarantineCrashes-1) // counted until one of them was a suspect
		l.bystanders(late, 0)
		if n := rows(t, l.dsn, "SELECT count(*) FROM kg_api.job_events WHERE job_id = $1 AND payload->>'error' = 'worker lost beside a suspect: not counted'", late[0]); n != 1 {
			t.Errorf("the job that ran beside the suspect was told %d times that it is not counted", n)
		}
	})
}

// longSleep takes longer than a server lasts that a job ends after 2.5 s, also on a
// busy machine.
const longSleep = `{"ms":8000,"steps":80}`

// runningLanes counts the lanes that run something, of those that run four jobs.
const runningLanes = `SELECT coalesce(count(DISTINCT lane), 0) FROM kg_api.jobs WHERE status = 'processing' HAVING count(*) = 4 UNION ALL SELECT 0 LIMIT 1`

// bystanders waits for the ends of jobs, which must complete after so many counted
// crashes and one more attempt.
func (l *pointLab) bystanders(ids []string, crashes int) {
	l.t.Helper()
	for _, id := range ids {
		job := l.ended(id)
		counted := rows(l.t, l.dsn, "SELECT crash_count FROM kg_api.jobs WHERE job_id = $1", id)
		if job.Status != work.StatusCompleted || counted != crashes || job.Attempt != crashes+1 {
			l.t.Errorf("%s is %s after %d attempts and %d counted crashes, want completed after %d crashes: %s", id, job.Status, job.Attempt, counted, crashes, deref(job.Error))
		}
	}
}
