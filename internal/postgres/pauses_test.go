package postgres_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"pgregory.net/rapid"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/internal/pgtest"
	"github.com/kappagraph/kappa/internal/postgres"
	"github.com/kappagraph/kappa/work"
)

// pausing is an installation whose jobs are paused and resumed at random, beside a plain
// account of what waits and what is paused.
type pausing struct {
	t       *testing.T
	s       *postgres.DB
	conn    *pgx.Conn
	worker  work.RemoteConnection
	paused  map[string]work.Pause
	waiting map[string]pausable // by id
	done    []string            // in words
}

// pausable is a job that may be paused; what is about an ontology has one from the start.
type pausable struct {
	work.NewJob

	ontology string
}

var (
	pausedOwners = []int{access.SystemUserID, access.AdminUserID}
	pausedTypes  = []string{"one_type", "other_type"}
	pausedQueues = []string{"default", "slow"}
)

func pauseOf(scope work.PauseScope, value string) work.PauseRequest {
	return work.PauseRequest{Scope: scope, Value: value, Reason: "a test"}
}

// stops reports whether a pause is about a job.
func stops(p work.Pause, j pausable) bool {
	switch p.Scope {
	case work.PauseAll:
		return true
	case work.PauseType:
		return p.Value == j.Type
	case work.PauseQueue:
		return p.Value == j.Queue
	case work.PauseOntology:
		return p.Value == j.ontology
	}
	return p.Value == map[int]string{access.SystemUserID: "system", access.AdminUserID: "admin"}[j.UserID]
}

// free reports whether nothing that is paused is about a job.
func (p *pausing) free(j pausable) bool {
	for _, pause := range p.paused {
		if stops(pause, j) {
			return false
		}
	}
	return true
}

// claim claims all that may be, and wants it to be what nothing stops.
func (p *pausing) claim(*rapid.T) {
	p.tell("claim")
	var got, want []string
	for id, j := range p.waiting {
		if p.free(j) {
			want = append(want, id)
		}
	}
	for more := true; more; {
		batch, err := p.s.Claims().Claim(p.t.Context(), work.ClaimRequest{Lane: "interactive", Worker: workerA, Types: pausedTypes, Most: 16})
		must(p.t, err)
		for _, c := range batch.Claims {
			got = append(got, c.JobID)
			_, err := p.s.Claims().Finish(p.t.Context(), workerA, []work.Outcome{completed(c)})
			must(p.t, err)
		}
		more = len(batch.Claims) > 0
	}
	for _, run := range claimRemote(p.t, p.s, p.worker, 100, "*") {
		got = append(got, run.JobID)
	}
	for _, id := range got {
		delete(p.waiting, id)
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		p.t.Errorf("claimed %v, want %v, after %s", got, want, strings.Join(p.done, ", "))
	}
}

// TestPausesAgainstModel pauses, resumes, submits, moves and claims in any order: what is
// claimed is what no pause is about, and all of it.
func TestPausesAgainstModel(t *testing.T) {
	t.Parallel()
	checkPauses(t, 4)
}

func TestPausesAgainstModel_Slow(t *testing.T) {
	pgtest.SlowTier(t)
	t.Parallel()
	checkPauses(t, 200)
}

func checkPauses(t *testing.T, seeds int) {
	t.Helper()
	s, dsn := newAccounts(t)
	register(t, s, workerA)
	must(t, s.Lanes().AddLaneTypes(t.Context(), "interactive", pausedTypes...))
	_, err := s.Lanes().UpdateLane(t.Context(), "interactive", work.LaneUpdate{MaxSlots: new(16)})
	must(t, err)
	p := &pausing{t: t, s: s, conn: connect(t, dsn), worker: remoteWorker(t, s, "a", workerB), paused: map[string]work.Pause{}, waiting: map[string]pausable{}}
	steps := []func(*rapid.T){p.submit, p.submit, p.pause, p.resume, p.move, p.claim, p.sweep}
	for seed := range seeds {
		_ = rapid.Custom(func(r *rapid.T) int {
			for range 40 {
				rapid.SampledFrom(steps).Draw(r, "step")(r)
			}
			return 0
		}).Example(seed)
		for len(p.paused) > 0 {
			p.end(slices.Sorted(maps.Keys(p.paused))[0])
		}
		p.claim(nil)
		if len(p.waiting) > 0 || t.Failed() {
			t.Fatalf("seed %d: %d jobs wait for nothing; done: %s", seed, len(p.waiting), strings.Join(p.done, ", "))
		}
		p.done = nil
	}
}

func (p *pausing) submit(r *rapid.T) {
	j := pausable{NewJob: work.NewJob{
		Type: rapid.SampledFrom(pausedTypes).Draw(r, "type"), Queue: work.DefaultQueue, AutoApprove: true, MaxRetries: 3,
		UserID: rapid.SampledFrom(pausedOwners).Draw(r, "owner"),
	}}
	if rapid.Bool().Draw(r, "remote") {
		j.Type, j.Remote, j.Queue = "exec", true, rapid.SampledFrom(pausedQueues).Draw(r, "queue")
	}
	j.AutoApprove = rapid.Bool().Draw(r, "approved")
	job, err := p.s.Jobs().SubmitJob(p.t.Context(), j.NewJob)
	must(p.t, err)
	if !j.AutoApprove {
		j.ontology = fmt.Sprint("about ", rapid.IntRange(0, 2).Draw(r, "ontology"))
		_, err := p.conn.Exec(p.t.Context(), "UPDATE kg_api.jobs SET ontology = $1 WHERE job_id = $2", j.ontology, job.ID)
		must(p.t, err)
		must(p.t, p.s.Jobs().Approve(p.t.Context(), job.ID, "admin"))
	}
	p.waiting[job.ID] = j
	p.tell("submit %s of %d in %s about %q", j.Type, j.UserID, j.Queue, j.ontology)
}

func (p *pausing) pause(r *rapid.T) {
	request := rapid.SampledFrom(pausableScopes()).Draw(r, "scope")
	key := string(request.Scope) + " " + request.Value
	p.tell("pause %s", key)
	paused, err := p.s.Lanes().Pause(p.t.Context(), request, "bob")
	if _, is := p.paused[key]; is {
		if kappa.ErrorCode(err) != kappa.CodeConflict {
			p.t.Errorf("paused twice: %v", err)
		}
		return
	}
	must(p.t, err)
	p.paused[key] = paused
}

// pausableScopes are what the test pauses.
func pausableScopes() []work.PauseRequest {
	scopes := []work.PauseRequest{pauseOf(work.PauseAll, ""), pauseOf(work.PauseType, "exec")}
	for i := range 2 {
		scopes = append(scopes, pauseOf(work.PauseType, pausedTypes[i]), pauseOf(work.PauseQueue, pausedQueues[i]),
			pauseOf(work.PauseOntology, fmt.Sprint("about ", i)), pauseOf(work.PauseUser, []string{"system", "admin"}[i]))
	}
	return scopes
}

func (p *pausing) resume(r *rapid.T) {
	if len(p.paused) > 0 {
		p.end(rapid.SampledFrom(slices.Sorted(maps.Keys(p.paused))).Draw(r, "pause"))
	}
}

func (p *pausing) end(key string) {
	p.tell("resume %s", key)
	_, err := p.s.Lanes().Resume(p.t.Context(), p.paused[key].ID)
	must(p.t, err)
	delete(p.paused, key)
}

// move moves a job for remote workers to some queue.
func (p *pausing) move(r *rapid.T) {
	for _, id := range slices.Sorted(maps.Keys(p.waiting)) {
		j := p.waiting[id]
		if !j.Remote {
			continue
		}
		j.Queue = rapid.SampledFrom(pausedQueues).Draw(r, "to")
		p.tell("move to %s", j.Queue)
		_, err := p.s.Jobs().Act(p.t.Context(), work.JobAct{Act: work.ActMove, ActOptions: work.ActOptions{Queue: j.Queue}, Filter: work.JobFilter{IDs: []string{id}}})
		must(p.t, err)
		p.waiting[id] = j
		return
	}
}

func (p *pausing) sweep(*rapid.T) {
	_, err := p.s.Queue().Sweep(p.t.Context(), 0, time.Minute, 10)
	must(p.t, err)
}

func (p *pausing) tell(format string, values ...any) {
	p.done = append(p.done, fmt.Sprintf(format, values...))
}

// TestPauseMeetsSubmissions pauses a user while jobs of his are submitted: none of them may be
// claimed once the pause is there.
func TestPauseMeetsSubmissions(t *testing.T) {
	t.Parallel()
	s, dsn := newStore(t)
	register(t, s, workerA)
	for range 5 {
		var paused work.Pause
		together(9, func(i int) {
			var err error
			if i == 0 {
				paused, err = s.Lanes().Pause(t.Context(), pauseOf(work.PauseUser, "system"), "bob")
			} else {
				_, err = s.Jobs().SubmitJob(t.Context(), work.NewJob{Type: "polarity", Queue: work.DefaultQueue, AutoApprove: true, UserID: access.SystemUserID})
			}
			if err != nil {
				t.Error(err)
			}
		})
		if claims := claim(t, s, workerA, 10); len(claims) > 0 {
			t.Fatalf("claimed %v of a user who is paused", ids(claims))
		}
		_, err := s.Lanes().Resume(t.Context(), paused.ID)
		must(t, err)
		var due, all int
		must(t, connect(t, dsn).QueryRow(t.Context(), "SELECT count(*) FILTER (WHERE due AND held_by IS NULL), count(*) FROM kg_api.jobs WHERE status = 'approved'").Scan(&due, &all))
		if due != all {
			t.Fatalf("%d of %d jobs may be claimed", due, all)
		}
	}
}

// TestPausesAreCarriedThrough has a server die between a pause and the jobs that it is to hold,
// and between the end of one and the jobs that it has held.
func TestPausesAreCarriedThrough(t *testing.T) {
	t.Parallel()
	s, dsn := newStore(t)
	register(t, s, workerA)
	db := connect(t, dsn)
	job := submit(t, s, "polarity")
	_, err := db.Exec(t.Context(), "INSERT INTO kg_api.pauses (scope, value, user_id, reason, paused_by, applied) VALUES ('user', 'system', $1, 'r', 'bob', false)", access.SystemUserID)
	must(t, err)
	sweep := func() {
		t.Helper()
		_, err := s.Queue().Sweep(t.Context(), 0, time.Minute, 10)
		must(t, err)
	}
	sweep()
	if claims := claim(t, s, workerA, 10); len(claims) > 0 {
		t.Fatalf("claimed %v", ids(claims))
	}
	w, err := s.Jobs().WaitFacts(t.Context(), job)
	must(t, err)
	if e := w.Explain(); e.Code != work.WaitPause || !strings.Contains(e.Reason, "bob has paused jobs of system") || e.Remedy != "kg admin resume --user system" {
		t.Errorf("%+v", e)
	}
	_, err = db.Exec(t.Context(), "DELETE FROM kg_api.pauses")
	must(t, err)
	sweep()
	if claims := claim(t, s, workerA, 10); len(claims) != 1 {
		t.Fatalf("claimed %v", ids(claims))
	}
}
