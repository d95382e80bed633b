package release

import (
	"bufio"
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/kappagraph/kappa/internal/await"
	"github.com/kappagraph/kappa/internal/pgtest"
)

// TestNginx_Slow has nginx check deploy/nginx/kappa.conf, and stand before a server with it.
func TestNginx_Slow(t *testing.T) {
	pgtest.SlowTier(t)
	t.Parallel()
	program := found(t, "nginx", "nginx-light")
	b := newBackend(t)
	dir := t.TempDir()
	certificate(t, dir)
	port, plain := freePort(t), freePort(t)
	site := changed(t, "../../deploy/nginx/kappa.conf",
		"server 127.0.0.1:8000;", "server "+b.addr+";",
		"listen 443 ssl http2;", "listen 127.0.0.1:"+port+" ssl http2;", "listen [::]:443 ssl http2;", "",
		"listen 80;", "listen 127.0.0.1:"+plain+";", "listen [::]:80;", "",
		"/etc/ssl/kappa.crt", dir+"/kappa.crt", "/etc/ssl/kappa.key", dir+"/kappa.key")
	whole := fmt.Sprintf("worker_processes 1;\ndaemon off;\npid %[1]s/pid;\nerror_log stderr;\nevents {}\nhttp {\naccess_log off;\nclient_body_temp_path %[1]s/body;\nproxy_temp_path %[1]s/proxy;\n"+
		"fastcgi_temp_path %[1]s/f;\nuwsgi_temp_path %[1]s/u;\nscgi_temp_path %[1]s/s;\n%[2]s}\n", dir, site)
	config := filepath.Join(dir, "nginx.conf")
	write(t, config, whole)
	command(t, program, "-t", "-p", dir, "-c", config)
	start(t, port, program, "-p", dir, "-c", config)
	before(t, b, "https://127.0.0.1:"+port)
	if code := ask(t, "https://127.0.0.1:"+port, "POST", "/ingest", strings.Repeat("x", 70<<20)); code != http.StatusRequestEntityTooLarge {
		t.Errorf("a document of 70 MiB gets %d", code)
	}
	answer := ask(t, "https://127.0.0.1:"+port, "POST", "/auth/session", "")
	for range 12 {
		answer = ask(t, "https://127.0.0.1:"+port, "POST", "/auth/session", "")
	}
	if answer != http.StatusServiceUnavailable {
		t.Errorf("the thirteenth login at once gets %d", answer)
	}
}

// TestCaddy_Slow does the same with deploy/caddy/Caddyfile.
func TestCaddy_Slow(t *testing.T) {
	pgtest.SlowTier(t)
	t.Parallel()
	program := found(t, "caddy", "caddy")
	command(t, program, "validate", "--adapter", "caddyfile", "--config", "../../deploy/caddy/Caddyfile")
	b := newBackend(t)
	dir := t.TempDir()
	certificate(t, dir)
	port := freePort(t)
	site := changed(t, "../../deploy/caddy/Caddyfile",
		"kappa.example.com {", "https://127.0.0.1:"+port+" {\n\ttls "+dir+"/kappa.crt "+dir+"/kappa.key",
		"reverse_proxy @streams 127.0.0.1:8000", "reverse_proxy @streams "+b.addr,
		"reverse_proxy 127.0.0.1:8000", "reverse_proxy "+b.addr)
	config := filepath.Join(dir, "Caddyfile")
	write(t, config, "{\n\tadmin off\n\tauto_https disable_redirects\n\tstorage file_system "+dir+"\n}\n"+site)
	start(t, port, program, "run", "--adapter", "caddyfile", "--config", config)
	before(t, b, "https://127.0.0.1:"+port)
}

// before asks a server through a proxy: events come one by one, WebSockets get through, the
// client is named by the proxy alone, and large documents too.
func before(t *testing.T, b *backend, url string) {
	t.Helper()
	for _, path := range []string{"/events", "/jobs/job_1/stream", "/api/jobs/job_1/stream", "/query/ask/answer", "/mcp", "/v1/chat/completions", "/api/chat"} {
		response := get(t, "POST", url+path, strings.NewReader("{}"))
		lines := bufio.NewReader(response.Body)
		for range 3 {
			b.next <- struct{}{} // the next event is sent only when the one before has come
			if line, err := lines.ReadString('\n'); err != nil || line != "data: x\n" {
				t.Fatalf("%s: got %q, %v", path, line, err)
			}
		}
		b.end <- struct{}{}
		check(t, response.Body.Close())
	}
	response := get(t, "GET", url+"/echo", nil)
	head, err := io.ReadAll(response.Body)
	check(t, err)
	check(t, response.Body.Close())
	if said := string(head); !strings.Contains(said, "for=127.0.0.1 proto=https") {
		t.Errorf("the server is told %q of a client that claims another address", said)
	}
	if code := ask(t, url, "POST", "/ingest", strings.Repeat("x", 60<<20)); code != http.StatusOK {
		t.Errorf("a document of 60 MiB gets %d", code)
	}
	switches(t, url)
}

// switches sends the head of a WebSocket's request, over HTTP/1.1.
func switches(t *testing.T, url string) {
	t.Helper()
	conn, err := tls.Dial("tcp", strings.TrimPrefix(url, "https://"), &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"http/1.1"}})
	check(t, err)
	defer conn.Close()
	_, err = fmt.Fprintf(conn, "GET /worker/websocket?token=x HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: eHh4eHh4eHh4eHh4eHh4eA==\r\n\r\n")
	check(t, err)
	if line, err := bufio.NewReader(conn).ReadString('\n'); err != nil || !strings.HasPrefix(line, "HTTP/1.1 101 ") {
		t.Errorf("a WebSocket gets %q, %v", line, err)
	}
}

// backend stands for Kappa.
type backend struct {
	addr      string
	next, end chan struct{}
}

func newBackend(t *testing.T) *backend {
	b := &backend{next: make(chan struct{}), end: make(chan struct{})}
	server := httptest.NewServer(http.HandlerFunc(b.serve))
	t.Cleanup(server.Close)
	b.addr = server.Listener.Addr().String()
	return b
}

// serve answers a stream an event at a time, and anything else at once.
func (b *backend) serve(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.Header.Get("Upgrade") == "websocket":
		w.Header().Set("Connection", "Upgrade")
		w.Header().Set("Upgrade", "websocket")
		w.WriteHeader(http.StatusSwitchingProtocols)
	case r.URL.Path == "/echo":
		fmt.Fprintf(w, "for=%s proto=%s", r.Header.Get("X-Forwarded-For"), r.Header.Get("X-Forwarded-Proto"))
	case r.URL.Path == "/ingest" || r.URL.Path == "/auth/session":
		_, _ = io.Copy(io.Discard, r.Body)
	default:
		w.Header().Set("Content-Type", "text/event-stream")
		if r.URL.Path == "/api/chat" {
			w.Header().Set("Content-Type", "application/x-ndjson") // which no proxy takes for a stream by itself
		}
		w.(http.Flusher).Flush()
		for {
			select {
			case <-b.next:
				fmt.Fprint(w, "data: x\n")
				w.(http.Flusher).Flush()
			case <-b.end:
				return
			case <-r.Context().Done():
				return
			}
		}
	}
}

// get sends a request that claims to come from elsewhere.
func get(t *testing.T, method, url string, body io.Reader) *http.Response {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, url, body)
	check(t, err)
	request.Header.Set("X-Forwarded-For", "203.0.113.7")
	request.Header.Set("X-Forwarded-Proto", "gopher")
	carrier := &http.Client{Timeout: time.Minute, Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	t.Cleanup(carrier.CloseIdleConnections)
	response, err := carrier.Do(request)
	check(t, err)
	return response
}

// ask sends a request, and returns the status of its answer.
func ask(t *testing.T, url, method, path, body string) int {
	t.Helper()
	response := get(t, method, url+path, strings.NewReader(body))
	_, _ = io.Copy(io.Discard, response.Body)
	check(t, response.Body.Close())
	return response.StatusCode
}

// start runs a program until the end of the test, and waits until it listens on a port.
func start(t *testing.T, port, program string, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program, args...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.Env = append(os.Environ(), "XDG_CONFIG_HOME="+t.TempDir())
	var log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &log, &log
	check(t, cmd.Start())
	over := make(chan struct{})
	go func() {
		_ = cmd.Wait()
		close(over)
	}()
	t.Cleanup(func() {
		<-over
		if t.Failed() {
			t.Logf("%s said:\n%s", program, log.String())
		}
	})
	await.That(t, program+" listens", func() bool {
		select {
		case <-over:
			t.Fatalf("%s has ended", program)
		default:
		}
		conn, err := net.Dial("tcp", "127.0.0.1:"+port)
		if err == nil {
			_ = conn.Close()
		}
		return err == nil
	})
}

// changed reads a file, and replaces pairs of words in it, each of which must be there.
func changed(t *testing.T, path string, words ...string) string {
	t.Helper()
	bytes, err := os.ReadFile(path)
	check(t, err)
	text := string(bytes)
	for i := 0; i < len(words); i += 2 {
		if !strings.Contains(text, words[i]) {
			t.Fatalf("%s has no %q", path, words[i])
		}
		text = strings.ReplaceAll(text, words[i], words[i+1])
	}
	return text
}

// certificate makes a certificate and its key in a folder.
func certificate(t *testing.T, dir string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	check(t, err)
	is := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}
	cert, err := x509.CreateCertificate(rand.Reader, is, is, key.Public(), key)
	check(t, err)
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	check(t, err)
	write(t, filepath.Join(dir, "kappa.crt"), string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert})))
	write(t, filepath.Join(dir, "kappa.key"), string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret})))
}

// found returns where a program is.
func found(t *testing.T, program, pkg string) string {
	t.Helper()
	for _, name := range []string{program, "/usr/sbin/" + program} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Skipf("NOT TESTED: there is no %s: apt-get install %s", program, pkg)
	return ""
}

func freePort(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	check(t, err)
	_, port, err := net.SplitHostPort(listener.Addr().String())
	check(t, err)
	check(t, listener.Close())
	return port
}

func write(t *testing.T, path, text string) {
	t.Helper()
	check(t, os.WriteFile(path, []byte(text), 0o600))
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
