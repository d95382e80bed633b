package notify

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/work"
)

func TestMailbox(t *testing.T) {
	withHub(t, "keeps the last of progress that follows progress of the same job", func(t *testing.T, hub *Hub, tab *table) {
		sub := subscribe(t, hub, "a", "b")
		for _, e := range []struct {
			job  string
			kind work.EventKind
		}{
			{"a", work.EventProgress},
			{"b", work.EventProgress},
			{"a", work.EventProgress},
			{"b", work.EventStatus},
			{"b", work.EventProgress},
			{"a", work.EventProgress},
			{"a", work.EventCompleted},
			{"b", work.EventProgress},
		} {
			hub.Publish([]work.Event{tab.add(e.job, e.kind)})
		}
		var got []string
		for _, e := range take(sub).Events {
			got = append(got, fmt.Sprintf("%s%d %s", e.JobID, e.Seq, e.Kind))
		}
		want := "[a3 progress b1 progress b2 status b4 progress a4 completed]"
		if fmt.Sprint(got) != want {
			t.Errorf("got %v, want %s", got, want)
		}
		if n := hub.Stats().Coalesced; n != 3 {
			t.Errorf("%d coalesced, want 3", n)
		}
		hub.Publish([]work.Event{tab.add("b", work.EventProgress)}) // what was taken is not changed
		wantSeqs(t, take(sub).Events, 5)
	}, "a", "b")

	withHub(t, "is ready exactly when there is something to take", func(t *testing.T, hub *Hub, tab *table) {
		sub := subscribe(t, hub, "job")
		ready := func() bool {
			synctest.Wait()
			return len(sub.Ready()) == 1
		}
		if ready() {
			t.Error("ready before anything happened")
		}
		hub.Publish([]work.Event{tab.add("job", work.EventProgress)})
		hub.Publish([]work.Event{tab.add("job", work.EventProgress)})
		if !ready() {
			t.Error("not ready after an event")
		}
		wantSeqs(t, sub.Take().Events, 2)
		if ready() || sub.Take().Events != nil {
			t.Error("ready after all was taken")
		}
		sub.Unwatch("job")
		hub.Publish([]work.Event{tab.add("job", work.EventProgress)})
		if ready() {
			t.Error("ready for a job that is watched no more")
		}
		sub.Close()
		if !ready() || !sub.Take().Ended {
			t.Error("not ready for the end")
		}
	}, "job")

	withHub(t, "ends a reader that cannot follow, and it alone", func(t *testing.T, hub *Hub, tab *table) {
		slow, quick := subscribe(t, hub, "job"), subscribe(t, hub, "job")
		for seq := int64(1); seq <= 2*mailboxEvents; seq++ {
			hub.Publish([]work.Event{tab.add("job", work.EventStatus)})
			wantSeqs(t, quick.Take().Events, seq)
			time.Sleep(10 * time.Millisecond)
		}
		d := slow.Take()
		n := len(d.Events)
		if most := mailboxEvents + int(mailboxLag/(10*time.Millisecond)) + 1; !d.Ended || n < mailboxEvents || n > most {
			t.Errorf("the slow reader has %d events, ended %v, want the end after at most %d", n, d.Ended, most)
		}
		if s := hub.Stats(); s.EndedSlow != 1 || s.Subscribers != 1 {
			t.Errorf("figures %+v", s)
		}
		if err := slow.Watch(t.Context(), "job"); kappa.ErrorCode(err) != kappa.CodeUnavailable {
			t.Errorf("watching after the end: %v", err)
		}
	}, "job")

	withHub(t, "has room for what comes at once, within bounds", func(t *testing.T, hub *Hub, tab *table) {
		sub := subscribe(t, hub, "job")
		for range 3 {
			for range mailboxBurst * mailboxEvents {
				hub.Publish([]work.Event{tab.add("job", work.EventStatus)})
			}
			if d := take(sub); d.Ended || len(d.Events) != mailboxBurst*mailboxEvents {
				t.Errorf("%d events, ended %v, want all", len(d.Events), d.Ended)
			}
			time.Sleep(2 * mailboxLag)
		}
		for range mailboxBurst*mailboxEvents + 1 {
			hub.Publish([]work.Event{tab.add("job", work.EventStatus)})
		}
		if d := take(sub); !d.Ended || len(d.Events) != mailboxBurst*mailboxEvents {
			t.Errorf("%d events, ended %v, want the end", len(d.Events), d.Ended)
		}
	}, "job")

	withHub(t, "does not end a reader for progress, however slow it is", func(t *testing.T, hub *Hub, tab *table) {
		sub := subscribe(t, hub, "job")
		for range 10 * mailboxEvents {
			hub.Publish([]work.Event{tab.add("job", work.EventProgress)})
		}
		wantSeqs(t, take(sub).Events, 10*mailboxEvents)
	}, "job")

	withHub(t, "has more room when it watches more jobs", func(t *testing.T, hub *Hub, tab *table) {
		var jobs []string
		for i := range mailboxEvents {
			jobs = append(jobs, fmt.Sprint("job", i))
			tab.set(func() { tab.events[jobs[i]] = nil })
		}
		sub := subscribe(t, hub, jobs...)
		for range mailboxPerJob {
			for _, job := range jobs {
				hub.Publish([]work.Event{tab.add(job, work.EventStatus)})
			}
		}
		if d := take(sub); d.Ended || len(d.Events) != mailboxPerJob*len(jobs) {
			t.Errorf("%d events, ended %v", len(d.Events), d.Ended)
		}
	})
}

// TestMailboxLaws holds whatever happens in whatever order: a reader sees of each
// job rising numbers, every event that is not progress, and the last event.
func TestMailboxLaws(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rapid.Check(struct{ rapid.TB }{t}, func(r *rapid.T) { // a bubble has no deadline to ask for
			tab := newTable("a", "b")
			hub, stop := run(tab)
			defer stop()
			sub := subscribe(t, hub, "a", "b")
			last, must := map[string]int64{}, map[string]int64{} // must: number of statuses seen
			read := func() {
				d := take(sub)
				if d.Ended {
					r.Fatal("ended")
				}
				for _, e := range d.Events {
					if e.Seq <= last[e.JobID] {
						r.Fatalf("event %d of %s follows %d", e.Seq, e.JobID, last[e.JobID])
					}
					last[e.JobID] = e.Seq
					if e.Kind != work.EventProgress {
						must[e.JobID]++
					}
				}
			}
			committed := map[string]int64{}
			job := rapid.SampledFrom([]string{"a", "b"})
			r.Repeat(map[string]func(*rapid.T){
				"commit": func(r *rapid.T) {
					id := job.Draw(r, "job")
					kind := rapid.SampledFrom([]work.EventKind{work.EventProgress, work.EventStatus}).Draw(r, "kind")
					e := tab.add(id, kind)
					if kind == work.EventStatus {
						committed[id]++
					}
					switch rapid.IntRange(0, 2).Draw(r, "notified by") {
					case 0:
						hub.Publish([]work.Event{e})
					case 1:
						hub.Hint(id)
					}
				},
				"repeat": func(r *rapid.T) {
					if list := tab.events[job.Draw(r, "job")]; len(list) > 0 {
						hub.Publish(list[rapid.IntRange(0, len(list)-1).Draw(r, "from"):])
					}
				},
				"read": func(*rapid.T) { read() },
			})
			hub.Hint("a", "b")
			read()
			for id, list := range tab.events {
				if last[id] != int64(len(list)) || must[id] != committed[id] {
					r.Fatalf("%s: read up to %d of %d, %d of %d statuses", id, last[id], len(list), must[id], committed[id])
				}
			}
		})
	})
}
