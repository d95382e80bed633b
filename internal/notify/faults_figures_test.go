package notify

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/kappagraph/kappa/work"
)

// watcherFigures are what one watcher has counted.
type watcherFigures struct {
	visits, refused, ended, pauses, replayed int
	delays                                   []time.Duration // of events that another server committed and that came live
}

// take records an event that came live to a watcher who was waiting for it. Status
// changes do not say who committed them.
func (f *watcherFigures) take(j *visited, e *work.Event, now time.Time) {
	if e.At.After(j.awake) && e.Kind != work.EventStatus && !bytes.Contains(e.Payload, []byte(`"`+j.server.name+`"`)) {
		f.delays = append(f.delays, now.Sub(e.At.Time))
	}
}

// summary is what a world has to say at the end.
func (w *faultWorld) summary(watchers []*watcher, events int, took time.Duration) string {
	var all watcherFigures
	var records int
	for _, v := range watchers {
		f := v.figures
		all.visits += f.visits
		all.refused += f.refused
		all.ended += f.ended
		all.pauses += f.pauses
		all.replayed += f.replayed
		all.delays = append(all.delays, f.delays...)
		records += len(v.records)
	}
	slices.Sort(all.delays)
	var stats work.HubStats
	var slowest time.Duration
	for _, s := range w.servers {
		s.outage.mu.Lock()
		slowest = max(slowest, s.outage.worst)
		s.outage.mu.Unlock()
		h := s.hub.Stats()
		stats.Coalesced += h.Coalesced
		stats.EndedSlow += h.EndedSlow
		stats.Reads += h.Reads
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	var text strings.Builder
	fmt.Fprintf(&text, "%s, seed %d, %s: %d events; %d delivered live and %d from the history to %d watchers of %d jobs; %d problems, %d late\n",
		w.by, w.seed, took.Round(100*time.Millisecond), events, w.delivered.Load(), all.replayed, len(watchers), records, w.problems.number, w.delays.number)
	fmt.Fprintf(&text, "  %d connections, %d ended because they were slow, %d attempts while the database was away, %d pauses; %d events coalesced, %d statements, the slowest %s\n",
		all.visits, stats.EndedSlow, all.refused, all.pauses, stats.Coalesced, stats.Reads, round(slowest))
	if n := len(all.delays); n > 0 {
		fmt.Fprintf(&text, "  delay of %d events of other servers: p50 %s, p99 %s, longest %s\n", n,
			round(all.delays[n/2]), round(all.delays[n*99/100]), round(all.delays[n-1]))
	}
	for _, name := range slices.Sorted(maps.Keys(w.noticed)) {
		times := w.noticed[name]
		fmt.Fprintf(&text, "  %s %d times, noticed after %s at most\n", name, len(times), round(slices.Max(times)))
	}
	fmt.Fprintf(&text, "  faults: %v\n", w.faults)
	return text.String()
}

func round(d time.Duration) time.Duration { return d.Round(10 * time.Microsecond) }
