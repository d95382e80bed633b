package remote

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/kappagraph/kappa/internal/remote/wire"
	"github.com/kappagraph/kappa/work"
)

// TestRW20_StaleLeave sends leaves of joins that others have followed: they change nothing
// and have no answer.
func TestRW20_StaleLeave(t *testing.T) {
	t.Parallel()
	inFakeTime(t, func(t *testing.T, l *lab) {
		p := l.compat()
		_, topic, token := l.joined(p)
		p.call("2", wire.TopicQueue, wire.EventJoin, `{"capacity":5,"queues":{"manual>*":5}}`)
		p.call("r2", topic, wire.EventJoin, `{"token":"`+token+`"}`)
		for joinRef, of := range map[string]string{"1": wire.TopicQueue, "r": topic} {
			ref := p.send(joinRef, of, wire.EventLeave, `{}`)
			p.send("", wire.TopicPhoenix, wire.EventHeartbeat, `{}`)
			for f := range p.read {
				if f.Ref == ref || f.Event == wire.EventClose && f.JoinRef != "1" && f.JoinRef != "r" {
					t.Errorf("a stale leave of %s is answered with %s %s", of, f.Event, f.Payload)
				}
				if f.Topic == wire.TopicPhoenix {
					break
				}
			}
		}
		time.Sleep(2 * leftAfter)
		if ended := l.store.outcomes(); len(ended) != 0 {
			t.Errorf("the run has ended as %+v", ended)
		}
		l.store.add(work.TypeOpenFnRun, "q")
		time.Sleep(3 * time.Second)
		var answer wire.CompatClaimAnswer
		must(t, json.Unmarshal(p.call("2", wire.TopicQueue, wire.EventClaim, `{}`).Response, &answer))
		if len(answer.Runs) != 1 {
			t.Error("nothing is claimed after a stale leave")
		}
		p.close()
	})
}

// TestRW23_JoinedInAnOutage joins a run again while the database is away, on a connection
// that does not know it: what the run works on is read when the database is back. When it
// stays away the plan is empty, and its end is no success.
func TestRW23_JoinedInAnOutage(t *testing.T) {
	t.Parallel()
	rejoin := func(l *lab) (*fakePeer, string) {
		first := l.compat()
		_, topic, token := l.joined(first)
		first.close()
		l.store.known.Store(true)
		p := l.dial(compatToken(l.t), false)
		p.call("1", wire.TopicQueue, wire.EventJoin, `{"capacity":5}`)
		l.server.mu.Lock()
		for _, n := range l.server.sessions {
			n.held.replace(nil) // as of a server that did not read them
		}
		l.server.mu.Unlock()
		l.store.away.Store(true)
		if r := p.call("r", topic, wire.EventJoin, `{"token":"`+token+`"}`); r.Status != wire.StatusOK {
			l.t.Fatalf("the join is answered with %s", r.Response)
		}
		return p, topic
	}
	inFakeTime(t, func(t *testing.T, l *lab) {
		p, topic := rejoin(l)
		time.AfterFunc(10*time.Second, func() { l.store.away.Store(false) })
		if r := p.call("r", topic, wire.EventFetchCredential, `{"id":"c1"}`); r.Status != wire.StatusOK || string(r.Response) != `{"user":"u"}` {
			t.Errorf("the credential is %s %s", r.Status, r.Response)
		}
		p.close()
	})
	inFakeTime(t, func(t *testing.T, l *lab) {
		p, topic := rejoin(l)
		began := time.Now()
		if r := p.call("r", topic, wire.EventFetchPlan, `{}`); r.Status != wire.StatusOK || time.Since(began) > 26*time.Second {
			t.Errorf("the plan is %s %s after %v", r.Status, r.Response, time.Since(began))
		}
		l.store.away.Store(false)
		p.call("r", topic, wire.EventRunComplete, `{"reason":"success"}`)
		if ended := l.store.outcomes(); len(ended) != 1 || ended[0].Status != work.StatusApproved || !ended[0].Counted {
			t.Errorf("the run has ended as %+v", ended)
		}
		p.close()
	})
}

// TestRW15_EndsWhileJoined joins a run again that ends at that moment, by what the connection
// before has sent: the join is accepted, and what follows changes nothing. One that was only
// reserved is refused.
func TestRW15_EndsWhileJoined(t *testing.T) {
	t.Parallel()
	inFakeTime(t, func(t *testing.T, l *lab) {
		first := l.compat()
		_, topic, token := l.joined(first)
		first.close()
		l.store.known.Store(true)
		p := l.dial(compatToken(t), false)
		p.call("1", wire.TopicQueue, wire.EventJoin, `{"capacity":5}`)
		l.store.ends.Store(true)
		if r := p.call("r", topic, wire.EventJoin, `{"token":"`+token+`"}`); r.Status != wire.StatusOK {
			t.Errorf("the join is answered with %s", r.Response)
		}
		if r := p.call("r", topic, wire.EventRunComplete, `{"reason":"success"}`); r.Status != wire.StatusOK || len(l.store.outcomes()) != 0 {
			t.Errorf("the end is answered with %s, and stored: %+v", r.Response, l.store.outcomes())
		}
		l.store.mu.Lock()
		l.store.held[0].Confirmed = false
		l.store.mu.Unlock()
		if r := p.call("s", topic, wire.EventJoin, `{"token":"`+token+`"}`); r.Status != wire.StatusError || string(r.Response) != `{"reason":"claim expired"}` {
			t.Errorf("the join of a reservation is answered with %s %s", r.Status, r.Response)
		}
		p.close()
	})
}

// TestPlanWithoutNulls leaves out of a plan what is null, also in the members of its lists.
func TestPlanWithoutNulls(t *testing.T) {
	t.Parallel()
	plan, _, err := planOf("job_5b1c0de9a7f2", work.RunInput{Deadline: time.Minute, Data: json.RawMessage(
		`{"plan":{"jobs":[{"id":"s1","adaptor":null,"body":"fn(null)","n":12345678901234567890}],"edges":[{"id":"e","condition":null}],"options":{"sanitize":null}}}`)})
	must(t, err)
	want := `{"edges":[{"id":"e"}],"id":"job_5b1c0de9a7f2","jobs":[{"body":"fn(null)","id":"s1","n":12345678901234567890}],"options":{"payload_limit_mb":10,"run_timeout_ms":60000},"triggers":[]}`
	if string(plan) != want {
		t.Errorf("the plan is\n%s, want\n%s", plan, want)
	}
}

// TestJoinedAgainWhileItFetches has a run joined again while it asks for its plan: the race
// detector sees what both touch.
func TestJoinedAgainWhileItFetches(t *testing.T) {
	t.Parallel()
	inFakeTime(t, func(t *testing.T, l *lab) {
		p := l.compat()
		_, topic, token := l.joined(p)
		for i := range 20 {
			ref := "j" + strconv.Itoa(i)
			p.call(ref, topic, wire.EventJoin, `{"token":"`+token+`"}`)
			p.send(ref, topic, wire.EventFetchPlan, `{}`)
			p.send(ref, topic, wire.EventFetchCredential, `{"id":"c1"}`)
		}
		p.call("last", topic, wire.EventJoin, `{"token":"`+token+`"}`)
		if r := p.call("last", topic, wire.EventFetchPlan, `{}`); !strings.Contains(string(r.Response), "s1") {
			t.Errorf("the plan is %s", r.Response)
		}
		p.close()
	})
}
