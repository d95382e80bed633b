package streams

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/work"
)

// lanes are what streams show besides jobs.
type lanes interface {
	LaneUsage(ctx context.Context) ([]work.LaneUsage, error)
}

const (
	lanePollPause   = time.Second // at least, between two reads of the lanes
	lanePollTimeout = 5 * time.Second
)

// laneWatch reads the lanes on behalf of all streams that show them: only when
// something has happened since it last did, and once in lanePollPause at most.
type laneWatch struct {
	lanes   lanes
	log     *slog.Logger
	changed kappa.Waker // woken when something has happened

	mu    sync.Mutex
	views map[*laneView]struct{}
}

// laneView is one stream's part of it.
type laneView struct {
	sel    selection
	latest atomic.Pointer[[]work.LaneUsage] // not taken yet; nil for none
	wake   func()
	sent   map[string]string // of each lane, what the client has
}

func newLaneWatch(lanes lanes, log *slog.Logger) *laneWatch {
	return &laneWatch{lanes: lanes, log: log, changed: kappa.NewWaker(), views: map[*laneView]struct{}{}}
}

// join gives the lanes to a new view until leave, and calls wake each time.
func (w *laneWatch) join(sel selection, wake func()) *laneView {
	w.mu.Lock()
	defer w.mu.Unlock()
	v := &laneView{sel: sel, wake: wake, sent: map[string]string{}}
	w.views[v] = struct{}{}
	return v
}

func (w *laneWatch) leave(v *laneView) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.views, v)
}

// run reads the lanes until ctx ends.
func (w *laneWatch) run(ctx context.Context) {
	pause := time.NewTimer(0)
	defer pause.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-pause.C:
		}
		select {
		case <-ctx.Done():
			return
		case <-w.changed.C():
		}
		if err := w.runOnce(ctx); err != nil && ctx.Err() == nil {
			w.log.DebugContext(ctx, "lanes not read for streams", "err", err)
			w.changed.Wake()
		}
		pause.Reset(lanePollPause)
	}
}

// runOnce gives the lanes to the views, if there are any.
func (w *laneWatch) runOnce(ctx context.Context) error {
	w.mu.Lock()
	idle := len(w.views) == 0
	w.mu.Unlock()
	if idle {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, lanePollTimeout)
	defer cancel()
	usage, err := w.lanes.LaneUsage(ctx)
	if err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for v := range w.views {
		v.latest.Store(&usage)
		v.wake()
	}
	return nil
}

// removedLane says that a lane is no more.
type removedLane struct {
	Name    string `json:"name"`
	Removed bool   `json:"removed"`
}

// news returns the data of an event for each selected lane that differs from
// what the client has, in the order of usage and then of the names. How long the
// oldest job has waited is no difference: that grows all the time.
func (v *laneView) news(usage []work.LaneUsage) [][]byte {
	var out [][]byte
	there := map[string]bool{}
	for _, lane := range usage {
		if !v.sel.matchesLane(lane.Name) {
			continue
		}
		there[lane.Name] = true
		data := http.EncodeJSON(lane)
		lane.OldestWait = nil
		if is := string(http.EncodeJSON(lane)); v.sent[lane.Name] != is {
			v.sent[lane.Name] = is
			out = append(out, data)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(v.sent)) {
		if !there[name] {
			delete(v.sent, name)
			out = append(out, http.EncodeJSON(removedLane{Name: name, Removed: true}))
		}
	}
	return out
}

// firstLanes adds the lanes as they are. A named one that is not there is
// CodeNotFound.
func (o *overview) firstLanes(ctx context.Context) error {
	usage, err := o.api.cfg.Lanes.LaneUsage(ctx)
	if err != nil {
		return err
	}
	for _, name := range o.sel.lanes {
		if !slices.ContainsFunc(usage, func(l work.LaneUsage) bool { return l.Name == name }) {
			return kappa.NewError(kappa.CodeNotFound, "Lane not found: "+http.Printable(name))
		}
	}
	o.tellLanes(usage)
	return nil
}

// addLanes adds what has become of the lanes since the last time.
func (o *overview) addLanes() {
	if o.lanes == nil {
		return
	}
	if usage := o.lanes.latest.Swap(nil); usage != nil {
		o.tellLanes(*usage)
	}
}

func (o *overview) tellLanes(usage []work.LaneUsage) {
	for _, data := range o.lanes.news(usage) {
		o.out.add(frame{event: "lane", data: data})
	}
}
