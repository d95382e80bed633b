package auth

import (
	"context"
	"encoding/hex"
	"fmt"
	"hash/crc32"
	"strings"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
)

// An API key is kgk_<id>_<secret><checksum>: 12, 64 and 8 hexadecimal digits. The prefix
// lets scanners of repositories find one, and the checksum lets them, and us, tell a
// mistyped one without a look into the database.
const (
	keyPrefix     = "kgk_"
	keyIDDigits   = 12
	keySumDigits  = 8
	keyDigits     = 2*secretBytes + keySumDigits
	keyTextLength = len(keyPrefix) + keyIDDigits + 1 + keyDigits
	keyForever    = 10 * 365 * 24 * time.Hour // of the principal of a key that does not expire
)

// isKey reports whether a bearer is meant to be an API key.
func isKey(bearer string) bool { return strings.HasPrefix(bearer, keyPrefix) }

// newKey returns the id and the secret of a new key, and its text.
func newKey() (id, secret, text string) {
	id = keyPrefix + hex.EncodeToString(randomBytes(keyIDDigits/2))
	secret = hex.EncodeToString(randomBytes(secretBytes))
	text = id + "_" + secret
	return id, secret, text + checksum(text)
}

func checksum(text string) string { return fmt.Sprintf("%08x", crc32.ChecksumIEEE([]byte(text))) }

// parseKey splits the text of a key, and reports whether it is one.
func parseKey(text string) (id, secret string, ok bool) {
	if len(text) != keyTextLength || !isKey(text) || text[len(keyPrefix)+keyIDDigits] != '_' {
		return "", "", false
	}
	body, sum := text[:keyTextLength-keySumDigits], text[keyTextLength-keySumDigits:]
	if checksum(body) != sum {
		return "", "", false
	}
	return body[:len(keyPrefix)+keyIDDigits], body[len(keyPrefix)+keyIDDigits+1:], true
}

// keyStore keeps API keys. Unknown ids are CodeNotFound Errors.
type keyStore interface {
	Client(ctx context.Context, clientID string) (access.OAuthClient, access.User, error)
	CreateKey(ctx context.Context, c access.OAuthClient, most int) (access.OAuthClient, error)
	Keys(ctx context.Context, userID int) ([]access.APIKey, error)
	DeleteKey(ctx context.Context, userID int, id string) error
}

// Keys keeps API keys, each of which is a bearer by itself.
type Keys struct {
	store keyStore
	now   func() time.Time
}

// NewAPIKey makes an API key of the principal's user, and returns its text this once. It
// returns a CodeForbidden Error when the principal may only read, when it is an API key
// itself, and for scopes that the principal has not; a CodeInvalid Error for a name or a time
// that breaks the rules; a CodeMalformed Error for scopes that do not exist; and a
// CodeConflict Error when the user has access.MaxUserKeys.
func (s *Keys) NewAPIKey(ctx context.Context, p access.Principal, n access.NewAPIKey) (access.APIKey, string, error) {
	if !p.InScope(access.APIKeysWrite) || isKey(p.ClientID) {
		return access.APIKey{}, "", denied(access.APIKeysWrite)
	}
	scopes, err := clientScopes(n.Scope)
	if err != nil {
		return access.APIKey{}, "", err
	}
	if err := kappa.JoinInvalid(checkText("name", n.Name, maxClientName), s.checkKey(n)); err != nil {
		return access.APIKey{}, "", err
	}
	if !within(scopes, p.Scopes) {
		return access.APIKey{}, "", kappa.NewError(kappa.CodeForbidden, "The scope must be within that of the caller: "+strings.Join(p.Scopes, " "))
	}
	for range idTries {
		id, secret, text := newKey()
		var key access.OAuthClient
		key, err = s.store.CreateKey(ctx, access.OAuthClient{
			ClientID: id, UserID: p.User.ID, Name: n.Name, Scopes: scopes, SecretHash: hashSecret(secret), ExpiresAt: n.ExpiresAt,
		}, access.MaxUserKeys)
		if err == nil {
			return access.APIKey{
				ID: id, Name: key.Name, UserID: p.User.ID, Username: p.User.Username, Scopes: scopes, CreatedAt: key.CreatedAt, ExpiresAt: key.ExpiresAt,
			}, text, nil
		}
		if kappa.ErrorCode(err) != kappa.CodeConflict || !strings.Contains(kappa.ErrorMessage(err), "already exists") {
			break
		}
	}
	return access.APIKey{}, "", err
}

func (s *Keys) checkKey(n access.NewAPIKey) error {
	var broken []kappa.FieldError
	if strings.TrimSpace(n.Name) == "" {
		broken = append(broken, kappa.FieldError{In: "body", Name: "name", Rule: "must not be empty"})
	}
	if n.ExpiresAt != nil && (!n.ExpiresAt.After(s.now()) || n.ExpiresAt.UTC().Year() > 9998) {
		broken = append(broken, kappa.FieldError{In: "body", Name: "expires_at", Rule: "must lie ahead, and before the year 9999"})
	}
	return kappa.Invalid(broken...)
}

// APIKeys returns the keys of the principal's user, and those of all users for all true,
// which takes the permission api_keys:read for all rows.
func (s *Keys) APIKeys(ctx context.Context, p access.Principal, all bool) ([]access.APIKey, error) {
	user := p.User.ID
	if all {
		if p.Reach(access.APIKeysRead) != access.ReachAll {
			return nil, denied(access.APIKeysRead)
		}
		user = 0
	}
	return s.store.Keys(ctx, user)
}

// DeleteAPIKey deletes a key, which is void at once. It returns a CodeNotFound Error for an
// unknown one and for that of another user without the permission to read it, and a
// CodeForbidden Error without the permission api_keys:delete for all rows.
func (s *Keys) DeleteAPIKey(ctx context.Context, p access.Principal, id string) error {
	if !p.InScope(access.APIKeysDelete) && id != p.ClientID {
		return denied(access.APIKeysDelete)
	}
	key, _, err := s.store.Client(ctx, id)
	if unknown(err) || err == nil && !key.Key {
		return errNoKey()
	}
	if err != nil {
		return err
	}
	if key.UserID != p.User.ID {
		if err := p.PermitFound(access.APIKeysDelete, access.Row{Owner: key.UserID, ID: id}, errNoKey()); err != nil {
			return err
		}
	}
	return s.store.DeleteKey(ctx, key.UserID, id)
}

func errNoKey() error { return kappa.NewError(kappa.CodeNotFound, "API key not found") }
