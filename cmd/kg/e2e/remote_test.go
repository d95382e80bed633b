package e2e

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/kappagraph/kappa/internal/remote/wire"
	"github.com/kappagraph/kappa/work"
)

const remoteSecret = "a secret for the tests of workers"

// TestRemoteWorker has a worker connect to a whole server, and complete a job that was
// submitted over the API.
func TestRemoteWorker(t *testing.T) {
	t.Parallel()
	s := startServer(t, map[string]string{"DATABASE_URL": newDSN(t), "KG_WORKER_SECRET": remoteSecret})
	c := login(t, s.url)
	token, err := wire.SignWorkerToken([]byte(remoteSecret), "0c9d4f8e-5a5b-4a0e-9a43-7f6f0f3b1d22", time.Now())
	check(t, err)
	conn, _, err := websocket.Dial(t.Context(), "ws"+strings.TrimPrefix(s.url, "http")+"/api/worker/websocket?vsn=2.0.0&token="+token, nil)
	check(t, err)
	defer conn.CloseNow()
	replies, ref := make(chan wire.Reply, 16), 0
	go func() {
		for {
			_, message, err := conn.Read(context.WithoutCancel(t.Context()))
			if err != nil {
				return
			}
			f, err := wire.DecodeText(message)
			var r wire.Reply
			if err == nil && f.Event == wire.EventReply && json.Unmarshal(f.Payload, &r) == nil {
				replies <- r
			}
		}
	}()
	send := func(event string, payload, out any) {
		t.Helper()
		ref++
		text, err := json.Marshal(payload)
		check(t, err)
		check(t, conn.Write(t.Context(), websocket.MessageText, wire.EncodeText(wire.Frame{JoinRef: "1", Ref: strconv.Itoa(ref), Topic: wire.TopicQueue, Event: event, Payload: text})))
		select {
		case r := <-replies:
			if r.Status != wire.StatusOK {
				t.Fatalf("%s: %s", event, r.Response)
			}
			check(t, json.Unmarshal(r.Response, out))
		case <-time.After(30 * time.Second):
			t.Fatalf("no reply to %s", event)
		}
	}
	var none json.RawMessage
	send(wire.EventJoin, wire.Join{Profile: wire.Profile, Types: []string{"exec"}, Groups: []wire.JoinGroup{{Group: "g", Queues: []string{"*"}, Max: 2}}}, &none)
	job, err := c.Jobs.Submit(t.Context(), work.NewJob{Type: "exec", Queue: "manual", AutoApprove: true, Data: json.RawMessage(`{"n":1}`)})
	check(t, err)
	var answer wire.ClaimAnswer
	until(t, func() bool {
		send(wire.EventClaim, wire.Claim{Group: "g", Queues: []string{"*"}, Demand: 2}, &answer)
		return len(answer.Runs) == 1
	}, func() string { return "nothing is claimed" })
	run := answer.Runs[0].RunKey
	var ack wire.AckAnswer
	send(wire.EventClaimAck, wire.Ack{Accept: []wire.RunKey{run}}, &ack)
	send(wire.EventLog, wire.RunLog{RunKey: run, Lines: []wire.LogLine{{Level: "info", Message: "at work"}}}, &none)
	send(wire.EventComplete, wire.RunComplete{RunEvent: wire.RunEvent{RunKey: run, Seq: 1}, Result: json.RawMessage(`{"ok":true}`)}, &none)
	if done := await(t, c, job.JobID, work.StatusCompleted); strings.ReplaceAll(string(done.Result), " ", "") != `{"ok":true}` {
		t.Errorf("the result is %s", done.Result)
	}
	log, err := c.Jobs.Log(t.Context(), job.JobID, work.RunLogLine{})
	if err != nil || len(log.Lines) != 1 || log.Lines[0].Message != "at work" {
		t.Errorf("the log is %+v (%v)", log, err)
	}
	status, err := c.Workers.Status(t.Context())
	if err != nil || len(status.RemoteWorkers) != 1 || status.RemoteWorkers[0].State != work.RemoteOnline || status.Remote.Capacity != 2 {
		t.Errorf("the status is %+v (%v)", status.Remote, err)
	}
	check(t, c.Workers.Operate(t.Context(), status.RemoteWorkers[0].ID, "drain"))
	until(t, func() bool {
		var extend wire.ExtendAnswer
		send(wire.EventExtend, wire.Extend{}, &extend)
		return extend.Drain != nil
	}, func() string { return "the worker does not hear that it drains" })
}

// TestLimitOnEveryServer has two servers work under one limit, which holds for both together.
func TestLimitOnEveryServer(t *testing.T) {
	t.Parallel()
	dsn := newDSN(t)
	settings := map[string]string{"DATABASE_URL": dsn, "KG_LANES": "all", "KG_TEST_TYPES": "1", "KG_POOL_JOBS": "4", "KG_POOL_GRAPH": "2", "KG_POOL_AUTH": "2"}
	first := startServer(t, settings)
	startServer(t, settings)
	c := login(t, first.url)
	seldomPolls(t, c)
	_, err := c.Workers.UpdateLane(t.Context(), "interactive", work.LaneUpdate{MaxSlots: new(8)})
	check(t, err)
	const jobs, runs = 12, 2
	_, err = c.Workers.SetLimit(t.Context(), work.LimitRequest{
		LimitSubject: work.LimitSubject{Scope: work.LimitData, Key: "host", Each: true}, LimitNumbers: work.LimitNumbers{MaxRunning: new(runs)}, Reason: "a test",
	})
	check(t, err)
	var ids []string
	for range jobs {
		job, err := c.Jobs.Submit(t.Context(), work.NewJob{Type: "sleep", AutoApprove: true, Data: json.RawMessage(`{"ms":100,"steps":1,"host":"a.org"}`)})
		check(t, err)
		ids = append(ids, job.JobID)
	}
	most := 0
	beforeThePoll(t, seldomPoll, "the end of all jobs", func() bool {
		most = max(most, rows(t, dsn, "SELECT count(*) FROM kg_api.jobs WHERE status = 'processing'"))
		return rows(t, dsn, "SELECT count(*) FROM kg_api.jobs WHERE status = 'completed'") == jobs
	})
	if most > runs {
		t.Errorf("%d jobs ran at once under a limit of %d", most, runs)
	}
	if wait, err := c.Jobs.Wait(t.Context(), ids[0]); err != nil || wait.Code != work.WaitEnded {
		t.Errorf("%+v, %v", wait, err)
	}
}

// TestLanesOnEveryServer has two servers claim for one lane, whose slots count for both
// together.
func TestLanesOnEveryServer(t *testing.T) {
	t.Parallel()
	dsn := newDSN(t)
	settings := map[string]string{"DATABASE_URL": dsn, "KG_LANES": "all", "KG_TEST_TYPES": "1", "KG_POOL_JOBS": "4", "KG_POOL_GRAPH": "2", "KG_POOL_AUTH": "2"}
	first := startServer(t, settings)
	startServer(t, settings)
	c := login(t, first.url)
	slots := 4
	_, err := c.Workers.UpdateLane(t.Context(), "interactive", work.LaneUpdate{MaxSlots: &slots})
	check(t, err)
	most, jobs := 0, 0
	until(t, func() bool { // which server is quicker is chance; in the long run both are
		if waiting := rows(t, dsn, "SELECT count(*) FROM kg_api.jobs WHERE status = 'approved'"); waiting < slots {
			_, err := c.Jobs.Submit(t.Context(), work.NewJob{Type: "sleep", AutoApprove: true, Data: json.RawMessage(`{"ms":100,"steps":1}`)})
			check(t, err)
			jobs++
		}
		most = max(most, rows(t, dsn, "SELECT count(*) FROM kg_api.jobs WHERE status = 'processing'"))
		return jobs > 4*slots && rows(t, dsn, "SELECT count(DISTINCT claimed_by) FROM kg_api.jobs") == 2
	}, func() string { return "one server alone works on the jobs" })
	if most > slots {
		t.Errorf("%d jobs ran at once in a lane of %d slots", most, slots)
	}
}
