package postgres

import (
	"context"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/internal/postgres/db"
)

// CreateKey stores an API key for its user. It returns a CodeNotFound Error for an unknown
// user, and a CodeConflict Error when the user has most keys, or the id is taken.
func (s ClientStore) CreateKey(ctx context.Context, c access.OAuthClient, most int) (access.OAuthClient, error) {
	var row db.KgApiOauthClient
	err := inTx(ctx, s.auth, func(q *db.Queries) error {
		_, err := q.UserLock(ctx, int32(c.UserID))
		if isNoRows(err) {
			return errUserNotFound()
		}
		if err != nil {
			return err
		}
		keys, err := q.KeyCount(ctx, int32(c.UserID))
		if err != nil {
			return err
		}
		if keys >= int64(most) {
			return conflict("An account has at most %d API keys; delete one first", most)
		}
		row, err = q.ClientInsert(ctx, db.ClientInsertParams{
			ClientID: c.ClientID, UserID: int32(c.UserID), Name: c.Name, SecretHash: c.SecretHash, Scopes: c.Scopes,
			Kind: keyClient, ExpiresAt: instant(c.ExpiresAt),
		})
		if err != nil {
			return err
		}
		return record(ctx, q, act{action: "key.create", object: "key", id: c.ClientID, after: map[string]any{"name": c.Name, "scopes": c.Scopes, "expires_at": c.ExpiresAt}})
	})
	if violates(err, clientIDConstraint) {
		return access.OAuthClient{}, conflict("API key '%s' already exists", c.ClientID)
	}
	if err != nil {
		return access.OAuthClient{}, translate(err, "create an API key")
	}
	return toOAuthClient(row), nil
}

// Keys returns the API keys of a user, and with 0 those of all, oldest first.
func (s ClientStore) Keys(ctx context.Context, userID int) ([]access.APIKey, error) {
	rows, err := s.accounts().KeyList(ctx, rowID(userID))
	if err != nil {
		return nil, translate(err, "list API keys")
	}
	keys := make([]access.APIKey, len(rows))
	for i, r := range rows {
		c := r.KgApiOauthClient
		keys[i] = access.APIKey{
			ID: c.ClientID, Name: c.Name, UserID: int(c.UserID), Username: r.Username, Scopes: c.Scopes,
			CreatedAt: kappa.At(c.CreatedAt), ExpiresAt: kappa.AtPtr(c.ExpiresAt), LastUsedAt: kappa.AtPtr(c.LastUsedAt),
		}
	}
	return keys, nil
}

// DeleteKey deletes an API key of a user, which is void at once. It returns a
// CodeNotFound Error when the user has no such key.
func (s ClientStore) DeleteKey(ctx context.Context, userID int, id string) error {
	return translate(inTx(ctx, s.auth, func(q *db.Queries) error {
		n, err := q.ClientDelete(ctx, id, int32(userID))
		if err == nil && n == 0 {
			return notFound("API key '%s' not found", id)
		}
		if err != nil {
			return err
		}
		return record(ctx, q, act{action: "key.delete", object: "key", id: id, before: map[string]any{"user_id": userID}})
	}), "delete an API key")
}
