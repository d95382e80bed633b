package auth

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/kappagraph/kappa"
)

// accounts keeps users. Unknown names and ids are CodeNotFound Errors.
type accounts interface {
	UsersExist(ctx context.Context) (bool, error)
	CreateFirstUser(ctx context.Context, u kappa.User, passwordHash string) (bool, error)
	UserByName(ctx context.Context, username string) (u kappa.User, passwordHash string, err error)
	SetPasswordHash(ctx context.Context, userID int, hash string) error
	RecordLogin(ctx context.Context, userID int) error
}

// clients keeps what acts for users. Unknown ids are CodeNotFound Errors, and
// so are clients of another user where a user is named. CreateClient deletes clients of
// the user that were not used for the longest time, so that at most most are left, but
// not the one that asks; "" is none.
type clients interface {
	CreateClient(ctx context.Context, c kappa.OAuthClient, asks string, most int) (kappa.OAuthClient, error)
	Client(ctx context.Context, clientID string) (kappa.OAuthClient, kappa.User, error)
	Clients(ctx context.Context, userID int) ([]kappa.OAuthClient, error)
	DeleteClient(ctx context.Context, userID int, clientID string) error
	RotateClient(ctx context.Context, userID int, clientID string, secretHash []byte) (kappa.OAuthClient, error)
}

// tokens keeps the state of access tokens. A token that is not valid any more is a
// CodeNotFound Error.
type tokens interface {
	EnsureSecret(ctx context.Context, name string, fresh []byte) ([]byte, error)
	TouchClient(ctx context.Context, clientID string, atMostEvery time.Duration) error
	TokenUser(ctx context.Context, clientID string, generation int, tokenID string) (kappa.User, error)
	RevokeToken(ctx context.Context, tokenID string, expires time.Time) error
	PurgeRevokedTokens(ctx context.Context) error
}

// rights keeps what open streams are examined with. A ticket that is not valid is a
// CodeNotFound Error.
type rights interface {
	AccessEpoch(ctx context.Context) (int64, error)
	StreamUser(ctx context.Context, clientID string, generation int, tokenID string) (kappa.User, error) // as tokens.TokenUser
	AddTicket(ctx context.Context, hash []byte, topic string, p kappa.Principal, most int) error
	RedeemTicket(ctx context.Context, hash []byte, topic string) (kappa.Principal, error)
	PurgeTickets(ctx context.Context) error
}

type store interface {
	accounts
	clients
	tokens
	rights
}

// Config is what a Service needs.
type Config struct {
	Store store
	// Now is the time by which tokens begin and end; nil is this machine's. The
	// servers of one database should go by the same.
	Now func() time.Time
	Log *slog.Logger
}

// Service keeps accounts and authenticates requests. Its methods may be
// called from many goroutines. A failure of the store is returned as it came.
type Service struct {
	store    store
	now      func() time.Time
	log      *slog.Logger
	hasher   *hasher
	attempts *attempts
	signer   *signer
	key      atomic.Pointer[[]byte] // signs tokens; nil until first needed
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
	return &Service{
		store: cfg.Store, now: cfg.Now, log: cfg.Log,
		hasher: newHasher(defaultCost()), attempts: newAttempts(), signer: newSigner(cfg.Now),
	}, nil
}
