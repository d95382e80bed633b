package notify

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/kappagraph/kappa/internal/await"
	"github.com/kappagraph/kappa/work"
)

// TestListenConformance runs the suite of all sources against the Listener and
// the Notifier of another server.
func TestListenConformance(t *testing.T) {
	t.Parallel()
	testSource(t, func(t *testing.T, store *pgStore, hub *Hub) sourceFixture {
		notifier := NewNotifier("other", store.notify, quiet)
		start(t, notifier.Run)
		listener := NewListener(ListenConfig{
			DSN: store.dsn, ID: "me", Log: quiet, Resync: hub.Resync,
			Handle: map[string]func(string){ChannelEvents: ReceiveEvents("me", hub)},
		})
		return sourceFixture{
			source: listener,
			notify: func(events ...work.Event) {
				for _, e := range events {
					notifier.Notify(e.JobID)
				}
			},
			cut:         func(t *testing.T) { store.cut(t, "kg-listen") },
			connections: func(t *testing.T) int { return store.connections(t, "kg-listen") },
		}
	})
}

// start runs something until the test ends.
func start(t testing.TB, run func(ctx context.Context) error) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	var running sync.WaitGroup
	running.Go(func() {
		if err := run(ctx); err != nil {
			t.Errorf("Run returned %v", err)
		}
	})
	stop = func() {
		cancel()
		running.Wait()
	}
	t.Cleanup(stop)
	return stop
}

// probeOften has a listener send notifications to itself more often than every
// 5 s, so that the test need not wait for them.
func probeOften(l *Listener) { l.every = 200 * time.Millisecond }

// startListener runs a listener that counts its resyncs.
func startListener(t testing.TB, dsn string, handle map[string]func(string), tune ...func(*Listener)) (l *Listener, resyncs *atomic.Int64) {
	t.Helper()
	resyncs = new(atomic.Int64)
	l = NewListener(ListenConfig{DSN: dsn, ID: "me", Log: quiet, Handle: handle, Resync: func() { resyncs.Add(1) }})
	for _, f := range tune {
		f(l)
	}
	start(t, l.Run)
	return l, resyncs
}

func TestListener(t *testing.T) {
	t.Parallel()
	t.Run("hands the notifications of its channels to their handlers", func(t *testing.T) {
		t.Parallel()
		store := newPGStore(t)
		received := make(chan string, 10)
		l, _ := startListener(t, store.dsn, map[string]func(string){
			ChannelLanes:  func(p string) { received <- "lane " + p },
			ChannelCancel: func(p string) { received <- "cancel " + p },
		})
		until(t, 10*time.Second, l.Connected)
		for _, n := range [][2]string{{ChannelEvents, "nobody listens"}, {ChannelLanes, "interactive"}, {ChannelCancel, "job_1"}} {
			if err := store.notify(t.Context(), n[0], n[1]); err != nil {
				t.Fatal(err)
			}
		}
		for _, want := range []string{"lane interactive", "cancel job_1"} {
			if got := receive(t, received); got != want {
				t.Errorf("received %q, want %q", got, want)
			}
		}
	})

	t.Run("keeps a quiet connection by notifications to itself, and measures them", func(t *testing.T) {
		t.Parallel()
		l, _ := startListener(t, newPGStore(t).dsn, nil, probeOften)
		until(t, 10*time.Second, l.Connected)
		for range 3 {
			last := l.State().LagMS
			until(t, probeDeadline, func() bool { return l.State().LagMS != last })
		}
		s := l.State()
		if s.LagMS == nil || *s.LagMS <= 0 || *s.LagMS > 1000 || s.Reconnects != 0 || !s.Connected {
			t.Errorf("state %+v", s)
		}
		t.Logf("a notification to itself took %.2f ms", *s.LagMS)
	})

	t.Run("Q22: a connection that swallows everything is noticed within 10 s", func(t *testing.T) {
		t.Parallel()
		p := newProxy(t, newPGStore(t).dsn, nil)
		l, resyncs := startListener(t, p.DSN, nil)
		until(t, 10*time.Second, l.Connected)
		p.set(proxyBlackholes)
		began := time.Now()
		until(t, 10*time.Second, func() bool { return !l.Connected() })
		t.Logf("noticed after %s", time.Since(began))
		p.set(proxyPasses)
		until(t, 10*time.Second, l.Connected)
		if n := resyncs.Load(); n != 2 {
			t.Errorf("%d resyncs, want one for each connection", n)
		}
	})

	t.Run("Q22: a connection that answers and loses notifications is noticed too", func(t *testing.T) {
		t.Parallel()
		p := newProxy(t, newPGStore(t).dsn, (*proxy).passMessages)
		l, _ := startListener(t, p.DSN, nil, probeOften)
		until(t, 10*time.Second, l.Connected)
		p.set(proxyMutes)
		until(t, 10*time.Second, func() bool { return !l.Connected() })
		if text := l.State().Error; !strings.Contains(text, "did not arrive") {
			t.Errorf("given up because %q", text)
		}
	})

	t.Run("Q27: listens again within a second after an outage", func(t *testing.T) {
		t.Parallel()
		p := newProxy(t, newPGStore(t).dsn, nil)
		l, _ := startListener(t, p.DSN, nil)
		var took []time.Duration
		for _, outage := range []time.Duration{0, 100, 300, 700, 1500} { // ms
			until(t, 10*time.Second, l.Connected)
			p.set(proxyIsAway)
			until(t, 10*time.Second, func() bool { return !l.Connected() })
			await.Never(t, outage*time.Millisecond, "it listens while the database is away", l.Connected)
			p.set(proxyPasses)
			began := time.Now()
			until(t, 10*time.Second, l.Connected)
			took = append(took, time.Since(began))
		}
		t.Logf("after %s", took)
		slices.Sort(took)
		if median := took[len(took)/2]; median > 5*time.Second {
			t.Errorf("median %s", median)
		}
	})

	for name, sessions := range map[string]int{"hands statements to several sessions": 2, "drops what comes between statements": 1} {
		t.Run("Q29: refuses a pooler that "+name, func(t *testing.T) {
			t.Parallel()
			p := newProxy(t, newPGStore(t).dsn, servePooled(sessions))
			var log lines
			l := NewListener(ListenConfig{
				DSN: p.DSN, ID: "me", Log: slog.New(slog.NewTextHandler(&log, nil)),
				Resync: func() { t.Error("it listens") },
			})
			start(t, l.Run)
			until(t, 2*time.Second, func() bool { return strings.Contains(log.String(), "behind a transaction pooler") })
			s := l.State()
			if s.Connected || !strings.HasSuffix(s.Error, errPooled.Error()) || sessions > 1 && s.Error != errPooled.Error() {
				t.Errorf("state %+v", s)
			}
		})
	}

	t.Run("shows no password when it cannot connect", func(t *testing.T) {
		t.Parallel()
		for _, dsn := range []string{
			"postgres://kappa:geheim@127.0.0.1:1/kappa",
			"host=127.0.0.1 port=1 user=kappa password=geheim",
			"postgres://kappa:geheim@127.0.0.1:port/kappa",
			"host=127.0.0.1 password='geh eim geheim' port=x",
		} {
			var log lines
			l := NewListener(ListenConfig{DSN: dsn, ID: "me", Log: slog.New(slog.NewTextHandler(&log, nil))})
			stop := start(t, l.Run)
			until(t, 5*time.Second, func() bool { return l.State().Error != "" })
			stop()
			if text := l.State().Error + log.String(); strings.Contains(text, "geheim") {
				t.Errorf("%s: %s", dsn, text)
			}
		}
	})
}

func TestRedact(t *testing.T) {
	for text, want := range map[string]string{
		"dial postgres://kappa:geh@eim@db/kappa: refused": "dial postgres://kappa:xxxxx@db/kappa: refused",
		"nats://me:geheim@host:4222, closed":              "nats://me:xxxxx@host:4222, closed",
		"host=db password=geheim user=me":                 "host=db password=xxxxx user=me",
		"host=db PASSWORD = 'ge heim' user=me":            "host=db PASSWORD = xxxxx user=me",
		"postgres://db/kappa?password=geheim&x=1":         "postgres://db/kappa?password=xxxxx&x=1",
		"password authentication failed for user \"me\"":  "password authentication failed for user \"me\"",
	} {
		if got := redact(text); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// lines collects what is logged.
type lines struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// receive returns what comes next.
func receive[T any](t testing.TB, c <-chan T) (v T) {
	t.Helper()
	select {
	case v = <-c:
	case <-time.After(time.Minute):
		t.Fatal("nothing was received within a minute")
	}
	return v
}
