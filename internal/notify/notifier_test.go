package notify

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/kappagraph/kappa/work"
)

// posted is where the notifications of a Notifier under test go.
type posted struct {
	mu   sync.Mutex
	sent []notification
}

type notification struct {
	at      time.Time
	payload string
}

func (o *posted) send(_ context.Context, _, payload string) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.sent = append(o.sent, notification{time.Now(), payload})
	return nil
}

// take returns what was sent.
func (o *posted) take() []notification {
	o.mu.Lock()
	defer o.mu.Unlock()
	sent := o.sent
	o.sent = nil
	return sent
}

// inBubble runs test with a running Notifier that sends through send.
func inBubble(t *testing.T, name string, send func(context.Context, string, string) error, test func(t *testing.T, n *Notifier)) {
	t.Helper()
	t.Run(name, func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			n := NewNotifier("me", send, quiet)
			ctx, cancel := context.WithCancel(t.Context())
			var running sync.WaitGroup
			running.Go(func() { _ = n.Run(ctx) })
			test(t, n)
			cancel()
			running.Wait()
		})
	})
}

func TestNotifier(t *testing.T) {
	var out posted
	inBubble(t, "sends at most 50 notifications in any second, and loses no job", out.send, func(t *testing.T, n *Notifier) {
		for i := range 3000 { // for three seconds
			n.Notify(fmt.Sprintf("job_%012x", i%7))
			time.Sleep(time.Millisecond)
		}
		n.Notify("job_last")
		time.Sleep(time.Second)
		sent := out.take()
		for i := range sent {
			if i >= 50 && sent[i].at.Sub(sent[i-50].at) < time.Second {
				t.Fatalf("51 notifications within %s", sent[i].at.Sub(sent[i-50].at))
			}
		}
		if n := len(sent); n < 100 || !strings.Contains(sent[n-1].payload, "job_last") {
			t.Errorf("%d notifications, the last one is %q", n, sent[n-1].payload)
		}
	})

	inBubble(t, "sends at once after a pause", out.send, func(t *testing.T, n *Notifier) {
		for i := range 100 {
			began := time.Now()
			n.Notify("job")
			synctest.Wait()
			if sent := out.take(); len(sent) != 1 || sent[0].at != began {
				t.Fatalf("sent %v, want one at once", sent)
			}
			if i%5 == 4 { // 20 a second, 5 at a time
				time.Sleep(250 * time.Millisecond)
			}
		}
	})

	inBubble(t, "sends one notification for many jobs at once", out.send, func(t *testing.T, n *Notifier) {
		n.Notify(jobIDs(500)...)
		time.Sleep(time.Second)
		if sent := out.take(); len(sent) != 1 || sent[0].payload != "me *" {
			t.Errorf("sent %v, want one for all", sent)
		}
	})

	refusals := 0
	refuse := func(ctx context.Context, channel, payload string) error {
		if refusals++; refusals%3 != 0 {
			return errors.New("all connections are busy")
		}
		return out.send(ctx, channel, payload)
	}
	inBubble(t, "sends again what could not be sent", refuse, func(t *testing.T, n *Notifier) {
		n.Notify("job_a")
		synctest.Wait()
		n.Notify("job_b")
		time.Sleep(5 * time.Second)
		if sent := out.take(); len(sent) != 1 || sent[0].payload != "me job_a job_b" {
			t.Errorf("sent %v, want both jobs", sent)
		}
		n.Notify(jobIDs(500)...)
		time.Sleep(5 * time.Second)
		if sent := out.take(); len(sent) != 1 || sent[0].payload != "me *" || refusals != 6 {
			t.Errorf("sent %v after %d tries, want one for all after six", sent, refusals)
		}
	})

	stuck := func(ctx context.Context, _, _ string) error { <-ctx.Done(); return ctx.Err() }
	inBubble(t, "never makes the caller wait for the database", stuck, func(t *testing.T, n *Notifier) {
		began := time.Now()
		for range 1000 {
			n.Notify("job")
			synctest.Wait()
		}
		if d := time.Since(began); d != 0 {
			t.Errorf("waited %s", d)
		}
	})
}

// TestNotifierOnServer counts the notifications that reach a listener: of work
// on many jobs for a second, and of a bulk approval.
func TestNotifierOnServer(t *testing.T) {
	t.Parallel()
	store := newPGStore(t)
	received := make(chan string, 1000)
	l, _ := startListener(t, store.dsn, map[string]func(string){ChannelEvents: func(p string) { received <- p }})
	until(t, 10*time.Second, l.Connected)
	n := NewNotifier("other", store.notify, quiet)
	start(t, n.Run)

	n.Notify(jobIDs(500)...)
	if got := receive(t, received); got != "other *" {
		t.Errorf("received %q, want one notification for all", got)
	}
	notified, began := 0, time.Now()
	pace := time.NewTicker(100 * time.Microsecond)
	defer pace.Stop()
	for ; time.Since(began) < time.Second; notified++ {
		n.Notify(fmt.Sprintf("job_%012x", notified%10))
		<-pace.C // an event
	}
	n.Notify("job_last")
	count := 1
	for !strings.Contains(receive(t, received), "job_last") {
		count++
	}
	t.Logf("%d events announced with %d notifications", notified, count)
	if most := notifyBurst + 2 + int(time.Since(began)/notifyEvery); count > most {
		t.Errorf("%d notifications in %s, want at most %d", count, time.Since(began), most)
	}
}

func jobIDs(n int) []string {
	ids := make([]string, n)
	for i := range ids {
		ids[i] = fmt.Sprintf("job_%012x", i)
	}
	return ids
}

// sink keeps what it is notified of.
type sink struct {
	hints   []string
	resyncs int
}

func (s *sink) Publish([]work.Event) {}
func (s *sink) Hint(ids ...string)   { s.hints = append(s.hints, ids...) }
func (s *sink) Resync()              { s.resyncs++ }

// TestQ26PayloadLaws holds for all jobs and all sizes: what is sent has at most
// 256 bytes, and its receiver is notified of each job.
func TestQ26PayloadLaws(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		id := rapid.StringMatching(`[0-9a-f-]{1,36}`)
		sender, receiver := id.Draw(r, "sender"), id.Draw(r, "receiver")
		jobs := map[string]struct{}{}
		for _, job := range rapid.SliceOfN(rapid.StringMatching(`[a-z0-9_]{1,40}`), 1, 60).Draw(r, "jobs") {
			jobs[job] = struct{}{}
		}
		p := payload(sender, jobs)
		if len(p) > 256 {
			r.Fatalf("%d bytes", len(p))
		}
		var s sink
		ReceiveEvents(receiver, &s)(p)
		for job := range jobs {
			if notified := s.resyncs > 0 || slices.Contains(s.hints, job); notified == (sender == receiver) {
				r.Fatalf("%s: notified %v by %q, to %q", job, notified, p, receiver)
			}
		}
	})
}

func TestPayload(t *testing.T) {
	long := strings.Repeat("j", 256-len("me a "))
	for want, jobs := range map[string][]string{
		"me a b":       {"b", "a"},
		"me a " + long: {"a", long},
		"me *":         {"a", long + "j"},
	} {
		set := map[string]struct{}{}
		for _, job := range jobs {
			set[job] = struct{}{}
		}
		if got := payload("me", set); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestReceiveEvents(t *testing.T) {
	for payload, want := range map[string]sink{
		"me a b":     {},
		"":           {},
		"other":      {},
		"other b":    {hints: []string{"b"}},
		"other a  b": {hints: []string{"a", "b"}},
		"other *":    {resyncs: 1},
	} {
		var got sink
		ReceiveEvents("me", &got)(payload)
		if !slices.Equal(got.hints, want.hints) || got.resyncs != want.resyncs {
			t.Errorf("%q: got %+v, want %+v", payload, got, want)
		}
	}
}

// FuzzReceiveEvents receives any notification on ChannelEvents: it leads to a read of
// jobs at most, and what is true is heard afterwards as before.
func FuzzReceiveEvents(f *testing.F) {
	for _, payload := range []string{
		"", " ", "me", "me job_1", "other", "other job_1", "other  job_1\tjob_2", "other *", "other * job_1", "other job_1 *", "* *", "\x00", "other \xff\u2028x\u0085y",
		"other " + strings.Repeat("job_1 ", 1300), "other " + strings.Repeat("j", 7990),
	} {
		f.Add(payload)
	}
	f.Fuzz(func(t *testing.T, payload string) {
		if len(payload) > 7999 {
			return // PostgreSQL sends no longer ones
		}
		var heard sink
		ReceiveEvents("me", &heard)(payload)
		words := strings.Fields(payload)
		switch {
		case len(words) < 2 || words[0] == "me":
			if heard.resyncs+len(heard.hints) > 0 {
				t.Errorf("%q led to %+v", payload, heard)
			}
		case heard.resyncs == 0 && !slices.Equal(heard.hints, words[1:]) || heard.resyncs > 0 && (len(heard.hints) > 0 || !slices.Contains(words[1:], "*")):
			t.Errorf("%q led to %+v", payload, heard)
		}

		tab := newTable("job_1")
		hub := NewHub(tab, quiet)
		all, err := hub.SubscribeAll()
		if err != nil {
			t.Fatal(err)
		}
		if err := all.Watch(t.Context(), "job_1"); err != nil {
			t.Fatal(err)
		}
		receive := ReceiveEvents("me", hub)
		receive(payload)
		runOnce(t, hub)
		if d := all.Take(); len(d.Events)+len(d.Gone) > 0 || d.Ended || d.Resync != (heard.resyncs > 0) || len(d.Changed) > len(heard.hints) || tab.reads > 1 || tab.polls > 2 {
			t.Errorf("%q was delivered as %+v, after %d reads and %d polls", payload, d, tab.reads, tab.polls)
		}
		tab.add("job_1", work.EventStatus)
		receive("other job_1")
		runOnce(t, hub)
		wantSeqs(t, all.Take().Events, 1)
	})
}

// runOnce has a hub that does not run read and poll as it would now.
func runOnce(t *testing.T, hub *Hub) {
	t.Helper()
	if err := errors.Join(hub.read(t.Context()), hub.reconcile(t.Context())); err != nil {
		t.Fatal(err)
	}
}
