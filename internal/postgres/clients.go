package postgres

import (
	"context"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/internal/postgres/db"
)

// ClientStore keeps the clients that act for users.
type ClientStore struct{ *base }

// Clients returns the store of the clients of users.
func (d *DB) Clients() ClientStore { return ClientStore{&d.base} }

const clientIDConstraint = "oauth_clients_pkey"

// The kinds of clients: those that log in, API keys, and sessions of the console.
const (
	personalClient = "personal"
	keyClient      = "key"
	sessionClient  = "session"
)

// CreateClient stores c for its user and then deletes those clients of the user
// that were not used for the longest time, so that at most most are left. The client
// that asks for it, "" for none, is not deleted. It returns a CodeNotFound Error for an
// unknown user, and a CodeConflict Error when the client's id is taken, or when there
// is no other client to make room. A session counts among sessions only.
func (s ClientStore) CreateClient(ctx context.Context, c access.OAuthClient, asks string, most int) (access.OAuthClient, error) {
	others := most - 1
	if asks != "" {
		others--
	}
	if others < 0 {
		return access.OAuthClient{}, conflict("An account has at most %d clients; delete one first", most)
	}
	kind := personalClient
	if c.Session {
		kind = sessionClient
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
			ClientID: c.ClientID, UserID: int32(c.UserID), Name: c.Name, SecretHash: c.SecretHash, Scopes: c.Scopes, Kind: kind, ExpiresAt: instant(c.ExpiresAt), ProvedAt: instant(c.ProvedAt),
		})
		if err != nil {
			return err
		}
		if err := q.ClientPrune(ctx, db.ClientPruneParams{UserID: int32(c.UserID), Newest: c.ClientID, Asking: asks, Kind: kind, Others: int32(others)}); err != nil {
			return err
		}
		return record(ctx, q, act{action: "client.create", object: "client", id: c.ClientID, after: map[string]any{"name": c.Name, "scopes": c.Scopes}})
	})
	if violates(err, clientIDConstraint) {
		return access.OAuthClient{}, conflict("OAuth client '%s' already exists", c.ClientID)
	}
	if err != nil {
		return access.OAuthClient{}, translate(err, "create a client")
	}
	return toOAuthClient(row), nil
}

// Client returns a client and its user. It returns a CodeNotFound Error for an
// unknown id.
func (s ClientStore) Client(ctx context.Context, clientID string) (access.OAuthClient, access.User, error) {
	row, err := s.accounts().ClientByID(ctx, clientID)
	if isNoRows(err) {
		return access.OAuthClient{}, access.User{}, errClientNotFound(clientID)
	}
	if err != nil {
		return access.OAuthClient{}, access.User{}, translate(err, "read a client")
	}
	return toOAuthClient(row.KgApiOauthClient), toUser(row.KgApiUser), nil
}

// Clients returns a user's clients, oldest first.
func (s ClientStore) Clients(ctx context.Context, userID int) ([]access.OAuthClient, error) {
	return s.ofKind(ctx, userID, personalClient)
}

// Sessions returns a user's sessions of the console, oldest first, with those that have ended
// and are not purged yet.
func (s ClientStore) Sessions(ctx context.Context, userID int) ([]access.OAuthClient, error) {
	return s.ofKind(ctx, userID, sessionClient)
}

func (s ClientStore) ofKind(ctx context.Context, userID int, kind string) ([]access.OAuthClient, error) {
	rows, err := s.accounts().ClientList(ctx, rowID(userID), kind)
	if err != nil {
		return nil, translate(err, "list clients")
	}
	clients := make([]access.OAuthClient, len(rows))
	for i, row := range rows {
		clients[i] = toOAuthClient(row)
	}
	return clients, nil
}

// DeleteClient deletes a client of the user, and with it every token that was
// made for it. It returns a CodeNotFound Error when the user has no such client.
func (s ClientStore) DeleteClient(ctx context.Context, userID int, clientID string) error {
	return translate(inTx(ctx, s.auth, func(q *db.Queries) error {
		n, err := q.ClientDelete(ctx, clientID, int32(userID))
		if err == nil && n == 0 {
			return errClientNotFound(clientID)
		}
		if err != nil {
			return err
		}
		return record(ctx, q, act{action: "client.delete", object: "client", id: clientID})
	}), "delete a client")
}

// RotateClient replaces the secret of a client of the user and makes the tokens
// of the old one void. It returns a CodeNotFound Error when the user has no such
// client.
func (s ClientStore) RotateClient(ctx context.Context, userID int, clientID string, secretHash []byte) (access.OAuthClient, error) {
	var row db.KgApiOauthClient
	err := inTx(ctx, s.auth, func(q *db.Queries) (err error) {
		if row, err = q.ClientRotate(ctx, secretHash, clientID, int32(userID)); err != nil {
			return err
		}
		return record(ctx, q, act{action: "client.rotate_secret", object: "client", id: clientID})
	})
	if isNoRows(err) {
		return access.OAuthClient{}, errClientNotFound(clientID)
	}
	if err != nil {
		return access.OAuthClient{}, translate(err, "rotate a client's secret")
	}
	return toOAuthClient(row), nil
}

// TouchClient records that a client was used now, unless the last record is younger
// than atMostEvery.
func (s ClientStore) TouchClient(ctx context.Context, clientID string, atMostEvery time.Duration) error {
	return translate(s.accounts().ClientTouch(ctx, clientID, atMostEvery), "record the use of a client")
}

// TouchSession has a session last for idle from now on, but no longer than longest after
// it began. It does nothing to one that has ended.
func (s ClientStore) TouchSession(ctx context.Context, clientID string, idle, longest time.Duration) error {
	return translate(s.accounts().SessionTouch(ctx, idle, longest, clientID), "record the use of a session")
}

// PurgeSessions forgets the sessions that have ended.
func (s ClientStore) PurgeSessions(ctx context.Context) error {
	return translate(s.accounts().SessionPurge(ctx), "purge sessions")
}

func errClientNotFound(clientID string) error {
	return notFound("OAuth client '%s' not found", clientID)
}

// toOAuthClient converts a row. Every client is active as long as it exists.
func toOAuthClient(row db.KgApiOauthClient) access.OAuthClient {
	return access.OAuthClient{
		ClientID: row.ClientID, Name: row.Name, ClientType: "confidential", GrantTypes: []string{"client_credentials"},
		Scopes: row.Scopes, CreatedAt: kappa.At(row.CreatedAt), LastUsedAt: kappa.AtPtr(row.LastUsedAt), Active: true,
		UserID: int(row.UserID), SecretHash: row.SecretHash, Generation: int(row.Generation), Key: row.Kind == keyClient, Session: row.Kind == sessionClient, ExpiresAt: kappa.AtPtr(row.ExpiresAt),
		ProvedAt: kappa.AtPtr(row.ProvedAt),
	}
}
