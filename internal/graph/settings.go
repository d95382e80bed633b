package graph

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/kappagraph/kappa"
)

const (
	rereadSettings  = 15 * time.Second // when no notification comes
	settingsTimeout = 5 * time.Second
)

// Settings keeps the settings of queries to the graph at hand. A change acts
// without a restart: at once when it notifies, else within 15 s. While the database
// is away the last ones hold, and before the first read those of a new database.
type Settings struct {
	read   func(ctx context.Context) (kappa.GraphSettings, error)
	reread kappa.Waker
	log    *slog.Logger

	now atomic.Pointer[kappa.GraphSettings]
}

// NewSettings returns Settings; Run keeps them fresh.
func NewSettings(read func(ctx context.Context) (kappa.GraphSettings, error), log *slog.Logger) *Settings {
	s := &Settings{read: read, reread: kappa.NewWaker(), log: log}
	first := kappa.DefaultGraphSettings()
	s.now.Store(&first)
	return s
}

// Now returns the settings. It does not wait.
func (s *Settings) Now() kappa.GraphSettings { return *s.now.Load() }

// Wake has the settings read again. It returns at once.
func (s *Settings) Wake() { s.reread.Wake() }

// Run reads the settings until ctx ends; it returns nil.
func (s *Settings) Run(ctx context.Context) error {
	tick := time.NewTicker(rereadSettings)
	defer tick.Stop()
	for {
		if err := s.runOnce(ctx); err != nil && ctx.Err() == nil {
			s.log.WarnContext(ctx, "reading the settings of the graph failed; the last ones hold", "err", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		case <-s.reread.C():
		}
	}
}

func (s *Settings) runOnce(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, settingsTimeout)
	defer cancel()
	is, err := s.read(ctx)
	if err == nil {
		s.now.Store(&is)
	}
	return err
}
