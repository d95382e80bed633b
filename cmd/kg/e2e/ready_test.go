package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/kappagraph/kappa/internal/pgtest"
	"github.com/kappagraph/kappa/work"
)

// longestFlip is how long GET /readyz may take to notice, either way: ten seconds, and three
// times as long on a busy machine.
const longestFlip = 30 * time.Second

// TestQ39_Readiness breaks what a server needs to be ready, one thing after the
// other, and mends it: GET /readyz says so within ten seconds, either way, and
// GET /livez is not moved by any of it.
func TestQ39_Readiness(t *testing.T) {
	t.Parallel()
	t.Run("database", func(t *testing.T) {
		t.Parallel()
		link := newLink(t, newDSN(t))
		s := startServer(t, map[string]string{"DATABASE_URL": link.dsn})
		awaitReady(t, s, "ready", longestFlip)
		for _, fault := range []string{"cut", "hangs"} {
			link.set(fault)
			report, took := awaitReady(t, s, "not ready", longestFlip)
			if c := report.Checks["database"]; c.Status != "failed" {
				t.Errorf("%s: %+v", fault, report)
			}
			t.Logf("%s: noticed after %s", fault, took)
			link.set("")
			_, took = awaitReady(t, s, "ready", longestFlip)
			t.Logf("%s: ready again after %s", fault, took)
		}
	})

	t.Run("schema, lease, lanes", func(t *testing.T) {
		t.Parallel()
		s := startServer(t, nil)
		conn := connectTo(t, s.dsn)
		awaitReady(t, s, "ready", longestFlip)
		for _, fault := range []struct{ name, harm, mend, check string }{
			{
				"a newer schema", "INSERT INTO kg_api.schema_migrations (version_id, is_applied) VALUES (9999, true); UPDATE kg_api.schema_floor SET version = 9999",
				"UPDATE kg_api.schema_floor SET version = 1", "schema",
			},
			{
				"claims that are refused", "ALTER TABLE kg_api.worker_lanes RENAME COLUMN max_slots TO slots; NOTIFY kg_lanes, 'interactive'",
				"ALTER TABLE kg_api.worker_lanes RENAME COLUMN slots TO max_slots", "lanes",
			},
			{
				"no lease", "UPDATE kg_api.workers SET state = 'dead'; ALTER TABLE kg_api.workers RENAME COLUMN pid TO process",
				"ALTER TABLE kg_api.workers RENAME COLUMN process TO pid", "worker",
			},
		} {
			_, err := conn.Exec(t.Context(), fault.harm)
			check(t, err)
			report, took := awaitReady(t, s, "not ready", longestFlip)
			if c := report.Checks[fault.check]; c.Status != "failed" || c.Detail == "" {
				t.Errorf("%s: %+v", fault.name, report)
			}
			t.Logf("%s: noticed after %s: %s", fault.name, took, report.Checks[fault.check].Detail)
			_, err = conn.Exec(t.Context(), fault.mend)
			check(t, err)
			_, took = awaitReady(t, s, "ready", longestFlip)
			t.Logf("%s: ready again after %s", fault.name, took)
		}
	})

	t.Run("draining", func(t *testing.T) {
		t.Parallel()
		s := startServer(t, map[string]string{"KG_LEAVE_SECONDS": "3"})
		awaitReady(t, s, "ready", longestFlip)
		began := time.Now()
		stopped := make(chan struct{})
		go func() {
			defer close(stopped)
			s.stop()
		}()
		_, took := awaitReady(t, s, "draining", longestFlip)
		if _, err := s.client.Jobs.List(t.Context(), work.JobFilter{}); err != nil {
			t.Errorf("a server that drains refuses a request: %v", err)
		}
		<-stopped
		if all := time.Since(began); all < 3*time.Second {
			t.Errorf("the stop took %s, with 3 s for load balancers", all)
		}
		t.Logf("draining after %s", took)
	})
}

// TestQ39_DeafServer_Slow keeps notifications from a server: after 30 s it is not
// ready.
func TestQ39_DeafServer_Slow(t *testing.T) {
	pgtest.SlowTier(t)
	t.Parallel()
	dsn := newDSN(t)
	link := newLink(t, dsn)
	s := startServer(t, map[string]string{"DATABASE_URL": link.dsn})
	awaitReady(t, s, "ready", longestFlip)
	link.set("deaf")
	conn := connectTo(t, dsn)
	_, err := conn.Exec(t.Context(), "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'kg-listen' AND datname = current_database()")
	check(t, err)
	began := time.Now()
	report, _ := awaitReady(t, s, "not ready", 30*time.Second+longestFlip)
	took := time.Since(began)
	if c := report.Checks["events"]; c.Status != "failed" || took < 30*time.Second {
		t.Errorf("after %s: %+v", took, report)
	}
	t.Logf("noticed after %s", took)
	link.set("")
	_, took = awaitReady(t, s, "ready", longestFlip)
	t.Logf("ready again after %s", took)
}

// readiness is the answer of GET /readyz.
type readiness struct {
	Status string
	Checks map[string]struct{ Status, Detail string }
}

// awaitReady asks until the server says the status, and returns how long that
// took. Each answer comes within a second, and the process is alive all the time.
func awaitReady(t *testing.T, s *testServer, want string, most time.Duration) (report readiness, took time.Duration) {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	began := time.Now()
	for {
		asked := time.Now()
		status, body := probe(t, client, s.url+"/readyz")
		if slow := time.Since(asked); slow > 10*time.Second { // it is given up after one, and the machine may be busy
			t.Errorf("an answer took %s", slow)
		}
		report = readiness{}
		check(t, json.Unmarshal(body, &report))
		if (status == http.StatusOK) != (report.Status == "ready") {
			t.Errorf("%d with %s", status, body)
		}
		if alive, body := probe(t, client, s.url+"/livez"); alive != http.StatusOK {
			t.Errorf("not alive: %s", body)
		}
		took = time.Since(began)
		if report.Status == want {
			return report, took
		}
		if took > most {
			t.Fatalf("after %s the server says %s, want %q", took, body, want)
		}
		time.Sleep(100 * time.Millisecond) // polled on purpose, as load balancers do
	}
}

func probe(t *testing.T, client *http.Client, url string) (status int, body []byte) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	check(t, err)
	resp, err := client.Do(req)
	check(t, err)
	defer resp.Body.Close()
	body, err = io.ReadAll(resp.Body)
	check(t, err)
	return resp.StatusCode, body
}

func connectTo(t *testing.T, dsn string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), dsn)
	check(t, err)
	t.Cleanup(func() { conn.Close(context.WithoutCancel(t.Context())) })
	return conn
}

// link stands between a server and its database. It can be cut, hang, or refuse
// connections that listen for notifications.
type link struct {
	dsn, network, addr string

	fault   atomic.Value // "", "cut", "hangs" or "deaf"
	running sync.WaitGroup
	mu      sync.Mutex // guards conns
	conns   map[net.Conn]struct{}
}

func newLink(t *testing.T, dsn string) *link {
	t.Helper()
	cfg, err := pgx.ParseConfig(dsn)
	check(t, err)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	check(t, err)
	l := &link{conns: map[net.Conn]struct{}{}}
	l.fault.Store("")
	l.network, l.addr = pgconn.NetworkAddress(cfg.Host, cfg.Port)
	l.dsn = fmt.Sprintf("%s host=127.0.0.1 port=%d", dsn, listener.Addr().(*net.TCPAddr).Port)
	l.running.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			l.running.Go(func() { l.pass(conn) })
		}
	})
	t.Cleanup(func() {
		listener.Close()
		l.set("cut")
		l.running.Wait()
	})
	return l
}

// set makes a fault, or mends it. Connections that hung are cut, as a network
// does in the end.
func (l *link) set(fault string) {
	l.fault.Store(fault)
	if fault == "hangs" || fault == "deaf" {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for c := range l.conns {
		c.Close()
	}
	clear(l.conns)
}

// pass connects one client with the database.
func (l *link) pass(client net.Conn) {
	defer client.Close()
	l.keep(client)
	first := make([]byte, 8192)
	n, err := client.Read(first) // the start-up message names the application
	if err != nil || l.fault.Load() == "cut" || l.fault.Load() == "deaf" && strings.Contains(string(first[:n]), "kg-listen") {
		return
	}
	server, err := net.Dial(l.network, l.addr)
	if err != nil {
		return
	}
	defer server.Close()
	l.keep(server)
	if _, err := server.Write(first[:n]); err != nil {
		return
	}
	l.running.Go(func() { l.forward(client, server) })
	l.forward(server, client)
}

// forward copies from one end to the other until one is closed.
func (l *link) forward(to, from net.Conn) {
	defer to.Close()
	defer from.Close()
	buf := make([]byte, 8192)
	for {
		n, err := from.Read(buf)
		if err != nil {
			return
		}
		if l.fault.Load() == "hangs" {
			continue // swallowed
		}
		if _, err := to.Write(buf[:n]); err != nil {
			return
		}
	}
}

func (l *link) keep(c net.Conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.conns[c] = struct{}{}
}
