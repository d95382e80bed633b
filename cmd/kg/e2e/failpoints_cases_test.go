package e2e

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/work"
)

// runCase runs one case beside the others.
type runCase func(name string, test func(t *testing.T, l *pointLab))

// exitCases end the server's process at a point, as a crash would. One that
// takes its place finds the job whole.
func exitCases(run runCase) {
	for _, point := range []string{
		"before JobClaim", "after JobClaim", "before JobEffect", "after JobEffect", "before JobFinish", "after JobFinish",
		"before WorkerHeartbeat", "after WorkerHeartbeat", "before LeaderTake", "after LeaderTake", "before JobRescue", "after JobRescue",
		"before LISTEN", "after LISTEN", "after RECEIVE",
	} {
		run("exit "+point, func(t *testing.T, l *pointLab) {
			var settings []string
			if point == "after RECEIVE" {
				settings = append(settings, "KG_EVENTS=wal", "KG_LOG_LEVEL=debug")
			}
			first := l.submit(`{"ms":90,"steps":3}`)
			s := l.start(point+"=exit#1", settings...)
			if len(settings) > 0 {
				s.logged("reading the write-ahead log") // what is committed before is read from the table
			}
			second := l.submit(`{"ms":90,"steps":3}`)
			if code := s.exitCode(); code != failpointExit {
				t.Fatalf("the server ended with %d:\n%s", code, s.log())
			}
			l.settled()
			held := rows(t, l.dsn, "SELECT count(*) FROM kg_api.jobs WHERE status = 'processing'")
			if claimed := !slices.Contains(beforeClaims(), point); claimed && held == 0 {
				t.Error("no job was being worked on")
			}
			l.start("", settings...)
			if attempts := l.completed(first, 3).Attempt + l.completed(second, 3).Attempt; attempts != 2+held {
				t.Errorf("two jobs, of which %d were held by the server that ended, took %d attempts", held, attempts)
			}
		})
	}
}

// beforeClaims are the points at which a server need not have a job.
func beforeClaims() []string {
	return []string{
		"before JobClaim", "after JobFinish", "before WorkerHeartbeat", "after WorkerHeartbeat", "before LeaderTake", "after LeaderTake",
		"before JobRescue", "after JobRescue", "before LISTEN", "after LISTEN", "after RECEIVE",
	}
}

// errorCases have statements fail whose callers cannot know whether they were
// done.
func errorCases(run runCase) {
	for _, point := range []string{"before JobFinish", "after JobFinish"} {
		run("an error "+point+" stores the end once", func(t *testing.T, l *pointLab) {
			id := l.submit(`{"ms":30,"steps":3}`)
			s := l.start(point + "=error#1")
			s.reached(point)
			if job := l.completed(id, 3); job.Attempt != 1 {
				t.Errorf("it took %d attempts", job.Attempt)
			}
			s.logged("storing outcomes failed")
		})
	}
	for _, point := range []string{"before JobEffect", "after JobEffect"} {
		run("an error "+point+" is waited for, and the effect counts once", func(t *testing.T, l *pointLab) {
			id := l.submit(`{"ms":30,"steps":3}`)
			s := l.start(point + "=error#1")
			s.reached(point)
			if job := l.completed(id, 3); job.Attempt != 1 {
				t.Errorf("it took %d attempts, want the one that waited", job.Attempt)
			}
			s.logged("a job waits for the database")
		})
	}
	run("an error before JobClaim delays the jobs and nothing else", func(t *testing.T, l *pointLab) {
		id := l.submit(`{"ms":30,"steps":3}`)
		l.start("before JobClaim=error#1").reached("before JobClaim")
		if job := l.completed(id, 3); job.Attempt != 1 {
			t.Errorf("it took %d attempts", job.Attempt)
		}
	})
	run("a claim whose answer is lost goes back, uncounted", func(t *testing.T, l *pointLab) {
		id := l.submit(`{"ms":30,"steps":3}`)
		s := l.start("after JobClaim=error#3") // the first claim of each lane
		s.reached("after JobClaim")
		if job := l.completed(id, 3); job.Attempt != 1 {
			t.Errorf("it took %d attempts", job.Attempt)
		}
		s.logged("claims were made whose answers were lost; their jobs went back")
	})
	run("Q07: a job that has used up its crashes ends within the lease and two scans", func(t *testing.T, l *pointLab) {
		id := l.submit(`{"ms":30,"steps":3}`)
		for range work.QuarantineCrashes - 1 {
			l.start("before JobEffect=exit#1").exitCode()
		}
		last := l.start("before JobEffect=exit#1")
		last.logged("msg=leading")
		l.start("") // takes over
		last.exitCode()
		died := time.Now()
		if job := l.ended(id); job.Status != work.StatusFailed || job.Attempt != work.QuarantineCrashes {
			t.Errorf("the job is %s after %d attempts: %s", job.Status, job.Attempt, deref(job.Error))
		}
		if took := time.Since(died); took > (pointLease+2*pointScan)+20*time.Second { // which are for a busy machine
			t.Errorf("it ended %s after its last worker", took)
		}
	})
	run("a panic of a handler fails its job alone", func(t *testing.T, l *pointLab) {
		first := l.submit(`{"ms":30,"steps":3}`)
		l.start("before JobEffect=panic#1").reached("before JobEffect")
		if job := l.ended(first); job.Status != work.StatusFailed || !strings.Contains(deref(job.Error), "failed unexpectedly") {
			t.Errorf("the job is %s: %s", job.Status, deref(job.Error))
		}
		l.completed(l.submit(`{"ms":30,"steps":3}`), 3)
	})
}

// zombieCases let the heartbeat hang beyond the lease, and the end of the job's
// attempt too: another server does the job meanwhile.
func zombieCases(run runCase) {
	for _, point := range []string{"before WorkerHeartbeat", "after WorkerHeartbeat"} {
		run("a server that hangs "+point+" stops its jobs and changes nothing afterwards", func(t *testing.T, l *pointLab) {
			zombie := l.start(point + "=sleep(12s)#1;before JobFinish=sleep(12s)#1")
			zombie.logged("msg=leading")
			id, long := l.submit(`{"ms":30,"steps":3}`), l.submit(`{"ms":5000,"steps":50}`)
			zombie.reached("before JobFinish")
			other := l.start("")
			until(t, func() bool { // the zombie may be quicker
				l.endLeaders()
				return strings.Contains(other.log(), "msg=leading")
			}, func() string { return "the other server does not lead:\n" + other.log() })
			for id, steps := range map[string]int{id: 3, long: 50} {
				if job := l.completed(id, steps); job.Attempt != 2 {
					t.Errorf("it took %d attempts, want one of each server", job.Attempt)
				}
			}
			zombie.logged("worker lost its lease")
			zombie.logged("claim was stale")
			if n := rows(t, l.dsn, "SELECT count(DISTINCT claim_token) FROM kg_api.job_effects WHERE job_id = $1", long); n != 2 {
				t.Errorf("the effects of the long job belong to %d claims, want both", n)
			}
			l.completed(id, 3) // still
		})
	}
}

// endLeaders ends the sessions that hold the leader's lock, or wait for it.
func (l *pointLab) endLeaders() {
	l.t.Helper()
	rows(l.t, l.dsn, "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = 'kg-leader' AND datname = current_database()")
}

// orphan stores a job that a worker holds whose lease has ended.
func (l *pointLab) orphan() string {
	l.t.Helper()
	const dead = "00000000-0000-4000-8000-00000000000d"
	check(l.t, l.db.Workers().Register(l.t.Context(), work.Worker{ID: dead, Hostname: "test", PID: 1}, "test", time.Millisecond))
	id := l.submit(`{"ms":30,"steps":3}`)
	batch, err := l.db.Claims().Claim(l.t.Context(), work.ClaimRequest{Lane: "interactive", Worker: dead, Types: []string{work.TypeEffect}, Most: 1})
	check(l.t, err)
	if len(batch.Claims) != 1 {
		l.t.Fatalf("claimed %d jobs", len(batch.Claims))
	}
	return id
}

// leaderCases depose a leader at a barrier, and open that when the next one
// leads, or wants to.
func leaderCases(run runCase) {
	for point, shown := range map[string]string{
		"before LeaderTake": "campaign interrupted",                            // its session is over: it never led
		"after LeaderTake":  `msg="failpoint reached" point="after JobRescue"`, // it leads, as it believes, and the fence refuses
		"before JobRescue":  "campaign interrupted",                            // within a transaction, which goes on or is given up
	} {
		run("a leader deposed "+point+" changes nothing", func(t *testing.T, l *pointLab) {
			gates := l.t.TempDir()
			old, next := filepath.Join(gates, "old"), filepath.Join(gates, "next")
			id := l.orphan()
			deposed := l.start(point + "=barrier(" + old + ")#1;after JobRescue=sleep(1ms)")
			deposed.reached(point)
			leader := l.start("before WorkerReap=barrier(" + next + ")#1")
			l.endLeaders()
			leader.reached("before WorkerReap")
			before, term := l.stateOf(id), l.term()
			openGate(t, old)
			deposed.logged(shown)
			if after := l.stateOf(id); after != before || l.term() != term {
				t.Errorf("the job went from %q to %q, the term from %d to %d", before, after, term, l.term())
			}
			openGate(t, next)
			if job := l.completed(id, 3); job.Attempt != 2 {
				t.Errorf("it took %d attempts", job.Attempt)
			}
			if n := strings.Count(deposed.log()+leader.log(), "job taken back"); n != 1 {
				t.Errorf("the job was taken back %d times", n)
			}
		})
	}
	run("no term begins while a write under the last one is open", func(t *testing.T, l *pointLab) {
		gate := filepath.Join(t.TempDir(), "gate")
		id := l.orphan()
		old := l.start("after JobRescue=barrier(" + gate + ")#1")
		old.reached("after JobRescue")
		term := l.term()
		next := l.start("before LeaderTake=sleep(1ms)")
		l.endLeaders()
		next.reached("before LeaderTake")
		meanwhile(500 * time.Millisecond)
		if got := l.term(); got != term || strings.Contains(next.log(), "msg=leading") {
			t.Errorf("term %d follows %d, whose write is open", got, term)
		}
		openGate(t, gate)
		next.logged("msg=leading")
		if job := l.completed(id, 3); job.Attempt != 2 {
			t.Errorf("it took %d attempts", job.Attempt)
		}
	})
}

// stateOf says in short in which state a job is.
func (l *pointLab) stateOf(id string) string {
	l.t.Helper()
	job, err := l.db.Jobs().Job(l.t.Context(), id)
	check(l.t, err)
	return fmt.Sprintf("%s, attempt %d, %d events", job.Status, job.Attempt, job.EventSeq)
}

// term returns the last term of a leader.
func (l *pointLab) term() int {
	l.t.Helper()
	return rows(l.t, l.dsn, "SELECT term FROM kg_api.leader")
}

// streamCases hold a stream up while the job that it shows goes on.
func streamCases(run runCase) {
	for point, want := range map[string]string{
		"before JobByID": "snapshot:completed completed", // watching, and the job not read yet
		"after JobByID":  "snapshot:awaiting_approval status:approved status:processing status:completed completed",
	} {
		run("a stream that is held up "+point+" misses nothing", func(t *testing.T, l *pointLab) {
			gate := filepath.Join(t.TempDir(), "gate")
			job, err := l.db.Jobs().SubmitJob(t.Context(), work.NewJob{Type: work.TypeEffect, Queue: work.DefaultQueue, UserID: access.SystemUserID, Data: []byte(`{"ms":30,"steps":3}`)})
			check(t, err)
			s := l.start(point + "=barrier(" + gate + ")#1")
			seen := make(chan string, 1)
			api := login(t, s.url)
			go func() { seen <- shownBy(t, api, job.ID) }()
			s.reached(point)
			check(t, l.db.Jobs().Approve(t.Context(), job.ID, "test"))
			l.completed(job.ID, 3)
			openGate(t, gate)
			if got := <-seen; got != want {
				t.Errorf("the stream showed %q, want %q", got, want)
			}
		})
	}
}

// shownBy follows a job, and returns what was seen, without its progress.
func shownBy(t *testing.T, api *client.Client, id string) string {
	ctx, cancel := context.WithTimeout(t.Context(), pointLimit)
	defer cancel()
	var seen []string
	for u, err := range api.Jobs.Watch(ctx, id) {
		if err != nil {
			return strings.Join(append(seen, err.Error()), " ")
		}
		switch u.Kind {
		case client.UpdateSnapshot:
			seen = append(seen, "snapshot:"+string(u.Job.Status))
		case work.EventStatus:
			seen = append(seen, "status:"+string(u.Change.Status))
		case work.EventProgress:
		default:
			seen = append(seen, string(u.Kind))
		}
	}
	return strings.Join(seen, " ")
}

// openGate opens a barrier.
func openGate(t *testing.T, path string) {
	t.Helper()
	check(t, os.WriteFile(path, nil, 0o600))
}
