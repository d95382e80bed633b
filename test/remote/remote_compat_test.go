package remote_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/coder/websocket"
	"github.com/jackc/pgx/v5"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/artifacts"
	"github.com/kappagraph/kappa/internal/http/apitest"
	"github.com/kappagraph/kappa/internal/remote/wire"
	"github.com/kappagraph/kappa/work"
)

// runPlan is the data of a run of the compatible profile.
const runPlan = `{"plan":{"dataclip_id":"in1","starting_node_id":"s1","triggers":[],"jobs":[{"id":"s1","body":"fn(s => s)","adaptor":"@openfn/language-common@3.3.4"}],"edges":[]},
	"dataclips":{"in1":{"n":1}},"credentials":{"c1":"mail"}}`

// joinCompat joins worker:queue as the existing ws-worker does.
func (p *peer) joinCompat() string {
	p.t.Helper()
	var answer json.RawMessage
	ref := p.ok("", wire.TopicQueue, wire.EventJoin, json.RawMessage(`{"capacity":5,"queues":{"fast_lane":1,"manual>*":4}}`), &answer)
	if string(answer) != "{}" {
		p.t.Errorf("the join is answered with %s, want {}", answer)
	}
	return ref
}

// claimCompat claims until it gets a run.
func (p *peer) claimCompat(ref string, payload string) wire.CompatRun {
	p.t.Helper()
	var run wire.CompatRun
	apitest.Eventually(p.t, "a run", func() bool {
		var answer wire.CompatClaimAnswer
		p.ok(ref, wire.TopicQueue, wire.EventClaim, json.RawMessage(payload), &answer)
		if len(answer.Runs) > 0 {
			run = answer.Runs[0]
		}
		return len(answer.Runs) > 0
	})
	return run
}

// golden sends an event, and wants the status and the response as they stand.
func (p *peer) golden(ref, topic, event, payload, want string) {
	p.t.Helper()
	_, r := p.send(ref, topic, event, json.RawMessage(payload))
	if got := r.Status + " " + string(r.Response); got != want {
		p.t.Errorf("%s on %s with %s: %s, want %s", event, topic, payload, got, want)
	}
}

// TestRW18_Compat is the conversation of a run, frame by frame.
func TestRW18_Compat(t *testing.T) {
	t.Parallel()
	s := newRemoteServer(t, "")
	_, err := remoteConn(t, s.dsn).Exec(t.Context(), `INSERT INTO kg_api.secrets (name, value) VALUES ('credential/mail', '{"password":"p"}')`)
	noError(t, err)
	large, err := s.db.Dataclips().UploadDataclip(t.Context(), access.SystemUserID, []byte(`{"n":"`+strings.Repeat("a", 9<<20)+`"}`), artifacts.DefaultDataclipQuota)
	noError(t, err)
	p := s.dial(t, freshToken(t, "pod-7"))
	first := p.joinCompat() // and leaves, and joins again
	p.ok(first, wire.TopicQueue, wire.EventLeave, struct{}{}, nil)
	ref := p.joinCompat()
	p.golden("", wire.TopicPhoenix, wire.EventHeartbeat, `{}`, `ok {}`)
	for payload, want := range map[string]string{
		`{"demand":1,"queues":["fast_lane"]}`: `ok {"runs":[]}`,
		`{}`:                                  `ok {"runs":[]}`,
		`{"demand":1,"worker_name":null,"queues":null}`:   `ok {"runs":[]}`,
		`{"demand":1,"queues":["nosuch"],"unknown":true}`: `ok {"runs":[]}`,
		`{"demand":0}`:                    `error {"reason":"demand: must be at least 1"}`,
		`{"demand":1,"queues":[]}`:        `error {"reason":"queues: name at least one queue"}`,
		`{"demand":1,"queues":["*","a"]}`: `error {"reason":"queues: \"*\" must come last"}`,
	} {
		p.golden(ref, wire.TopicQueue, wire.EventClaim, payload, want)
	}
	job := s.submit(t, work.TypeOpenFnRun, "manual", strings.Replace(runPlan, `"dataclips":{`, `"dataclips":{"in2":"`+large.ID+`",`, 1))
	apitest.Eventually(t, "work-available", func() bool { return len(p.pushed(wire.EventWorkAvailable)) > 0 })
	if push := p.pushed(wire.EventWorkAvailable)[0]; string(push.Payload) != `{}` || push.Ref != "" || push.JoinRef != ref {
		t.Errorf("work-available is %+v, with the join_ref %s", push, ref)
	}
	run := p.claimCompat(ref, `{"demand":1,"worker_name":"pod-7","queues":["manual","*"]}`)
	topic := wire.RunTopic(job.ID)
	p.golden("", topic, wire.EventJoin, `{"token":"x.y.z"}`, `error {"reason":"unauthorized"}`)
	p.golden("", wire.RunTopic(kappa.NewJobID()), wire.EventJoin, `{"token":"`+run.Token+`"}`, `error {"reason":"unauthorized"}`)
	p.golden("7", wire.RunTopic(kappa.NewJobID()), wire.EventFetchPlan, `{}`, `error {"reason":"unmatched topic"}`)
	p.golden("", "room:lobby", wire.EventJoin, `{}`, `error {"reason":"unmatched topic"}`)
	rref := p.ok("", topic, wire.EventJoin, wire.RunJoin{Token: run.Token}, nil)
	var plan map[string]any
	p.ok(rref, topic, wire.EventFetchPlan, struct{}{}, &plan)
	options, _ := plan["options"].(map[string]any)
	if plan["id"] != job.ID || options["run_timeout_ms"] != float64(1_800_000) || options["payload_limit_mb"] != float64(10) || plan["dataclip_id"] != "in1" {
		t.Errorf("the plan is %v", plan)
	}
	f, r := p.send(rref, topic, wire.EventFetchDataclip, wire.FetchByID{ID: "in1"})
	if f.Binary == nil || r.Status != wire.StatusOK || strings.ReplaceAll(string(r.Response), " ", "") != `{"n":1}` {
		t.Errorf("the dataclip is %q, binary %v", r.Response, f.Binary != nil)
	}
	f, r = p.send(rref, topic, wire.EventFetchDataclip, wire.FetchByID{ID: "in2"})
	if f.Binary == nil || r.Status != wire.StatusOK || len(r.Response) != large.Bytes || !strings.HasPrefix(string(r.Response), `{"n":"aaa`) {
		t.Errorf("the uploaded dataclip has %d bytes, %.20q, want %d", len(r.Response), r.Response, large.Bytes)
	}
	for _, c := range []struct{ event, payload, want string }{
		{wire.EventFetchDataclip, `{"id":"nosuch"}`, `error {"reason":"not found"}`},
		{wire.EventFetchCredential, `{"id":"c1"}`, `ok {"password":"p"}`},
		{wire.EventFetchCredential, `{"id":"c2"}`, `error {"reason":"not found"}`},
		{wire.EventRunLog, `{"run_id":"x","message":["before","the start"],"source":"R/T","level":"info","timestamp":"1767225600123456"}`, `ok {}`},
		{wire.EventRunLog, `{"message":17,"level":{}}`, `ok {}`},
		{wire.EventRunBatchLogs, `{"run_id":"x","logs":[{"message":["a"],"level":"debug"},{"message":["b"],"level":"info"}]}`, `ok {}`},
		{wire.EventRunBatchLogs, `{"logs":"broken"}`, `ok {}`},
		{wire.EventRunStart, `{"versions":{}}`, `ok {}`},
		{"what:ever", `{}`, `ok {}`},
		{wire.EventStepStart, `{"step_id":"st1","job_id":"s1","input_dataclip_id":"in1"}`, `ok {"step_id":"st1"}`},
		{wire.EventStepStart, `{"step_id":"st1","job_id":"s1"}`, `ok {"step_id":"st1"}`},
		{wire.EventStepComplete, `{"job_id":"s1","reason":"success","error_type":null,"error_message":null,"output_dataclip_id":"out1","output_dataclip":"{\"n\":2}"}`, `ok {"step_id":"st1"}`},
		{wire.EventStepComplete, `{"step_id":"st2","job_id":"s2","reason":"odd"}`, `ok {"step_id":"st2"}`},
		{wire.EventRunComplete, `{"reason":"success","error_type":null,"error_message":null,"final_state":{"data":{"n":2}},"final_dataclip_id":"out1"}`, `ok {}`},
		{wire.EventRunComplete, `{"reason":"crash"}`, `ok {}`},
		{wire.EventRunLog, `{"message":["after the end"]}`, `ok {}`},
	} {
		p.golden(rref, topic, c.event, c.payload, c.want)
	}
	p.ok(rref, topic, wire.EventLeave, struct{}{}, nil)
	apitest.Eventually(t, "phx_close after the leave", func() bool { return len(p.pushed(wire.EventClose)) == 2 })
	got := s.job(t, job.ID)
	var result struct {
		Reason     string          `json:"reason"`
		FinalState json.RawMessage `json:"final_state"`
		Steps      []work.RunStep  `json:"steps"`
	}
	noError(t, json.Unmarshal(got.Result, &result))
	if got.Status != work.StatusCompleted || result.Reason != "success" || len(result.Steps) != 2 || *result.Steps[0].Reason != "success" || result.Steps[0].InputDataclipID != "in1" {
		t.Errorf("the job is %s with %s", got.Status, got.Result)
	}
	body, err := s.db.Remote().Dataclip(t.Context(), job.ID, "out1")
	if err != nil || body != `{"n":2}` {
		t.Errorf("the output is %q (%v)", body, err)
	}
	apitest.Eventually(t, "the log", func() bool {
		lines, err := s.db.Remote().Logs(t.Context(), job.ID, 0, 0, 10)
		return err == nil && len(lines) == 4 && lines[0].Message == "before the start" && lines[3].Message == "b"
	})
}

// TestRW18_CompatEnds has what a job becomes by the reason with which its run ends,
// also without a start.
func TestRW18_CompatEnds(t *testing.T) {
	t.Parallel()
	s := newRemoteServer(t, "")
	p := s.dial(t, freshToken(t, "pod"))
	ref := p.joinCompat()
	for reason, want := range map[string]work.Status{
		"success": "completed", "fail": "failed", "crash": "failed", "kill": "failed", "exception": "approved", "cancel": "cancelled", "lost": "failed",
	} {
		job := s.submit(t, work.TypeOpenFnRun, "manual", runPlan)
		run := p.claimCompat(ref, `{"queues":["manual"]}`)
		topic := wire.RunTopic(job.ID)
		rref := p.ok("", topic, wire.EventJoin, wire.RunJoin{Token: run.Token}, nil)
		p.golden(rref, topic, wire.EventRunComplete, `{"reason":"`+reason+`","error_type":"E","error_message":"m","final_state":17}`, `ok {}`)
		if got := s.job(t, job.ID); got.Status != want || want == "failed" && reason != "lost" && *got.Error != "E: m" {
			t.Errorf("%s: the job is %s, want %s", reason, got.Status, want)
		}
		if want == work.StatusApproved {
			_, err := s.db.Jobs().Cancel(t.Context(), job.ID)
			noError(t, err)
		}
	}
}

// TestRW16_Sink says that an attempt which may not act any more is answered, and
// stores nothing.
func TestRW16_Sink(t *testing.T) {
	t.Parallel()
	s := newRemoteServer(t, "")
	conn := remoteConn(t, s.dsn)
	p := s.dial(t, freshToken(t, "zombie"))
	ref := p.joinCompat()
	job := s.submit(t, work.TypeOpenFnRun, "manual", runPlan)
	run := p.claimCompat(ref, `{}`)
	topic := wire.RunTopic(job.ID)
	p.ok("", topic, wire.EventJoin, wire.RunJoin{Token: run.Token}, nil)
	// A rescue gives the job to another worker, which holds it.
	_, err := conn.Exec(t.Context(), `UPDATE kg_api.jobs SET claim_token = nextval('kg_api.claim_tokens'), claimed_by = gen_random_uuid() WHERE job_id = $1`, job.ID)
	noError(t, err)
	rref := p.ok("", topic, wire.EventJoin, wire.RunJoin{Token: run.Token}, nil) // again, as after a reconnect
	for _, c := range []struct{ event, payload, want string }{
		{wire.EventFetchPlan, `{}`, `ok {"id":"` + job.ID + `","triggers":[],"jobs":[],"edges":[],"options":{}}`},
		{wire.EventFetchCredential, `{"id":"c1"}`, `error {"reason":"not found"}`},
		{wire.EventFetchDataclip, `{"id":"in1"}`, `error {"reason":"not found"}`},
		{wire.EventRunLog, `{"message":["x"]}`, `ok {}`},
		{wire.EventRunStart, `{}`, `ok {}`},
		{wire.EventStepStart, `{"step_id":"st1","job_id":"s1"}`, `ok {"step_id":"st1"}`},
		{wire.EventStepComplete, `{"step_id":"st1","job_id":"s1","reason":"success"}`, `ok {"step_id":"st1"}`},
		{wire.EventRunComplete, `{"reason":"success","final_state":{}}`, `ok {}`},
	} {
		p.golden(rref, topic, c.event, c.payload, c.want)
	}
	var logs, steps int
	var late string
	noError(t, conn.QueryRow(t.Context(), `SELECT (SELECT count(*) FROM kg_api.run_logs), (SELECT count(*) FROM kg_api.run_steps),
		(SELECT late_reason FROM kg_api.run_claims WHERE late_reason IS NOT NULL)`).Scan(&logs, &steps, &late))
	if got := s.job(t, job.ID); got.Status != work.StatusProcessing || logs+steps != 0 || late != "success" {
		t.Errorf("the job is %s, with %d lines and %d steps, late %q", got.Status, logs, steps, late)
	}
	next := s.submit(t, work.TypeOpenFnRun, "manual", runPlan) // its slot is free
	if run := p.claimCompat(ref, `{}`); run.ID != next.ID {
		t.Errorf("claimed %s, want %s", run.ID, next.ID)
	}
}

// TestRW14_ClaimLost says what becomes of a claim whose reply was lost.
func TestRW14_ClaimLost(t *testing.T) {
	t.Parallel()
	s := newRemoteServer(t, "")
	p := s.dial(t, freshToken(t, "pod"))
	ref := p.joinCompat()
	job := s.submit(t, work.TypeOpenFnRun, "manual", runPlan)
	lost := p.claimCompat(ref, `{}`)
	_, err := remoteConn(t, s.dsn).Exec(t.Context(), `UPDATE kg_api.run_claims SET reserved_until = now()`)
	noError(t, err)
	if n, err := s.db.Remote().Expire(t.Context(), 10); n != 1 || err != nil {
		t.Fatalf("%d reservations expired (%v), want 1", n, err)
	}
	p.golden("", wire.RunTopic(job.ID), wire.EventJoin, `{"token":"`+lost.Token+`"}`, `error {"reason":"claim expired"}`)
	run := p.claimCompat(ref, `{}`)
	if run.ID != job.ID || s.job(t, job.ID).Attempt != 1 {
		t.Errorf("claimed %s with attempt %d", run.ID, s.job(t, job.ID).Attempt)
	}
}

// TestRW20_JoinLeaveJoin does what the existing ws-worker does after a reconnect, and
// goes on with its run.
func TestRW20_JoinLeaveJoin(t *testing.T) {
	t.Parallel()
	s := newRemoteServer(t, "")
	token := freshToken(t, "pod")
	p := s.dial(t, token)
	ref := p.joinCompat()
	job := s.submit(t, work.TypeOpenFnRun, "manual", runPlan)
	run := p.claimCompat(ref, `{}`)
	topic := wire.RunTopic(job.ID)
	p.ok("", topic, wire.EventJoin, wire.RunJoin{Token: run.Token}, nil)
	_ = p.conn.CloseNow()
	p = s.dial(t, token)
	for range 100 {
		p.ok(p.joinCompat(), wire.TopicQueue, wire.EventLeave, struct{}{}, nil)
	}
	stale := ref
	ref = p.joinCompat()
	old := p.ok("", topic, wire.EventJoin, wire.RunJoin{Token: run.Token}, nil)
	rref := p.ok("", topic, wire.EventJoin, wire.RunJoin{Token: run.Token}, nil)
	if closed := p.pushed(wire.EventClose); len(closed) != 101 || closed[100].JoinRef != old || closed[100].Ref != old {
		t.Errorf("%d phx_close, want one for each leave and one for the second join, with the join_ref %s", len(closed), old)
	}
	p.start(stale+"0", topic, wire.EventRunComplete, json.RawMessage(`{"reason":"crash"}`)) // under a join that is not current
	p.golden(ref, wire.TopicQueue, wire.EventClaim, `{"demand":5}`, `ok {"runs":[]}`)
	if got := s.job(t, job.ID).Status; got != work.StatusProcessing {
		t.Errorf("a message under another join has made the job %s", got)
	}
	p.golden(rref, topic, wire.EventRunComplete, `{"reason":"success"}`, `ok {}`)
	s.wantStatus(t, job.ID, work.StatusCompleted)
}

// TestRW21_CompatCancel cancels a run of a worker that knows no cancel.
func TestRW21_CompatCancel(t *testing.T) {
	t.Parallel()
	s := newRemoteServer(t, "")
	p := s.dial(t, freshToken(t, "pod"))
	ref := p.joinCompat()
	job := s.submit(t, work.TypeOpenFnRun, "manual", runPlan)
	run := p.claimCompat(ref, `{}`)
	topic := wire.RunTopic(job.ID)
	rref := p.ok("", topic, wire.EventJoin, wire.RunJoin{Token: run.Token}, nil)
	_, err := s.db.Jobs().Cancel(t.Context(), job.ID)
	noError(t, err)
	s.wantStatus(t, job.ID, work.StatusCancelled)
	apitest.Eventually(t, "run:cancel is pushed", func() bool { return len(p.pushed(wire.EventCancel)) == 1 })
	p.golden(rref, topic, wire.EventRunComplete, `{"reason":"success"}`, `ok {}`)
	if got := s.job(t, job.ID).Status; got != work.StatusCancelled {
		t.Errorf("the job is %s after a late end", got)
	}
}

// TestRW18_Close has each reason for which the server ends a connection: none is 1000.
func TestRW18_Close(t *testing.T) {
	t.Parallel()
	s := newRemoteServer(t, "")
	for message, want := range map[string]websocket.StatusCode{
		`{}`: websocket.StatusProtocolError, `["1","2","t","e"]`: websocket.StatusProtocolError, "\x01": websocket.StatusProtocolError,
		`["1","2","phoenix","heartbeat",{"x":"` + strings.Repeat("x", wire.MaxMessage) + `"}]`: websocket.StatusMessageTooBig,
	} {
		p := s.dial(t, freshToken(t, "close"))
		_ = p.conn.Write(t.Context(), websocket.MessageText, []byte(message)) // the server may end it before the end
		got := websocket.CloseStatus(<-p.ended)
		if broken := got == -1 && want == websocket.StatusMessageTooBig; got != want && !broken { // it was still being sent
			t.Errorf("%.20s: closed with %d, want %d", message, got, want)
		}
	}
	p := s.dial(t, freshToken(t, "stop"))
	p.joinCompat()
	s.stop()
	if got := websocket.CloseStatus(<-p.ended); got != websocket.StatusServiceRestart {
		t.Errorf("a stop closed with %d, want 1012", got)
	}
}

// TestRW24_Input sends payloads that nobody would, and wants every event answered.
func TestRW24_Input(t *testing.T) {
	t.Parallel()
	s := newRemoteServer(t, "")
	events := []string{
		wire.EventClaim, wire.EventClaimAck, wire.EventExtend, wire.EventProgress, wire.EventLog, wire.EventFetch, wire.EventCheckpoint,
		wire.EventComplete, wire.EventFail, wire.EventRelease, wire.EventDrain, "nosuch",
	}
	payloads := []string{`{}`, `{"id":7}`, `{"id":"job_000000000000","tok":"1","seq":1}`, `{"runs":"x"}`, `{"id":"x","tok":"y","seq":-1}`, `{"demand":"x"}`, `{"accept":[{}],"reject":[{}]}`}
	p := s.kappaWorker(t, "0c9d4f8e-5a5b-4a0e-9a43-7f6f0f3b1d22")
	ref, _ := p.joinKappa("*:1")
	for _, event := range events {
		for _, payload := range payloads {
			_, r := p.send(ref, wire.TopicQueue, event, json.RawMessage(payload))
			if r.Status == wire.StatusOK {
				continue
			}
			var e wire.Error
			noError(t, json.Unmarshal(r.Response, &e))
			if e.Kind == "" || e.Code == "" || e.Message == "" { // property 28
				t.Errorf("%s with %s is answered with %s", event, payload, r.Response)
			}
		}
	}
}

func remoteConn(t testing.TB, dsn string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), dsn)
	noError(t, err)
	t.Cleanup(func() { _ = conn.Close(context.WithoutCancel(t.Context())) })
	return conn
}
