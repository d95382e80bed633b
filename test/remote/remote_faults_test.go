package remote_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/kappagraph/kappa/internal/http/apitest"
	"github.com/kappagraph/kappa/internal/lanes"
	"github.com/kappagraph/kappa/internal/pgtest"
	"github.com/kappagraph/kappa/internal/remote/wire"
	"github.com/kappagraph/kappa/work"
)

// startRun submits a run and has a worker of the compatible profile join it.
func (s *remoteServer) startRun(p *peer, ref string) (job work.Job, token, topic, rref string) {
	p.t.Helper()
	job = s.submit(p.t, work.TypeOpenFnRun, "manual", runPlan)
	token = p.claimCompat(ref, `{}`).Token
	topic = wire.RunTopic(job.ID)
	return job, token, topic, p.ok("", topic, wire.EventJoin, wire.RunJoin{Token: token}, nil)
}

// TestRW15_Cut cuts the connection of an extended worker after each frame of a run, with
// its answer and without, and has the worker go on as the protocol says: each event is
// done once.
func TestRW15_Cut(t *testing.T) {
	t.Parallel()
	s := newRemoteServer(t, "")
	for cut := range 12 {
		checkCut(t, s, cut/2, cut%2 == 1)
	}
}

// checkCut runs one job. The connection is cut after a frame was sent, and with answered
// after its answer has come.
func checkCut(t *testing.T, s *remoteServer, at int, answered bool) {
	t.Helper()
	job := s.submit(t, "exec", "q"+strconv.Itoa(at), `{}`)
	queue := job.Queue
	id := lanes.NewID()
	p := s.kappaWorker(t, id)
	var run wire.Run
	var acked int64
	held := false
	step, once, ref := 0, false, ""
	cut := func() bool {
		step++
		now := step-1 == at && !once
		once = once || now
		return now
	}
	send := func(event string, payload, out any) bool { // false: the connection is cut
		reply := p.start(ref, wire.TopicQueue, event, payload)
		now := cut()
		if now && !answered {
			_ = p.conn.CloseNow()
			return false
		}
		f := <-reply
		var r wire.Reply
		noError(t, json.Unmarshal(f.Payload, &r))
		if r.Status != wire.StatusOK {
			t.Fatalf("cut at %d: %s is answered with %s", at, event, r.Response)
		}
		if out != nil {
			noError(t, json.Unmarshal(r.Response, out))
		}
		if now {
			_ = p.conn.CloseNow()
		}
		return !now
	}
	connect := func() {
		p = s.kappaWorker(t, id)
		var list []wire.HeldRun
		if run.ID != "" {
			list = append(list, wire.HeldRun{RunKey: run.RunKey, Acked: acked})
		}
		var answer wire.JoinAnswer
		ref, answer = p.joinKappa(queue+":1", list...)
		for _, r := range answer.Runs {
			held = r.State == wire.RunYours
			acked = r.Acked
			if r.State == wire.RunLost {
				run = wire.Run{}
			}
		}
	}
	end := false
	ref = "1"
	if !send(wire.EventJoin, kappaJoin(t, queue+":1"), nil) {
		connect()
	}
	pace := time.NewTicker(2 * time.Millisecond)
	defer pace.Stop()
	for tries := 0; !end; tries++ {
		if tries > 200 {
			t.Fatalf("cut at %d, answered %v: the run does not end; job %+v", at, answered, s.job(t, job.ID))
		}
		var ok bool
		switch {
		case run.ID == "":
			var answer wire.ClaimAnswer
			ok = send(wire.EventClaim, wire.Claim{ClaimID: lanes.NewID(), Group: "g1", Queues: []string{queue}, Demand: 1}, &answer)
			if len(answer.Runs) > 0 {
				run, acked, held = answer.Runs[0], 0, false
			} else {
				step = min(step, 1) // the next claim is the same step
				<-pace.C
			}
		case !held:
			var ack wire.AckAnswer
			ok = send(wire.EventClaimAck, wire.Ack{Accept: []wire.RunKey{run.RunKey}}, &ack)
			held = len(ack.Confirmed) == 1
		case acked < 2:
			var done wire.RunAnswer
			ok = send(wire.EventCheckpoint, wire.RunCheckpoint{RunEvent: wire.RunEvent{RunKey: run.RunKey, Seq: acked + 1}, Checkpoint: json.RawMessage(fmt.Sprint(`{"n":`, acked+1, `}`))}, &done)
			acked = max(acked, done.Acked)
		default:
			ok = send(wire.EventComplete, wire.RunComplete{RunEvent: wire.RunEvent{RunKey: run.RunKey, Seq: 3}, Result: json.RawMessage(`{}`)}, nil)
			end = ok || s.job(t, job.ID).Status == work.StatusCompleted
		}
		if !ok && !end {
			connect()
			end = !held && run.ID != "" && acked == 3
		}
	}
	if n := rowsIn(t, s.dsn, `SELECT count(*) FROM kg_api.run_claims WHERE job_id = $1 AND outcome = 'completed' AND worker_seq = 3`, job.ID); n != 1 {
		t.Errorf("cut at %d, answered %v: %d claims completed the job with 3 events", at, answered, n)
	}
	if got := s.job(t, job.ID); got.Status != work.StatusCompleted || got.Attempt != 1 || got.Retries != 0 {
		t.Errorf("cut at %d, answered %v: the job is %s at attempt %d", at, answered, got.Status, got.Attempt)
	}
}

// TestRW15_CompatCut cuts the connection of a worker of the compatible profile after
// each event of a run. It comes back with its old token, and the run ends.
func TestRW15_CompatCut(t *testing.T) {
	t.Parallel()
	s := newRemoteServer(t, "")
	events := []struct{ event, payload string }{
		{wire.EventFetchPlan, `{}`},
		{wire.EventRunStart, `{}`},
		{wire.EventStepStart, `{"step_id":"st1","job_id":"s1"}`},
		{wire.EventRunBatchLogs, `{"logs":[{"message":["a"]}]}`},
		{wire.EventStepComplete, `{"step_id":"st1","job_id":"s1","reason":"success","output_dataclip_id":"o1","output_dataclip":"{}"}`},
		{wire.EventRunComplete, `{"reason":"success","final_state":{}}`},
	}
	for cut := range events {
		token := freshToken(t, "pod-"+strconv.Itoa(cut))
		p := s.dial(t, token)
		job, run, topic, rref := s.startRun(p, p.joinCompat())
		for i, e := range events {
			if i != cut {
				p.ok(rref, topic, e.event, json.RawMessage(e.payload), nil)
				continue
			}
			p.start(rref, topic, e.event, json.RawMessage(e.payload))
			_ = p.conn.CloseNow() // the client drops an event that was not answered
			p = s.dial(t, token)
			p.joinCompat()
			rref = p.ok("", topic, wire.EventJoin, wire.RunJoin{Token: run}, nil)
		}
		if cut == len(events)-1 {
			p.ok(rref, topic, wire.EventRunComplete, json.RawMessage(`{"reason":"success","final_state":{}}`), nil)
		}
		s.wantStatus(t, job.ID, work.StatusCompleted)
		if n := rowsIn(t, s.dsn, `SELECT count(*) FROM kg_api.run_steps WHERE job_id = $1`, job.ID); n > 1 {
			t.Errorf("cut at %s: %d steps, want 1", events[cut].event, n)
		}
		_ = p.conn.CloseNow()
	}
}

// TestRW16_Fenced says that an extended worker whose run is another's changes nothing,
// and is told so once.
func TestRW16_Fenced(t *testing.T) {
	t.Parallel()
	s := newRemoteServer(t, "")
	conn := remoteConn(t, s.dsn)
	p := s.kappaWorker(t, lanes.NewID())
	ref, _ := p.joinKappa("*:1")
	job := s.submit(t, "exec", "q", `{}`)
	run := p.take(ref, "g1", "*")
	_, err := conn.Exec(t.Context(), `UPDATE kg_api.jobs SET claim_token = nextval('kg_api.claim_tokens'), claimed_by = gen_random_uuid() WHERE job_id = $1`, job.ID)
	noError(t, err)
	before := rowsIn(t, s.dsn, `SELECT event_seq FROM kg_api.jobs WHERE job_id = $1`, job.ID)
	event := wire.RunEvent{RunKey: run.RunKey, Seq: 1}
	for _, e := range []struct {
		event   string
		payload any
	}{
		{wire.EventProgress, wire.RunProgress{RunKey: run.RunKey, Progress: json.RawMessage(`{"percent":9}`)}},
		{wire.EventCheckpoint, wire.RunCheckpoint{RunEvent: event, Checkpoint: json.RawMessage(`{}`)}},
		{wire.EventComplete, wire.RunComplete{RunEvent: event, Result: json.RawMessage(`{}`)}},
		{wire.EventFail, wire.RunFail{RunEvent: event}},
		{wire.EventRelease, wire.RunRelease{RunEvent: event}},
	} {
		_, r := p.send(ref, wire.TopicQueue, e.event, e.payload)
		var got wire.Error
		noError(t, json.Unmarshal(r.Response, &got))
		if r.Status != wire.StatusError || got.Code != wire.CodeStaleClaim || got.Kind != wire.KindTerminal {
			t.Errorf("%s of a fenced run is answered with %s", e.event, r.Response)
		}
	}
	p.ok(ref, wire.TopicQueue, wire.EventLog, wire.RunLog{RunKey: run.RunKey, Lines: []wire.LogLine{{Message: "late"}}}, nil)
	if after := rowsIn(t, s.dsn, `SELECT event_seq + (SELECT count(*) FROM kg_api.run_logs) FROM kg_api.jobs WHERE job_id = $1 AND status = 'processing'`, job.ID); after != before {
		t.Errorf("the job's events went from %d to %d", before, after)
	}
	var extend wire.ExtendAnswer
	p.ok(ref, wire.TopicQueue, wire.EventExtend, wire.Extend{Runs: []wire.RunKey{run.RunKey}}, &extend)
	if len(extend.Lost) != 1 {
		t.Errorf("the heartbeat is answered with %+v", extend)
	}
	next := s.submit(t, "exec", "q", `{}`) // its slot is free
	if run := p.take(ref, "g1", "*"); run.ID != next.ID {
		t.Errorf("claimed %s, want %s", run.ID, next.ID)
	}
}

// TestRW17_Overlap has the old and the new connection of a worker at work at once: what
// the new one holds is never taken from it.
func TestRW17_Overlap(t *testing.T) {
	t.Parallel()
	checkOverlap(t, 12)
}

func TestRW17_Overlap_Slow(t *testing.T) {
	pgtest.SlowTier(t)
	t.Parallel()
	checkOverlap(t, 300)
}

func checkOverlap(t *testing.T, rounds int) {
	t.Helper()
	s := newRemoteServer(t, "")
	for round := range rounds {
		id := lanes.NewID()
		p := s.kappaWorker(t, id)
		ref, _ := p.joinKappa("*:3")
		kept := s.submit(t, "exec", "q", `{}`)
		run := p.take(ref, "g1", "*")
		s.submit(t, "exec", "q", `{}`)
		if rand.IntN(2) == 0 {
			p.startClaim(ref, "g1", 1, "*") // whatever becomes of its answer
		}
		again := s.kappaWorker(t, id) // the old connection is not closed by its side
		ref, answer := again.joinKappa("*:3", wire.HeldRun{RunKey: run.RunKey})
		if answer.Generation != 2 || len(answer.Runs) != 1 || answer.Runs[0].State != wire.RunYours {
			t.Fatalf("round %d: the join is answered with %+v", round, answer)
		}
		next := again.take(ref, "g1", "*")
		_ = p.conn.CloseNow()
		var extend wire.ExtendAnswer
		again.ok(ref, wire.TopicQueue, wire.EventExtend, wire.Extend{Runs: []wire.RunKey{run.RunKey, next.RunKey}}, &extend)
		if len(extend.Lost) > 0 {
			t.Fatalf("round %d: the old connection has taken %v away", round, extend.Lost)
		}
		again.end(ref, run, 1, work.StatusCompleted)
		again.end(ref, next, 1, work.StatusCompleted)
		if got := s.job(t, kept.ID); got.Attempt != 1 {
			t.Errorf("round %d: the run that went on is at attempt %d", round, got.Attempt)
		}
		if n := rowsIn(t, s.dsn, `SELECT count(*) FROM kg_api.workers WHERE worker_id = $1::uuid AND connected AND generation = 2`, id); n != 1 {
			t.Errorf("round %d: the end of the old connection has marked the worker as gone", round)
		}
		_ = again.conn.CloseNow()
	}
}

// TestRW18_NoErrors has the database away, and a panic, while a run of the compatible
// profile goes on: no event gets an error that would hurt, and nothing is lost (also
// property 23).
func TestRW18_NoErrors(t *testing.T) {
	t.Parallel()
	checkOutage(t, 300*time.Millisecond)
}

func checkOutage(t *testing.T, away time.Duration) {
	t.Helper()
	s := newRemoteServer(t, "")
	p := s.dial(t, freshToken(t, "pod"))
	ref := p.joinCompat()
	job, _, topic, rref := s.startRun(p, ref)
	other, _, otherTopic, otherRef := s.startRun(p, ref)
	extended := s.kappaWorker(t, lanes.NewID())
	eref, _ := extended.joinKappa("*:1")
	s.submit(t, "exec", "q", `{}`)
	run := extended.take(eref, "g1", "*")

	s.store.panics.Store(true)
	p.golden(otherRef, otherTopic, wire.EventStepStart, `{"step_id":"x","job_id":"s1"}`, `error {"reason":"it failed unexpectedly; see the server's log"}`)
	s.store.panics.Store(false)
	s.store.away.Store(true)
	time.AfterFunc(away, func() { s.store.away.Store(false) })
	_, r := extended.send(eref, wire.TopicQueue, wire.EventComplete, wire.RunComplete{RunEvent: wire.RunEvent{RunKey: run.RunKey, Seq: 1}, Result: json.RawMessage(`{}`)})
	var e wire.Error
	noError(t, json.Unmarshal(r.Response, &e))
	if e.Kind != wire.KindRetryable || e.Code != wire.CodeUnavailable || e.RetryMS < 1 {
		t.Errorf("an end while the database is away is answered with %s", r.Response)
	}
	p.golden(ref, wire.TopicQueue, wire.EventClaim, `{}`, `ok {"runs":[]}`)
	p.golden(rref, topic, wire.EventRunLog, `{"message":["while it is away"]}`, `ok {}`)
	_, r = p.send(rref, topic, wire.EventFetchPlan, struct{}{})
	if r.Status != wire.StatusOK || !strings.Contains(string(r.Response), `"adaptor"`) {
		t.Errorf("fetch:plan is answered with %s %s", r.Status, r.Response)
	}
	p.golden(otherRef, otherTopic, wire.EventRunComplete, `{"reason":"success"}`, `ok {}`)
	p.golden(rref, topic, wire.EventStepStart, `{"step_id":"st1","job_id":"s1"}`, `ok {"step_id":"st1"}`)
	p.golden(rref, topic, wire.EventStepComplete, `{"step_id":"st1","job_id":"s1","reason":"success"}`, `ok {"step_id":"st1"}`)
	p.golden(rref, topic, wire.EventRunComplete, `{"reason":"success"}`, `ok {}`)
	s.wantStatus(t, job.ID, work.StatusCompleted)
	s.wantStatus(t, other.ID, work.StatusCompleted)
	if n := rowsIn(t, s.dsn, `SELECT count(*) FROM kg_api.run_steps WHERE job_id = $1 AND ended_at IS NOT NULL`, job.ID); n != 1 {
		t.Errorf("%d steps are stored, want 1", n)
	}
	extended.end(eref, run, 1, work.StatusCompleted)
}

// TestRW22_Drain says that nothing is delivered after worker:drain, and that what is
// released is another worker's at once, at the same attempt.
func TestRW22_Drain(t *testing.T) {
	t.Parallel()
	s := newRemoteServer(t, "")
	p, other := s.kappaWorker(t, lanes.NewID()), s.kappaWorker(t, lanes.NewID())
	ref, _ := p.joinKappa("*:4")
	job := s.submit(t, "exec", "q", `{}`)
	run := p.take(ref, "g1", "*")
	p.ok(ref, wire.TopicQueue, wire.EventDrain, wire.Drain{GraceMS: 1000}, nil)
	s.submit(t, "exec", "q", `{}`)
	otherRef, _ := other.joinKappa("*:4")
	other.take(otherRef, "g1", "*")
	if runs := p.claim(ref, "g1", 4, "*").Runs; len(runs) != 0 {
		t.Errorf("a worker that drains got %v", runs)
	}
	before := len(other.pushed(wire.EventWorkAvailable))
	var done wire.RunAnswer
	p.ok(ref, wire.TopicQueue, wire.EventRelease, wire.RunRelease{RunEvent: wire.RunEvent{RunKey: run.RunKey, Seq: 1}, Reason: "drain", Checkpoint: json.RawMessage(`{"page":3}`)}, &done)
	if done.State != string(work.StatusApproved) {
		t.Errorf("a release is answered with %+v", done)
	}
	apitest.Eventually(t, "another worker is told", func() bool { return len(other.pushed(wire.EventWorkAvailable)) > before })
	if again := other.take(otherRef, "g1", "*"); again.ID != job.ID || again.Attempt != 1 || string(again.Checkpoint) != `{"page":3}` {
		t.Errorf("the released job came as %+v", again)
	}
}

// TestRW24_Big has a message above the read limit, after which its run still ends.
func TestRW24_Big_Slow(t *testing.T) {
	pgtest.SlowTier(t)
	t.Parallel()
	s := newRemoteServer(t, "")
	token := freshToken(t, "big")
	p := s.dial(t, token)
	job, run, topic, rref := s.startRun(p, p.joinCompat())
	output := strings.Repeat("x", 10<<20)
	body, _ := json.Marshal(`{"data":"` + output + `"}`)
	p.golden(rref, topic, wire.EventStepComplete, `{"step_id":"st1","job_id":"s1","reason":"success","output_dataclip_id":"o1","output_dataclip":`+string(body)+`}`, `ok {"step_id":"st1"}`)
	if n := rowsIn(t, s.dsn, `SELECT octet_length(body) FROM kg_api.run_dataclips`); n < len(output) {
		t.Errorf("%d bytes are stored of %d", n, len(output))
	}
	f := wire.Frame{JoinRef: rref, Ref: "99", Topic: topic, Event: wire.EventRunComplete, Payload: json.RawMessage(`{"x":"` + strings.Repeat("x", 33<<20) + `"}`)}
	_ = p.conn.Write(t.Context(), websocket.MessageText, wire.EncodeText(f)) // the server may end it before the end
	if code := websocket.CloseStatus(<-p.ended); code != websocket.StatusMessageTooBig && code != -1 {
		t.Errorf("closed with %d, want 1009", code)
	}
	p = s.dial(t, token)
	p.joinCompat()
	rref = p.ok("", topic, wire.EventJoin, wire.RunJoin{Token: run}, nil)
	p.golden(rref, topic, wire.EventRunComplete, `{"reason":"success","final_dataclip_id":"o1"}`, `ok {}`)
	s.wantStatus(t, job.ID, work.StatusCompleted)
}

// TestRW27_Sequence sends the numbered events of runs lost, doubled and out of order:
// each takes effect once.
func TestRW27_Sequence(t *testing.T) {
	t.Parallel()
	checkSequence(t, 30)
}

func TestRW27_Sequence_Slow(t *testing.T) {
	pgtest.SlowTier(t)
	t.Parallel()
	checkSequence(t, 1000)
}

func checkSequence(t *testing.T, traces int) {
	t.Helper()
	s := newRemoteServer(t, "")
	p := s.kappaWorker(t, lanes.NewID())
	ref, _ := p.joinKappa("*:8")
	for trace := range traces {
		job := s.submit(t, "exec", "q", `{}`)
		run := p.take(ref, "g1", "*")
		last := int64(1 + rand.IntN(5)) // its last event ends the run
		acked := int64(0)
		for range 60 {
			seq := max(1, min(last, acked-1+rand.Int64N(4)))
			var reply chan wire.Frame
			event := wire.RunEvent{RunKey: run.RunKey, Seq: seq}
			if seq == last {
				reply = p.start(ref, wire.TopicQueue, wire.EventComplete, wire.RunComplete{RunEvent: event, Result: json.RawMessage(`{}`)})
			} else {
				reply = p.start(ref, wire.TopicQueue, wire.EventCheckpoint, wire.RunCheckpoint{RunEvent: event, Checkpoint: json.RawMessage(`{}`)})
			}
			var r struct {
				Status   string
				Response struct {
					Acked int64
					State string
					Code  wire.Code
				}
			}
			noError(t, json.Unmarshal((<-reply).Payload, &r))
			switch {
			case seq <= acked+1: // next, or a repetition
				acked = max(acked, seq)
				if r.Status != wire.StatusOK || r.Response.Acked != acked || (r.Response.State == "completed") != (seq == last) {
					t.Fatalf("trace %d: event %d of %d after %d is answered with %+v", trace, seq, last, acked, r)
				}
			case r.Status != wire.StatusError || r.Response.Code != wire.CodeOutOfOrder || r.Response.Acked != acked:
				t.Fatalf("trace %d: event %d after %d is answered with %+v, want out_of_order", trace, seq, acked, r)
			}
			if acked == last && rand.IntN(2) == 0 {
				break
			}
		}
		for acked < last { // the outbox empties
			acked++
			event := wire.RunEvent{RunKey: run.RunKey, Seq: acked}
			if acked == last {
				p.end(ref, run, acked, work.StatusCompleted)
			} else {
				p.ok(ref, wire.TopicQueue, wire.EventCheckpoint, wire.RunCheckpoint{RunEvent: event, Checkpoint: json.RawMessage(`{}`)}, nil)
			}
		}
		if got := s.job(t, job.ID); got.Status != work.StatusCompleted || got.Attempt != 1 {
			t.Fatalf("trace %d: the job is %s at attempt %d", trace, got.Status, got.Attempt)
		}
	}
	if n := rowsIn(t, s.dsn, `SELECT count(*) FROM kg_api.run_claims WHERE outcome <> 'completed'`); n != 0 {
		t.Errorf("%d claims ended otherwise", n)
	}
}
