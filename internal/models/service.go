package models

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus/models"
)

const (
	rereadEvery = 15 * time.Second // when no notification comes
	readLimit   = 5 * time.Second
)

// settings are what was set at run time.
type settings interface {
	// Revision returns a number that rises with each change.
	Revision(ctx context.Context) (int64, error)
	Stored(ctx context.Context) (models.Stored, error)
	SetProvider(ctx context.Context, provider string, c models.ProviderChange) error
	SetMaxCalls(ctx context.Context, most *int) error
	SetPrice(ctx context.Context, p models.Price) error
	DeletePrice(ctx context.Context, provider, model string) error
}

// EnvironmentKey is the key of a provider in the environment of a server.
type EnvironmentKey struct {
	Value   string
	Setting string // that has it
}

// Config is what a Service works with.
type Config struct {
	Settings settings
	Profiles profiles
	Keys     keys
	Vault    vault
	// Begin is what the environment of the server sets, and the defaults where it sets
	// nothing.
	Begin models.InUse
	// Environment has the keys that are in the environment, by provider.
	Environment map[string]EnvironmentKey
	Rules       Rules
	Trials      Trials
	Graph       Graph
	// Apply has the server use what it is given. It is called by one goroutine at a time,
	// first by Load.
	Apply func(ctx context.Context, m models.InUse) error
	Log   *slog.Logger
}

// Service keeps which models a server uses. It is safe for concurrent use.
type Service struct {
	cfg    Config
	reread kappa.Waker
	state  atomic.Pointer[state]

	loading sync.Mutex // held while the settings are read and applied
}

// state is what was read last.
type state struct {
	inUse models.InUse
	keys  map[string]storedKey
}

// New returns a Service that has read nothing yet; Load does, and Run keeps it fresh.
func New(cfg Config) *Service {
	s := &Service{cfg: cfg, reread: kappa.NewWaker()}
	s.state.Store(&state{inUse: cfg.Begin})
	return s
}

// InUse returns what this server uses. It does not wait.
func (s *Service) InUse() models.InUse { return s.state.Load().inUse }

// Wake has the settings read again. It returns at once.
func (s *Service) Wake() { s.reread.Wake() }

// Load reads the settings, and applies them.
func (s *Service) Load(ctx context.Context) error {
	s.loading.Lock()
	defer s.loading.Unlock()
	stored, err := s.cfg.Settings.Stored(ctx)
	if err != nil {
		return err
	}
	next := &state{inUse: s.cfg.Begin.With(stored), keys: s.openKeys(ctx, stored.Keys)}
	s.resolve(&next.inUse)
	before := s.state.Swap(next)
	if err := s.cfg.Apply(ctx, next.inUse); err != nil {
		s.state.Store(before)
		return err
	}
	return nil
}

// resolve names the models that are the default of their provider.
func (s *Service) resolve(m *models.InUse) {
	for _, slot := range models.Slots() {
		is := m.Slots[slot]
		if slot == models.SlotVision {
			is.Provider = s.cfg.Rules.Vision(is.Provider, m.Slots[models.SlotExtraction].Provider)
		}
		if is.Model == "" {
			is.Model = s.cfg.Rules.Default(slot, is.Provider)
		}
		m.Slots[slot] = is
	}
}

// Run follows the settings until ctx ends; it returns nil. While they cannot be read the
// last ones are used.
func (s *Service) Run(ctx context.Context) error {
	loop := kappa.Loop{Name: "reading which models to use", Every: rereadEvery, Wake: s.reread.C(), Later: true, Log: s.cfg.Log}
	return loop.Run(ctx, s.runOnce)
}

// runOnce applies the settings if they have changed.
func (s *Service) runOnce(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, readLimit)
	defer cancel()
	revision, err := s.cfg.Settings.Revision(ctx)
	if err != nil || revision == s.InUse().Revision && !s.keyMissing() {
		return err
	}
	return s.Load(ctx)
}

// changed applies what was just stored.
func (s *Service) changed(ctx context.Context, err error) error {
	if err != nil {
		return err
	}
	return s.Load(ctx)
}
