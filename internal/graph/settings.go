package graph

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/knowledge"
)

const (
	rereadSettings  = 15 * time.Second // when no notification comes
	settingsTimeout = 5 * time.Second
)

// Settings keeps the settings of queries to the graph at hand. A change acts
// without a restart: at once when it notifies, else within 15 s. While the database
// is away the last ones hold, and before the first read those of a new database.
type Settings struct {
	read   func(ctx context.Context) (knowledge.GraphSettings, error)
	reread kappa.Waker
	most   int // workers that the connections leave
	said   int // how many the settings allowed when that was last compared
	log    *slog.Logger

	now atomic.Pointer[knowledge.GraphSettings]
}

// MostWorkers returns how many workers a Graph with so many connections has at most, whatever
// the settings say: two connections are left to the questions of people, and those that
// analyses may hold. Any number of connections, 0, leaves any number of workers.
func MostWorkers(connections int) int { return newShare(connections).most(knowledge.MaxGraphWorkers) }

// NewSettings returns Settings of a Graph with so many connections; Run keeps them fresh. It
// warns when they allow more workers than there can be; these are what Graph uses.
func NewSettings(read func(ctx context.Context) (knowledge.GraphSettings, error), connections int, log *slog.Logger) *Settings {
	s := &Settings{read: read, reread: kappa.NewWaker(), most: MostWorkers(connections), log: log}
	first := knowledge.DefaultGraphSettings()
	s.now.Store(&first)
	return s
}

// Now returns the settings. It does not wait.
func (s *Settings) Now() knowledge.GraphSettings { return *s.now.Load() }

// Wake has the settings read again. It returns at once.
func (s *Settings) Wake() { s.reread.Wake() }

// Run reads the settings until ctx ends; it returns nil. While that fails the last ones hold.
func (s *Settings) Run(ctx context.Context) error {
	return kappa.Loop{Name: "reading the settings of the graph", Every: rereadSettings, Wake: s.reread.C(), Log: s.log}.Run(ctx, s.runOnce)
}

func (s *Settings) runOnce(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, settingsTimeout)
	defer cancel()
	is, err := s.read(ctx)
	if err != nil {
		return err
	}
	if s.now.Store(&is); is.MaxWorkers > s.most && is.MaxWorkers != s.said {
		s.log.WarnContext(ctx, "max_workers is more than the connections for the graph leave, and is taken as that; raise KG_POOL_GRAPH, or lower max_workers",
			"max_workers", is.MaxWorkers, "workers", s.most)
	}
	s.said = is.MaxWorkers
	return nil
}
