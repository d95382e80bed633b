package http

import (
	"log/slog"
	"time"

	"github.com/kappagraph/kappa"
)

// Config is what a Server needs. Every field but Now, Hosts, HTTP2,
// Version and Limits is required.
type Config struct {
	Auth    authenticator
	Access  access
	Tickets tickets

	Jobs   jobs
	Events history
	Hub    hub

	Lanes lanes

	// Now is the clock of what is stored, by which tokens end; nil is this
	// machine's.
	Now func() time.Time

	// Hosts are names by which the server may be called besides those of loopback,
	// when Run listens for this machine only, or when there are any; "*" is any.
	Hosts []string

	// HTTP2 has Run serve HTTP/2 without encryption too; see CheckHTTP2.
	HTTP2 bool

	Version string
	Limits  Limits
	Log     *slog.Logger
}

// Limits bound what a request may cost. The zero value of a field takes its
// default.
type Limits struct {
	Connections  int           // open connections; default 25,000
	Reserve      int           // connections beyond that, for probes; default 128
	Body         time.Duration // a body may take so long to arrive; default 30 s
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
	Fill(&l.Connections, 25_000)
	Fill(&l.Reserve, 128)
	Fill(&l.Body, 30*time.Second)
	Fill(&l.Drain, 10*time.Second)
	Fill(&l.StreamSpread, time.Second)
	Fill(&l.Keepalive, 15*time.Second)
	Fill(&l.Recheck, 2500*time.Millisecond)     // so that a stream without rights ends within 5 s
	Fill(&l.Unconfirmed, 4750*time.Millisecond) // so that it shows nothing after 5 s in any case
	Fill(&l.StreamWrite, 10*time.Second)
	Fill(&l.Streams, kappa.DefaultMaxStreams)
	Fill(&l.UserStreams, kappa.DefaultMaxUserStreams)
	return l
}

// Fill gives a field that is zero its default.
func Fill[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}
