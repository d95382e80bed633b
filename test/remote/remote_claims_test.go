package remote_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kappagraph/kappa/internal/http/apitest"
	"github.com/kappagraph/kappa/internal/lanes"
	"github.com/kappagraph/kappa/internal/pgtest"
	"github.com/kappagraph/kappa/internal/remote/wire"
	"github.com/kappagraph/kappa/work"
)

// startClaim sends a claim and does not wait for its answer.
func (p *peer) startClaim(ref, group string, demand int, queues ...string) chan wire.Frame {
	p.t.Helper()
	return p.start(ref, wire.TopicQueue, wire.EventClaim, wire.Claim{ClaimID: lanes.NewID(), Group: group, Queues: queues, Demand: demand})
}

// runsOf waits for the answer to a claim.
func runsOf(t testing.TB, reply chan wire.Frame) []wire.Run {
	t.Helper()
	select {
	case f := <-reply:
		var r struct {
			Status   string
			Response wire.ClaimAnswer
		}
		noError(t, json.Unmarshal(f.Payload, &r))
		if r.Status != wire.StatusOK {
			t.Fatalf("a claim is answered with %s", f.Payload)
		}
		return r.Response.Runs
	case <-time.After(30 * time.Second):
		t.Fatal("no answer to a claim")
		return nil
	}
}

// end ends a run of the extended profile and wants it to be what the job becomes.
func (p *peer) end(ref string, run wire.Run, seq int64, want work.Status) {
	p.t.Helper()
	var done wire.RunAnswer
	p.ok(ref, wire.TopicQueue, wire.EventComplete, wire.RunComplete{RunEvent: wire.RunEvent{RunKey: run.RunKey, Seq: seq}, Result: json.RawMessage(`{}`)}, &done)
	if done.State != string(want) {
		p.t.Errorf("job %s is %s, want %s", run.ID, done.State, want)
	}
}

// TestRW01_ClaimsOutOfOrder holds the claim of one group back: the other one does not
// wait for it.
func TestRW01_ClaimsOutOfOrder(t *testing.T) {
	t.Parallel()
	s := newRemoteServer(t, "")
	p := s.kappaWorker(t, lanes.NewID())
	ref, _ := p.joinKappa("slow:1 quick:1")
	s.submit(t, "exec", "slow", `{}`)
	quick := s.submit(t, "exec", "quick", `{}`)
	apitest.Eventually(t, "both are marked", func() bool { return len(p.pushed(wire.EventWorkAvailable)) >= 2 })
	held := make(chan struct{})
	hold := func(r work.RemoteClaimRequest) {
		if slices.Contains(r.Queues, "slow") {
			<-held
		}
	}
	s.store.before.Store(&hold)
	first := p.startClaim(ref, "g1", 1, "slow")
	if runs := runsOf(t, p.startClaim(ref, "g2", 1, "quick")); len(runs) != 1 || runs[0].ID != quick.ID {
		t.Errorf("the other group got %v", runs)
	}
	if len(first) != 0 {
		t.Error("the claim that is held back is answered")
	}
	close(held)
	if runs := runsOf(t, first); len(runs) != 1 {
		t.Errorf("the claim that was held back got %v", runs)
	}
}

// TestRW03_SlotFree says that a slot is free before the end of its run is answered.
func TestRW03_SlotFree(t *testing.T) {
	t.Parallel()
	s := newRemoteServer(t, "")
	p := s.kappaWorker(t, lanes.NewID())
	ref, _ := p.joinKappa("*:1")
	for range 41 { // more than the claims in vain that are let through in a second
		s.submit(t, "exec", "q", `{}`)
	}
	run := p.take(ref, "g1", "*")
	if runs := p.claim(ref, "g1", 1, "*").Runs; len(runs) != 0 {
		t.Errorf("a full group got %v", runs)
	}
	for range 40 {
		p.end(ref, run, 1, work.StatusCompleted)
		runs := p.claim(ref, "g1", 1, "*").Runs
		if len(runs) != 1 {
			t.Fatal("the claim after the end of a run got nothing")
		}
		run = runs[0]
		p.ok(ref, wire.TopicQueue, wire.EventClaimAck, wire.Ack{Accept: []wire.RunKey{run.RunKey}}, nil)
	}
}

// TestRW05_Woken says who is told of work: whoever has room for it, and nobody else.
func TestRW05_Woken(t *testing.T) {
	t.Parallel()
	s := newRemoteServer(t, "")
	full, foreign, idle, compat := s.kappaWorker(t, lanes.NewID()), s.kappaWorker(t, lanes.NewID()), s.kappaWorker(t, lanes.NewID()), s.dial(t, freshToken(t, "pod"))
	fullRef, _ := full.joinKappa("q:1")
	foreign.joinKappa("other:4")
	s.submit(t, "exec", "q", `{}`)
	full.take(fullRef, "g1", "q")
	before := len(full.pushed(wire.EventWorkAvailable))
	idle.joinKappa("busy:1 q,*:1")
	compat.joinCompat() // takes openfn_run only
	s.submit(t, "exec", "q", `{}`)
	apitest.Eventually(t, "the idle worker is told", func() bool { return len(idle.pushed(wire.EventWorkAvailable)) > 0 })
	var hint wire.WorkAvailable
	noError(t, json.Unmarshal(idle.pushed(wire.EventWorkAvailable)[0].Payload, &hint))
	if !slices.Equal(hint.Queues, []string{"q"}) || !slices.Equal(hint.Types, []string{"exec"}) {
		t.Errorf("the hint is %+v", hint)
	}
	for name, p := range map[string]*peer{"one of another queue": foreign, "one of another type": compat} {
		if n := len(p.pushed(wire.EventWorkAvailable)); n != 0 {
			t.Errorf("%s was told %d times", name, n)
		}
	}
	if n := len(full.pushed(wire.EventWorkAvailable)); n != before {
		t.Errorf("a full one was told %d times", n-before)
	}
}

// TestRW04_LockedElsewhere says that a claim which found only jobs that another server
// has locked has the next one read past them.
func TestRW04_LockedElsewhere(t *testing.T) {
	t.Parallel()
	s := newRemoteServer(t, "")
	p := s.kappaWorker(t, lanes.NewID())
	ref, _ := p.joinKappa("q:1")
	var last work.Job
	for range 12 {
		last = s.submit(t, "exec", "q", `{}`)
	}
	tx, err := remoteConn(t, s.dsn).Begin(t.Context())
	noError(t, err)
	_, err = tx.Exec(t.Context(), "SELECT 1 FROM kg_api.jobs WHERE remote AND job_id <> $1 FOR UPDATE", last.ID)
	noError(t, err)
	var got []wire.Run
	apitest.Eventually(t, "the job that is free is claimed", func() bool {
		got = p.claim(ref, "g1", 1, "q").Runs
		return len(got) > 0
	})
	if got[0].ID != last.ID {
		t.Errorf("claimed %s, which is locked", got[0].ID)
	}
	noError(t, tx.Rollback(t.Context()))
}

// TestRW06_EmptyClaims says that claims which can find nothing ask nothing, however
// much waits elsewhere and however many there are (also properties 11 and W09).
func TestRW06_EmptyClaims(t *testing.T) {
	t.Parallel()
	s := newRemoteServer(t, "")
	_, err := remoteConn(t, s.dsn).Exec(t.Context(), `
		INSERT INTO kg_api.jobs (job_id, job_type, status, user_id, approved_at, approved_by, remote, queue)
		SELECT 'job_' || lpad(to_hex(n), 12, '0'), 'exec', 'approved', 1, now(), 'test', true, 'bulk' FROM generate_series(1, 5000) AS n`)
	noError(t, err)
	s.submit(t, "exec", "bulk", `{}`)
	p := s.kappaWorker(t, lanes.NewID())
	ref, _ := p.joinKappa("fast_lane:2")
	ask := func(claims int) (queries int64, got int) {
		first := s.store.claims.Load()
		var replies []chan wire.Frame
		for range claims {
			replies = append(replies, p.startClaim(ref, "g1", 1, "fast_lane"))
		}
		for _, reply := range replies {
			got += len(runsOf(t, reply))
		}
		return s.store.claims.Load() - first, got
	}
	if queries, got := ask(500); queries != 0 || got != 0 {
		t.Errorf("500 claims of an empty queue: %d queries, %d runs", queries, got)
	}
	s.submit(t, "exec", "fast_lane", `{}`)
	apitest.Eventually(t, "it is marked", func() bool { return len(p.pushed(wire.EventWorkAvailable)) > 0 })
	// While work is marked, no more than 20 claims a second and a connection ask.
	began := time.Now()
	store := time.NewTicker(time.Millisecond) // it answers one claim after the other
	defer store.Stop()
	hold := func(work.RemoteClaimRequest) { <-store.C }
	s.store.before.Store(&hold)
	queries, got := ask(300)
	if most := 20 * (2 + int64(time.Since(began)/time.Second)); queries > most || got > 1 {
		t.Errorf("300 claims of a queue with one job: %d queries, want at most %d, and %d runs", queries, most, got)
	}
}

// TestRW07_FastLane says that a group with room is told of work, and gets it, while
// another group of its worker is full.
func TestRW07_FastLane(t *testing.T) {
	t.Parallel()
	s := newRemoteServer(t, "")
	p := s.kappaWorker(t, lanes.NewID())
	ref, _ := p.joinKappa("fast_lane:1 *:3")
	for range 10 {
		s.submit(t, "exec", "default", `{}`)
	}
	for range 3 {
		p.take(ref, "g2", "*")
	}
	job := s.submit(t, "exec", "fast_lane", `{}`)
	apitest.Eventually(t, "the worker is told of the fast lane alone", func() bool {
		return slices.ContainsFunc(p.pushed(wire.EventWorkAvailable), func(f wire.Frame) bool { return string(f.Payload) == `{"queues":["fast_lane"],"types":["exec"]}` })
	})
	if run := p.take(ref, "g1", "fast_lane"); run.ID != job.ID {
		t.Errorf("the fast lane got %s, want %s", run.ID, job.ID)
	}
	if runs := p.claim(ref, "g2", 1, "*").Runs; len(runs) != 0 {
		t.Errorf("the full group got %v", runs)
	}
}

// TestRW08_Join has the joins of workers of the compatible profile: whatever they say
// of their queues, they are taken, and shown.
func TestRW08_Join(t *testing.T) {
	t.Parallel()
	s := newRemoteServer(t, "")
	for i, c := range []struct {
		payload  string
		capacity int
		groups   string
	}{
		{`{"capacity":5,"queues":{"fast_lane":1,"manual>*":4}}`, 5, "[fast_lane]:1 [manual *]:4 "},
		{`{"capacity":5,"queues":{"fast_lane":1,"manual,*":4}}`, 5, "[fast_lane]:1 [manual *]:4 "},
		{`{"queues":{"a":2,"b>*":3}}`, 5, "[a]:2 [b *]:3 "},
		{`{"capacity":7}`, 7, "[*]:7 "},
		{`{}`, 1, "[*]:1 "},
		{`{"capacity":3,"queues":{"a":"x"}}`, 3, "[*]:3 "},
		{`{"capacity":3,"queues":[1,2]}`, 3, "[*]:3 "},
		{`{"capacity":3,"queues":{"*>a":1}}`, 3, "[*]:3 "},
		{`{"capacity":"many","queues":{"a":1}}`, 1, "[a]:1 "},
	} {
		p := s.dial(t, freshToken(t, "pod-"+strconv.Itoa(i)))
		p.golden("", wire.TopicQueue, wire.EventJoin, c.payload, `ok {}`)
		var shown string
		apitest.Eventually(t, "the worker is shown", func() bool {
			status, err := s.db.Lanes().WorkerStatus(t.Context())
			noError(t, err)
			shown = ""
			if len(status.RemoteWorkers) != i+1 || status.RemoteWorkers[i].Profile != "compat" {
				return false
			}
			for _, g := range status.RemoteWorkers[i].Groups {
				shown += fmt.Sprintf("%v:%d ", g.Queues, g.Max)
			}
			return status.RemoteWorkers[i].Capacity == c.capacity && shown == c.groups
		})
	}
}

// TestRW09_Compat has a worker of the compatible profile complete runs, never more at
// once than it said.
func TestRW09_Compat(t *testing.T) {
	t.Parallel()
	checkCompatRuns(t, 60)
}

func TestRW09_Compat_Slow(t *testing.T) {
	pgtest.SlowTier(t)
	t.Parallel()
	checkCompatRuns(t, 1000)
}

func checkCompatRuns(t *testing.T, jobs int) {
	t.Helper()
	s := newRemoteServer(t, "")
	p := s.dial(t, freshToken(t, "pod"))
	ref := p.ok("", wire.TopicQueue, wire.EventJoin, json.RawMessage(`{"capacity":5,"queues":{"manual>*":5}}`), nil)
	for range jobs {
		s.submit(t, work.TypeOpenFnRun, []string{"manual", "default"}[rand.IntN(2)], runPlan)
	}
	var held []wire.CompatRun
	done := map[string]bool{}
	pace := time.NewTicker(time.Millisecond)
	defer pace.Stop()
	for claims := 0; len(done) < jobs; claims++ {
		if claims > 1000*jobs {
			t.Fatalf("%d of %d runs after %d claims", len(done), jobs, claims)
		}
		var answer wire.CompatClaimAnswer
		p.ok(ref, wire.TopicQueue, wire.EventClaim, json.RawMessage(`{"demand":`+strconv.Itoa(1+rand.IntN(8))+`}`), &answer)
		held = append(held, answer.Runs...)
		if len(held) > 5 {
			t.Fatalf("%d runs at once, with a capacity of 5", len(held))
		}
		if len(held) == 0 {
			<-pace.C
			continue
		}
		run := held[0]
		held = held[1:]
		topic := wire.RunTopic(run.ID)
		rref := p.ok("", topic, wire.EventJoin, wire.RunJoin{Token: run.Token}, nil)
		p.ok(rref, topic, wire.EventFetchPlan, struct{}{}, nil)
		p.ok(rref, topic, wire.EventRunComplete, json.RawMessage(`{"reason":"success","final_state":{}}`), nil)
		p.ok(rref, topic, wire.EventLeave, struct{}{}, nil)
		done[run.ID] = true
	}
	if n := rowsIn(t, s.dsn, `SELECT count(*) FROM kg_api.jobs WHERE status = 'completed' AND attempt = 1`); n != jobs {
		t.Errorf("%d of %d jobs are completed at their first attempt", n, jobs)
	}
}

// rowsIn returns the number that a query counts.
func rowsIn(t testing.TB, dsn, query string, args ...any) (n int) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), dsn)
	noError(t, err)
	defer conn.Close(t.Context())
	noError(t, conn.QueryRow(t.Context(), query, args...).Scan(&n))
	return n
}
