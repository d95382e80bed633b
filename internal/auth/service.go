package auth

import (
	"context"
	"errors"
	"log/slog"
	"time"
)

type store interface {
	accountStore
	clientStore
	tokenStore
	ticketStore
	roleStore
	keyStore
	sessionStore
}

// Config is what a Service needs.
type Config struct {
	Store store
	// Now is the time by which tokens begin and end; nil is this machine's. The
	// servers of one database should go by the same.
	Now func() time.Time
	// Register lets anybody make an account, with the role read_only.
	Register bool
	Log      *slog.Logger
}

// Service is who may do what, in parts that keep one thing each. Their methods may be
// called from many goroutines. A failure of the store is returned as it came.
type Service struct {
	Policies *Policies
	Accounts *Accounts
	Clients  *Clients
	Keys     *Keys
	Tokens   *Tokens
	Tickets  *Tickets
	Roles    *Roles
	Sessions *Sessions
}

// New returns a Service. It starts nothing and asks the store nothing.
func New(cfg Config) (*Service, error) {
	var errs []error
	if cfg.Store == nil {
		errs = append(errs, errors.New("auth: Store must be set"))
	}
	if cfg.Log == nil {
		errs = append(errs, errors.New("auth: Log must be set"))
	}
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	return wire(cfg, newHasher(defaultCost())), nil
}

// wire makes the parts of a Service whose passwords a hasher hashes.
func wire(cfg Config, h *hasher) *Service {
	policies := &Policies{store: cfg.Store, now: cfg.Now}
	passwords := &passwords{store: cfg.Store, hasher: h, attempts: newAttempts(), log: cfg.Log}
	accounts := &Accounts{store: cfg.Store, policies: policies, passwords: passwords, now: cfg.Now, register: cfg.Register}
	tokens := &Tokens{store: cfg.Store, policies: policies, signer: newSigner(cfg.Now), now: cfg.Now, log: cfg.Log}
	return &Service{
		Policies: policies,
		Accounts: accounts,
		Clients:  &Clients{store: cfg.Store, passwords: passwords, now: cfg.Now},
		Keys:     &Keys{store: cfg.Store, now: cfg.Now},
		Tokens:   tokens,
		Tickets:  &Tickets{store: cfg.Store, policies: policies, now: cfg.Now},
		Sessions: &Sessions{store: cfg.Store, passwords: passwords, tokens: tokens, now: cfg.Now, log: cfg.Log},
		Roles:    &Roles{store: cfg.Store, policies: policies, users: accounts, now: cfg.Now},
	}
}

// Bootstrap creates the account admin if there is no account yet but system,
// and the key that signs tokens. The password is the one given, or for "" a
// random one, which is returned when, and only when, this call made the account
// with it. A second call changes nothing. Of several servers that start at
// once, one creates the account. It returns a CodeInvalid Error for a password
// that breaks the rules, when it is needed: a server that runs goes on with the one that
// its administrator has.
func (s *Service) Bootstrap(ctx context.Context, password string) (generated string, err error) {
	if _, err := s.Tokens.signingKey(ctx); err != nil {
		return "", err
	}
	return s.Accounts.bootstrap(ctx, password)
}

// Purge deletes revoked tokens, tickets and sessions that have expired, which are refused
// anyway. Call it about every hour.
func (s *Service) Purge(ctx context.Context) error {
	return errors.Join(s.Tokens.store.PurgeRevokedTokens(ctx), s.Tickets.store.PurgeTickets(ctx), s.Sessions.store.PurgeSessions(ctx))
}
