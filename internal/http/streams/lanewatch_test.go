package streams

import (
	"context"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kappagraph/kappa/internal/http/apitest"
	"github.com/kappagraph/kappa/work"
)

func lane(name string, running, queued int) work.LaneUsage {
	return work.LaneUsage{Lane: work.Lane{Name: name, MaxSlots: 4, Enabled: true}, RunningJobs: running, QueuedJobs: queued, SlotsAvailable: 4 - running}
}

// laneNames returns the lanes of events in short.
func laneNames(data [][]byte) string {
	var names []string
	for _, d := range data {
		text := strings.TrimPrefix(string(d), `{"name":"`)
		names = append(names, text[:strings.IndexByte(text, '"')])
	}
	return strings.Join(names, " ")
}

func TestLaneNews(t *testing.T) {
	v := newLaneWatch(nil, nil).join(selection{lanes: []string{"a", "b"}}, func() {})
	older := lane("b", 0, 1)
	older.OldestWait = new(7.5)
	disabled := lane("b", 0, 1)
	disabled.Enabled = false
	for _, tt := range []struct {
		name  string
		usage []work.LaneUsage
		want  string
	}{
		{"all selected lanes at first", []work.LaneUsage{lane("a", 0, 0), lane("b", 0, 1), lane("c", 0, 0)}, "a b"},
		{"nothing that is the same", []work.LaneUsage{lane("b", 0, 1), lane("a", 0, 0), lane("c", 2, 0)}, ""},
		{"a slot in use", []work.LaneUsage{lane("a", 1, 0), lane("b", 0, 1)}, "a"},
		{"not a longer wait", []work.LaneUsage{lane("a", 1, 0), older}, ""},
		{"a setting", []work.LaneUsage{lane("a", 1, 0), disabled}, "b"},
		{"a lane that was removed", []work.LaneUsage{disabled}, "a"},
		{"and that is there again", []work.LaneUsage{lane("a", 1, 0), disabled}, "a"},
	} {
		if got := laneNames(v.news(tt.usage)); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestLaneWatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBackend()
		w := newLaneWatch(b, slog.New(slog.DiscardHandler))
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go w.run(ctx)
		reads := func(what string, want int) {
			t.Helper()
			synctest.Wait()
			if n := b.counted("lanes"); n != want {
				t.Errorf("%s: %d reads, want %d", what, n, want)
			}
		}
		w.changed.Wake()
		time.Sleep(time.Minute)
		reads("nobody watches", 0)
		woken := 0
		v := w.join(selection{allLanes: true}, func() { woken++ })
		time.Sleep(time.Minute)
		reads("nothing happens", 0)
		for range 95 { // nine and a half seconds
			w.changed.Wake()
			time.Sleep(100 * time.Millisecond)
		}
		reads("much happens", 10)
		time.Sleep(time.Minute)
		reads("the last change is seen too", 11)
		if woken != 11 || v.latest.Load() == nil {
			t.Errorf("woken %d times", woken)
		}
		b.set(func() { b.err = context.DeadlineExceeded })
		w.changed.Wake()
		time.Sleep(2500 * time.Millisecond)
		b.set(func() { b.err = nil })
		time.Sleep(time.Minute)
		reads("a read that failed is repeated", 15)
		w.leave(v)
		w.changed.Wake()
		time.Sleep(time.Minute)
		reads("nobody watches any more", 15)
	})
}

func TestOverviewOfLanes(t *testing.T) {
	b := withJobs(work.StatusProcessing)
	b.lanes = []work.LaneUsage{lane("fast", 1, 0), lane("slow", 0, 0)}
	addr, stop := run(t, testConfig(b))
	both := consoleOf(t, "http://"+addr, "")
	both.sees("ready", "snapshot 1 1", "lane", "lane")
	one := consoleOf(t, "http://"+addr, "?lanes=slow")
	if f := one.sees("ready", "lane"); !strings.HasPrefix(string(f[1].data), `{"name":"slow",`) {
		t.Errorf("data %s", f[1].data)
	}
	b.set(func() { b.lanes = []work.LaneUsage{lane("fast", 0, 0), lane("slow", 1, 0)} })
	b.happen(1, work.EventStatus, `{}`)
	both.sees("status 1 2", "lane", "lane")
	if f := one.sees("lane"); !strings.Contains(string(f[0].data), `"running_jobs":1`) {
		t.Errorf("data %s", f[0].data)
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
}

func TestLanesChanged(t *testing.T) {
	b := withJobs()
	b.lanes = []work.LaneUsage{lane("fast", 1, 0)}
	cfg := testConfig(b)
	s := newTestServer(t, cfg)
	addr, stop := apitest.Run(t, s.web)
	w := consoleOf(t, "http://"+addr, "?lanes=*")
	w.sees("ready", "lane")
	b.set(func() { b.lanes = []work.LaneUsage{lane("fast", 0, 3)} })
	s.LanesChanged()
	w.sees("lane")
	if err := stop(); err != nil {
		t.Error(err)
	}
}
