package notify

import (
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/pgtest"
	"github.com/kappagraph/kappa/work"
)

// TestHubNotifiedBeforeTable has a source name an event that cannot be read yet,
// as the write-ahead log may: a commit is in the log before it is visible, for as
// long as a synchronous standby takes to confirm it.
func TestHubNotifiedBeforeTable(t *testing.T) {
	withHub(t, "who comes between the two gets the event by the history or live", func(t *testing.T, hub *Hub, tab *table) {
		first := subscribe(t, hub, "job")
		e := tab.add("job", work.EventCompleted)
		tab.set(func() { tab.hidden = 1 })
		hub.Publish([]work.Event{e})
		wantSeqs(t, take(first).Events, 1)

		watched := make(chan work.Subscription)
		go func() { watched <- subscribe(t, hub, "job") }()
		time.Sleep(50 * time.Millisecond)
		go func() {
			time.Sleep(50 * time.Millisecond)
			tab.set(func() { tab.hidden = 0 })
		}()
		second := <-watched
		history, err := tab.EventSeqs(t.Context(), []string{"job"})
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(safetyPoll + time.Second)
		if live := take(second).Events; len(live) == 0 && history["job"] == 0 {
			t.Error("the event was neither in the history that was read after Watch nor delivered")
		}
	}, "job")
}

// TestHubNotifiedAndLost has the table lose what a source named, as a failover
// does: whoever waits for it is to begin anew.
func TestHubNotifiedAndLost(t *testing.T) {
	withHub(t, "a watch that waits for what the table has lost ends with the others", func(t *testing.T, hub *Hub, tab *table) {
		first := subscribe(t, hub, "job")
		e := tab.add("job", work.EventCompleted)
		tab.set(func() { tab.events["job"] = nil })
		hub.Publish([]work.Event{e})
		wantSeqs(t, take(first).Events, 1)
		second := subscribe(t, hub)
		began := time.Now()
		err := second.Watch(t.Context(), "job")
		if kappa.ErrorCode(err) != kappa.CodeUnavailable || time.Since(began) > 2*safetyPoll+retryMost || !take(second).Ended {
			t.Errorf("Watch returned %v after %s", err, time.Since(began))
		}
	}, "job")
}

// TestHubHintSeqs has a source hand over the numbers of events that cannot be read yet.
func TestHubHintSeqs(t *testing.T) {
	hide := func(tab *table, for_ time.Duration) {
		tab.set(func() { tab.hidden = 1 })
		time.AfterFunc(for_, func() { tab.set(func() { tab.hidden = 0 }) })
	}
	withHub(t, "a watcher gets the event as soon as it can be read", func(t *testing.T, hub *Hub, tab *table) {
		sub := subscribe(t, hub, "job")
		for seq, hidden := range []time.Duration{0, 100 * time.Microsecond, 30 * time.Millisecond, 2 * time.Second} {
			tab.add("job", work.EventProgress)
			hide(tab, hidden)
			began := time.Now()
			hub.HintSeqs(map[string]int64{"job": int64(seq + 1)})
			<-sub.Ready()
			wantSeqs(t, sub.Take().Events, int64(seq+1))
			if took := time.Since(began); took > hidden+notifiedMost || took > 2*hidden+notifiedFirst {
				t.Errorf("hidden for %s, delivered after %s", hidden, took)
			}
		}
	}, "job")
	withHub(t, "one that begins to watch in between gets it too", func(t *testing.T, hub *Hub, tab *table) {
		tab.add("job", work.EventProgress)
		hide(tab, 400*time.Millisecond)
		hub.HintSeqs(map[string]int64{"job": 1})
		e := tab.add("other", work.EventProgress)
		hub.Publish([]work.Event{e})
		time.Sleep(notifiedKept / 4)
		began := time.Now()
		sub := subscribe(t, hub, "job", "other")
		time.Sleep(400 * time.Millisecond)
		if got := take(sub).Events; len(got) != 2 || time.Since(began) > time.Second {
			t.Errorf("%d events after %s, want both", len(got), time.Since(began))
		}
	}, "job", "other")
	withHub(t, "what the watchers have is not read", func(t *testing.T, hub *Hub, tab *table) {
		sub := subscribe(t, hub, "job")
		hub.Publish([]work.Event{tab.add("job", work.EventProgress)})
		hub.HintSeqs(map[string]int64{"job": 1})
		wantSeqs(t, take(sub).Events, 1)
		tab.set(func() {
			if tab.reads != 0 {
				t.Errorf("%d reads, want none", tab.reads)
			}
		})
	}, "job")
	withHub(t, "what never comes is given up", func(t *testing.T, hub *Hub, tab *table) {
		sub := subscribe(t, hub, "job")
		hub.HintSeqs(map[string]int64{"job": 5})
		time.Sleep(2 * notifiedWithin)
		reads := 0
		tab.set(func() { reads = tab.reads })
		time.Sleep(time.Minute)
		tab.set(func() {
			if tab.reads != reads || reads > int(notifiedWithin/notifiedMost)+20 {
				t.Errorf("%d reads, %d of them in the last minute", tab.reads, tab.reads-reads)
			}
		})
		tab.add("job", work.EventProgress)
		hub.Hint("job")
		wantSeqs(t, take(sub).Events, 1)
	}, "job")
	withHub(t, "a job that is not watched any more is not awaited", func(t *testing.T, hub *Hub, tab *table) {
		sub := subscribe(t, hub, "job")
		hub.HintSeqs(map[string]int64{"job": 5})
		time.Sleep(50 * time.Millisecond)
		sub.Close()
		time.Sleep(time.Second)
		if wait := hub.againIn(); wait != 0 {
			t.Errorf("reads again in %s", wait)
		}
	}, "job")
}

// TestNotifiedSeqs bounds what is kept for those who come later.
func TestNotifiedSeqs(t *testing.T) {
	var s notifiedSeqs
	for i := range int64(3 * notifiedJobs) {
		s.add(jobName(i), i)
	}
	if n := len(s.now) + len(s.before); n > 2*notifiedJobs {
		t.Errorf("keeps %d, want at most %d", n, 2*notifiedJobs)
	}
	for i := int64(2 * notifiedJobs); i < 3*notifiedJobs; i++ {
		if s.of(jobName(i)) != i {
			t.Fatalf("job %d: %d", i, s.of(jobName(i)))
		}
	}
}

func jobName(i int64) string { return fmt.Sprintf("job_%012x", i) }

// TestWALBeforeVisible has commits wait for a synchronous standby: they are in
// the log then, and nobody can see them. The watchers get their events when they
// can be read, and not with the next round of the safety poll.
func TestWALBeforeVisible(t *testing.T) {
	t.Parallel()
	store := synchronousStore(t)
	hub := NewHub(store, quiet)
	hub.poll = time.Hour
	startSource(t, runner{hub})
	source := NewWAL(WALConfig{DSN: store.dsn, ID: "announced", Sink: hub, Log: quiet})
	startSource(t, source)
	until(t, 10*time.Second, func() bool { return source.State().Connected })
	w := &world{store: store, hub: hub}
	jobs := store.addJobs(t, 50)
	early := w.watch(t, jobs...)

	store.standby(t, "nobody")
	job, claimed := claimUnseen(t, store, hub, jobs)
	began := time.Now()
	store.standby(t, "")
	early.until(t, 10*time.Second, func() bool { return early.last(job) == 1 })
	t.Logf("delivered %s after the commit could go on", time.Since(began))
	if err := <-claimed; err != nil {
		t.Fatal(err)
	}
}

// claimUnseen claims one job after another until a claim waits for the standby,
// and the hub for what the log has announced: the server takes a moment to heed a
// setting. It returns the job, and what becomes of the claim.
func claimUnseen(t *testing.T, store *pgStore, hub *Hub, jobs []string) (job string, claimed chan error) {
	t.Helper()
	for _, job := range jobs {
		claimed := make(chan error, 1)
		go func() {
			_, err := store.claim(t.Context(), job)
			claimed <- err
		}()
		poll, limit := time.NewTicker(5*time.Millisecond), time.After(time.Minute)
		defer poll.Stop()
		for waits := true; waits; {
			select {
			case err := <-claimed:
				if waits = false; err != nil {
					t.Fatal(err)
				}
			case <-limit:
				t.Fatal("the hub does not wait for what was announced")
			case <-poll.C:
				hub.mu.Lock()
				_, awaited := hub.awaited[job]
				hub.mu.Unlock()
				var waiting bool
				mustScan(t, store.pool, &waiting, "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE wait_event = 'SyncRep')")
				if awaited && waiting {
					return job, claimed
				}
			}
		}
		<-poll.C
	}
	t.Fatal("no commit waits for the standby")
	return "", nil
}

// runner runs a hub as a source is run.
type runner struct{ *Hub }

func (runner) State() work.EventSource { return work.EventSource{} }

// synchronousStore is a store in a cluster of its own, whose commits wait for a
// standby once one is named.
func synchronousStore(t *testing.T) *pgStore {
	t.Helper()
	dsn := pgtest.NewClusterDSN(t)
	pool, err := pgxpool.New(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	return &pgStore{dsn: dsn, pool: pool}
}

// standby names the standby that commits wait for; "" for none.
func (s *pgStore) standby(t *testing.T, name string) {
	t.Helper()
	mustExec(t, s.pool, "ALTER SYSTEM SET synchronous_standby_names = '"+name+"'") // writes no log, so does not wait
	mustExec(t, s.pool, "SELECT pg_reload_conf()")
	until(t, 10*time.Second, func() bool {
		var now string
		mustScan(t, s.pool, &now, "SHOW synchronous_standby_names")
		return now == name
	})
}
