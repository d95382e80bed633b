package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/kappagraph/kappa/access"
)

// probeTimeout bounds each try to find a server at an address.
const probeTimeout = 5 * time.Second

// Credentials are what a login leaves behind: a client that acts for the user,
// until it is deleted. The secret is shown once.
type Credentials struct {
	access.OAuthClient
	Secret string `json:"client_secret"`
}

// Login makes a personal client for the user. name says what it is for; empty
// leaves that to the server. A wrong name or password is an Error with
// kappa.CodeUnauthenticated.
func (c *Client) Login(ctx context.Context, username, password, name string) (Credentials, error) {
	form := url.Values{"username": {username}, "password": {password}, "scope": {"read:* write:*"}}
	if name != "" {
		form.Set("client_name", name)
	}
	in := withForm("/auth/oauth/clients/personal", form)
	in.public = true
	out, err := fetch[Credentials](ctx, c, in)
	if err != nil {
		return out, err
	}
	if out.ClientID == "" || out.Secret == "" {
		return out, errors.New("the server answered the login without credentials")
	}
	return out, nil
}

// OAuthClients returns the caller's personal clients.
func (c *Client) OAuthClients(ctx context.Context) ([]access.OAuthClient, error) {
	out, err := fetch[struct {
		Clients []access.OAuthClient `json:"clients"`
	}](ctx, c, get("/auth/oauth/clients/personal", nil))
	return out.Clients, err
}

// NewOAuthClient makes another personal client for the caller. scope is a list
// parted by spaces; empty leaves it to the server.
func (c *Client) NewOAuthClient(ctx context.Context, name, scope string) (Credentials, error) {
	form := url.Values{"client_name": {name}}
	if scope != "" {
		form.Set("scope", scope)
	}
	return fetch[Credentials](ctx, c, withForm("/auth/oauth/clients/personal/new", form))
}

// DeleteOAuthClient deletes a personal client of the caller; its tokens are
// void at once. Deleting the client's own is the logout.
func (c *Client) DeleteOAuthClient(ctx context.Context, clientID string) error {
	_, _, err := c.exchange(ctx, call{method: http.MethodDelete, path: "/auth/oauth/clients/personal/" + url.PathEscape(clientID)})
	return err
}

// RotateSecret gives a personal client of the caller a new secret, which is
// returned; the old one and its tokens are void at once.
func (c *Client) RotateSecret(ctx context.Context, clientID string) (string, error) {
	path := "/auth/oauth/clients/personal/" + url.PathEscape(clientID) + "/rotate-secret"
	out, err := fetch[struct {
		Secret string `json:"client_secret"`
	}](ctx, c, call{method: http.MethodPost, path: path})
	return out.Secret, err
}

// RevokeToken makes an access token void. An unknown one is no error.
func (c *Client) RevokeToken(ctx context.Context, token string) error {
	_, _, err := c.exchange(ctx, withForm("/auth/oauth/revoke", url.Values{"token": {token}}))
	return err
}

// Probe returns where under address Kappa answers: the address itself, or the
// path /api below it. It wraps ErrUnreachable when nobody answers at all.
func Probe(ctx context.Context, cfg Config, address string) (string, error) {
	base, err := NormalURL(address)
	if err != nil {
		return "", err
	}
	var reached bool
	var last error
	for _, candidate := range []string{base, base + "/api"} {
		cfg.BaseURL = candidate
		found, err := probe(ctx, cfg)
		if found {
			return candidate, nil
		}
		reached, last = reached || !errors.Is(err, ErrUnreachable), errors.Join(last, err)
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		if errors.Is(err, ErrUnreachable) {
			break // the path makes no difference
		}
	}
	if !reached {
		return "", last
	}
	return "", fmt.Errorf("no Kappa server answers at %s", base)
}

// probe reports whether the root of the address answers as Kappa does.
func probe(ctx context.Context, cfg Config) (bool, error) {
	c, err := New(cfg)
	if err != nil {
		return false, err
	}
	if cfg.HTTPClient == nil {
		defer c.Close()
	}
	within, cancel := context.WithTimeoutCause(ctx, probeTimeout, fmt.Errorf("no answer within %s", probeTimeout))
	defer cancel()
	resp, err := c.attempt(within, call{method: http.MethodGet, path: "/", public: true}, "")
	if err != nil {
		return false, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxProblemBytes))
	if err != nil {
		return false, c.unreachable(err)
	}
	mediaType, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	return strings.HasSuffix(mediaType, "json") && looksLikeKappa(body), nil
}

// looksLikeKappa reports whether body is the answer of a server's root.
func looksLikeKappa(body []byte) bool {
	var root struct {
		Service   json.RawMessage `json:"service"`
		Endpoints json.RawMessage `json:"endpoints"`
		Status    string          `json:"status"`
	}
	return json.Unmarshal(body, &root) == nil && (root.Service != nil || root.Endpoints != nil || root.Status == "healthy")
}
