package postgres

import (
	"context"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/postgres/db"
)

// AccountStore keeps users and their passwords.
type AccountStore struct{ *base }

// Accounts returns the store of users.
func (d *DB) Accounts() AccountStore { return AccountStore{&d.base} }

// ClientStore keeps the clients that act for users.
type ClientStore struct{ *base }

// Clients returns the store of the clients of users.
func (d *DB) Clients() ClientStore { return ClientStore{&d.base} }

// TokenStore keeps what is known of tokens and tickets.
type TokenStore struct{ *base }

// Tokens returns the store of tokens and tickets.
func (d *DB) Tokens() TokenStore { return TokenStore{&d.base} }

const clientIDConstraint = "oauth_clients_pkey"

// accounts returns the queries on the pool for accounts, so that requests are
// still authenticated when other work holds every connection.
func (s *base) accounts() *db.Queries { return db.New(s.auth) }

// UsersExist reports whether there is any account besides system.
func (s AccountStore) UsersExist(ctx context.Context) (bool, error) {
	exist, err := s.accounts().UsersExist(ctx)
	return exist, translate(err, "check for accounts")
}

// CreateFirstUser stores u with its password unless there is an account besides
// system, and reports whether it did. Of several callers at once one does.
func (s AccountStore) CreateFirstUser(ctx context.Context, u kappa.User, passwordHash string) (bool, error) {
	n, err := s.accounts().UserInsertFirst(ctx, db.UserInsertFirstParams{
		ID: int32(u.ID), Username: u.Username, Role: u.Role, PasswordHash: passwordHash,
	})
	return n == 1, translate(err, "create the first account")
}

// UserByName returns a user, whatever the case of the name, and its password's
// hash, "" when it has none. It returns a CodeNotFound Error for an unknown name.
func (s AccountStore) UserByName(ctx context.Context, username string) (kappa.User, string, error) {
	row, err := s.accounts().UserByName(ctx, username)
	if isNoRows(err) {
		return kappa.User{}, "", errUserNotFound()
	}
	if err != nil {
		return kappa.User{}, "", translate(err, "read an account")
	}
	hash := ""
	if row.PasswordHash != nil {
		hash = *row.PasswordHash
	}
	return toUser(row), hash, nil
}

// SetPasswordHash replaces the hash of a user's password. It returns a
// CodeNotFound Error for an unknown user.
func (s AccountStore) SetPasswordHash(ctx context.Context, userID int, hash string) error {
	n, err := s.accounts().UserSetPassword(ctx, hash, int32(userID))
	if err == nil && n == 0 {
		return errUserNotFound()
	}
	return translate(err, "store a password")
}

// CreateClient stores c for its user and then deletes those clients of the user
// that were not used for the longest time, so that at most most are left. The client
// that asks for it, "" for none, is not deleted. It returns a CodeNotFound Error for an
// unknown user, and a CodeConflict Error when the client's id is taken, or when there
// is no other client to make room.
func (s ClientStore) CreateClient(ctx context.Context, c kappa.OAuthClient, asks string, most int) (kappa.OAuthClient, error) {
	others := most - 1
	if asks != "" {
		others--
	}
	if others < 0 {
		return kappa.OAuthClient{}, conflict("An account has at most %d clients; delete one first", most)
	}
	var row db.KgApiOauthClient
	err := inTx(ctx, s.auth, func(q *db.Queries) error {
		_, err := q.UserLock(ctx, int32(c.UserID))
		if isNoRows(err) {
			return errUserNotFound()
		}
		if err != nil {
			return err
		}
		row, err = q.ClientInsert(ctx, db.ClientInsertParams{
			ClientID: c.ClientID, UserID: int32(c.UserID), Name: c.Name, SecretHash: c.SecretHash, Scopes: c.Scopes,
		})
		if err != nil {
			return err
		}
		return q.ClientPrune(ctx, db.ClientPruneParams{UserID: int32(c.UserID), Newest: c.ClientID, Asking: asks, Others: int32(others)})
	})
	if violates(err, clientIDConstraint) {
		return kappa.OAuthClient{}, conflict("OAuth client '%s' already exists", c.ClientID)
	}
	if err != nil {
		return kappa.OAuthClient{}, translate(err, "create a client")
	}
	return toOAuthClient(row), nil
}

// RecordLogin records that the user has logged in now.
func (s AccountStore) RecordLogin(ctx context.Context, userID int) error {
	return translate(s.accounts().UserLoggedIn(ctx, int32(userID)), "record a login")
}

// Client returns a client and its user. It returns a CodeNotFound Error for an
// unknown id.
func (s ClientStore) Client(ctx context.Context, clientID string) (kappa.OAuthClient, kappa.User, error) {
	row, err := s.accounts().ClientByID(ctx, clientID)
	if isNoRows(err) {
		return kappa.OAuthClient{}, kappa.User{}, errClientNotFound(clientID)
	}
	if err != nil {
		return kappa.OAuthClient{}, kappa.User{}, translate(err, "read a client")
	}
	return toOAuthClient(row.KgApiOauthClient), toUser(row.KgApiUser), nil
}

// Clients returns a user's clients, oldest first.
func (s ClientStore) Clients(ctx context.Context, userID int) ([]kappa.OAuthClient, error) {
	rows, err := s.accounts().ClientList(ctx, int32(userID))
	if err != nil {
		return nil, translate(err, "list clients")
	}
	clients := make([]kappa.OAuthClient, len(rows))
	for i, row := range rows {
		clients[i] = toOAuthClient(row)
	}
	return clients, nil
}

// DeleteClient deletes a client of the user, and with it every token that was
// made for it. It returns a CodeNotFound Error when the user has no such client.
func (s ClientStore) DeleteClient(ctx context.Context, userID int, clientID string) error {
	n, err := s.accounts().ClientDelete(ctx, clientID, int32(userID))
	if err == nil && n == 0 {
		return errClientNotFound(clientID)
	}
	return translate(err, "delete a client")
}

// RotateClient replaces the secret of a client of the user and makes the tokens
// of the old one void. It returns a CodeNotFound Error when the user has no such
// client.
func (s ClientStore) RotateClient(ctx context.Context, userID int, clientID string, secretHash []byte) (kappa.OAuthClient, error) {
	row, err := s.accounts().ClientRotate(ctx, secretHash, clientID, int32(userID))
	if isNoRows(err) {
		return kappa.OAuthClient{}, errClientNotFound(clientID)
	}
	if err != nil {
		return kappa.OAuthClient{}, translate(err, "rotate a client's secret")
	}
	return toOAuthClient(row), nil
}

// TouchClient records that a client was used now, unless the last record is younger
// than atMostEvery.
func (s ClientStore) TouchClient(ctx context.Context, clientID string, atMostEvery time.Duration) error {
	return translate(s.accounts().ClientTouch(ctx, clientID, atMostEvery), "record the use of a client")
}

// TokenUser returns the user that a token acts for. It returns a CodeNotFound
// Error when the client is gone or of another generation, or the token revoked.
func (s TokenStore) TokenUser(ctx context.Context, clientID string, generation int, tokenID string) (kappa.User, error) {
	return tokenUser(ctx, s.auth, clientID, generation, tokenID)
}

// StreamUser is TokenUser for a principal that was authenticated before, as by an open
// stream: it does not wait behind those who are authenticated now.
func (s TokenStore) StreamUser(ctx context.Context, clientID string, generation int, tokenID string) (kappa.User, error) {
	return tokenUser(ctx, s.rights, clientID, generation, tokenID)
}

func tokenUser(ctx context.Context, p *pool, clientID string, generation int, tokenID string) (kappa.User, error) {
	row, err := db.New(p).TokenUser(ctx, clientID, int32(generation), tokenID)
	if isNoRows(err) {
		return kappa.User{}, notFound("the token is not valid any more")
	}
	if err != nil {
		return kappa.User{}, translate(err, "check a token")
	}
	return toUser(row), nil
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

func errUserNotFound() error { return notFound("User not found") }

func errClientNotFound(clientID string) error {
	return notFound("OAuth client '%s' not found", clientID)
}

func toUser(row db.KgApiUser) kappa.User {
	return kappa.User{
		ID: int(row.ID), Username: row.Username, Role: row.Role, Disabled: row.Disabled,
		CreatedAt: kappa.At(row.CreatedAt), LastLogin: kappa.AtPtr(row.LastLogin),
	}
}

// toOAuthClient converts a row. Every client is a personal one, and active as
// long as it exists.
func toOAuthClient(row db.KgApiOauthClient) kappa.OAuthClient {
	return kappa.OAuthClient{
		ClientID: row.ClientID, Name: row.Name, ClientType: "confidential", GrantTypes: []string{"client_credentials"},
		Scopes: row.Scopes, CreatedAt: kappa.At(row.CreatedAt), LastUsedAt: kappa.AtPtr(row.LastUsedAt), Active: true,
		UserID: int(row.UserID), SecretHash: row.SecretHash, Generation: int(row.Generation),
	}
}
