package auth

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
)

const (
	secretBytes   = 32  // of randomness in a client's secret
	maxClientName = 200 // characters
	maxIDName     = 40  // bytes of the username in a client's id
	idTries       = 3   // ids to try before giving up
)

// What the scopes of a token must permit. Each user may do it with clients of their own.
const (
	createClients = access.OAuthClientsCreate
	deleteClients = access.OAuthClientsDelete
	writeClients  = access.OAuthClientsWrite
)

// clientStore keeps what acts for users. Unknown ids are CodeNotFound Errors, and
// so are clients of another user where a user is named. CreateClient deletes clients of
// the user that were not used for the longest time, so that at most most are left, but
// not the one that asks; "" is none.
type clientStore interface {
	CreateClient(ctx context.Context, c access.OAuthClient, asks string, most int) (access.OAuthClient, error)
	Client(ctx context.Context, clientID string) (access.OAuthClient, access.User, error)
	Clients(ctx context.Context, userID int) ([]access.OAuthClient, error)
	DeleteClient(ctx context.Context, userID int, clientID string) error
	RotateClient(ctx context.Context, userID int, clientID string, secretHash []byte) (access.OAuthClient, error)
}

// Clients keeps what acts for users: a login makes one.
type Clients struct {
	store     clientStore
	passwords *passwords
	now       func() time.Time
}

// Clients returns a user's clients, oldest first, without their secrets.
func (s *Clients) Clients(ctx context.Context, userID int) ([]access.OAuthClient, error) {
	return s.store.Clients(ctx, userID)
}

// NewClient creates another client of the principal's user. Name and scopes,
// space separated, may be "". The principal's own client is never deleted to make room
// for the new one. It fails like Login does, but for the password, and with a
// CodeForbidden Error when the principal may only read.
func (s *Clients) NewClient(ctx context.Context, p access.Principal, name, scopes string) (client access.OAuthClient, secret string, err error) {
	if !p.InScope(createClients) {
		return access.OAuthClient{}, "", denied(createClients)
	}
	granted, err := clientScopes(scopes)
	if err != nil {
		return access.OAuthClient{}, "", err
	}
	if err := checkText("client_name", name, maxClientName); err != nil {
		return access.OAuthClient{}, "", err
	}
	return s.createClient(ctx, p.User, p.ClientID, name, granted, nil)
}

// DeleteClient deletes a client of the principal's user, and its tokens are void
// at once. A principal that may only read can delete its own client: that is how
// it logs out. It returns a CodeNotFound Error for an unknown client and for one of
// another user.
func (s *Clients) DeleteClient(ctx context.Context, p access.Principal, clientID string) error {
	if clientID != p.ClientID && !p.InScope(deleteClients) {
		return denied(deleteClients)
	}
	if err := s.checkOwner(ctx, p, clientID); err != nil {
		return err
	}
	return s.store.DeleteClient(ctx, p.User.ID, clientID)
}

// RotateSecret gives a client of the principal's user a new secret, returned
// this once. The old one and the tokens made with it are void at once. It fails
// like DeleteClient.
func (s *Clients) RotateSecret(ctx context.Context, p access.Principal, clientID string) (client access.OAuthClient, secret string, rotatedAt kappa.Time, err error) {
	if !p.InScope(writeClients) {
		return access.OAuthClient{}, "", kappa.Time{}, denied(writeClients)
	}
	if err := s.checkOwner(ctx, p, clientID); err != nil {
		return access.OAuthClient{}, "", kappa.Time{}, err
	}
	secret = newSecret()
	client, err = s.store.RotateClient(ctx, p.User.ID, clientID, hashSecret(secret))
	if err != nil {
		return access.OAuthClient{}, "", kappa.Time{}, err
	}
	return client, secret, kappa.At(s.now()), nil
}

func (s *Clients) checkOwner(ctx context.Context, p access.Principal, clientID string) error {
	client, _, err := s.store.Client(ctx, clientID)
	if err != nil {
		return err
	}
	if client.UserID != p.User.ID {
		return kappa.NewError(kappa.CodeNotFound, "OAuth client '"+clientID+"' not found")
	}
	if client.Session && client.ClientID != p.ClientID {
		return kappa.NewError(kappa.CodeForbidden, "It is a session and no client")
	}
	if client.Key {
		return kappa.NewError(kappa.CodeForbidden, "It is an API key and no client")
	}
	return nil
}

func denied(p access.Permission) error {
	return kappa.NewError(kappa.CodeForbidden, "Permission denied: "+p.Action()+" on "+p.Resource())
}

// createClient stores a client with a new id and secret, for the client that asks, "" for
// none. proved is when the password was given for it, nil for not at all. It tries another id when one is taken, which happens once in billions.
func (s *Clients) createClient(ctx context.Context, u access.User, asks, name string, scopes []string, proved *kappa.Time) (access.OAuthClient, string, error) {
	if name == "" {
		name = "kg CLI (" + u.Username + ")"
	}
	secret := newSecret()
	var err error
	for range idTries {
		var client access.OAuthClient
		client, err = s.store.CreateClient(ctx, access.OAuthClient{
			ClientID: newClientID(u.Username), UserID: u.ID, Name: name, Scopes: scopes, SecretHash: hashSecret(secret), ProvedAt: proved,
		}, asks, access.MaxUserClients)
		if err == nil {
			return client, secret, nil
		}
		if kappa.ErrorCode(err) != kappa.CodeConflict {
			return access.OAuthClient{}, "", err
		}
	}
	return access.OAuthClient{}, "", fmt.Errorf("find an id for a client: %w", err)
}

// newClientID returns kg-cli-<user>-<8 hex>, with only characters that a path
// takes as they are.
func newClientID(username string) string {
	user := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '_' || r == '.' {
			return r
		}
		return '-'
	}, strings.ToLower(username))
	return "kg-cli-" + user[:min(len(user), maxIDName)] + "-" + hex.EncodeToString(randomBytes(4))
}

func newSecret() string { return base64.RawURLEncoding.EncodeToString(randomBytes(secretBytes)) }

// hashSecret needs no salt and no slow hash: a secret cannot be guessed.
func hashSecret(secret string) []byte {
	sum := sha256.Sum256([]byte(secret))
	return sum[:]
}

func secretMatches(secret string, hash []byte) bool {
	return subtle.ConstantTimeCompare(hashSecret(secret), hash) == 1
}

// checkText returns a CodeInvalid Error naming the rule that a member of a form breaks,
// without its value: people type passwords into other fields. "" breaks none.
func checkText(member, value string, most int) error {
	var rule string
	switch {
	case !utf8.ValidString(value):
		rule = "must be valid UTF-8"
	case utf8.RuneCountInString(value) > most:
		rule = fmt.Sprintf("must have at most %d characters, got %d", most, utf8.RuneCountInString(value))
	case strings.ContainsFunc(value, unicode.IsControl):
		rule = "must not contain control characters"
	default:
		return nil
	}
	return kappa.Invalid(kappa.FieldError{In: "form", Name: member, Rule: rule})
}
