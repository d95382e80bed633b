package postgres

import (
	"context"
	"time"

	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/internal/postgres/db"
)

// TokenStore keeps what is known of tokens and tickets.
type TokenStore struct{ *base }

// Tokens returns the store of tokens and tickets.
func (d *DB) Tokens() TokenStore { return TokenStore{&d.base} }

// TokenUser returns the user that a token acts for, and the epoch of AccessEpoch. It
// returns a CodeNotFound Error when the client is gone or of another generation, or the
// token revoked.
func (s TokenStore) TokenUser(ctx context.Context, clientID string, generation int, tokenID string) (access.User, int64, error) {
	return tokenUser(ctx, s.auth, clientID, generation, tokenID)
}

// StreamUser is TokenUser for a principal that was authenticated before, as by an open
// stream: it does not wait behind those who are authenticated now.
func (s TokenStore) StreamUser(ctx context.Context, clientID string, generation int, tokenID string) (access.User, int64, error) {
	return tokenUser(ctx, s.rights, clientID, generation, tokenID)
}

func tokenUser(ctx context.Context, p *pool, clientID string, generation int, tokenID string) (access.User, int64, error) {
	row, err := db.New(p).TokenUser(ctx, clientID, int32(generation), tokenID)
	if isNoRows(err) {
		return access.User{}, 0, notFound("the token is not valid any more")
	}
	if err != nil {
		return access.User{}, 0, translate(err, "check a token")
	}
	return toUser(row.KgApiUser), row.Epoch, nil
}

// RevokeToken makes a token void until it expires. Doing so twice is no error.
func (s TokenStore) RevokeToken(ctx context.Context, tokenID string, expires time.Time) error {
	return translate(s.accounts().TokenRevoke(ctx, tokenID, expires), "revoke a token")
}

// PurgeRevokedTokens forgets revoked tokens that have expired.
func (s TokenStore) PurgeRevokedTokens(ctx context.Context) error {
	return translate(s.accounts().TokenPurge(ctx), "purge revoked tokens")
}

// AccessEpoch returns a number that grows, in the same transaction, whenever a
// right is taken from somebody: a token is revoked, a client is deleted or gets a
// new secret, a user is disabled, deleted or gets another role. Like StreamUser
// it does not wait behind requests.
func (s TokenStore) AccessEpoch(ctx context.Context) (int64, error) {
	epoch, err := db.New(s.rights).AccessEpoch(ctx)
	return epoch, translate(err, "read the access epoch")
}

// EnsureSecret stores fresh as the installation's secret of that name unless
// there is one, and returns the one that counts from now on.
func (s TokenStore) EnsureSecret(ctx context.Context, name string, fresh []byte) ([]byte, error) {
	value, err := s.accounts().SecretEnsure(ctx, name, fresh)
	return value, translate(err, "read the secret "+name)
}
