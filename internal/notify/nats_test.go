package notify

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/kappagraph/kappa/internal/await"
	"github.com/kappagraph/kappa/work"
)

// TestNATSConformance runs the suite of all sources: one process commits and
// notifies, the other listens.
func TestNATSConformance(t *testing.T) {
	t.Parallel()
	testSource(t, func(t *testing.T, _ *pgStore, hub *Hub) sourceFixture {
		s := newNATSServer(t, nil)
		hears, err := NewNATS(NATSConfig{Options: NATSOptions{URL: s.url()}, ID: "hears", Sink: hub, Log: quiet})
		if err != nil {
			t.Fatal(err)
		}
		hub.OnInterest(hears.Interest)
		sender := newFleet(t, s, "sender")[0]
		return sourceFixture{
			source: hears,
			notify: func(events ...work.Event) {
				for _, e := range events {
					sender.Notify(e.JobID)
				}
			},
			cut: func(t *testing.T) {
				for _, c := range s.clients(t, "hears") {
					_ = s.server.DisconnectClientByID(c.Cid)
				}
			},
			connections: func(t *testing.T) int { return len(s.clients(t, "hears")) },
		}
	})
}

func TestNATS(t *testing.T) {
	t.Parallel()

	t.Run("notifies the watchers of a job, and them alone", func(t *testing.T) {
		t.Parallel()
		s := newNATSServer(t, nil)
		fleet := newFleet(t, s, "a", "b", "c")
		fleet[1].watching(t, "job_1")
		fleet[2].watching(t, "job_2")
		fleet[0].Notify("job_1", "job_3")
		until(t, time.Second, func() bool { return fleet[1].hinted("job_1") == 1 })
		fleet[0].Notify("job_2")
		until(t, time.Second, func() bool { return fleet[2].hinted("job_2") == 1 })
		if n := fleet[2].hinted("job_1") + fleet[1].hinted("job_3"); n != 0 {
			t.Errorf("%d hints for jobs that nobody watches there", n)
		}
	})

	t.Run("notifies a watcher of all of every job", func(t *testing.T) {
		t.Parallel()
		fleet := newFleet(t, newNATSServer(t, nil), "a", "b")
		before := fleet[1].resynced()
		fleet[1].Interest(AllJobs, true)
		until(t, time.Second, func() bool { return fleet[1].resynced() > before })
		fleet[0].Notify("job_1", "job_2")
		until(t, time.Second, func() bool { return fleet[1].hinted("job_1") == 1 && fleet[1].hinted("job_2") == 1 })
		if n := fleet[1].hinted(AllJobs); n != 0 {
			t.Errorf("%d hints for a job named %s", n, AllJobs)
		}
	})

	t.Run("relays what the database said to the others, once, and never on", func(t *testing.T) {
		t.Parallel()
		fleet := newFleet(t, newNATSServer(t, nil), "a", "b", "c")
		fleet[2].watching(t, "job_1")
		heard := map[string]string{ChannelLanes: "my lane. *>", ChannelCancel: "job_9", "kg_schedules": ""}
		for _, p := range fleet[:2] { // two that hear the database
			for channel, payload := range heard {
				p.Relay(channel, payload)
			}
			p.Relay(ChannelEvents, "x job_1")
			p.Relay(ChannelEvents, p.cfg.ID+" job_1") // notified when it was committed
			p.Relay("kg_unknown.>", "x")
		}
		for channel, payload := range heard {
			until(t, time.Second, func() bool { return fleet[2].called(channel, payload) == 2 })
			until(t, time.Second, func() bool { return fleet[0].called(channel, payload) == 1 && fleet[1].called(channel, payload) == 1 })
		}
		until(t, time.Second, func() bool { return fleet[2].hinted("job_1") == 2 })
		await.Never(t, 50*time.Millisecond, "what was relayed is relayed on", func() bool { return fleet[0].Stats().Sent > 4 || fleet[1].Stats().Sent > 4 })
		for i, p := range fleet[:2] {
			if n := p.Stats().Sent; n != 4 {
				t.Errorf("process %d sent %d messages, want 4", i, n)
			}
		}
		if n := fleet[2].Stats(); n.Sent != 0 || n.Heard != 8 {
			t.Errorf("the third: %+v, want 8 heard and none sent", n)
		}
	})

	t.Run("passes on that messages were lost", func(t *testing.T) {
		t.Parallel()
		fleet := newFleet(t, newNATSServer(t, nil), "a", "b")
		before := fleet[1].resynced()
		fleet[0].Relay(ChannelEvents, "x "+AllJobs)
		until(t, time.Second, func() bool { return fleet[1].resynced() == before+1 })
		began := time.Now()
		pace := time.NewTicker(4 * time.Millisecond)
		defer pace.Stop()
		for range 50 {
			fleet[0].RelayResync()
			<-pace.C
		}
		if n, most := fleet[1].resynced()-before, 1+int(time.Since(began)/time.Second); n > most {
			t.Errorf("%d resyncs in %s, want at most %d", n, time.Since(began), most)
		}
		await.That(t, "one more follows", func() bool { return fleet[1].resynced() >= before+2 })
	})

	t.Run("has everybody resync once after each connect", func(t *testing.T) {
		t.Parallel()
		s := newNATSServer(t, nil)
		var mu sync.Mutex
		var changes []bool
		p := newProcess(t, "a", NATSOptions{URL: s.url()}, func(cfg *NATSConfig) {
			cfg.onChange = func(connected bool) {
				mu.Lock()
				defer mu.Unlock()
				changes = append(changes, connected)
			}
		})
		until(t, 5*time.Second, p.Connected)
		until(t, time.Second, func() bool { return p.resynced() == 1 })
		s.stop()
		until(t, 5*time.Second, func() bool { return !p.Connected() })
		s.start(t)
		until(t, 5*time.Second, p.Connected)
		until(t, time.Second, func() bool { return p.resynced() == 2 })
		p.stop()
		if p.woken != 2 || p.resyncs != 2 {
			t.Errorf("%d resyncs and %d wakes of two connects", p.resyncs, p.woken)
		}
		if !slices.Equal(changes, []bool{true, false, true, false}) {
			t.Errorf("onChange was called with %v", changes)
		}
	})

	t.Run("starts without a server and finds it later", func(t *testing.T) {
		t.Parallel()
		s := newNATSServer(t, nil)
		s.stop()
		p := newProcess(t, "a", NATSOptions{URL: s.url()}, nil)
		p.Interest("job_1", true)
		p.Notify("job_2")
		until(t, 5*time.Second, func() bool { return strings.Contains(p.State().Error, "refused") })
		s.start(t)
		until(t, 6*time.Second, p.Connected)
		until(t, time.Second, func() bool { return p.Stats().Sent == 1 })
		if got := p.State(); got.Error != "" || got.LagMS == nil || got.Since == nil || got.Name != "nats" || got.Reconnects != 0 {
			t.Errorf("state %+v", got)
		}
		raw := s.raw(t)
		_ = raw.Publish("kg.jobs.job_1", []byte(`{"from":"x"}`))
		until(t, time.Second, func() bool { return p.hinted("job_1") == 1 })
	})

	t.Run("sends after a restart of the server what was not confirmed before", func(t *testing.T) {
		t.Parallel()
		s := newNATSServer(t, nil)
		proxy := newNATSProxy(t, s.addr())
		b := newFleet(t, s, "b")[0]
		a := newProcess(t, "a", NATSOptions{URL: "nats://" + proxy.addr}, nil)
		until(t, 5*time.Second, a.Connected)
		b.watching(t, "job_1", "job_2")
		proxy.blackhole()
		a.Notify("job_1") // into a dead connection
		until(t, 2*time.Second, func() bool { return len(a.outbox.wake.C()) == 0 })
		a.Notify("job_2")
		await.That(t, "the second one is sent, too", func() bool { return len(a.outbox.wake.C()) == 0 })
		proxy.cut()
		proxy.pass()
		until(t, 5*time.Second, func() bool { return b.hinted("job_1") > 0 && b.hinted("job_2") > 0 })
		if n := b.resynced(); n != 1 {
			t.Errorf("b, whose connection held, was made to resync %d times", n)
		}
	})

	t.Run("sends before it ends", func(t *testing.T) {
		t.Parallel()
		s := newNATSServer(t, nil)
		b := newFleet(t, s, "b")[0]
		for i := range 10 {
			first, last := fmt.Sprint("first_", i), fmt.Sprint("last_", i)
			b.watching(t, first, last)
			a := newFleet(t, s, fmt.Sprint("a", i))[0]
			a.Notify(first)
			until(t, time.Second, func() bool { return b.hinted(first) > 0 })
			a.Notify(last)
			a.stop()
			until(t, time.Second, func() bool { return b.hinted(last) > 0 })
		}
	})

	t.Run("ends quickly while the server hangs", func(t *testing.T) {
		t.Parallel()
		s := newNATSServer(t, nil)
		proxy := newNATSProxy(t, s.addr())
		p := newProcess(t, "a", NATSOptions{URL: "nats://" + proxy.addr}, nil)
		until(t, 5*time.Second, p.Connected)
		proxy.blackhole()
		p.Notify("job_1")
		began := time.Now()
		p.stop()
		if d := time.Since(began); d > natsConfirm+natsWrite {
			t.Errorf("Run returned after %s", d)
		}
	})
}

// TestNATSHangs has a connection fall silent: nobody waits for it, and it is
// given up in time.
func TestNATSHangs(t *testing.T) {
	t.Parallel()
	s := newNATSServer(t, nil)
	proxy := newNATSProxy(t, s.addr())
	p := newProcess(t, "a", NATSOptions{URL: "nats://" + proxy.addr}, nil)
	until(t, 5*time.Second, p.Connected)
	proxy.blackhole()
	began := time.Now()
	const calls = 20_000
	for i := range calls {
		p.Notify(fmt.Sprintf("job_%d", i))
		p.Relay(ChannelLanes, "interactive")
	}
	if each := time.Since(began) / calls; each > time.Millisecond {
		t.Errorf("Notify and Relay take %s while NATS hangs, want at most 1 ms", each)
	}
	if n := len(p.outbox.pending.jobs); n > maxOutbox {
		t.Errorf("%d jobs are kept", n)
	}
	until(t, 10*time.Second, func() bool { return !p.Connected() })
	t.Logf("the silent connection was given up after %s", time.Since(began))
	until(t, 10*time.Second, func() bool { // what it says of itself follows
		got := p.State()
		return got.Error != "" && got.Reconnects == 1 && got.LagMS == nil
	})
	other := newFleet(t, s, "b")[0]
	before := other.resynced()
	proxy.pass()
	until(t, 6*time.Second, p.Connected)
	until(t, 3*time.Second, func() bool { return other.resynced() > before }) // 20,000 jobs were too many to name
}

// TestNATSForeign has others publish on our subjects.
func TestNATSForeign(t *testing.T) {
	t.Parallel()

	t.Run("doubled, late and replayed messages give a reader no event twice", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, func(t *testing.T, _ *pgStore, hub *Hub) sourceFixture {
			s := newNATSServer(t, nil)
			hears, err := NewNATS(NATSConfig{Options: NATSOptions{URL: s.url()}, ID: "hears", Sink: hub, Log: quiet})
			if err != nil {
				t.Fatal(err)
			}
			hub.OnInterest(hears.Interest)
			raw := s.raw(t)
			return sourceFixture{source: hears, notify: func(events ...work.Event) {
				for range 1 + rand.N(5) {
					_ = raw.Publish("kg.jobs."+events[0].JobID, []byte(`{"from":"sender","later":[1]}`))
				}
			}}
		})
		jobs := w.store.addJobs(t, 5)
		r := w.watch(t, jobs...)
		w.commitAtOnce(t, jobs, 40)
		r.untilAll(t, 5*time.Second, jobs, 40)
	})

	t.Run("garbage is ignored and counted", func(t *testing.T) {
		t.Parallel()
		s := newNATSServer(t, nil)
		p := newFleet(t, s, "a")[0]
		p.watching(t, "job_1")
		raw := s.raw(t)
		garbage := []string{"", "{", "null", "[]", `"from"`, `{"from":""}`, `{"from":7}`, `{"name":"job_1"}`, "\x00\xff", strings.Repeat("x", 100_000)}
		for _, subject := range []string{"kg.jobs.job_1", "kg.lanes", "kg.cancel", "kg.schedules", "kg.resync", "kg.other"} {
			for _, g := range garbage {
				if err := raw.Publish(subject, []byte(g)); err != nil {
					t.Fatal(err)
				}
			}
		}
		_ = raw.Publish("kg.jobs.job_1", []byte(`{"from":"a"}`)) // in our own name
		_ = raw.Publish("kg.jobs.job_1", []byte(`{"from":"b"}`))
		until(t, time.Second, func() bool { return p.hinted("job_1") == 1 })
		until(t, time.Second, func() bool { return p.Stats().Ignored == int64(5*len(garbage)) })
		if len(p.calls) != 0 || p.resynced() != 1 {
			t.Errorf("garbage led to %v and %d resyncs", p.calls, p.resynced())
		}
	})

	t.Run("two installations share a server by their prefixes", func(t *testing.T) {
		t.Parallel()
		s := newNATSServer(t, nil)
		var all []*process
		for i, prefix := range []string{"one", "one", "one.two", ""} {
			all = append(all, newProcess(t, fmt.Sprint(i), NATSOptions{URL: s.url(), Prefix: prefix}, nil))
			until(t, 5*time.Second, all[i].Connected)
			all[i].watching(t, "job_1")
		}
		all[0].Notify("job_1")
		all[0].Relay(ChannelLanes, "x")
		until(t, time.Second, func() bool { return all[1].hinted("job_1") == 1 && all[1].called(ChannelLanes, "x") == 1 })
		for _, p := range all[2:] {
			if n := p.Stats(); n.Heard+n.Ignored != 0 {
				t.Errorf("another installation heard %+v", n)
			}
		}
	})

	t.Run("a flood that does not fit has everybody resync afterwards", func(t *testing.T) {
		t.Parallel()
		s := newNATSServer(t, nil)
		gate := make(chan struct{})
		var handled, handledAtWake atomic.Int64
		p := newProcess(t, "a", NATSOptions{URL: s.url()}, func(cfg *NATSConfig) {
			cfg.Handle[ChannelLanes] = func(string) { <-gate; handled.Add(1) }
			cfg.Wake = func() { handledAtWake.Store(handled.Load()) }
		})
		until(t, 5*time.Second, p.Connected)
		before := p.resynced()
		raw := s.raw(t)
		for range natsInbox + 100 {
			_ = raw.Publish("kg.lanes", []byte(`{"from":"b","name":"x"}`))
		}
		_ = raw.Flush()
		until(t, 5*time.Second, func() bool { return len(s.clients(t, "a")) == 1 && s.clients(t, "a")[0].OutMsgs >= natsInbox+100 })
		await.Never(t, 100*time.Millisecond, "everybody resyncs while messages still wait", func() bool { return p.resynced() != before })
		close(gate)
		until(t, 5*time.Second, func() bool { return p.resynced() == before+1 && handledAtWake.Load() > 0 })
		if n := handledAtWake.Load(); n < natsInbox {
			t.Errorf("everybody resynced after %d messages, while more waited", n)
		}
	})
}

// TestNATSInterest changes what is watched quickly, from many goroutines.
func TestNATSInterest(t *testing.T) {
	t.Parallel()
	s := newNATSServer(t, nil)
	fleet := newFleet(t, s, "sender", "hears")
	sender, hears := fleet[0], fleet[1]
	const channels = 5 // three, resync and the probe
	subscriptions := func() uint32 { return s.clients(t, "hears")[0].NumSubs }
	jobs := make([]string, 1000)
	for i := range jobs {
		jobs[i] = fmt.Sprintf("job_%012x", i)
	}
	var churn sync.WaitGroup
	for part := range 8 {
		churn.Go(func() {
			for round := range 20 {
				for i := part; i < len(jobs); i += 8 {
					hears.Interest(jobs[i], (round+i)%3 != 0)
				}
				sender.Notify(jobs...)
			}
		})
	}
	churn.Wait()
	for _, job := range jobs {
		hears.Interest(job, true)
	}
	until(t, 10*time.Second, func() bool { return subscriptions() == channels+1000 })
	until(t, 5*time.Second, func() bool { return hears.hinted(jobs[0]) > 0 && len(hears.interest.wake.C()) == 0 })
	const fence = "job_fence" // behind all hints that are on their way
	hears.watching(t, fence)
	sender.Notify(fence)
	until(t, 5*time.Second, func() bool { return hears.hinted(fence) > 0 })
	hears.Interest(fence, false)
	hears.forget()
	sender.Notify(jobs...)
	for _, job := range jobs {
		until(t, 5*time.Second, func() bool { return hears.hinted(job) > 0 })
	}
	// The client subscribes again to all of them when it connects again.
	s.stop()
	s.start(t)
	until(t, 6*time.Second, func() bool { return hears.Connected() && hears.State().Reconnects == 1 })
	if n := subscriptions(); n != channels+1000 {
		t.Errorf("%d subscriptions after a reconnect", n)
	}
	for _, job := range jobs {
		hears.Interest(job, false)
	}
	until(t, 5*time.Second, func() bool { return subscriptions() == channels })
}

// BenchmarkNATS measures the time from Notify in one process to the hint in
// another.
func BenchmarkNATS(b *testing.B) {
	s := newNATSServer(b, nil)
	sender := newFleet(b, s, "a")[0]
	hinted := make(chan struct{}, 1)
	hears := newProcess(b, "b", NATSOptions{URL: s.url()}, func(cfg *NATSConfig) { cfg.Sink = bell{hinted} })
	until(b, 5*time.Second, hears.Connected)
	hears.Interest("job_1", true)
	<-hinted
	var took []time.Duration
	for b.Loop() {
		began := time.Now()
		sender.Notify("job_1")
		<-hinted
		took = append(took, time.Since(began))
		time.Sleep(3 * time.Millisecond) // idle: the outbox sends at once
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds()), "µs/p50")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "µs/p99")
}

// bell is a Sink that only says that it was notified of a job.
type bell struct{ rung chan struct{} }

// Publish implements Sink.
func (bell) Publish([]work.Event) {}

// Hint implements Sink.
func (b bell) Hint(...string) { b.rung <- struct{}{} }

// Resync implements Sink.
func (bell) Resync() {}
