// Package streams is the part of the HTTP API that shows what happens as it happens:
// event streams of one job, and of many jobs and the lanes, and the tickets that open
// them.
//
//   - A stream shows a job's events in order, each once, and starts where the
//     client says it stopped. It may be cut at any time; the client comes back
//     with the number of the last event it saw. Progress that later progress has
//     overtaken may be left out, and nothing else.
//   - A stream of many jobs starts from snapshots instead, each time, and shows
//     each job in order from there.
//   - A stream that has nothing to show asks the database nothing. It ends when
//     its token expires, and within 2.5 s and a query of the database when
//     its rights are taken. While that cannot be asked, it shows nothing that comes
//     later than 4.75 s after the last answer. A client that does not
//     read is cut, and slows nobody.
//   - A credential in a query opens streams only, and is in no log and no answer.
package streams

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/work"
)

// Config is what an API needs. Every field but Now and Limits is required.
type Config struct {
	Jobs    jobs
	Events  history
	Hub     hub
	Lanes   lanes
	Access  rights
	Tickets tickets

	Now    func() time.Time // the clock by which tokens end; nil is this machine's
	Limits Limits
	Log    *slog.Logger
}

// Limits bound what streams may cost. The zero value of a field takes its default.
type Limits struct {
	Open   int // streams; default work.DefaultMaxStreams
	OfUser int // of them, those of one user; default work.DefaultMaxUserStreams

	spread      time.Duration // a stop ends the streams spread over this time; 0 = 1 s
	keepalive   time.Duration // silence before a keepalive; 0 = 15 s
	recheck     time.Duration // how often it is asked whether rights were taken; 0 = 2.5 s
	unconfirmed time.Duration // a stream falls silent when its right was last confirmed so long ago; 0 = http.DefaultUnconfirmed
	write       time.Duration // a write may take so long; 0 = 10 s
}

func (l Limits) withDefaults() Limits {
	http.Fill(&l.spread, time.Second)
	http.Fill(&l.keepalive, 15*time.Second)
	http.Fill(&l.recheck, 2500*time.Millisecond) // so that a stream without rights ends within 5 s
	http.Fill(&l.unconfirmed, http.DefaultUnconfirmed)
	http.Fill(&l.write, 10*time.Second)
	http.Fill(&l.Open, work.DefaultMaxStreams)
	http.Fill(&l.OfUser, work.DefaultMaxUserStreams)
	return l
}

// API shows what happens. It is a http.Runner and a http.Stopper.
type API struct {
	cfg     Config
	router  *http.Router
	counts  *streamMetrics
	streams *streams
	frames  lastFrame
	lanes   *laneWatch

	stop    sync.Once
	leaving atomic.Int64  // streams that were open when the stop began
	closing chan struct{} // closed when the server begins to stop: the streams end
}

// New returns the resource.
func New(cfg Config) *API {
	cfg.Limits = cfg.Limits.withDefaults()
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	return &API{cfg: cfg, streams: newStreams(cfg.Limits), lanes: newLaneWatch(cfg.Lanes, cfg.Log), closing: make(chan struct{})}
}

// Register adds the routes and the metrics.
func (a *API) Register(r *http.Router) error {
	a.router, a.counts = r, newStreamMetrics(r.Metrics(), a.streams.count)
	a.registerStream(r)
	a.registerOverview(r)
	a.registerTickets(r)
	return http.CheckConfig("http/streams", a.cfg)
}

// Run ends the streams whose rights are taken, and queries the lanes for those that
// show them. Without it streams end with their requests and tokens only.
func (a *API) Run(ctx context.Context) {
	a.streams.watched.Store(true)
	var watches sync.WaitGroup
	watches.Go(func() { a.accessWatch().run(ctx) })
	watches.Go(func() { a.lanes.run(ctx) })
	watches.Wait()
}

// Stop ends all streams, spread over a second.
func (a *API) Stop() {
	a.stop.Do(func() {
		a.leaving.Store(int64(a.streams.count()))
		close(a.closing)
	})
}

// LanesChanged says that a lane has been woken or its settings were changed, so
// that streams that show lanes query them. It never waits, and a call too many
// costs a query at most.
func (a *API) LanesChanged() { a.lanes.changed.Wake() }

func (a *API) accessWatch() *accessWatch {
	return &accessWatch{access: a.cfg.Access, streams: a.streams, every: a.cfg.Limits.recheck, log: a.cfg.Log}
}
