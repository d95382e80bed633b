package fetch

import (
	"fmt"
	"io"
	"net"
	nethttp "net/http"
	"net/http/httptest"
	"net/netip"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"code.dny.dev/ssrf"

	"github.com/kappagraph/kappa"
)

// spellings are ways to write hosts that must not be reached, most of them of
// 127.0.0.1.
var spellings = []string{
	"127.0.0.1", "127.0.0.1.", "127.1", "127.0.1", "127.000.000.001", "127.0.0.01", "2130706433", "2130706433.", "0x7f000001", "0x7f.0.0.1", "0x7f.0x0.0x0.0x1",
	"0X7F.1", "017700000001", "0177.0.0.1", "0177.0000.0000.0001", "127.0.0.0x1", "00000177.1", "0x7f.1", "4294967297", "127.0.0.1.0x0", "127.255.255.254", "0", "0.0.0.0", "0x0", "00",
	"localhost", "LOCALHOST", "LocalHost.", "localhost.localdomain",
	"[::1]", "[0:0:0:0:0:0:0:1]", "[0000:0000:0000:0000:0000:0000:0000:0001]", "[::0001]", "[::]", "[::1%25lo]", "[fe80::1%25lo]", "[fe80::1]", "[fec0::1]", "[fc00::1]", "[fd00:ec2::254]",
	"[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::ffff:7f00:0001]", "[::FFFF:127.0.0.1]", "[0:0:0:0:0:ffff:127.0.0.1]", "[::127.0.0.1]", "[::7f00:1]", "[::ffff:0:127.0.0.1]", "[::ffff:0:7f00:1]",
	"[64:ff9b::127.0.0.1]", "[64:ff9b::7f00:1]", "[64:ff9b:1::7f00:1]", "[64:ff9b:1::127.0.0.1]", "[2002:7f00:1::]", "[2002:7f00:0001::1]", "[2002:a00:1::]", "[2001:0:7f00:1::]", "[2001:0000:4136:e378:8000:63bf:80ff:fffe]",
	"[ff02::1]", "[ff0e::1]", "[2001:db8::1]", "[3fff::1]", "[100::1]", "[5f00::1]", "[::ffff:10.0.0.1]", "[::ffff:169.254.169.254]", "[::ffff:a9fe:a9fe]", "[64:ff9b::a9fe:a9fe]", "[2002:a9fe:a9fe::]",
	"10.0.0.1", "10.255.255.255", "172.16.0.1", "172.31.255.254", "192.168.0.1", "192.168.255.254", "169.254.169.254", "169.254.0.1", "100.64.0.1", "100.127.255.254", "192.0.0.1", "192.0.0.170", "192.0.2.1", "198.18.0.1",
	"198.19.255.254", "198.51.100.1", "203.0.113.1", "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255", "192.88.99.1", "2852039166", "0xa9fea9fe", "0xa9.0xfe.0xa9.0xfe", "0251.0376.0251.0376", "169.254.43518", "10.1", "0xa.1", "012.1", "3232235521", "0xc0a80001",
	"①②⑦.⓪.⓪.①", "127。0。0。1", "１２７.0.0.1", "127.0.0.1\u200b", "ｌｏｃａｌｈｏｓｔ", "loc\u00adalhost", "127.0.0.①", "⑯⑨。②⑤④。⑯⑨｡②⑤④", "[::①]",
	"%31%32%37.0.0.1", "127%2e0%2e0%2e1", "%6cocalhost", "127.0.0.1%00", "127.0.0.1%09", "127.0.0.1%2f", "localhost%23", "[::1%00]", "[v1.::1]", "[127.0.0.1]", "[::1", "::1", "::ffff:127.0.0.1", "-127.0.0.1", "127.0.0.1-",
	"a.example@127.0.0.1", "a.example:80@127.0.0.1", "@127.0.0.1", ":@127.0.0.1", "a.example%40127.0.0.1", "127.0.0.1#@a.example", "127.0.0.1\\@a.example", "a.example\\@127.0.0.1", "127.0.0.1 a.example", "127.0.0.1\ta.example", "127.0.0.1\r\nHost:x", "\t127.0.0.1", " 127.0.0.1",
	"..127.0.0.1", "127..0.0.1", ".127.0.0.1", "", ".", "..", "1", "256.0.0.1", "127.0.0.256", "127.0.0.1.1", "09.0.0.1", "0x", "0xg.0.0.1",
}

// shapes write a URL with a host, the way to a listener at a port included.
var shapes = []string{"http://%s:%d/x", "HTTP://%s:%d/x", "http://%s:%d", "https://%s:%d/x"}

// strange are URLs that lead elsewhere than they seem, or nowhere.
var strange = []string{
	"file:///etc/passwd", "FILE:///etc/passwd", "ftp://127.0.0.1:%d/", "gopher://127.0.0.1:%d/_x", "dict://127.0.0.1:%d/", "ldap://127.0.0.1:%d/", "jar:http://127.0.0.1:%d!/", "data:text/plain,x", "unix:///tmp/x", "s3://bucket/key",
	"http:127.0.0.1:%d/", "http:/127.0.0.1:%d/", "http:///127.0.0.1:%d/", "http:\\\\127.0.0.1:%d/", "//127.0.0.1:%d/", "/127.0.0.1:%d", "127.0.0.1:%d", "http://", "https://", "http://:%d", "http://:%d/", "http://?@127.0.0.1:%d", "",
	"http://127.0.0.1:%d:80/", "http://127.0.0.1:0%d/", "http://127.0.0.1:+%d/", "http://127.0.0.1:%d%%00/", "javascript:fetch('http://127.0.0.1:%d')", "http+unix://%%2ftmp%%2fx", "https+insecure://127.0.0.1:%d", "ws://127.0.0.1:%d",
}

// corpus returns every way to the port that must not be taken.
func corpus(port int) []string {
	var urls []string
	for _, shape := range shapes {
		for _, host := range spellings {
			urls = append(urls, fmt.Sprintf(shape, host, port))
		}
	}
	for _, s := range strange {
		if strings.Contains(s, "%d") {
			s = fmt.Sprintf(s, port)
		}
		urls = append(urls, s)
	}
	return urls
}

// canary counts who gets through to 127.0.0.1.
func canary(t *testing.T) (port int, hits *atomic.Int64) {
	t.Helper()
	hits = &atomic.Int64{}
	s := httptest.NewUnstartedServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, _ *nethttp.Request) { _, _ = io.WriteString(w, "canary") }))
	s.Config.ConnState = func(_ net.Conn, state nethttp.ConnState) {
		if state == nethttp.StateNew {
			hits.Add(1)
		}
	}
	s.Start()
	t.Cleanup(s.Close)
	port = s.Listener.Addr().(*net.TCPAddr).Port
	return port, hits
}

// strict is a guard that knows no unusual ports, so that it is the address that is
// refused; the server of the test counts as public.
func strict(public ...netip.Prefix) guard {
	return guard{public: ssrf.New(ssrf.WithAnyPort(), ssrf.WithAllowedV4Prefixes(public...))}
}

func TestX04_NoAddressInsideIsReached(t *testing.T) {
	port, hits := canary(t)
	names := newNameServer(t)
	names.set("localhost.localdomain", []netip.Addr{netip.MustParseAddr("127.0.0.1")})
	urls := corpus(port)
	if len(urls) < 300 {
		t.Fatalf("%d spellings, want 300 and more", len(urls))
	}
	cfg := Config{resolver: names.resolver(), Header: 2 * time.Second}
	t.Run("directly", func(t *testing.T) {
		c := newClient(cfg, strict())
		for _, u := range urls {
			wantRefused(t, c, u)
		}
	})
	t.Run("through a redirect", func(t *testing.T) {
		var target atomic.Value
		hop := public(t, nethttp.HandlerFunc(func(w nethttp.ResponseWriter, _ *nethttp.Request) {
			w.Header()["Location"] = []string{target.Load().(string)}
			w.WriteHeader(nethttp.StatusFound)
		}))
		c := newClient(cfg, strict(netip.MustParsePrefix("127.0.0.2/32")))
		for _, u := range urls {
			if strings.ContainsAny(u, "\r\n") {
				continue
			}
			target.Store(u)
			answer, err := c.Get(t.Context(), hop, nil)
			if err == nil {
				_ = answer.Body.Close()
				if u != "" { // an empty one is no redirect
					t.Errorf("%q was followed: %s", u, answer.Status)
				}
			}
		}
	})
	t.Run("through a name", func(t *testing.T) {
		c := newClient(cfg, strict())
		for i, s := range spellings {
			if a, err := netip.ParseAddr(strings.Trim(s, "[]")); err == nil && a.Zone() == "" {
				name := fmt.Sprintf("n%d.example", i)
				names.set(name, []netip.Addr{a})
				wantRefused(t, c, at(name, port))
			}
		}
	})
	t.Run("through a name that rebinds", func(t *testing.T) {
		served := 0
		hop := public(t, nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
			served++
			host, _, _ := net.SplitHostPort(r.Host)
			nethttp.Redirect(w, r, at(host, port), nethttp.StatusFound)
		}))
		here, err := netip.ParseAddrPort(strings.TrimSuffix(strings.TrimPrefix(hop, "http://"), "/"))
		if err != nil {
			t.Fatal(err)
		}
		c := newClient(cfg, strict(netip.MustParsePrefix("127.0.0.2/32")))
		for i := range 300 {
			name := fmt.Sprintf("r%d.example", i)
			names.set(name, []netip.Addr{netip.MustParseAddr("127.0.0.2")}, []netip.Addr{netip.MustParseAddr("127.0.0.1")})
			wantRefused(t, c, at(name, int(here.Port())))
		}
		if served != 300 {
			t.Errorf("%d of 300 names were public first", served)
		}
	})
	if n := hits.Load(); n != 0 {
		t.Errorf("%d connections got through", n)
	}
	t.Run("the listener is there", func(t *testing.T) {
		answer, err := New(Config{Private: true}).Get(t.Context(), fmt.Sprintf("http://127.0.0.1:%d/", port), nil)
		if err != nil || hits.Load() == 0 {
			t.Fatalf("got %v, %d connections", err, hits.Load())
		}
		_ = answer.Body.Close()
	})
}

func at(host string, port int) string {
	return "http://" + net.JoinHostPort(host, strconv.Itoa(port)) + "/"
}

// public starts a server that the guard of the tests takes for a public one.
func public(t *testing.T, h nethttp.Handler) string {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.2:0")
	if err != nil {
		t.Fatalf("this test needs 127.0.0.2 on the loopback interface: %v", err)
	}
	s := &httptest.Server{Listener: listener, Config: &nethttp.Server{Handler: h, ReadHeaderTimeout: time.Second}}
	s.Start()
	t.Cleanup(s.Close)
	return s.URL + "/"
}

func wantRefused(t *testing.T, c *Client, u string) {
	t.Helper()
	answer, err := c.Get(t.Context(), u, nil)
	if err == nil {
		_ = answer.Body.Close()
		t.Errorf("%q was fetched: %s", u, answer.Status)
		return
	}
	if code := kappa.ErrorCode(err); code != kappa.CodeInvalid && code != kappa.CodeUpstream {
		t.Errorf("%q: got %v", u, err)
	}
}
