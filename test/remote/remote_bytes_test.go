package remote_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/kappagraph/kappa/internal/http/apitest"
	"github.com/kappagraph/kappa/internal/lanes"
	"github.com/kappagraph/kappa/internal/pgtest"
	"github.com/kappagraph/kappa/internal/remote/wire"
	"github.com/kappagraph/kappa/work"
)

// awkward are values in JSON that PostgreSQL does not store, or nearly not.
var awkward = []string{
	`"a\u0000b"`, `"\ud800"`, "\"\xff\xfe\"", `{"\u0000": 1}`, `1e400`, `[1e-999999]`, strings.Repeat("9", 20_000), "null", `""`, `17`, `[]`,
	strings.Repeat("[", 9000) + strings.Repeat("]", 9000), `"` + strings.Repeat("é", 70_000) + `"`, `"\\u0000"`, "\"\u2028\x7f\"",
}

// TestRemoteBytes has workers of both profiles say anything in all that they may say: each
// event is answered, and every run ends.
func TestRemoteBytes(t *testing.T) {
	t.Parallel()
	checkRemoteBytes(t, awkward)
}

func TestRemoteBytes_Slow(t *testing.T) {
	pgtest.SlowTier(t)
	t.Parallel()
	random := rand.New(rand.NewPCG(5, 36))
	const alphabet = "\x00\xff\xc3\"\\u0d8{}[],:1e-+ \n"
	var values []string
	for range 400 {
		value := make([]byte, random.IntN(40))
		for i := range value {
			value[i] = alphabet[random.IntN(len(alphabet))]
		}
		if json.Valid(value) {
			values = append(values, string(value))
		} else {
			text, _ := json.Marshal(string(value))
			values = append(values, string(text), "\""+strings.NewReplacer("\"", "", "\\", "\\u0000", "\n", "", "\x00", "").Replace(string(value))+"\"")
		}
	}
	checkRemoteBytes(t, values)
}

func checkRemoteBytes(t *testing.T, values []string) {
	t.Helper()
	s := newRemoteServer(t, "")
	extended, compat := s.kappaWorker(t, lanes.NewID()), s.dial(t, freshToken(t, "bytes"))
	ref, _ := extended.joinKappa("q:4")
	cref := compat.joinCompat()
	ends := []string{
		`"run:complete" {"result": %s}`, `"run:fail" {"error": {"type": %s, "message": "m"}}`, `"run:fail" {"error": {"type": "t", "message": %s}}`,
		`"run:fail" {"error": {"message": %s}, "retry": true}`, `"run:release" {"reason": %s}`, `"run:release" {"reason": "r", "checkpoint": %s}`,
	}
	compatEnds := []string{
		`{"reason": %s}`, `{"reason": "fail", "error_type": %s, "error_message": %[1]s}`, `{"reason": "success", "final_state": %s}`,
		`{"reason": "success", "final_state": %s, "final_dataclip_id": %[1]s}`, `{"reason": "success", "final_state": {"a": 1}, "final_dataclip_id": %s}`,
	}
	for i, value := range values {
		s.awkwardRun(t, extended, ref, value, ends[i%len(ends)])
		s.awkwardCompatRun(t, compat, cref, value, compatEnds[i%len(compatEnds)])
	}
	for _, value := range values[:min(len(values), 16)] {
		s.awkwardRun(t, extended, ref, value, ends[0])
		s.awkwardRun(t, extended, ref, value, ends[2])
	}
}

// awkwardRun has a run of the extended profile say a value wherever it may.
func (s *remoteServer) awkwardRun(t *testing.T, p *peer, ref, value, end string) {
	t.Helper()
	job := s.submit(t, "exec", "q", `{}`)
	run := p.take(ref, "g1", "q")
	seq := 0
	say := func(event, members string) wire.Reply {
		seq++
		payload := fmt.Sprintf(`{"id": %q, "tok": %q, "seq": %d, %s`, run.ID, run.Token, seq, strings.TrimPrefix(strings.ReplaceAll(members, "%s", value), "{"))
		_, r := p.send(ref, wire.TopicQueue, event, json.RawMessage(payload))
		if r.Status != wire.StatusOK {
			seq--
		}
		return r
	}
	say(wire.EventProgress, `{"progress": {"stage": %s, "percent": 5}}`)
	say(wire.EventProgress, `{"progress": %s}`)
	say(wire.EventLog, `{"n": 1, "lines": [{"level": %s, "message": %s}]}`)
	seq = 0
	say(wire.EventCheckpoint, `{"checkpoint": %s}`)
	say(wire.EventCheckpoint, `{"checkpoint": {}, "progress": {"stage": %s}}`)
	event, members, _ := strings.Cut(end, " ")
	r := say(strings.Trim(event, `"`), members)
	if r.Status != wire.StatusOK {
		var e wire.Error
		noError(t, json.Unmarshal(r.Response, &e))
		if e.Kind == wire.KindRetryable {
			t.Errorf("%s with %.40q is to be said again: %s", end, value, r.Response)
		}
		if s.job(t, job.ID).Status == work.StatusProcessing { // the worker says that it cannot say it
			if r := say(wire.EventFail, `{"error": {"type": "x", "message": "it cannot be said"}}`); r.Status != wire.StatusOK {
				t.Errorf("%s with %.40q: the run does not end: %s", end, value, r.Response)
			}
		}
	}
	s.wantOver(t, job.ID, end, value)
}

// awkwardCompatRun has a run of the compatible profile do the same.
func (s *remoteServer) awkwardCompatRun(t *testing.T, p *peer, ref, value, end string) {
	t.Helper()
	job := s.submit(t, work.TypeOpenFnRun, "manual", runPlan)
	run := p.claimCompat(ref, `{"queues":["manual"]}`)
	topic := wire.RunTopic(job.ID)
	rref := p.ok("", topic, wire.EventJoin, wire.RunJoin{Token: run.Token}, nil)
	say := func(event, members string) {
		p.ok(rref, topic, event, json.RawMessage(strings.ReplaceAll(members, "%s", value)), nil)
	}
	say(wire.EventRunLog, `{"level": "info", "message": %s, "timestamp": %s}`)
	say(wire.EventRunBatchLogs, `{"logs": [{"level": "info", "source": "R/T", "message": [%s, {"a": %s}]}]}`)
	say(wire.EventStepStart, `{"job_id": "a", "step_id": %s}`)
	say(wire.EventStepStart, `{"job_id": "a", "step_id": "s", "input_dataclip_id": %s}`)
	say(wire.EventStepComplete, `{"job_id": "a", "step_id": "s", "reason": "fail", "error_message": %s, "output_dataclip": %s, "output_dataclip_id": "d"}`)
	say(wire.EventRunComplete, strings.ReplaceAll(end, "%[1]s", "%s"))
	s.wantOver(t, job.ID, end, value)
}

// wantOver waits until a job does not run, and cancels it when it waits for another attempt.
func (s *remoteServer) wantOver(t *testing.T, id, end, value string) {
	t.Helper()
	apitest.Eventually(t, fmt.Sprintf("the run that ends by %s with %.40q is over", end, value), func() bool { return s.job(t, id).Status != work.StatusProcessing })
	if s.job(t, id).Status == work.StatusApproved {
		_, err := s.db.Jobs().Cancel(t.Context(), id)
		noError(t, err)
	}
}
