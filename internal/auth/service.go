package auth

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/kappagraph/kappa/access"
)

// accounts keeps users. Unknown names and ids are CodeNotFound Errors.
type accounts interface {
	UsersExist(ctx context.Context) (bool, error)
	CreateFirstUser(ctx context.Context, u access.User, passwordHash string) (bool, error)
	UserByName(ctx context.Context, username string) (u access.User, passwordHash string, err error)
	SetPasswordHash(ctx context.Context, userID int, hash string) error
	// RecordLogin records a login: when it failed, with the user whose password was wrong,
	// or the zero User for a name that nobody has.
	RecordLogin(ctx context.Context, u access.User, l access.LoginRecord) error
}

// clients keeps what acts for users. Unknown ids are CodeNotFound Errors, and
// so are clients of another user where a user is named. CreateClient deletes clients of
// the user that were not used for the longest time, so that at most most are left, but
// not the one that asks; "" is none.
type clients interface {
	CreateClient(ctx context.Context, c access.OAuthClient, asks string, most int) (access.OAuthClient, error)
	Client(ctx context.Context, clientID string) (access.OAuthClient, access.User, error)
	Clients(ctx context.Context, userID int) ([]access.OAuthClient, error)
	DeleteClient(ctx context.Context, userID int, clientID string) error
	RotateClient(ctx context.Context, userID int, clientID string, secretHash []byte) (access.OAuthClient, error)
}

// tokens keeps the state of access tokens. A token that is not valid any more is a
// CodeNotFound Error.
type tokens interface {
	EnsureSecret(ctx context.Context, name string, fresh []byte) ([]byte, error)
	TouchClient(ctx context.Context, clientID string, atMostEvery time.Duration) error
	TokenUser(ctx context.Context, clientID string, generation int, tokenID string) (u access.User, epoch int64, err error)
	RevokeToken(ctx context.Context, tokenID string, expires time.Time) error
	PurgeRevokedTokens(ctx context.Context) error
}

// rights keeps what open streams are examined with. A ticket that is not valid is a
// CodeNotFound Error.
type rights interface {
	AccessEpoch(ctx context.Context) (int64, error)
	StreamUser(ctx context.Context, clientID string, generation int, tokenID string) (u access.User, epoch int64, err error) // as tokens.TokenUser
	AddTicket(ctx context.Context, hash []byte, topic string, p access.Principal, most int) error
	RedeemTicket(ctx context.Context, hash []byte, topic string) (access.Principal, error)
	PurgeTickets(ctx context.Context) error
}

// users keeps the accounts that administrators make and change. allow is asked with the
// account under a lock; what it returns ends the change.
type users interface {
	Users(ctx context.Context, f access.UserFilter) ([]access.User, int, error)
	User(ctx context.Context, id int) (access.User, error)
	// Usernames returns the names, by account, that another may look like: all, or for a
	// name in plain ASCII those that are not.
	Usernames(ctx context.Context, ascii bool) (map[int]string, error)
	CreateUser(ctx context.Context, n access.NewUser, passwordHash string) (access.User, error)
	UpdateUser(ctx context.Context, id int, u access.UserUpdate, passwordHash, asks string, allow func(access.User) error) (access.User, error)
	DeleteUser(ctx context.Context, id int, allow func(access.User) error) error
}

// roles keeps the custom roles, what they are granted, and who has which. The epoch of
// Policy is that of AccessEpoch.
type roles interface { //nolint:interfacebloat // five nouns that are changed together
	Policy(ctx context.Context) (p *access.Policy, epoch int64, err error)
	CreateRole(ctx context.Context, n access.NewRole) (access.Role, error)
	UpdateRole(ctx context.Context, name string, u access.RoleUpdate) (access.Role, error)
	DeleteRole(ctx context.Context, name string) error
	AddGrant(ctx context.Context, n access.NewRoleGrant) (access.RoleGrant, error)
	RemoveGrant(ctx context.Context, id int) error
	Assignments(ctx context.Context, userID int) ([]access.RoleAssignment, error)
	Assign(ctx context.Context, n access.NewRoleAssignment) (access.RoleAssignment, error)
	Unassign(ctx context.Context, id int, allow func(access.RoleAssignment) error) error
	ResourceTypes(ctx context.Context) ([]access.ResourceType, error)
	AddResourceType(ctx context.Context, n access.NewResourceType) (access.ResourceType, error)
}

// keys keeps API keys.
type keys interface {
	CreateKey(ctx context.Context, c access.OAuthClient, most int) (access.OAuthClient, error)
	Keys(ctx context.Context, userID int) ([]access.APIKey, error)
	DeleteKey(ctx context.Context, userID int, id string) error
}

type store interface {
	accounts
	clients
	tokens
	rights
	users
	roles
	keys
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
	policy   policyCache
	register bool
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
		hasher: newHasher(defaultCost()), attempts: newAttempts(), signer: newSigner(cfg.Now), register: cfg.Register,
	}, nil
}
