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
)

// lanes are what streams show besides jobs.
type lanes interface {
	LaneUsage(ctx context.Context) ([]kappa.LaneUsage, error)
}

const (
	laneLookPause   = time.Second // at least, between two looks at the lanes
	laneLookTimeout = 5 * time.Second
)

// laneWatch looks at the lanes on behalf of all streams that show them. It looks
// only when something has happened since it last did, and nobody looks more
// often than once in laneLookPause.
type laneWatch struct {
	lanes  lanes
	log    *slog.Logger
	nudged chan struct{} // holds a value when something has happened

	mu    sync.Mutex
	views map[*laneView]struct{}
}

// laneView is one stream's part of it.
type laneView struct {
	sel    selection
	latest atomic.Pointer[[]kappa.LaneUsage] // not taken yet; nil for none
	wake   func()
	told   map[string]string // of each lane, what the client has
}

func newLaneWatch(lanes lanes, log *slog.Logger) *laneWatch {
	return &laneWatch{lanes: lanes, log: log, nudged: make(chan struct{}, 1), views: map[*laneView]struct{}{}}
}

// nudge says that the lanes may have changed. It never waits.
func (w *laneWatch) nudge() {
	select {
	case w.nudged <- struct{}{}:
	default:
	}
}

// join has the lanes told to a new view until leave, which calls wake each time.
func (w *laneWatch) join(sel selection, wake func()) *laneView {
	w.mu.Lock()
	defer w.mu.Unlock()
	v := &laneView{sel: sel, wake: wake, told: map[string]string{}}
	w.views[v] = struct{}{}
	return v
}

func (w *laneWatch) leave(v *laneView) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.views, v)
}

// run looks until ctx ends.
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
		case <-w.nudged:
		}
		if err := w.runOnce(ctx); err != nil && ctx.Err() == nil {
			w.log.DebugContext(ctx, "lanes not read for streams", "err", err)
			w.nudge()
		}
		pause.Reset(laneLookPause)
	}
}

// runOnce tells the views how the lanes are, if there are views.
func (w *laneWatch) runOnce(ctx context.Context) error {
	w.mu.Lock()
	idle := len(w.views) == 0
	w.mu.Unlock()
	if idle {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, laneLookTimeout)
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
func (v *laneView) news(usage []kappa.LaneUsage) [][]byte {
	var out [][]byte
	there := map[string]bool{}
	for _, lane := range usage {
		if !v.sel.matchesLane(lane.Name) {
			continue
		}
		there[lane.Name] = true
		data := http.EncodeJSON(lane)
		lane.OldestWait = nil
		if is := string(http.EncodeJSON(lane)); v.told[lane.Name] != is {
			v.told[lane.Name] = is
			out = append(out, data)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(v.told)) {
		if !there[name] {
			delete(v.told, name)
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
		if !slices.ContainsFunc(usage, func(l kappa.LaneUsage) bool { return l.Name == name }) {
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

func (o *overview) tellLanes(usage []kappa.LaneUsage) {
	for _, data := range o.lanes.news(usage) {
		o.out.add(frame{event: "lane", data: data})
	}
}
