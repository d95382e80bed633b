package notify

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/kappagraph/kappa/work"
)

// NATSConfig says how NATS is reached and whom to notify.
type NATSConfig struct {
	Options NATSOptions
	ID      string // this process: what it sent itself, it ignores
	Sink    Sink
	// Handle has a function for each channel, as the Listener has: kg_lanes,
	// kg_cancel, kg_schedules. They are called one after the other and must not
	// block. Every client that may publish on NATS can call them with anything and at any
	// time, so they query the database before they believe it.
	Handle map[string]func(payload string)
	// Wake is called after each connect and when messages may have been lost;
	// nil does nothing. It is what Sink.Resync is for those who handle channels.
	Wake func()
	Log  *slog.Logger

	// onChange is called when Connected changes, in order and from one goroutine;
	// nil does nothing.
	onChange func(connected bool)
}

// NATS notifies the other servers of an installation of what has happened, and hears
// it from them: the fan-out that lets a fleet do with one database listener. It
// carries ids and names, never content, and it is never the truth: a message may
// be lost, doubled, late or forged, and costs a query of the table at most.
type NATS struct {
	cfg       NATSConfig
	subjects  natsSubjects
	own       []byte // the message that only says who sends it
	state     *state
	outbox    *natsOutbox
	interest  *natsInterest
	up        atomic.Bool   // subscriptions are active, and everybody has reconciled since
	announced bool          // what onChange was called with; of the goroutine of Run
	changed   func()        // the Fallback is notified as well
	lagEvery  time.Duration // between measurements
	counts    natsCounts
}

type natsCounts struct{ sent, heard, ignored, resyncs atomic.Int64 }

// NATSStats counts messages since the start.
type NATSStats struct {
	Sent    int64 // and confirmed by the NATS server
	Heard   int64 // from other processes
	Ignored int64 // not ours, or not understood
	Resyncs int64 // reconciliations: one a connect, and when messages may have been lost
}

// NewNATS returns a NATS; Run connects it. It returns an error that names what is
// wrong in the configuration, without secrets.
func NewNATS(cfg NATSConfig) (*NATS, error) {
	if err := cfg.Options.Validate(); err != nil {
		return nil, err
	}
	if !cfg.Options.Enabled() || cfg.ID == "" || cfg.Sink == nil || cfg.Log == nil {
		return nil, errors.New("NATS needs an address, the name of this process, a sink and a log")
	}
	names := natsSubjects{prefix: cfg.Options.prefix()}
	for channel := range cfg.Handle {
		if _, ok := names.channel(channel); !ok {
			return nil, fmt.Errorf("channel %q cannot go over NATS", channel)
		}
	}
	own, err := natsMessage{From: cfg.ID}.encode()
	if err != nil {
		return nil, fmt.Errorf("name of this process: %w", err)
	}
	cfg.Log = cfg.Log.With("source", "nats")
	return &NATS{
		cfg: cfg, subjects: names, own: own,
		state: newState("nats"), outbox: newNATSOutbox(), interest: newNATSInterest(), changed: func() {}, lagEvery: natsLagEvery,
	}, nil
}

// Notify has the other servers notified of jobs of which this process has committed
// events. It returns at once, whatever NATS does. While NATS is away it keeps the ids
// of 4,096 jobs; beyond that, all reconcile everything once it is back.
func (n *NATS) Notify(jobIDs ...string) { n.outbox.add(jobIDs...) }

// Relay passes on what this server heard from the database: a payload of one of
// the channels, or of ChannelEvents, which names jobs. It returns at once. What
// was heard by NATS is not to be relayed: the others have it.
func (n *NATS) Relay(channel, payload string) {
	if channel == ChannelEvents {
		n.relayEvents(payload)
		return
	}
	if _, ok := n.subjects.channel(channel); ok {
		n.outbox.relay(natsCall{channel, payload})
	}
}

// relayEvents reads "sender job job …" or "sender *", as the Notifier writes it.
func (n *NATS) relayEvents(payload string) {
	words := strings.Fields(payload)
	switch {
	case len(words) < 2 || words[0] == n.cfg.ID: // our own are known already
	case words[1] == AllJobs:
		n.outbox.resync()
	default:
		n.outbox.add(words[1:]...)
	}
}

// RelayResync has the others reconcile everything: what this server heard from
// the database for them may have gaps, as after its connection was lost. It
// returns at once.
func (n *NATS) RelayResync() { n.outbox.resync() }

// Interest records that a job, or AllJobs, has its first watcher or has lost its
// last one. It returns at once and is made for Hub.OnInterest.
func (n *NATS) Interest(jobID string, watched bool) { n.interest.set(jobID, watched) }

// Connected reports whether messages arrive at present: the subscriptions are
// active, and everybody has reconciled once since.
func (n *NATS) Connected() bool { return n.up.Load() }

// State says how well NATS is heard. The lag is the round trip to its server.
func (n *NATS) State() work.EventSource {
	s := n.state.snapshot()
	s.Connected = n.Connected()
	return s
}

// Stats returns the counters.
func (n *NATS) Stats() NATSStats {
	return NATSStats{
		Sent: n.counts.sent.Load(), Heard: n.counts.heard.Load(),
		Ignored: n.counts.ignored.Load(), Resyncs: n.counts.resyncs.Load(),
	}
}

// Run connects, again after each failure, and returns nil when ctx ends, at most
// a few seconds later when NATS hangs.
func (n *NATS) Run(ctx context.Context) error {
	return reconnect(ctx, n.cfg.Log, n.state, func(ctx context.Context) error {
		err := n.serve(ctx)
		n.down()
		return n.scrub(err)
	})
}

// announce passes on a change of Connected. Of several that came quickly only
// the last is passed on.
func (n *NATS) announce() {
	up := n.up.Load()
	if up == n.announced {
		return
	}
	n.announced = up
	if n.cfg.onChange != nil {
		n.cfg.onChange(up)
	}
	n.changed()
}

// down records that nothing arrives any more.
func (n *NATS) down() {
	n.up.Store(false)
	n.announce()
}

// resync has everybody in this process reconcile.
func (n *NATS) resync() {
	n.counts.resyncs.Add(1)
	n.cfg.Sink.Resync()
	if n.cfg.Wake != nil {
		n.cfg.Wake()
	}
}

// scrub takes secrets out of an error.
func (n *NATS) scrub(err error) error {
	if err == nil {
		return nil
	}
	text := err.Error()
	for _, secret := range n.cfg.Options.secrets() {
		if len(secret) > 3 {
			text = strings.ReplaceAll(text, secret, "xxxxx")
		}
	}
	if text == err.Error() {
		return err
	}
	return errors.New(text)
}

// hear takes one message.
func (n *NATS) hear(m *nats.Msg, lost func()) {
	message, err := decodeMessage(m.Data)
	if err != nil {
		n.counts.ignored.Add(1)
		return
	}
	if message.From == n.cfg.ID || m.Subject == n.subjects.probe() {
		return
	}
	if !n.dispatch(m.Subject, message.Name, lost) {
		n.counts.ignored.Add(1)
		return
	}
	n.counts.heard.Add(1)
}

// dispatch passes a message to whom it is for, and reports whether there is one.
func (n *NATS) dispatch(subject, name string, lost func()) bool {
	if id, ok := n.subjects.jobOf(subject); ok {
		n.cfg.Sink.Hint(id)
		return true
	}
	if subject == n.subjects.resync() {
		lost()
		return true
	}
	channel, _ := n.subjects.channelOf(subject)
	handle := n.cfg.Handle[channel]
	if handle == nil {
		return false
	}
	handle(name)
	return true
}
