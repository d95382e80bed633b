package http

import (
	"log/slog"
	"time"

	"github.com/kappagraph/kappa"
)

// Config is what a Server needs. Every field but Sources, HubStats, Figures,
// Readiness, Now, HTTP2, JobTypes, Version and Limits is required.
type Config struct {
	Auth    authenticator
	Clients oauthClients
	Access  access
	Tickets tickets

	Jobs   jobs
	Events history
	Hub    hub
	Ingest ingester

	Sources func() []kappa.EventSource // how this server hears of events; nil = not told

	Lanes     lanes
	Operator  operator
	Scheduler scheduler
	Schedules schedules

	// Now is the clock of what is stored, by which tokens end; nil is this
	// machine's.
	Now func() time.Time

	// HTTP2 has Run serve HTTP/2 without encryption too; see CheckHTTP2.
	HTTP2 bool

	Version  string
	JobTypes []string // what POST /jobs accepts
	Limits   Limits
	Log      *slog.Logger
}

// Limits bound what a request may cost. The zero value of a field takes its
// default.
type Limits struct {
	MaxDocumentBytes int64 // one document; default kappa.DefaultMaxDocumentBytes
	UploadBytes      int64 // all documents being uploaded at once; default four of the largest
	MaxLaneSlots     int   // ceiling of a lane's max_slots; default kappa.DefaultMaxLaneSlots

	UploadPace   int64         // bytes a second that a document must arrive at; default 16 KiB
	Body         time.Duration // a body may take so long to arrive, and a document may pause so long; default 30 s
	Drain        time.Duration // a stop waits so long for requests; default 10 s
	StreamSpread time.Duration // a stop ends the streams spread over this time; default 1 s
	Keepalive    time.Duration // silence on a stream before a keepalive; default 15 s
	Recheck      time.Duration // how often it is asked whether rights were taken; default 2.5 s
	Unconfirmed  time.Duration // a stream falls silent when its right was last confirmed so long ago; default 4.75 s
	StreamWrite  time.Duration // a write to a stream may take so long; default 10 s
	Streams      int           // open event streams; default kappa.DefaultMaxStreams
	UserStreams  int           // of them, those of one user; default kappa.DefaultMaxUserStreams
}

func (l Limits) withDefaults() Limits {
	fill(&l.MaxDocumentBytes, kappa.DefaultMaxDocumentBytes)
	fill(&l.UploadBytes, 4*l.MaxDocumentBytes)
	fill(&l.MaxLaneSlots, kappa.DefaultMaxLaneSlots)
	fill(&l.UploadPace, 16<<10)
	fill(&l.Body, 30*time.Second)
	fill(&l.Drain, 10*time.Second)
	fill(&l.StreamSpread, time.Second)
	fill(&l.Keepalive, 15*time.Second)
	fill(&l.Recheck, 2500*time.Millisecond)     // so that a stream without rights ends within 5 s
	fill(&l.Unconfirmed, 4750*time.Millisecond) // so that it shows nothing after 5 s in any case
	fill(&l.StreamWrite, 10*time.Second)
	fill(&l.Streams, kappa.DefaultMaxStreams)
	fill(&l.UserStreams, kappa.DefaultMaxUserStreams)
	return l
}

func fill[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}
