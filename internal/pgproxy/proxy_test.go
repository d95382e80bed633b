package pgproxy

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

const (
	shortly = 50 * time.Millisecond // in which what must not arrive could have
	soon    = 5 * time.Second
)

// echoServer stands for PostgreSQL: after the first message it sends back what
// it gets. It counts the bytes.
type echoServer struct {
	path string

	mu  sync.Mutex
	got int
}

func startEcho(t *testing.T) *echoServer {
	t.Helper()
	e := &echoServer{path: filepath.Join(socketDir(t), "s")}
	listener, err := net.Listen("unix", e.path)
	check(t, err)
	var group sync.WaitGroup
	group.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			group.Go(func() { e.echo(conn) })
		}
	})
	t.Cleanup(func() {
		_ = listener.Close()
		group.Wait()
	})
	return e
}

func (e *echoServer) echo(conn net.Conn) {
	defer conn.Close()
	if _, err := readStartup(conn); err != nil {
		return
	}
	buf := make([]byte, 1024)
	for {
		n, err := conn.Read(buf)
		e.mu.Lock()
		e.got += n
		e.mu.Unlock()
		if err != nil {
			return
		}
		if _, err := conn.Write(buf[:n]); err != nil {
			return
		}
	}
}

func (e *echoServer) received() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.got
}

// socketDir is a directory whose path fits into that of a socket.
func socketDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "kgp-")
	check(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// startProxy runs a proxy before an echo server until the test ends.
func startProxy(t *testing.T) (*Proxy, *echoServer) {
	t.Helper()
	echo := startEcho(t)
	p := New(socketDir(t), func() string { return echo.path }, slog.New(slog.DiscardHandler))
	listener, err := p.Listen(t.Context())
	check(t, err)
	ctx, stop := context.WithCancel(t.Context())
	var group sync.WaitGroup
	group.Go(func() { p.Run(ctx, listener) })
	t.Cleanup(func() {
		stop()
		group.Wait()
	})
	return p, echo
}

// startupOf is the first message of a connection of a role.
func startupOf(role string) []byte {
	body := "\x00\x03\x00\x00user\x00kappa\x00application_name\x00" + role + "\x00\x00"
	return append([]byte{0, 0, 0, byte(len(body) + 4)}, body...)
}

// dialAs connects through a proxy in a role.
func dialAs(t *testing.T, p *Proxy, role string) net.Conn {
	t.Helper()
	conn, err := net.Dial("unix", filepath.Join(p.dir, ".s.PGSQL.5432"))
	check(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	_, err = conn.Write(startupOf(role))
	check(t, err)
	return conn
}

// exchange sends a word and returns how the answer came, within a limit.
func exchange(t *testing.T, conn net.Conn, within time.Duration) error {
	t.Helper()
	if _, err := conn.Write([]byte("word")); err != nil {
		return err
	}
	check(t, conn.SetReadDeadline(time.Now().Add(within)))
	_, err := io.ReadFull(conn, make([]byte, 4))
	return err
}

func TestProxy(t *testing.T) {
	t.Parallel()
	t.Run("passes data, and cuts the connections of one role only", func(t *testing.T) {
		t.Parallel()
		p, _ := startProxy(t)
		jobs, heartbeat := dialAs(t, p, "kg-jobs"), dialAs(t, p, "kg-heartbeat")
		check(t, exchange(t, jobs, soon))
		check(t, exchange(t, heartbeat, soon))
		if n := p.Cut("kg-jobs"); n != 1 {
			t.Errorf("%d connections were cut", n)
		}
		if err := exchange(t, jobs, soon); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("after the cut: %v", err)
		}
		check(t, exchange(t, heartbeat, soon))
		check(t, exchange(t, dialAs(t, p, "kg-jobs"), soon))
	})
	t.Run("a blackhole delivers nothing until it ends", func(t *testing.T) {
		t.Parallel()
		p, echo := startProxy(t)
		conn := dialAs(t, p, "kg-leader")
		check(t, exchange(t, conn, soon))
		p.Set("kg-leader", Hole)
		if err := exchange(t, conn, shortly); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("in the blackhole: %v", err)
		}
		if echo.received() != 4 {
			t.Errorf("the server got %d bytes, want the 4 from before", echo.received())
		}
		p.Set("kg-leader", Pass)
		check(t, conn.SetReadDeadline(time.Now().Add(soon)))
		_, err := io.ReadFull(conn, make([]byte, 4))
		check(t, err)
	})
	t.Run("a lost answer has arrived at the server", func(t *testing.T) {
		t.Parallel()
		p, echo := startProxy(t)
		conn := dialAs(t, p, "kg-jobs")
		check(t, exchange(t, conn, soon))
		p.Set("kg-jobs", Lose)
		if err := exchange(t, conn, soon); !errors.Is(err, io.EOF) {
			t.Errorf("the answer: %v, want the end of the connection", err)
		}
		if echo.received() != 8 {
			t.Errorf("the server got %d bytes, want 8", echo.received())
		}
	})
	t.Run("refuse cuts what is connected and what connects", func(t *testing.T) {
		t.Parallel()
		p, _ := startProxy(t)
		conn := dialAs(t, p, "kg-jobs")
		check(t, exchange(t, conn, soon))
		p.Set(EveryRole, Refuse)
		for _, c := range []net.Conn{conn, dialAs(t, p, "kg-listen")} {
			if err := exchange(t, c, soon); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
				t.Errorf("refused: %v", err)
			}
		}
	})
	t.Run("slow adds a wait", func(t *testing.T) {
		t.Parallel()
		p, _ := startProxy(t)
		conn := dialAs(t, p, "kg-jobs")
		p.Set("kg-jobs", Slow)
		began := time.Now()
		check(t, exchange(t, conn, soon))
		if took := time.Since(began); took < 2*slowBy {
			t.Errorf("there and back took %s, want at least %s", took, 2*slowBy)
		}
	})
}

func FuzzStartup(f *testing.F) {
	f.Add(startupOf("kg-jobs"))
	f.Add([]byte{0, 0, 0, 16, 0x04, 0xd2, 0x16, 0x2e, 0, 0, 0, 1, 0, 0, 0, 2})
	f.Add([]byte{0, 0, 0, 8, 0, 3, 0, 0})
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 0, 3, 0, 0})
	f.Fuzz(func(t *testing.T, data []byte) {
		reader, writer := io.Pipe()
		go func() {
			_, _ = writer.Write(data)
			_ = writer.Close()
		}()
		message, err := readStartup(reader)
		_ = reader.Close()
		if err == nil && roleOf(message) == "" {
			t.Error("a connection has no role")
		}
	})
}

func TestRoleOf(t *testing.T) {
	t.Parallel()
	for want, message := range map[string][]byte{
		"kg-heartbeat": startupOf("kg-heartbeat"),
		roleUnnamed:    startupOf(""),
		roleOfCancel:   {0, 0, 0, 16, 0x04, 0xd2, 0x16, 0x2e, 0, 0, 0, 1, 0, 0, 0, 2},
	} {
		if got := roleOf(message); got != want {
			t.Errorf("%q: %s, want %s", message, got, want)
		}
	}
}
