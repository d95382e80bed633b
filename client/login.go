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

	"github.com/kappagraph/kappa/api"
)

// Login makes a personal client for the user. name says what it is for; empty
// leaves that to the server. A wrong name or password is an Error with
// kappa.CodeUnauthenticated.
func (c *Client) Login(ctx context.Context, username, password, name string) (api.Credentials, error) {
	form := url.Values{"username": {username}, "password": {password}, "scope": {"read:* write:*"}}
	if name != "" {
		form.Set("client_name", name)
	}
	in := withForm("/auth/oauth/clients/personal", form)
	in.public = true
	out, err := fetch[api.Credentials](ctx, c, in)
	if err != nil {
		return out, err
	}
	if out.ClientID == "" || out.Secret == "" {
		return out, errors.New("the server answered the login without credentials")
	}
	return out, nil
}

// probeTimeout bounds each try to find a server at an address.
const probeTimeout = 5 * time.Second

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
