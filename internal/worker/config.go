package worker

import (
	"crypto/rand"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/kappagraph/kappa/internal/remote/wire"
	"github.com/kappagraph/kappa/tracing"
)

// The defaults and ranges of a Config.
const (
	DefaultMinBackoff = time.Second
	DefaultMaxBackoff = 10 * time.Second
	DefaultGrace      = 30 * time.Second

	LeastBackoff = 100 * time.Millisecond
	MostBackoff  = 5 * time.Minute
	LeastGrace   = time.Second
	MostGrace    = 24 * time.Hour
)

// Config is what a Worker needs.
type Config struct {
	Server   string             // as Address returns it
	Secret   []byte             // which the workers share with the server
	Groups   []wire.Group       // at least one
	Handlers map[string]Handler // by job type, at least one
	Name     string             // for people
	Version  string
	Labels   map[string]string // for people
	// MinBackoff and MaxBackoff bound how long a group waits after a claim that found
	// nothing.
	MinBackoff, MaxBackoff time.Duration
	Lease                  time.Duration // that is asked for; 0 is the server's default
	Grace                  time.Duration // for runs to end after a stop was asked for
	Once                   bool          // end when nothing is left to do
	// Tracer has each run be a span of the trace in which its job was submitted; nil records
	// none.
	Tracer tracing.Tracer
	Roots  *x509.CertPool // who may have signed the server's certificate; nil: the system's
	Log    *slog.Logger
}

// withDefaults returns the config with what is not set.
func (c Config) withDefaults() Config {
	if c.MinBackoff == 0 {
		c.MinBackoff = DefaultMinBackoff
	}
	if c.MaxBackoff == 0 {
		c.MaxBackoff = max(DefaultMaxBackoff, c.MinBackoff)
	}
	if c.Lease == 0 {
		c.Lease = wire.Lease
	}
	if c.Grace == 0 {
		c.Grace = DefaultGrace
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	return c
}

// check returns everything that is wrong.
func (c Config) check() error {
	var broken []error
	add := func(ok bool, format string, values ...any) {
		if !ok {
			broken = append(broken, fmt.Errorf(format, values...))
		}
	}
	add(len(c.Secret) >= wire.MinSecret, "the secret must have at least %d bytes, got %d", wire.MinSecret, len(c.Secret))
	add(len(c.Groups) > 0, "at least one slot group is needed")
	add(len(c.Handlers) > 0, "at least one job type is needed")
	add(c.MinBackoff >= LeastBackoff && c.MinBackoff <= c.MaxBackoff && c.MaxBackoff <= MostBackoff,
		"backoff: must be at least %s, and at most %s, the shorter first, got %s/%s", LeastBackoff, MostBackoff, c.MinBackoff, c.MaxBackoff)
	add(c.Lease >= wire.MinLease && c.Lease <= wire.MaxLease, "lease: must be from %s to %s, got %s", wire.MinLease, wire.MaxLease, c.Lease)
	add(c.Grace >= LeastGrace && c.Grace <= MostGrace, "grace: must be from %s to %s, got %s", LeastGrace, MostGrace, c.Grace)
	return errors.Join(broken...)
}

// types returns the job types that are taken, in order.
func (c Config) types() []string {
	var types []string
	for name := range c.Handlers {
		types = append(types, name)
	}
	slices.Sort(types)
	return types
}

// newID returns a random UUID.
func newID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // it never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
