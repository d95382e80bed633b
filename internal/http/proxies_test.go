package http_test

import (
	"fmt"
	"net/http/httptest"
	"testing"

	nethttp "net/http"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/internal/http/apitest"
)

// TestProxies: the client that a proxy names counts when the proxy is known, and only then;
// of several, the last one that is not known itself.
func TestProxies(t *testing.T) {
	server := func(proxies ...string) *http.Server {
		s := apitest.ServeWith(t, http.Config{Proxies: proxies})
		s.MountRoute(http.Route{Path: "/who", Permission: access.Public}, nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
			_, _ = fmt.Fprint(w, r.RemoteAddr)
		}))
		return s
	}
	ask := func(s *http.Server, from, header, value string) string {
		req := httptest.NewRequest("GET", "/who", nethttp.NoBody)
		req.RemoteAddr = from
		if header != "" {
			req.Header.Set(header, value)
		}
		w := httptest.NewRecorder()
		s.Handler().ServeHTTP(w, req)
		return w.Body.String()
	}
	known := server("10.0.0.0/8", "fd00::7")
	for _, c := range []struct{ from, header, value, want string }{
		{"10.0.0.3:77", "", "", "10.0.0.3:77"},
		{"10.0.0.3:77", "X-Forwarded-For", "203.0.113.9", "203.0.113.9:0"},
		{"10.0.0.3:77", "X-Forwarded-For", "1.1.1.1, 203.0.113.9, 10.9.9.9", "203.0.113.9:0"}, // the first was sent by the client itself
		{"10.0.0.3:77", "X-Real-IP", "2001:db8::1", "[2001:db8::1]:0"},
		{"[fd00::7]:77", "X-Forwarded-For", "203.0.113.9", "203.0.113.9:0"},
		{"10.0.0.3:77", "X-Forwarded-For", "nobody", "10.0.0.3:77"},
		{"192.0.2.1:77", "X-Forwarded-For", "203.0.113.9", "192.0.2.1:77"}, // not known
		{"[fd00::8]:77", "X-Real-IP", "203.0.113.9", "[fd00::8]:77"},
	} {
		if got := ask(known, c.from, c.header, c.value); got != c.want {
			t.Errorf("from %s with %s: %s: client %s, want %s", c.from, c.header, c.value, got, c.want)
		}
	}
	if got := known.UnheededProxy(); got != "" {
		t.Errorf("proxies are known, and %s is said to be unheeded", got)
	}
	unset := server()
	if got := ask(unset, "10.0.0.3:77", "", ""); got != "10.0.0.3:77" || unset.UnheededProxy() != "" {
		t.Errorf("a client without a proxy: %s, unheeded %q", got, unset.UnheededProxy())
	}
	if got := ask(unset, "10.0.0.3:77", "X-Forwarded-For", "203.0.113.9"); got != "10.0.0.3:77" || unset.UnheededProxy() != "10.0.0.3" {
		t.Errorf("a proxy that is not known: client %s, unheeded %q", got, unset.UnheededProxy())
	}
}

func TestCheckProxies(t *testing.T) {
	if err := http.CheckProxies([]string{"10.0.0.7", "192.168.0.0/16", "::1", "fd00::/8"}); err != nil {
		t.Error(err)
	}
	for _, text := range []string{"proxy.example", "10.0.0.0/33", "*", "10.0.0.7:80"} {
		if err := http.CheckProxies([]string{"::1", text}); kappa.ErrorCode(err) != kappa.CodeInvalid {
			t.Errorf("%s: %v", text, err)
		}
	}
}
