package lanes

import (
	"context"
	"log/slog"
	"slices"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/work"
)

const (
	unhandledEvery   = 30 * time.Second
	unhandledTimeout = 10 * time.Second
)

// UnhandledConfig says where to find what waits, and what this server works on.
type UnhandledConfig struct {
	Store interface {
		// WaitingTypes returns the types of the jobs that could be claimed, sorted.
		WaitingTypes(ctx context.Context) ([]string, error)
	}
	Types *work.JobTypes
	Log   *slog.Logger
}

// Unhandled warns of job types that have work and that this server, which leads, has
// no handler for: another server, of another version or with other settings, has
// accepted their jobs, and they wait until it leads.
type Unhandled struct {
	cfg    UnhandledConfig
	warned []string // of these types
}

// NewUnhandled returns an Unhandled; Run makes it watch.
func NewUnhandled(cfg UnhandledConfig) *Unhandled {
	kappa.Require(cfg)
	return &Unhandled{cfg: cfg}
}

// Run watches until ctx ends; it returns nil.
func (u *Unhandled) Run(ctx context.Context) error {
	return kappa.Loop{Name: "reading which job types wait", Every: unhandledEvery, Log: u.cfg.Log}.Run(ctx, u.runOnce)
}

// runOnce warns when there are other such types than the last time.
func (u *Unhandled) runOnce(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, unhandledTimeout)
	defer cancel()
	waiting, err := u.cfg.Store.WaitingTypes(ctx)
	if err != nil {
		return err
	}
	handled := u.cfg.Types.Names(func(t work.JobType) bool { return t.Handler != nil || t.Remote })
	types := slices.DeleteFunc(waiting, func(t string) bool { return slices.Contains(handled, t) })
	if !slices.Equal(types, u.warned) && len(types) > 0 {
		u.cfg.Log.WarnContext(ctx, "jobs wait for ever: this server leads, and has no handler for their types", "types", types)
	}
	u.warned = types
	return nil
}
