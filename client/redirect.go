package client

import (
	"errors"
	"net/http"
	"net/url"
	"strings"
)

// maxRedirects is how many redirects of one call are followed.
const maxRedirects = 5

// followWithin returns a policy for redirects: to the same scheme, host and port as
// base, and no further. Of net/http's own policy a secret in a form goes anywhere,
// and a token to another port of the host.
func followWithin(base *url.URL) func(*http.Request, []*http.Request) error {
	return func(next *http.Request, via []*http.Request) error {
		if len(via) > maxRedirects {
			return errors.New("the server redirects without end")
		}
		if next.URL.Scheme != base.Scheme || !strings.EqualFold(next.URL.Host, base.Host) {
			return http.ErrUseLastResponse
		}
		return nil
	}
}

// redirected says what a redirect means that was not followed; "" when resp is none.
func redirected(resp *http.Response) string {
	to, err := resp.Location()
	if err != nil || resp.StatusCode/100 != 3 {
		return ""
	}
	return "the server sends the client on to " + to.Redacted() + ", and credentials go to no other server; if it is the right one, use its address"
}
