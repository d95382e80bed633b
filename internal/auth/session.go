package auth

import (
	"cmp"
	"context"
	"encoding/hex"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
)

// The text of a session, which its cookie holds, is kgs_<id>_<secret>: 24 and 43 characters.
const (
	sessionPrefix   = "kgs_"
	sessionIDBytes  = 12
	sessionIDLength = len(sessionPrefix) + 2*sessionIDBytes
	sessionIdle     = 12 * time.Hour     // without use a session ends after this
	sessionLongest  = 7 * 24 * time.Hour // and in any case after this
)

// sessionStore keeps sessions, which are clients of a kind of their own. Unknown ids are
// CodeNotFound Errors.
type sessionStore interface {
	CreateClient(ctx context.Context, c access.OAuthClient, asks string, most int) (access.OAuthClient, error)
	Client(ctx context.Context, clientID string) (access.OAuthClient, access.User, error)
	Sessions(ctx context.Context, userID int) ([]access.OAuthClient, error)
	DeleteClient(ctx context.Context, userID int, clientID string) error
	TouchSession(ctx context.Context, clientID string, idle, longest time.Duration) error
	PurgeSessions(ctx context.Context) error
}

// Sessions keeps who is signed in with the console.
type Sessions struct {
	store     sessionStore
	passwords *passwords
	tokens    *Tokens
	now       func() time.Time
	log       *slog.Logger
}

// SignIn checks a username and password and begins a session of that user, whose text is
// returned this once. Its ClientName says which browser it is. A user has at most access.MaxUserSessions; the one that was not used
// for the longest time ends first. It fails like Login.
func (s *Sessions) SignIn(ctx context.Context, in access.Login) (user access.User, text string, expires kappa.Time, err error) {
	if err := kappa.JoinInvalid(checkText("username", in.Username, access.MaxUsername), checkText("client_name", in.ClientName, maxClientName)); err != nil {
		return access.User{}, "", kappa.Time{}, err
	}
	user, err = s.passwords.proveActive(ctx, in)
	if err != nil {
		return access.User{}, "", kappa.Time{}, err
	}
	scopes, err := clientScopes("")
	if err != nil {
		return access.User{}, "", kappa.Time{}, err
	}
	now := s.now()
	expires = kappa.At(now.Add(sessionIdle))
	id, secret := sessionPrefix+hex.EncodeToString(randomBytes(sessionIDBytes)), newSecret()
	_, err = s.store.CreateClient(actingAs(ctx, user), access.OAuthClient{
		ClientID: id, UserID: user.ID, Name: cmp.Or(in.ClientName, "console"), Scopes: scopes, SecretHash: hashSecret(secret),
		Session: true, ExpiresAt: &expires, ProvedAt: kappa.AtPtr(&now),
	}, "", access.MaxUserSessions)
	if err != nil {
		return access.User{}, "", kappa.Time{}, fmt.Errorf("begin a session: %w", err)
	}
	s.passwords.record(ctx, user, access.LoginRecord{Address: in.Address, ClientID: id})
	return user, id + "_" + secret, expires, nil
}

// Session returns the principal of a session by its text. used has it last for another while,
// which is written at most once a minute; what a page does by itself is no use. It returns a
// CodeUnauthenticated Error for a session that is unknown or has ended, and a CodeForbidden
// Error when the user is disabled.
func (s *Sessions) Session(ctx context.Context, text string, used bool) (access.Principal, error) {
	id, secret, ok := parseSession(text)
	if !ok {
		return access.Principal{}, errSession()
	}
	client, user, err := s.store.Client(ctx, id)
	if unknown(err) {
		return access.Principal{}, errSession()
	}
	if err != nil {
		return access.Principal{}, err
	}
	if !client.Session || client.ExpiresAt == nil || !secretMatches(secret, client.SecretHash) || !s.now().Before(client.ExpiresAt.Time) {
		return access.Principal{}, errSession()
	}
	p, err := s.tokens.current(ctx, access.Principal{
		User: user, ClientID: client.ClientID, Scopes: client.Scopes, Generation: client.Generation, ExpiresAt: *client.ExpiresAt,
	}, s.tokens.store.TokenUser)
	if err != nil {
		return access.Principal{}, err
	}
	if used {
		s.touch(ctx, client)
	}
	return p, nil
}

// SignOut ends the session that p comes from: its requests are refused at once, and its
// streams end.
func (s *Sessions) SignOut(ctx context.Context, p access.Principal) error {
	return s.store.DeleteClient(ctx, p.User.ID, p.ClientID)
}

// Open returns the sessions of the user of p that have not ended, oldest first.
func (s *Sessions) Open(ctx context.Context, p access.Principal) ([]access.OpenSession, error) {
	clients, err := s.store.Sessions(ctx, p.User.ID)
	if err != nil {
		return nil, err
	}
	open := []access.OpenSession{}
	for _, c := range clients {
		if c.ExpiresAt != nil && s.now().Before(c.ExpiresAt.Time) {
			open = append(open, access.OpenSession{ID: c.ClientID, Browser: c.Name, CreatedAt: c.CreatedAt, LastUsedAt: c.LastUsedAt, ExpiresAt: *c.ExpiresAt, Current: c.ClientID == p.ClientID})
		}
	}
	return open, nil
}

// End ends a session of the user of p as SignOut does. It returns a CodeNotFound Error for one
// that the user has not.
func (s *Sessions) End(ctx context.Context, p access.Principal, id string) error {
	open, err := s.Open(ctx, p)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(open, func(o access.OpenSession) bool { return o.ID == id }) {
		return kappa.NewError(kappa.CodeNotFound, "Session not found, or it has ended")
	}
	return s.store.DeleteClient(ctx, p.User.ID, id)
}

// touch records that a session was used. A failure is logged and does not concern the caller.
func (s *Sessions) touch(ctx context.Context, c access.OAuthClient) {
	if c.LastUsedAt != nil && s.now().Sub(c.LastUsedAt.Time) < touchEvery {
		return
	}
	if err := s.store.TouchSession(ctx, c.ClientID, sessionIdle, sessionLongest); err != nil {
		s.log.WarnContext(ctx, "use of a session not recorded", "client", c.ClientID, "err", err)
	}
}

// parseSession splits the text of a session, and reports whether it is one.
func parseSession(text string) (id, secret string, ok bool) {
	if len(text) < sessionIDLength+2 || !strings.HasPrefix(text, sessionPrefix) || text[sessionIDLength] != '_' {
		return "", "", false
	}
	return text[:sessionIDLength], text[sessionIDLength+1:], true
}

func errSession() error {
	return kappa.NewError(kappa.CodeUnauthenticated, "The session has ended; sign in again")
}
