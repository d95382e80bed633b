package fetch

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	nethttp "net/http"
	"net/url"
	"time"

	"github.com/kappagraph/kappa"
)

// Config is what a Client needs. The zero value reaches public servers.
type Config struct {
	Private bool     // private networks are reached too, on any port
	Allow   []string // only these hosts; *.example.com for all below one; empty = all

	Total  time.Duration // for an answer with its body; default 5 min
	Header time.Duration // until the header of an answer has come; default 10 s

	// Tests have hosts and certificates of their own, and less time.
	leastBPS int            // bytes a second below which an answer is given up, after 10 s; 0 = 4096
	resolver *net.Resolver  // nil = the system's
	roots    *x509.CertPool // nil = the system's
}

const (
	maxRedirects   = 3
	maxHeaderBytes = 32 << 10
	grace          = 10 * time.Second // before the pace of an answer counts
)

// Client fetches. Its methods may be called from many goroutines.
type Client struct {
	cfg   Config
	http  *nethttp.Client
	posts *nethttp.Client // without redirects
}

// New returns a Client. It starts nothing.
func New(cfg Config) *Client { return newClient(cfg, newGuard(cfg.Private)) }

func newClient(cfg Config, g guard) *Client {
	cfg.Total = cmp.Or(cfg.Total, 5*time.Minute)
	cfg.Header = cmp.Or(cfg.Header, 10*time.Second)
	cfg.leastBPS = cmp.Or(cfg.leastBPS, 4096)
	dialer := &net.Dialer{Timeout: cfg.Header, Control: g.control, Resolver: cfg.resolver}
	c := &Client{cfg: cfg}
	c.http = &nethttp.Client{
		Transport: &nethttp.Transport{
			DialContext:            dialer.DialContext,
			TLSClientConfig:        &tls.Config{RootCAs: cfg.roots, MinVersion: tls.VersionTLS12},
			TLSHandshakeTimeout:    cfg.Header,
			ResponseHeaderTimeout:  cfg.Header,
			MaxResponseHeaderBytes: maxHeaderBytes,
			DisableCompression:     true,
			DisableKeepAlives:      true, // each connection is checked anew
			Proxy:                  nil,
		},
		CheckRedirect: c.redirect,
	}
	c.posts = &nethttp.Client{Transport: c.http.Transport, CheckRedirect: stay}
	return c
}

// Get asks for a URL with the given header and returns the answer, whose body the
// caller closes. The body ends with an error when it takes longer than Config.Total,
// or when it comes too slowly.
//
// It returns a CodeInvalid Error for a URL that must not be fetched, and a CodeUpstream
// Error when the server cannot be reached or answers wrongly. An answer with any status
// is returned as it is.
func (c *Client) Get(ctx context.Context, raw string, header nethttp.Header) (*nethttp.Response, error) {
	u, rule := parse(raw)
	if rule == "" && !allowed(c.cfg.Allow, u.Hostname()) {
		rule = refusal
	}
	if rule != "" {
		return nil, invalid(rule)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, c.cfg.Total, errSlow)
	req, err := nethttp.NewRequestWithContext(ctx, nethttp.MethodGet, u.String(), nethttp.NoBody)
	if err != nil {
		cancel()
		return nil, invalid("must be a URL")
	}
	if header != nil {
		req.Header = header.Clone()
	}
	req.Header.Set("Accept-Encoding", "identity")
	req.Header.Set("User-Agent", "kappa")
	answer, err := c.http.Do(req)
	if err != nil {
		err = explain(ctx, err)
		cancel()
		return nil, err
	}
	answer.Body = newPaced(ctx, cancel, answer.Body, c.cfg.leastBPS)
	if encoding := answer.Header.Get("Content-Encoding"); encoding != "" && encoding != "identity" {
		_ = answer.Body.Close()
		return nil, upstream("the server sent the file compressed; it must come as it is", nil)
	}
	return answer, nil
}

// redirect holds the next URL against the same rules. Its address is checked when it
// is dialled.
func (c *Client) redirect(next *nethttp.Request, before []*nethttp.Request) error {
	switch {
	case len(before) > maxRedirects:
		return upstream("the server redirects too often", nil)
	case before[len(before)-1].URL.Scheme == "https" && next.URL.Scheme != "https":
		return upstream("the server redirects from https to http", nil)
	case checkParsed(next.URL) != "" || !allowed(c.cfg.Allow, next.URL.Hostname()):
		return errRefused
	}
	next.Header.Del("Referer")
	return nil
}

const refusal = "must lead to a server that may be fetched from; private networks and unusual ports are closed unless the operator opens them"

var errSlow = errors.New("the answer took too long")

// explain makes a failure one that the user can act on. A name that does not resolve
// reads as a closed address does: the difference would tell what exists inside.
func explain(ctx context.Context, err error) error {
	var known *kappa.Error
	var dns *net.DNSError
	switch {
	case errors.As(err, &known):
		return known
	case errors.Is(err, errRefused), errors.As(err, &dns) && dns.IsNotFound:
		return invalid(refusal)
	case errors.Is(context.Cause(ctx), errSlow), isTimeout(err):
		return upstream("the server did not answer in time", err)
	case ctx.Err() != nil:
		return context.Cause(ctx)
	}
	return upstream("the server could not be reached, or did not answer as a web server does", err)
}

func isTimeout(err error) bool {
	var u *url.Error
	return errors.As(err, &u) && u.Timeout()
}

func upstream(message string, cause error) error {
	return &kappa.Error{Code: kappa.CodeUpstream, Message: message, Err: cause}
}
