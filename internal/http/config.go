package http

import (
	"crypto/tls"
	"log/slog"
	"time"

	"github.com/kappagraph/kappa/tracing"
	"github.com/kappagraph/kappa/work"
)

// Config is what a Server needs. Auth, Submissions and Log are required.
type Config struct {
	Auth        authenticator
	Sessions    sessions // of the console; nil knows none
	Submissions submissions

	// Hosts are names by which the server may be called besides those of loopback,
	// when Run listens for this machine only, or when there are any; "*" is any.
	Hosts []string

	// Origins are those of pages that may ask with a token; see CheckOrigins.
	Origins []string

	// Proxies are the addresses and ranges of proxies that may name the client of a request;
	// see CheckProxies.
	Proxies []string

	// HTTP2 has Run serve HTTP/2 without encryption too; see CheckHTTP2.
	HTTP2 bool

	// TLS has Run speak TLS, and nothing else; nil is plain HTTP. Over it HTTP/2 is served
	// wherever CheckHTTP2 allows it.
	TLS Certificates

	// Tracer has each request be a span; nil records none.
	Tracer tracing.Tracer

	Version string
	Limits  Limits
	Log     *slog.Logger
}

// DefaultUnconfirmed is for how long a right counts that was not confirmed: nothing is
// shown that needs it 5 s after it was taken.
const DefaultUnconfirmed = 4750 * time.Millisecond

// Limits bound what a request may cost. The zero value of a field takes its
// default.
type Limits struct {
	Connections int           // open connections; default 25,000
	Reserve     int           // connections beyond that, for probes; default 128
	Body        time.Duration // a body may take so long to arrive; default 30 s
	Rate        int           // requests of a user in a second, and twice as many at once; 0 is any number
	Unconfirmed time.Duration // an answer to a read that took longer is examined again; default DefaultUnconfirmed

	drain time.Duration // a stop waits so long for requests; 0 = 10 s
}

func (l Limits) withDefaults() Limits {
	Fill(&l.Connections, 25_000)
	Fill(&l.Reserve, 128)
	Fill(&l.Body, 30*time.Second)
	Fill(&l.drain, 10*time.Second)
	Fill(&l.Unconfirmed, DefaultUnconfirmed)
	return l
}

// Fill gives a field that is zero its default.
func Fill[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

// Certificates are what a server shows over TLS.
type Certificates interface {
	// TLS returns the settings that show them.
	TLS() *tls.Config
	// List returns what is known of each.
	List() []work.Certificate
	// Failures counts how often a newer one could not be had.
	Failures() int64
}
