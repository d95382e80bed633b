package acme

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/letsencrypt/pebble/v2/ca"
	"github.com/letsencrypt/pebble/v2/db"
	"github.com/letsencrypt/pebble/v2/va"
	"github.com/letsencrypt/pebble/v2/wfe"
	"github.com/miekg/dns"
)

const domain = "kappa.example.com"

// authority is an ACME server that reaches every name at a port of this machine.
type authority struct {
	directory, root string // its address, and the file with who signed its own certificate
	signs           *x509.CertPool
	orders          atomic.Int64
}

// startAuthority runs an authority until the test ends.
func startAuthority(t *testing.T, port int) *authority {
	t.Helper()
	t.Setenv("PEBBLE_VA_NOSLEEP", "1")
	quiet := log.New(io.Discard, "", 0)
	store := db.NewMemoryStore()
	signer := ca.New(quiet, store, "", "ecdsa", 0, 1, map[string]ca.Profile{"default": {}})
	checker := va.New(quiet, 0, port, false, nameServer(t), store)
	front := wfe.New(quiet, store, checker, signer, []string{"pebble.letsencrypt.org"}, false, false, 1, 1)
	a := &authority{signs: x509.NewCertPool()}
	handler := front.Handler()
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/order-plz" {
			a.orders.Add(1)
		}
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	a.directory, a.root = server.URL+wfe.DirectoryPath, filepath.Join(t.TempDir(), "authority.pem")
	check(t, os.WriteFile(a.root, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}), 0o600))
	a.signs.AppendCertsFromPEM(signer.GetRootCert(0).PEM())
	return a
}

// nameServer runs a server of names by which every one is this machine.
func nameServer(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0") // the authority asks so
	check(t, err)
	server := &dns.Server{Listener: listener, Handler: dns.HandlerFunc(func(w dns.ResponseWriter, asked *dns.Msg) {
		answer := new(dns.Msg).SetReply(asked)
		if asked.Question[0].Qtype == dns.TypeA {
			answer.Answer = append(answer.Answer, &dns.A{Hdr: dns.RR_Header{Name: asked.Question[0].Name, Rrtype: dns.TypeA, Class: dns.ClassINET}, A: net.IPv4(127, 0, 0, 1)})
		}
		_ = w.WriteMsg(answer)
	})}
	go server.ActivateAndServe()
	t.Cleanup(func() { _ = server.Shutdown() })
	return listener.Addr().String()
}

// kg is a running server.
type kg struct {
	process *exec.Cmd
	log     *strings.Builder
}

// start runs a server with settings until it is stopped, and returns when it serves.
func start(t *testing.T, program string, settings ...string) *kg {
	t.Helper()
	s := &kg{process: exec.Command(program, "serve", "--config", os.DevNull), log: &strings.Builder{}}
	s.process.Env = append(os.Environ(), settings...)
	s.process.Stderr = s.log
	out, err := s.process.StdoutPipe()
	check(t, err)
	check(t, s.process.Start())
	t.Cleanup(func() {
		s.stop()
		if t.Failed() {
			t.Log(s.log)
		}
	})
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if strings.HasPrefix(lines.Text(), "kg: serving on https://") {
			go io.Copy(io.Discard, out)
			return s
		}
	}
	t.Fatal("the server did not start")
	return nil
}

// stop ends the server in good order.
func (s *kg) stop() {
	if s.process.ProcessState == nil {
		_ = s.process.Process.Signal(syscall.SIGTERM)
		_ = s.process.Wait()
	}
}

// shown returns the certificate that a server shows for the domain, nil while it is none of
// the authority's.
func (a *authority) shown(ctx context.Context, address string) *x509.Certificate {
	dialer := tls.Dialer{Config: &tls.Config{ServerName: domain, RootCAs: a.signs}}
	conn, err := dialer.DialContext(ctx, "tcp", address)
	if err != nil {
		return nil
	}
	defer conn.Close()
	return conn.(*tls.Conn).ConnectionState().PeerCertificates[0]
}

// TestCertificateOfAnAuthority has a server get a certificate, and show the same one after a
// restart without asking again.
func TestCertificateOfAnAuthority(t *testing.T) {
	dir := t.TempDir()
	program := filepath.Join(dir, "program")
	build := exec.CommandContext(t.Context(), "go", "build", "-C", "../..", "-trimpath", "-ldflags", "-s -w", "-tags", "nomsgpack", "-o", program, "./cmd/kg")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	port, address := freePort(t)
	a := startAuthority(t, port)
	settings := []string{
		"KG_ADDR=" + address, "KG_DATA_DIR=" + filepath.Join(dir, "data"), "XDG_CONFIG_HOME=" + dir, "KG_ADMIN_PASSWORD=correct horse battery",
		"KG_ACME_DOMAINS=" + domain, "KG_ACME_DIRECTORY=" + a.directory, "KG_ACME_CA=" + a.root, "KG_ACME_EMAIL=admin@example.com",
	}
	first := start(t, program, settings...)
	one := a.await(t, address)
	if one.DNSNames[0] != domain || a.orders.Load() != 1 {
		t.Errorf("%v after %d orders", one.DNSNames, a.orders.Load())
	}
	resp, err := (&http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}).Get("https://" + address + "/livez")
	check(t, err)
	resp.Body.Close()
	if names := resp.TLS.PeerCertificates[0].DNSNames; len(names) != 1 || names[0] != "localhost" {
		t.Errorf("who names nobody is shown %v", names)
	}
	first.stop()
	start(t, program, settings...)
	if two := a.await(t, address); two.SerialNumber.Cmp(one.SerialNumber) != 0 || a.orders.Load() != 1 {
		t.Errorf("after a restart there is another one, after %d orders", a.orders.Load())
	}
}

// await returns the certificate of the authority as soon as it is shown.
func (a *authority) await(t *testing.T, address string) *x509.Certificate {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), 3*time.Minute)
	defer stop()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		if c := a.shown(ctx, address); c != nil {
			return c
		}
		select {
		case <-ctx.Done():
			t.Fatal("the server has no certificate")
		case <-tick.C:
		}
	}
}

// freePort returns a port that was free just now.
func freePort(t *testing.T) (int, string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	check(t, err)
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, l.Addr().String()
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
