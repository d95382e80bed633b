package client

import (
	"context"
	"errors"
	"net/url"
	"time"
)

// tokenMargin is how long before its expiry a token is replaced, at most; a
// token that lives shorter than ten times that is replaced after nine tenths.
const tokenMargin = time.Minute

// tokenCache fetches tokens for one client's credentials and keeps the last.
type tokenCache struct {
	client *Client
	id     string
	secret string

	// turn is held by who reads or replaces the token. It is a channel so that
	// waiting for another's fetch ends with the context.
	turn    chan struct{}
	current string
	fetched time.Time
	renewAt time.Time
}

func newTokenCache(c *Client, id, secret string) *tokenCache {
	return &tokenCache{client: c, id: id, secret: secret, turn: make(chan struct{}, 1)}
}

// token returns a token that is good for the next call, fetching one when there
// is none. Callers that arrive during a fetch share it.
func (t *tokenCache) token(ctx context.Context) (string, error) {
	select {
	case t.turn <- struct{}{}:
	case <-ctx.Done():
		return "", ctx.Err()
	}
	defer func() { <-t.turn }()
	if t.current != "" && time.Now().Before(t.renewAt) {
		return t.current, nil
	}
	fetched, err := t.fetch(ctx)
	if err != nil {
		return "", err
	}
	life := time.Duration(fetched.ExpiresIn) * time.Second
	t.current, t.fetched = fetched.AccessToken, time.Now()
	t.renewAt = t.fetched.Add(life - min(tokenMargin, life/10))
	return t.current, nil
}

// drop forgets a token that the server refused, unless another caller has
// replaced it already.
func (t *tokenCache) drop(refused string) {
	t.turn <- struct{}{} // held for as long as a fetch at most
	defer func() { <-t.turn }()
	if t.current == refused {
		t.current = ""
	}
}

// dropUntil forgets the token if it was fetched at an instant or before: what was
// begun then is refused now. A younger token is another caller's replacement.
func (t *tokenCache) dropUntil(instant time.Time) {
	t.turn <- struct{}{} // held for as long as a fetch at most
	defer func() { <-t.turn }()
	if !t.fetched.After(instant) {
		t.current = ""
	}
}

// accessToken is the answer of the token endpoint.
type accessToken struct {
	AccessToken string `json:"access_token"`
	ExpiresIn   int    `json:"expires_in"` // seconds
}

func (t *tokenCache) fetch(ctx context.Context) (accessToken, error) {
	in := withForm("/auth/oauth/token", url.Values{
		"grant_type":    {"client_credentials"},
		"client_id":     {t.id},
		"client_secret": {t.secret},
	})
	in.public = true
	out, err := fetch[accessToken](ctx, t.client, in)
	if err != nil {
		return out, err
	}
	if out.AccessToken == "" {
		return out, errors.New("the server answered the request for a token without one")
	}
	return out, nil
}
