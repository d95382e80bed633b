package serve

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/kappagraph/kappa/cmd/kg/exit"
	"github.com/kappagraph/kappa/internal/notify"
	"github.com/kappagraph/kappa/work"
)

// A transaction that notifies commits alone among those that do. Those that change the
// graph hold its lock and take turns anyway, so this costs neither them nor others
// anything: see bench/graph -only notifications.
const (
	channelSettings  = "kg_graph_settings" // payload: nothing
	channelJobTypes  = "kg_job_types"      // payload: the job type whose policy has changed
	channelSchedules = "kg_schedules"      // payload: the schedule that changed
	channelGraph     = "kg_graph"          // no payload: edges or concepts have changed
	channelModels    = "kg_models"         // no payload: other models are used
	channelLeader    = "kg_leader"         // no payload: a leader has given up its lock
	watchdogEvery    = 15 * time.Second
	checkWALWithin   = 10 * time.Second
)

// events is how this server hears what is committed, and notifies the others.
type events struct {
	hub      *notify.Hub
	notifier *notify.Notifier
	listener *notify.Listener
	wal      *notify.WAL      // nil unless KG_EVENTS=wal
	nats     *notify.NATS     // nil without KG_NATS_URL
	fallback *notify.Fallback // nil without KG_NATS_URL
	watchdog *notify.Watchdog
}

// wireEvents connects the sources of events: the listener for wake-ups, and for
// the events themselves the listener or the write-ahead log, and NATS besides.
func (s *server) wireEvents(ctx context.Context) error {
	e, primary := &s.events, s.db.Primary()
	e.hub = notify.NewHub(s.db.Events(), s.log)
	e.notifier = notify.NewNotifier(s.id, s.db.Notify, s.log)
	e.watchdog = notify.NewWatchdog(notify.WatchdogConfig{Store: s.db.Listeners(), Every: watchdogEvery, Log: s.log})
	if err := s.wireNATS(); err != nil {
		return err
	}
	if s.settings.Events == sourceWAL {
		checkCtx, cancel := context.WithTimeout(ctx, checkWALWithin)
		defer cancel()
		if err := notify.CheckWAL(checkCtx, s.dsn); err != nil {
			return exit.Usage("KG_EVENTS=wal: %s", err)
		}
		e.wal = notify.NewWAL(notify.WALConfig{DSN: s.dsn, Validate: primary.Validate, ID: s.id, Sink: relaySink{e.hub, e.nats}, Hook: s.hook, Log: s.log})
	}
	handle := s.wakeUps()
	if e.wal == nil {
		handle[notify.ChannelEvents] = notify.ReceiveEvents(s.id, e.hub)
	}
	for channel, own := range handle {
		handle[channel] = func(payload string) {
			own(payload)
			e.relay(channel, payload)
		}
	}
	e.listener = notify.NewListener(notify.ListenConfig{DSN: s.dsn, Validate: primary.Validate, ID: s.id, Log: s.log, Hook: s.hook, Handle: handle, Resync: func() {
		s.wakeAll()
		e.hub.Resync()
		if e.nats != nil {
			e.nats.RelayResync()
		}
	}})
	if e.nats != nil {
		e.fallback = notify.NewFallback(e.nats, databaseSource{e.listener, e.wal}, func() bool { return s.queue.elector.Term() > 0 }, s.log)
	}
	return nil
}

// wireNATS connects NATS if it is to be used.
func (s *server) wireNATS() (err error) {
	if !s.settings.NATS.Enabled() {
		return nil
	}
	s.events.nats, err = notify.NewNATS(notify.NATSConfig{
		Options: s.settings.NATS, ID: s.id, Sink: s.events.hub, Handle: s.wakeUps(), Wake: s.wakeAll, Log: s.log,
	})
	if err != nil {
		return err
	}
	s.events.hub.OnInterest(s.events.nats.Interest)
	return nil
}

// wakeUps is what is done about a notification, by channel, from any sender. It is
// a hint, and not the truth: a server that hears it asks the database.
func (s *server) wakeUps() map[string]func(payload string) {
	return map[string]func(string){
		notify.ChannelLanes: func(lane string) {
			s.queue.manager.Wake(lane)
			s.web.streams.LanesChanged()
		},
		notify.ChannelCancel: func(jobID string) {
			s.queue.worker.Reconcile(jobID)
			s.remote.Cancel(jobID)
		},
		channelRemote:    s.remote.Notified,
		channelSchedules: func(string) { s.leading.launcher.Wake() },
		channelGraph:     func(string) { s.graphChanged() },
		channelSettings:  func(string) { s.graph.settings.Wake() },
		channelJobTypes:  func(string) { s.queue.policies.Wake() },
		channelModels:    func(string) { s.models.service.Wake() },
		channelLeader:    func(string) { s.queue.elector.Wake() },
	}
}

// heard reports whether what the database says reaches this server, so that polls may be
// rare: what was said before is read at once when it reaches it again.
func (s *server) heard() bool { return s.events.listener.Connected() }

// graphChanged wakes those who follow the graph. The measures are taken by the leader
// alone; on another server they stay asleep.
func (s *server) graphChanged() {
	s.graph.changed()
	s.upkeep.vocabulary.Wake()
}

// wakeAll is what is done when notifications may have been lost.
func (s *server) wakeAll() {
	s.queue.manager.WakeAll()
	s.remote.WakeAll()
	s.leading.launcher.Wake()
	s.graphChanged()
	s.graph.settings.Wake()
	s.models.service.Wake()
	s.queue.policies.Wake()
	s.web.streams.LanesChanged()
}

// committed hands new events to those who watch their jobs here, without reading them
// back, and notifies the other servers.
func (e *events) committed(list []work.Event, jobIDs []string) {
	e.hub.Publish(list)
	e.hub.Hint(jobIDs...)
	for i := range list {
		e.changed(list[i].JobID)
	}
	if len(jobIDs) > 0 {
		e.changed(jobIDs...)
	}
}

// changed notifies the other servers of jobs that have new events.
func (e *events) changed(jobIDs ...string) {
	e.notifier.Notify(jobIDs...)
	if e.nats != nil {
		e.nats.Notify(jobIDs...)
	}
}

// deleted notifies those who watch jobs that these are gone. The other servers find it
// themselves within seconds.
func (e *events) deleted(jobIDs ...string) { e.hub.Deleted(jobIDs...) }

// relay passes on to the other servers what the database said.
func (e *events) relay(channel, payload string) {
	if e.nats != nil {
		e.nats.Relay(channel, payload)
	}
}

// relaySink is the hub, and passes on over NATS which jobs have new events: not
// every server that commits some need be on NATS.
type relaySink struct {
	*notify.Hub
	nats *notify.NATS // nil: there is nobody to pass it on to
}

// Publish takes events as the hub does.
func (s relaySink) Publish(events []work.Event) {
	s.Hub.Publish(events)
	if s.nats == nil {
		return
	}
	for _, e := range events {
		s.nats.Notify(e.JobID)
	}
}

// HintSeqs takes what the log names as the hub does.
func (s relaySink) HintSeqs(last map[string]int64) {
	s.Hub.HintSeqs(last)
	if s.nats != nil {
		s.nats.Notify(slices.Collect(maps.Keys(last))...)
	}
}

// leadershipChanged has the server check whether it must hear the database.
func (e *events) leadershipChanged() {
	if e.fallback != nil {
		e.fallback.Changed()
	}
}

// services are what runs for the events.
func (e *events) services() []service {
	list := []service{{"hub", e.hub.Run}, {"notifier", e.notifier.Run}}
	if e.fallback != nil {
		return append(list, service{"NATS", e.nats.Run}, service{"event source", e.fallback.Run})
	}
	return append(list, service{"event source", databaseSource{e.listener, e.wal}.Run})
}

// sources says how well each source is heard.
func (e *events) sources() []work.EventSource {
	active := true
	var list []work.EventSource
	if e.fallback != nil {
		states := e.fallback.State()
		active = states[0].Active
		list = states[1:]
	}
	if e.wal != nil {
		list = append([]work.EventSource{asActive(e.wal.State(), active)}, list...)
	}
	return append([]work.EventSource{asActive(e.listener.State(), active)}, list...)
}

func asActive(state work.EventSource, active bool) work.EventSource {
	state.Active = active
	return state
}

// databaseSource hears the database: wake-ups by the listener, and events by the
// listener too or by the write-ahead log.
type databaseSource struct {
	listener *notify.Listener
	wal      *notify.WAL // nil: the listener hears the events
}

// Run hears until ctx ends.
func (d databaseSource) Run(ctx context.Context) error {
	if d.wal == nil {
		return d.listener.Run(ctx)
	}
	wal := make(chan error, 1)
	go func() { wal <- d.wal.Run(ctx) }()
	return errors.Join(d.listener.Run(ctx), <-wal)
}

// State is that of the source of events.
func (d databaseSource) State() work.EventSource {
	if d.wal != nil {
		return d.wal.State()
	}
	return d.listener.State()
}
