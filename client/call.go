package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"time"
)

// The bounds of a call.
const (
	callTimeout     = 60 * time.Second
	uploadTimeout   = 15 * time.Minute // a large document over a slow line
	maxAnswerBytes  = 64 << 20
	maxProblemBytes = 64 << 10
	askFirstBytes   = 1 << 20 // a body above this is sent once the server has said that it takes it
)

// call is one request to the API. The zero values are a GET without query and
// body.
type call struct {
	method      string
	path        string // escaped, starts with a slash
	query       url.Values
	body        func() io.Reader // called again when the call is repeated; nil = none
	bodySize    int64
	contentType string
	header      http.Header // beside those that every call has
	public      bool        // carries no token
	timeout     time.Duration
}

// get returns a call that reads.
func get(path string, query url.Values) call {
	return call{method: http.MethodGet, path: path, query: query}
}

// withJSON returns a call that sends v.
func withJSON(method, path string, v any) (call, error) {
	body, err := json.Marshal(v)
	if err != nil {
		return call{}, fmt.Errorf("encode the request: %w", err)
	}
	return withBody(method, path, "application/json", body), nil
}

// withForm returns a call that posts a form.
func withForm(path string, form url.Values) call {
	return withBody(http.MethodPost, path, "application/x-www-form-urlencoded", []byte(form.Encode()))
}

func withBody(method, path, contentType string, body []byte) call {
	return call{
		method: method, path: path, contentType: contentType,
		body: func() io.Reader { return bytes.NewReader(body) }, bodySize: int64(len(body)),
	}
}

// fetch makes the call and decodes the answer.
func fetch[T any](ctx context.Context, c *Client, in call) (T, error) {
	var out T
	body, _, err := c.exchange(ctx, in)
	if err != nil {
		return out, err
	}
	err = decode(in, body, &out)
	return out, err
}

// fetchJSON sends v as JSON and decodes the answer.
func fetchJSON[T any](ctx context.Context, c *Client, method, path string, v any) (T, error) {
	in, err := withJSON(method, path, v)
	if err != nil {
		var none T
		return none, err
	}
	return fetch[T](ctx, c, in)
}

// exchange makes the call and reads the whole answer.
func (c *Client) exchange(ctx context.Context, in call) ([]byte, http.Header, error) {
	if in.timeout == 0 {
		in.timeout = callTimeout
	}
	within, cancel := context.WithTimeoutCause(ctx, in.timeout, fmt.Errorf("no answer within %s", in.timeout))
	defer cancel()
	resp, err := c.send(within, in)
	if err != nil {
		return nil, nil, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswerBytes+1))
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, nil, ctx.Err()
	case err != nil:
		return nil, nil, c.unreachable(fmt.Errorf("read the answer: %w", err))
	case len(body) > maxAnswerBytes:
		return nil, nil, fmt.Errorf("the answer to %s %s has more than %d bytes", in.method, in.path, maxAnswerBytes)
	}
	return body, resp.Header, nil
}

func decode(in call, body []byte, out any) error {
	if err := json.Unmarshal(body, out); err != nil {
		return fmt.Errorf("the answer to %s %s is not what Kappa sends: %w", in.method, in.path, err)
	}
	return nil
}

// send makes the call and returns an answer that is a success; the caller
// closes its body. A token that the server refuses is replaced once.
func (c *Client) send(ctx context.Context, in call) (*http.Response, error) {
	if in.public || c.tokens == nil {
		return c.attempt(ctx, in, "")
	}
	token, err := c.tokens.token(ctx)
	if err != nil {
		return nil, err
	}
	resp, err := c.attempt(ctx, in, token)
	var refused *Error
	if !errors.As(err, &refused) || refused.Status != http.StatusUnauthorized {
		return resp, err
	}
	c.tokens.drop(token)
	if token, err = c.tokens.token(ctx); err != nil {
		return nil, err
	}
	return c.attempt(ctx, in, token)
}

// attempt makes one HTTP request.
func (c *Client) attempt(ctx context.Context, in call, token string) (*http.Response, error) {
	req, err := c.request(ctx, in, token)
	if err != nil {
		return nil, err
	}
	resp, err := c.http.Do(req)
	if err != nil {
		switch ctx.Err() {
		case context.Canceled:
			return nil, context.Canceled
		case context.DeadlineExceeded:
			err = context.Cause(ctx)
		}
		return nil, c.unreachable(err)
	}
	if resp.StatusCode >= 200 && resp.StatusCode < 300 {
		return resp, nil
	}
	defer resp.Body.Close()
	// What cannot be read of a problem is missing from its sentence, no more.
	body, _ := io.ReadAll(io.LimitReader(resp.Body, maxProblemBytes))
	return nil, problemError(resp, body)
}

// request builds the HTTP request of a call.
func (c *Client) request(ctx context.Context, in call, token string) (*http.Request, error) {
	address := c.base.String() + in.path
	if len(in.query) > 0 {
		address += "?" + in.query.Encode()
	}
	var body io.Reader
	if in.body != nil {
		body = in.body()
	}
	req, err := http.NewRequestWithContext(ctx, in.method, address, body)
	if err != nil {
		return nil, fmt.Errorf("prepare %s %s: %w", in.method, in.path, err)
	}
	if in.body != nil {
		req.ContentLength = in.bodySize
		req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(in.body()), nil }
		req.Header.Set("Content-Type", in.contentType)
		if in.bodySize > askFirstBytes {
			req.Header.Set("Expect", "100-continue")
		}
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", c.userAgent)
	maps.Copy(req.Header, in.header)
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	return req, nil
}

// delete makes a call that deletes, and reads nothing of the answer.
func (c *Client) delete(ctx context.Context, path string) error {
	_, _, err := c.exchange(ctx, call{method: http.MethodDelete, path: path})
	return err
}

// previewDelete asks what a deletion would delete.
func previewDelete(path string) call {
	return call{method: http.MethodDelete, path: path, query: url.Values{"dry_run": {"true"}}}
}
