package e2e

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"maps"
	bigint "math/big"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/cmd/kg/cli"
	"github.com/kappagraph/kappa/cmd/kg/worker"
	httpapi "github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/work"
)

// certified is a certificate for this machine in files, which is its own authority.
type certified struct{ cert, key string }

// certify writes a certificate with a number.
func (c certified) certify(t *testing.T, number int64) {
	t.Helper()
	secret, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	check(t, err)
	template := &x509.Certificate{
		SerialNumber: bigint.NewInt(number), DNSNames: []string{"kappa.example.com"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(90 * 24 * time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, secret.Public(), secret)
	check(t, err)
	text, err := x509.MarshalPKCS8PrivateKey(secret)
	check(t, err)
	check(t, os.WriteFile(c.cert, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600))
	check(t, os.WriteFile(c.key, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: text}), 0o600))
}

// startTLS runs a server with a certificate, on every address of the machine.
func startTLS(t *testing.T, settings map[string]string) (*testServer, certified) {
	t.Helper()
	dir := t.TempDir()
	c := certified{filepath.Join(dir, "tls.crt"), filepath.Join(dir, "tls.key")}
	c.certify(t, 1)
	all := map[string]string{"KG_ADDR": "0.0.0.0:0", "KG_TLS_CERT": c.cert, "KG_TLS_KEY": c.key}
	maps.Copy(all, settings)
	s := beginServer(t, all)
	if !strings.HasPrefix(s.url, "https://127.0.0.1:") {
		t.Fatalf("it serves on %s", s.url)
	}
	return s, c
}

// trusting returns a transport that believes the certificate.
func trusting(t *testing.T, c certified) *http.Transport {
	t.Helper()
	text, err := os.ReadFile(c.cert)
	check(t, err)
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(text)
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}}
	t.Cleanup(transport.CloseIdleConnections)
	return transport
}

// trustingLogin is login over a transport.
func trustingLogin(t *testing.T, s *testServer, transport *http.Transport) *client.Client {
	t.Helper()
	carrier := &http.Client{Transport: transport}
	anonymous, err := client.New(client.Config{BaseURL: s.url, HTTPClient: carrier})
	check(t, err)
	credentials, err := anonymous.Login(t.Context(), "admin", testPassword, "test")
	check(t, err)
	c, err := client.New(client.Config{BaseURL: s.url, ClientID: credentials.ClientID, ClientSecret: credentials.Secret, HTTPClient: carrier})
	check(t, err)
	return c
}

// kg runs one of the commands that talk to a server, and returns what it prints.
func kg(t *testing.T, env map[string]string, in string, args ...string) (out string, code int) {
	t.Helper()
	var said bytes.Buffer
	a := cli.New(cli.Config{In: strings.NewReader(in), Out: &said, Err: &said, Version: version, Env: func(name string) (string, bool) {
		value, ok := env[name]
		return value, ok
	}})
	code = a.Run(t.Context(), a.Root(cli.Group{Commands: []*cobra.Command{cli.NewLoginCommand(a), cli.NewDoctorCommand(a), cli.NewHealthCommand(a)}}), args)
	return said.String(), code
}

// TestTLS asks a server over TLS in every way in which it is asked.
func TestTLS(t *testing.T) {
	t.Parallel()
	s, files := startTLS(t, map[string]string{"KG_WORKER_SECRET": remoteSecret})
	transport := trusting(t, files)
	c := trustingLogin(t, s, transport)
	host := strings.TrimPrefix(s.url, "https://")

	t.Run("plain HTTP is told so", func(t *testing.T) {
		resp, err := http.Get("http://" + host + "/livez")
		check(t, err)
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		if check(t, err); resp.StatusCode != http.StatusBadRequest || !strings.Contains(string(body), "HTTP request to an HTTPS server") {
			t.Errorf("%d %s", resp.StatusCode, body)
		}
	})
	t.Run("older versions are refused", func(t *testing.T) {
		old := transport.TLSClientConfig.Clone()
		old.MinVersion, old.MaxVersion = tls.VersionTLS10, tls.VersionTLS11
		if conn, err := tls.Dial("tcp", host, old); err == nil {
			conn.Close()
			t.Error("TLS 1.1 is spoken")
		}
	})
	t.Run("what browsers are told", func(t *testing.T) { browsersOverTLS(t, s, transport) })
	t.Run("streams", func(t *testing.T) {
		second := transport.Clone()
		second.ForceAttemptHTTP2 = true
		defer second.CloseIdleConnections()
		for name, c := range map[string]*client.Client{"HTTP/1.1": c, "the newest HTTP": trustingLogin(t, s, second)} {
			job, err := c.Jobs.Submit(t.Context(), work.NewJob{Type: work.TypeNoop, AutoApprove: true})
			check(t, err)
			last := work.EventKind("")
			for u, err := range c.Jobs.Watch(t.Context(), job.JobID) {
				check(t, err)
				last = u.Kind
			}
			if last != work.EventCompleted {
				t.Errorf("%s: the stream ended with %q", name, last)
			}
		}
	})
	t.Run("the commands of this machine, and of another one", func(t *testing.T) { commandsOverTLS(t, s, files) })
	t.Run("a remote worker", func(t *testing.T) { workerOverTLS(t, s, c, files) })
	t.Run("a metric", func(t *testing.T) {
		text := scrape(t, s, transport, c)
		if !strings.Contains(text, `kappa_tls_certificate_expiry_timestamp_seconds{name="kappa.example.com"} 1.`) || !strings.Contains(text, "kappa_tls_certificate_failures_total 0") {
			t.Error("there is none")
		}
	})
}

// browsersOverTLS wants HTTP/2, a cookie for TLS alone, and that browsers come over TLS again.
func browsersOverTLS(t *testing.T, s *testServer, transport *http.Transport) {
	second := transport.Clone()
	second.ForceAttemptHTTP2 = true
	defer second.CloseIdleConnections()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url+"/auth/session", strings.NewReader(url.Values{"username": {"admin"}, "password": {testPassword}}.Encode()))
	check(t, err)
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Host = "kappa.example.com"
	resp, err := second.RoundTrip(req)
	check(t, err)
	defer resp.Body.Close()
	if httpapi.CheckHTTP2(runtime.Version()) == nil && resp.ProtoMajor != 2 {
		t.Errorf("it speaks %s", resp.Proto)
	}
	if resp.Header.Get("Strict-Transport-Security") != "max-age=31536000" || len(resp.Cookies()) == 0 || !resp.Cookies()[0].Secure {
		t.Errorf("%s %v", resp.Status, resp.Header)
	}
	local, err := (&http.Client{Transport: second}).Get(s.url + "/livez")
	check(t, err)
	local.Body.Close()
	if local.Header.Get("Strict-Transport-Security") != "" {
		t.Error("a browser shall call all programs of this machine over TLS")
	}
}

// commandsOverTLS has kg find the server of its machine, which proves itself, and one whose
// authority it has to be told.
func commandsOverTLS(t *testing.T, s *testServer, files certified) {
	here := map[string]string{"HOME": t.TempDir(), "KG_DATA_DIR": s.dataDir}
	if out, code := kg(t, here, testPassword+"\n", "login", "-u", "admin", "--password-stdin"); code != 0 {
		t.Fatalf("%d %s", code, out)
	}
	if out, _ := kg(t, here, "", "doctor"); !strings.Contains(out, "certificate") || !strings.Contains(out, "for kappa.example.com, 127.0.0.1, until ") {
		t.Errorf("kg doctor says:\n%s", out)
	}
	away := map[string]string{"HOME": t.TempDir(), "KG_API_URL": s.url}
	if out, code := kg(t, away, testPassword+"\n", "login", "-u", "admin", "--password-stdin"); code != 5 || !strings.Contains(out, "unknown authority") || !strings.Contains(out, "--ca-file FILE") {
		t.Errorf("without its authority: %d %s", code, out)
	}
	if out, code := kg(t, away, "", "health", "--ca-file", filepath.Join(t.TempDir(), "none.pem")); code != 2 || !strings.Contains(out, "--ca-file, KG_CA_FILE: read the certificates of authorities") {
		t.Errorf("with an authority that is not there: %d %s", code, out)
	}
	if out, code := kg(t, away, testPassword+"\n", "login", "-u", "admin", "--password-stdin", "--ca-file", files.cert); code != 0 {
		t.Fatalf("with its authority: %d %s", code, out)
	}
	delete(away, "KG_API_URL")
	if out, code := kg(t, away, "", "health"); code != 0 {
		t.Errorf("what kg login keeps does not do: %d %s", code, out)
	}
}

// workerOverTLS has kg worker do a job.
func workerOverTLS(t *testing.T, s *testServer, c *client.Client, files certified) {
	job, err := c.Jobs.Submit(t.Context(), work.NewJob{Type: "exec", Queue: "manual", AutoApprove: true})
	check(t, err)
	cmd := worker.NewCommand(version, []string{"KG_WORKER_SECRET=" + remoteSecret, "KG_CA_FILE=" + files.cert, "KG_LOG_LEVEL=error"})
	cmd.SetArgs([]string{"--server", s.url, "--types", "exec", "--exec", "echo", "--once", "--", `{"result": {}}`})
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	cmd.SetErr(io.Discard)
	check(t, cmd.ExecuteContext(t.Context()))
	await(t, c, job.JobID, work.StatusCompleted)
}

// scrape returns the metrics of a server.
func scrape(t *testing.T, s *testServer, transport *http.Transport, c *client.Client) string {
	t.Helper()
	_, key, err := c.Account.NewAPIKey(t.Context(), access.NewAPIKey{Name: "scrape"})
	check(t, err)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+"/metrics", nil)
	check(t, err)
	req.Header.Set("Authorization", "Bearer "+key)
	resp, err := transport.RoundTrip(req)
	check(t, err)
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	check(t, err)
	return string(body)
}

// TestTLSReload replaces the certificate while 50 connections ask: none of them is lost, new
// ones get the new certificate, and a broken one changes nothing.
func TestTLSReload(t *testing.T) {
	t.Parallel()
	s, files := startTLS(t, nil)
	var serial, asked atomic.Int64
	var askers sync.WaitGroup
	ctx, stop := context.WithCancel(t.Context())
	defer askers.Wait()
	defer stop()
	for i := range 50 {
		askers.Go(func() { askOver(ctx, t, s.url, i%5 == 0, &asked, &serial) })
	}
	asks := func(n int64) {
		t.Helper()
		want := asked.Load() + n
		until(t, func() bool { return asked.Load() >= want }, func() string { return "nobody asks any more" })
	}
	asks(500)
	files.certify(t, 2)
	until(t, func() bool { return serial.Load() == 2 }, func() string { return fmt.Sprintf("certificate %d is shown", serial.Load()) })
	asks(500)
	check(t, os.WriteFile(files.cert, []byte("broken"), 0o600))
	until(t, func() bool { return strings.Contains(s.logs.String(), "reading the certificate failed") }, func() string { return "nothing is logged of a broken one" })
	asks(500)
	if serial.Load() != 2 {
		t.Errorf("certificate %d is shown", serial.Load())
	}
}

// askOver asks until ctx ends, on one connection or on a new one each time.
func askOver(ctx context.Context, t *testing.T, address string, anew bool, asked, serial *atomic.Int64) {
	config := &tls.Config{InsecureSkipVerify: true, VerifyConnection: func(state tls.ConnectionState) error {
		serial.Store(state.PeerCertificates[0].SerialNumber.Int64())
		return nil
	}}
	transport := &http.Transport{TLSClientConfig: config, DisableKeepAlives: anew}
	defer transport.CloseIdleConnections()
	for ctx.Err() == nil {
		resp, err := (&http.Client{Transport: transport}).Get(address + "/livez")
		if err != nil {
			t.Errorf("a connection is lost: %v", err)
			return
		}
		_, _ = io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
		asked.Add(1)
	}
}

// TestAddressesOfOthers refuses to start where others could read passwords on their way.
func TestAddressesOfOthers(t *testing.T) {
	t.Parallel()
	s := beginServer(t, map[string]string{"KG_ADDR": "0.0.0.0:0", "KG_PLAIN_HTTP": "1"})
	if !strings.HasPrefix(s.url, "http://127.0.0.1:") {
		t.Errorf("it serves on %s", s.url)
	}
}
