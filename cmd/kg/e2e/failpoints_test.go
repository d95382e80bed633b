package e2e

import (
	"bufio"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/cmd/kg/exit"
	"github.com/kappagraph/kappa/internal/built"
	"github.com/kappagraph/kappa/internal/pgtest"
	"github.com/kappagraph/kappa/internal/postgres"
	"github.com/kappagraph/kappa/work"
)

const (
	failpointExit = 70              // of a server that a failpoint has ended
	pointLimit    = 2 * time.Minute // which only a hang reaches
	pointPoll     = 20 * time.Millisecond
	pointLease    = 2 * time.Second // of the servers; see start
	pointScan     = 2 * time.Second // between two polls for lost workers
	pointsAtOnce  = 12              // cases
)

// kgProgram is kg with failpoints.
var kgProgram = sync.OnceValues(func() (string, error) { return built.KG(context.Background()) })

// everyChange are the failpoints that are tried with every change: one of each kind.
var everyChange = []string{
	"exit after JobClaim",
	"exit after JobFinish",
	"an error before JobFinish stores the end once",
	"an error after JobEffect is waited for, and the effect counts once",
	"a panic of a handler fails its job alone",
	"a leader deposed before JobRescue changes nothing",
	"a stream that is held up before JobByID misses nothing",
	"refuses before JobFinish=explode",
}

// TestFailpoints breaks servers at chosen places, and checks what becomes of
// their jobs. The cases run at the same time: most of them wait for a lease to end.
func TestFailpoints(t *testing.T) {
	t.Parallel()
	failpoints(t, func(name string) bool { return slices.Contains(everyChange, name) })
}

// TestFailpoints_Slow breaks them at all the other places. It runs beside no other
// test: its servers take the connections of the cluster.
func TestFailpoints_Slow(t *testing.T) {
	pgtest.SlowTier(t)
	failpoints(t, func(name string) bool { return !slices.Contains(everyChange, name) })
}

// failpoints runs the cases whose names are wanted.
func failpoints(t *testing.T, wanted func(name string) bool) {
	t.Helper()
	program, err := kgProgram()
	check(t, err)
	var group sync.WaitGroup
	defer group.Wait()
	room := make(chan struct{}, pointsAtOnce)
	ran := 0
	run := func(name string, test func(t *testing.T, l *pointLab)) {
		if !wanted(name) {
			return
		}
		ran++
		group.Go(func() {
			room <- struct{}{}
			defer func() { <-room }()
			t.Run(name, func(t *testing.T) { test(t, newPointLab(t, program)) })
		})
	}
	poisonCases(run) // takes longest
	exitCases(run)
	errorCases(run)
	zombieCases(run)
	orphanCase(run)
	leaderCases(run)
	streamCases(run)
	for _, text := range []string{
		"after JobClam=exit", "after JobClaim=exit;after JobClaim=error", "before JobFinish", "before JobFinish=explode", "before JobFinish=sleep(3)",
		"before JobFinish=barrier(here)", "before JobFinish=exit(1)", "before JobFinish=exit@0", "before JobFinish=exit@1.5", "before JobFinish=exit@x", "before JobFinish=exit#0", "before JobFinish=exit#x",
	} {
		run("refuses "+text, func(t *testing.T, l *pointLab) {
			s := l.start(text)
			if code := s.exitCode(); code != exit.Misused || s.url != "" || !strings.Contains(s.log(), "KG_FAILPOINTS: ") {
				t.Errorf("the server ended with %d:\n%s", code, s.log())
			}
		})
	}
	if ran < len(everyChange) {
		t.Errorf("only %d cases ran: one was renamed", ran)
	}
}

// pointLab is a database with servers that are to be broken.
type pointLab struct {
	t       *testing.T
	program string
	dsn     string
	db      *postgres.DB
}

func newPointLab(t *testing.T, program string) *pointLab {
	t.Helper()
	l := &pointLab{t: t, program: program, dsn: newDSN(t)}
	l.open()
	t.Cleanup(func() { l.db.Close() })
	check(t, l.db.Lanes().AddLaneTypes(t.Context(), "interactive", work.TypeEffect))
	rows(t, l.dsn, `WITH gone AS (DELETE FROM kg_api.worker_lanes WHERE name <> $1 RETURNING 1) SELECT count(*) FROM gone`, "interactive") // it alone claims
	return l
}

func (l *pointLab) open() {
	l.t.Helper()
	var err error
	l.db, err = postgres.Open(l.t.Context(), postgres.Config{DSN: l.dsn, JobConns: 3, GraphConns: 1, AuthConns: 1})
	check(l.t, err)
}

// settled waits until the sessions of servers that have ended are over: what such a
// server has sent last is still done. No server may run.
func (l *pointLab) settled() {
	l.t.Helper()
	l.db.Close()
	until(l.t, func() bool {
		return rows(l.t, l.dsn, "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()") == 0
	}, func() string { return "sessions of a server outlive it" })
	l.open()
}

// submit stores an approved job of some steps that each take as long.
func (l *pointLab) submit(data string) string {
	l.t.Helper()
	return l.submitType(work.TypeEffect, data)
}

// submitType stores an approved job of a type.
func (l *pointLab) submitType(jobType, data string) string {
	l.t.Helper()
	job, err := l.db.Jobs().SubmitJob(l.t.Context(), work.NewJob{
		Type: jobType, Queue: work.DefaultQueue, AutoApprove: true, MaxRetries: 3, UserID: access.SystemUserID, Data: []byte(data),
	})
	check(l.t, err)
	return job.ID
}

// pointServer is a server as a process of its own, which may end by itself.
type pointServer struct {
	t      *testing.T
	url    string // empty when it ended before it was ready
	cmd    *exec.Cmd
	logs   string // file
	exited chan struct{}
}

// start runs a server with failpoints, and returns when it is ready or over.
// Settings are NAME=value.
func (l *pointLab) start(failpoints string, settings ...string) *pointServer {
	l.t.Helper()
	dir := l.t.TempDir()
	s := &pointServer{t: l.t, logs: filepath.Join(dir, "log"), exited: make(chan struct{})}
	log, err := os.Create(s.logs)
	check(l.t, err)
	defer log.Close()
	s.cmd = exec.Command(l.program, "serve")
	s.cmd.Env = append(append(os.Environ(),
		"KG_ADDR=127.0.0.1:0", "KG_DATA_DIR="+dir, "DATABASE_URL="+l.dsn, "KG_ADMIN_PASSWORD="+testPassword,
		"KG_TEST_TYPES=1", "KG_TEST_LEASE_SECONDS=2", "KG_DRAIN_SECONDS=0",
		"KG_POOL_JOBS=4", "KG_POOL_GRAPH=2", "KG_POOL_AUTH=1", "KG_FAILPOINTS="+failpoints), settings...)
	s.cmd.Stderr = log
	out, err := s.cmd.StdoutPipe()
	check(l.t, err)
	check(l.t, s.cmd.Start())
	ready := make(chan string, 1)
	go func() {
		defer close(s.exited)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			if url, ok := strings.CutPrefix(lines.Text(), "kg: serving on "); ok {
				ready <- url
			}
		}
		_ = s.cmd.Wait() // exitCode says how it ended
	}()
	l.t.Cleanup(s.kill)
	select {
	case s.url = <-ready:
	case <-s.exited:
	case <-time.After(pointLimit):
		s.kill()
		l.t.Fatalf("the server is neither ready nor over:\n%s", s.log())
	}
	return s
}

// kill ends the process, and waits for its end.
func (s *pointServer) kill() {
	_ = s.cmd.Process.Kill() // it may be gone
	<-s.exited
}

// log returns what the server has logged.
func (s *pointServer) log() string {
	text, err := os.ReadFile(s.logs)
	return string(text) + errText(err)
}

func errText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// exitCode waits for the end of the process.
func (s *pointServer) exitCode() int {
	s.t.Helper()
	select {
	case <-s.exited:
		return s.cmd.ProcessState.ExitCode()
	case <-time.After(pointLimit):
		s.t.Fatalf("the server does not end:\n%s", s.log())
		return 0
	}
}

// reached waits until the failpoint at a point has fired.
func (s *pointServer) reached(point string) {
	s.t.Helper()
	s.logged(`msg="failpoint reached" point="` + point + `"`)
}

// logged waits until the server has logged a text.
func (s *pointServer) logged(text string) {
	s.t.Helper()
	until(s.t, func() bool { return strings.Contains(s.log(), text) }, func() string { return "the server did not log " + text + ":\n" + s.log() })
}

// completed waits until a job is completed, and checks that it is whole: its
// history, and each of its effects.
func (l *pointLab) completed(id string, steps int) work.Job {
	l.t.Helper()
	job := l.ended(id)
	if job.Status != work.StatusCompleted {
		l.t.Errorf("%s is %s: %s", id, job.Status, deref(job.Error))
	}
	if n := rows(l.t, l.dsn, "SELECT count(DISTINCT step) FROM kg_api.job_effects WHERE job_id = $1", id); n != steps {
		l.t.Errorf("%s has %d effects, want %d", id, n, steps)
	}
	return job
}

// ended waits until a job has ended, and checks its history: every event has its
// number, every step is legal, and exactly one event ends it.
func (l *pointLab) ended(id string) (job work.Job) {
	l.t.Helper()
	until(l.t, func() bool {
		var err error
		job, err = l.db.Jobs().Job(l.t.Context(), id)
		return err == nil && job.Status.Terminal()
	}, func() string { return id + " is still " + string(job.Status) })
	events, err := l.db.Events().EventsAfter(l.t.Context(), id, 0, 10_000)
	check(l.t, err)
	if err := wholeHistory(job, events); err != nil {
		l.t.Errorf("%s: %v", id, err)
	}
	return job
}

// wholeHistory returns what is wrong with the history of an ended job.
func wholeHistory(job work.Job, events []work.Event) error {
	var broken []error
	ends, last := 0, work.Status("")
	for i, e := range events {
		if e.Seq != int64(i+1) {
			broken = append(broken, errors.New("an event is missing or there twice"))
		}
		if e.Kind.Terminal() {
			ends++
		}
		if e.Kind != work.EventStatus {
			continue
		}
		change, err := e.StatusChange()
		if err != nil || last != "" && !last.CanBecome(change.Status) {
			broken = append(broken, errors.New("an illegal step from "+string(last)+" to "+string(change.Status)), err)
		}
		last = change.Status
	}
	if ends != 1 || last != job.Status || int64(len(events)) != job.EventSeq {
		broken = append(broken, errors.New("its events do not end where the job stands"))
	}
	return errors.Join(broken...)
}
