package fetch

import (
	"bytes"
	"context"
	"io"
	nethttp "net/http"

	"github.com/kappagraph/kappa"
)

// Posted is the answer to what was posted.
type Posted struct {
	Status int
	Header nethttp.Header
	Text   []byte // the first bytes of the body
}

// Post sends a body to a URL with the given header, and returns the answer with the first most
// bytes of its body, which may be cut off when it comes slowly. No redirect is followed: its
// answer is returned as any other.
//
// It returns a CodeInvalid Error for an address that must not be reached, and a CodeUpstream
// Error when the server cannot be reached or does not answer within Config.Total.
func (c *Client) Post(ctx context.Context, raw string, header nethttp.Header, body []byte, most int64) (Posted, error) {
	u, rule := parse(raw)
	if rule == "" && !allowed(c.cfg.Allow, u.Hostname()) {
		rule = closedAddress
	}
	if rule != "" {
		return Posted{}, kappa.NewError(kappa.CodeInvalid, "the address "+rule)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, c.cfg.Total, errSlow)
	defer cancel()
	req, err := nethttp.NewRequestWithContext(ctx, nethttp.MethodPost, u.String(), bytes.NewReader(body))
	if err != nil {
		return Posted{}, kappa.NewError(kappa.CodeInvalid, "the address must be a URL")
	}
	req.Header = header.Clone()
	req.Header.Set("Accept-Encoding", "identity")
	req.Header.Set("User-Agent", "kappa")
	answer, err := c.posts.Do(req)
	if err != nil {
		if err = explain(ctx, err); kappa.ErrorCode(err) == kappa.CodeInvalid {
			err = kappa.NewError(kappa.CodeInvalid, "the address "+closedAddress)
		}
		return Posted{}, err
	}
	defer answer.Body.Close()
	text, _ := io.ReadAll(io.LimitReader(answer.Body, most)) // it is for people: the status has come
	return Posted{Status: answer.StatusCode, Header: answer.Header, Text: text}, nil
}

const closedAddress = "must lead to a server that may be reached; private networks and unusual ports are closed unless the operator opens them"

// stay has a redirect be the answer.
func stay(*nethttp.Request, []*nethttp.Request) error { return nethttp.ErrUseLastResponse }
