package remote

import (
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"

	"github.com/kappagraph/kappa/internal/remote/wire"
	"github.com/kappagraph/kappa/work"
)

const anyGroup = `[{"group":"g","queues":["*"],"max":4}]`

// endsWithin waits until a connection has ended, and wants that to be between two times.
func endsWithin(t *testing.T, p *fakePeer, least, most time.Duration) error {
	t.Helper()
	began := time.Now()
	select {
	case err := <-p.ended:
		if took := time.Since(began); took < least {
			t.Errorf("it ended after %v, want at least %v", took, least)
		}
		return err
	case <-time.After(most):
		t.Fatalf("it has not ended within %v", most)
		return nil
	}
}

// TestRW19_Silence says that a worker which is silent, and answers pings, stays, and
// keeps its lease: a run may say nothing for as long as it likes.
func TestRW19_Silence(t *testing.T) {
	t.Parallel()
	inFakeTime(t, func(t *testing.T, l *lab) {
		p := l.compat()
		time.Sleep(10 * time.Minute)
		if err := p.over(); err != nil {
			t.Errorf("the connection has ended: %v", err)
		}
		if n := l.store.renewed.Load(); n < 115 || n > 121 {
			t.Errorf("its lease was renewed %d times in 10 minutes, want every 5 s", n)
		}
		p.close()
	})
}

// TestSeenAndJoin has a worker join while the server stores what it knows of others: it
// stays.
func TestSeenAndJoin(t *testing.T) {
	t.Parallel()
	inFakeTime(t, func(t *testing.T, l *lab) {
		l.store.seenTakes = 3 * time.Second
		first := l.kappa(`[{"group":"g1","queues":["q"],"max":1}]`)
		second := l.dial(compatToken(t), false)
		time.Sleep(seenEvery + time.Second)
		second.call("1", wire.TopicQueue, wire.EventJoin, `{"capacity":5}`)
		time.Sleep(3 * time.Second)
		if err := second.over(); err != nil {
			t.Errorf("the connection has ended: %v", err)
		}
		first.close()
		second.close()
	})
}

// TestRW19_Unplugged says that a worker which answers nothing is dropped, and its lease
// is not renewed any more: also when it sends a byte a second, which is no frame.
func TestRW19_Unplugged(t *testing.T) {
	t.Parallel()
	for _, drips := range []bool{false, true} {
		inFakeTime(t, func(t *testing.T, l *lab) {
			p := l.dial(compatToken(t), true)
			frame := wire.EncodeText(wire.Frame{JoinRef: "1", Ref: "1", Topic: wire.TopicQueue, Event: wire.EventJoin, Payload: json.RawMessage(`{}`)})
			must(t, p.conn.Write(t.Context(), websocket.MessageText, frame))
			buf := make([]byte, 4096) // what the server sends is read and not answered
			gone := make(chan time.Time, 1)
			go func() {
				for {
					if _, err := p.raw.Read(buf); err != nil {
						gone <- time.Now()
						return
					}
				}
			}()
			began := time.Now()
			if drips {
				go func() {
					for _, b := range append([]byte{0x81, 0xfe, 0x10, 0x00, 1, 2, 3, 4}, make([]byte, 4096)...) {
						if _, err := p.raw.Write([]byte{b}); err != nil {
							return
						}
						time.Sleep(time.Second)
					}
				}()
			}
			select {
			case at := <-gone:
				if took := at.Sub(began); took < wire.ReadTimeout || took > wire.ReadTimeout+2*seenEvery {
					t.Errorf("drips %v: it was dropped after %v, want %v", drips, took, wire.ReadTimeout)
				}
			case <-time.After(5 * time.Minute):
				t.Errorf("drips %v: it was not dropped", drips)
			}
			synctest.Wait()
			if n := len(l.server.all()); n != 0 {
				t.Errorf("drips %v: %d connections are left", drips, n)
			}
			p.close()
			time.Sleep(2 * time.Second) // for what drips
		})
	}
}

// TestX12_NeverJoins says that a socket which joins nothing ends after a minute, though
// it sends heartbeats.
func TestX12_NeverJoins(t *testing.T) {
	t.Parallel()
	inFakeTime(t, func(t *testing.T, l *lab) {
		p := l.dial(compatToken(t), false)
		opened := time.Now()
		done := make(chan struct{})
		go func() {
			defer close(done)
			for p.over() == nil {
				_ = p.conn.Write(t.Context(), websocket.MessageText, []byte(`[null,"1","phoenix","heartbeat",{}]`))
				time.Sleep(10 * time.Second)
			}
		}()
		<-done
		if took := time.Since(opened); took > joinWithin+30*time.Second {
			t.Errorf("it ended after %v", took)
		}
		if n := len(l.server.all()); n != 0 {
			t.Errorf("%d connections are left", n)
		}
		if !strings.Contains(l.log.String(), "the connection ends") {
			t.Error("the log does not say so")
		}
		p.close()
	})
}

// TestX12_Rate says that more than 1,000 frames a second for 10 seconds end a
// connection with 1008, and fewer do not.
func TestX12_Rate(t *testing.T) {
	t.Parallel()
	for frames, ends := range map[int]bool{1000: false, 1001: true} {
		inFakeTime(t, func(t *testing.T, l *lab) {
			p := l.compat()
			time.Sleep(time.Until(time.Now().Truncate(time.Second).Add(time.Second)))
			for second := 0; second < 12 && p.over() == nil; second++ {
				for range frames {
					if p.conn.Write(t.Context(), websocket.MessageText, []byte(`[null,"1","phoenix","heartbeat",{}]`)) != nil {
						break
					}
				}
				p.pushed("")
				time.Sleep(time.Second)
			}
			if err := p.over(); (err != nil) != ends || ends && websocket.CloseStatus(err) != websocket.StatusPolicyViolation {
				t.Errorf("%d frames a second: ended with %v, want an end: %v", frames, err, ends)
			}
			p.close()
		})
	}
}

// TestX12_DoesNotRead says that a peer which reads nothing is dropped, and that nobody
// waits for it.
func TestX12_DoesNotRead(t *testing.T) {
	t.Parallel()
	inFakeTime(t, func(t *testing.T, l *lab) {
		deaf := l.dial(compatToken(t), true)
		must(t, deaf.conn.Write(t.Context(), websocket.MessageText, []byte(`["1","1","worker:queue","phx_join",{}]`)))
		time.Sleep(wire.WriteTimeout + time.Second)
		synctest.Wait()
		if n := len(l.server.all()); n != 0 {
			t.Errorf("%d connections are left, %v after a write that cannot end", n, wire.WriteTimeout)
		}
		deaf.close()
	})
}

// TestRW11_ClaimStorm asks 100 times a second for a minute: nothing is asked of the
// database, and every claim is answered at once.
func TestRW11_ClaimStorm(t *testing.T) {
	t.Parallel()
	inFakeTime(t, func(t *testing.T, l *lab) {
		p := l.kappa(anyGroup)
		for range 6000 {
			before := time.Now()
			r := p.call("1", wire.TopicQueue, wire.EventClaim, `{"group":"g","queues":["*"],"demand":4}`)
			if r.Status != wire.StatusOK || time.Since(before) > 0 {
				t.Fatalf("%s %s after %v", r.Status, r.Response, time.Since(before))
			}
			time.Sleep(10 * time.Millisecond)
		}
		if n := l.store.claims.Load(); n != 0 {
			t.Errorf("%d claims have reached the database", n)
		}
		p.close()
	})
}

// TestRW12_Repeated says that a worker with room is told of work that waits every two
// seconds, also when no notification came.
func TestRW12_Repeated(t *testing.T) {
	t.Parallel()
	inFakeTime(t, func(t *testing.T, l *lab) {
		p := l.kappa(anyGroup)
		l.store.add("exec", "q")
		time.Sleep(20*time.Second + time.Millisecond)
		if n := p.pushed(wire.EventWorkAvailable); n < 9 || n > 11 {
			t.Errorf("it was told %d times in 20 s, want 10", n)
		}
		p.close()
	})
}

// TestW07_LateClaim says that a claim is answered within two seconds, and that what it
// finds later goes back at once.
func TestW07_LateClaim(t *testing.T) {
	t.Parallel()
	inFakeTime(t, func(t *testing.T, l *lab) {
		p := l.kappa(anyGroup)
		key := l.store.add("exec", "q")
		time.Sleep(3 * time.Second) // it is marked
		l.store.claimTakes = 4 * time.Second
		before := time.Now()
		r := p.call("1", wire.TopicQueue, wire.EventClaim, `{"group":"g","queues":["*"],"demand":1}`)
		if took := time.Since(before); took != answerWithin || !strings.Contains(string(r.Response), `"runs":[]`) {
			t.Errorf("answered after %v with %s", took, r.Response)
		}
		time.Sleep(3 * time.Second)
		ended := l.store.outcomes()
		if len(ended) != 1 || ended[0].JobID != key.JobID || ended[0].Status != work.StatusApproved || ended[0].Outcome != work.RunReturned || ended[0].Counted {
			t.Errorf("what was claimed late has ended as %+v", ended)
		}
		p.close()
	})
}

// confirmed has a peer claim and confirm the job that waits.
func (l *lab) confirmed(p *fakePeer, key work.RunKey) string {
	l.t.Helper()
	time.Sleep(3 * time.Second) // it is marked
	p.call("1", wire.TopicQueue, wire.EventClaim, `{"group":"g","queues":["*"],"demand":1}`)
	named := `{"id":"` + key.JobID + `","tok":"` + tokenText(key.Token) + `"}`
	if r := p.call("1", wire.TopicQueue, wire.EventClaimAck, `{"accept":[`+named+`]}`); !strings.Contains(string(r.Response), `"confirmed":["job_`) {
		l.t.Fatalf("it is not confirmed: %s", r.Response)
	}
	return named
}

// TestRW21_Unanswered says that a run which does not stop is cancelled after 15 s, and
// is told so once, however many heartbeats come meanwhile.
func TestRW21_Unanswered(t *testing.T) {
	t.Parallel()
	inFakeTime(t, func(t *testing.T, l *lab) {
		p := l.kappa(anyGroup)
		key := l.store.add("exec", "q")
		named := l.confirmed(p, key)
		l.store.mu.Lock()
		l.store.held[0].CancelRequested = true
		l.store.mu.Unlock()
		l.server.Cancel(key.JobID)
		if n := p.pushed(wire.EventCancel); n != 1 {
			t.Errorf("run:cancel came %d times, want once", n)
		}
		for range 14 {
			time.Sleep(time.Second)
			if r := p.call("1", wire.TopicQueue, wire.EventExtend, `{"runs":[`+named+`]}`); !strings.Contains(string(r.Response), `"cancel":[{`) {
				t.Fatalf("the heartbeat is answered with %s", r.Response)
			}
		}
		if ended := l.store.outcomes(); len(ended) != 0 {
			t.Errorf("it has ended early as %+v", ended)
		}
		time.Sleep(1100 * time.Millisecond)
		if ended := l.store.outcomes(); len(ended) != 1 || ended[0].Status != work.StatusCancelled {
			t.Errorf("after 15 s it has ended as %+v", ended)
		}
		p.close()
	})
}

// TestRemoteForgotten says that a run which two heartbeats in a row do not name goes
// back, and that the attempt counts.
func TestRemoteForgotten(t *testing.T) {
	t.Parallel()
	inFakeTime(t, func(t *testing.T, l *lab) {
		p := l.kappa(anyGroup)
		named := l.confirmed(p, l.store.add("exec", "q"))
		for i, runs := range []string{"", named, "", ""} {
			if ended := l.store.outcomes(); len(ended) != 0 {
				t.Errorf("before heartbeat %d it has ended as %+v", i, ended)
			}
			p.call("1", wire.TopicQueue, wire.EventExtend, `{"runs":[`+runs+`]}`)
		}
		if ended := l.store.outcomes(); len(ended) != 1 || ended[0].Outcome != work.RunForgotten || !ended[0].Counted {
			t.Errorf("it has ended as %+v", ended)
		}
		p.close()
	})
}

// TestW01_Expired says that the slot of a reservation that has expired comes free.
func TestW01_Expired(t *testing.T) {
	t.Parallel()
	inFakeTime(t, func(t *testing.T, l *lab) {
		p := l.kappa(`[{"group":"g","queues":["*"],"max":1}]`)
		l.store.add("exec", "q")
		time.Sleep(3 * time.Second)
		for range 3 { // claims that nobody confirms
			if r := p.call("1", wire.TopicQueue, wire.EventClaim, `{"claim_id":"c","group":"g","queues":["*"],"demand":1}`); !strings.Contains(string(r.Response), "job_") {
				t.Fatalf("the claim is answered with %s", r.Response)
			}
		}
		l.store.mu.Lock()
		l.store.held = nil // the rescuer has taken it back
		l.store.mu.Unlock()
		time.Sleep(time.Second)
		p.call("1", wire.TopicQueue, wire.EventExtend, `{"runs":[]}`)
		h := l.server.all()[0].held
		h.mu.Lock()
		if len(h.runs)+len(h.claims) != 0 {
			t.Errorf("%d runs and %d claims are kept", len(h.runs), len(h.claims))
		}
		h.mu.Unlock()
		p.close()
	})
}

// joined has a compat worker claim and join a run.
func (l *lab) joined(p *fakePeer) (key work.RunKey, topic, token string) {
	l.t.Helper()
	key = l.store.add(work.TypeOpenFnRun, "q")
	time.Sleep(3 * time.Second)
	var answer wire.CompatClaimAnswer
	must(l.t, json.Unmarshal(p.call("1", wire.TopicQueue, wire.EventClaim, `{}`).Response, &answer))
	if len(answer.Runs) != 1 {
		l.t.Fatal("nothing is claimed")
	}
	topic, token = wire.RunTopic(key.JobID), answer.Runs[0].Token
	if r := p.call("r", topic, wire.EventJoin, `{"token":"`+token+`"}`); r.Status != wire.StatusOK {
		l.t.Fatalf("the join is answered with %s", r.Response)
	}
	return key, topic, token
}

// TestRW23_Outage has the database away for longer than an answer may wait: events are
// answered with ok within 30 s, and stored in their order when it is back, though the
// worker is gone by then.
func TestRW23_Outage(t *testing.T) {
	t.Parallel()
	inFakeTime(t, func(t *testing.T, l *lab) {
		p := l.compat()
		key, topic, _ := l.joined(p)
		l.store.away.Store(true)
		for _, e := range []struct{ event, payload, want string }{
			{wire.EventStepStart, `{"step_id":"a","job_id":"s1"}`, `{"step_id":"a"}`},
			{wire.EventStepStart, `{"step_id":"b","job_id":"s1"}`, `{"step_id":"b"}`},
			{wire.EventRunComplete, `{"reason":"success"}`, `{}`},
		} {
			before := time.Now()
			r := p.call("r", topic, e.event, e.payload)
			if took := time.Since(before); r.Status != wire.StatusOK || string(r.Response) != e.want || took > 26*time.Second {
				t.Errorf("%s is answered with %s %s after %v", e.event, r.Status, r.Response, took)
			}
		}
		p.close()
		time.Sleep(time.Second)
		l.store.away.Store(false)
		time.Sleep(2 * time.Second)
		l.store.mu.Lock()
		if len(l.store.steps) != 2 || l.store.steps[0].StepID != "a" || l.store.steps[1].StepID != "b" {
			t.Errorf("the steps are %+v", l.store.steps)
		}
		l.store.mu.Unlock()
		if ended := l.store.outcomes(); len(ended) != 1 || ended[0].JobID != key.JobID || ended[0].Status != work.StatusCompleted {
			t.Errorf("the run has ended as %+v", ended)
		}
	})
}

// TestRemoteLeft says that a run which is left without an end is ended after 5 s, and
// one that is joined again is not; also when the connection is gone by then.
func TestRemoteLeft(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]int{"left": 1, "joined again": 0, "gone": 1} {
		inFakeTime(t, func(t *testing.T, l *lab) {
			p := l.compat()
			_, topic, token := l.joined(p)
			p.call("r", topic, wire.EventLeave, `{}`)
			time.Sleep(4 * time.Second)
			switch name {
			case "joined again":
				p.call("r2", topic, wire.EventJoin, `{"token":"`+token+`"}`)
			case "gone":
				p.close()
			}
			time.Sleep(2 * time.Second)
			ended := l.store.outcomes()
			if len(ended) != want || want > 0 && (ended[0].Error != "left without a result" || !ended[0].Counted || ended[0].Status != work.StatusApproved) {
				t.Errorf("%s: the run has ended as %+v", name, ended)
			}
			p.close()
		})
	}
}

// TestRW18_Stop says how a stop ends connections: with 1012, after what was answered.
func TestRW18_Stop(t *testing.T) {
	t.Parallel()
	inFakeTime(t, func(t *testing.T, l *lab) {
		p := l.compat()
		l.server.Stop()
		if code := websocket.CloseStatus(endsWithin(t, p, 0, 10*time.Second)); code != websocket.StatusServiceRestart {
			t.Errorf("closed with %d, want 1012", code)
		}
		p.close()
	})
}
