package pgproxy

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"sync"
	"time"
)

const (
	maxStartup   = 10_000 // PostgreSQL's own limit of the first message
	cancelCode   = 80877102
	roleOfCancel = "cancel" // a request to cancel a statement has no application name
	roleUnnamed  = "unnamed"
	forwardBytes = 32 << 10
)

// link is one connection through a proxy.
type link struct {
	proxy  *Proxy
	role   string
	client net.Conn

	mu     sync.Mutex // guards what follows
	server net.Conn   // nil until connected
	ended  bool
	closed chan struct{}
}

// connect adds the server's side; it reports false when the link has ended.
func (l *link) connect(server net.Conn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ended {
		_ = server.Close()
		return false
	}
	l.server = server
	return true
}

// closeBoth ends the link on both sides; it may be called again.
func (l *link) closeBoth() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ended {
		return
	}
	l.ended = true
	close(l.closed)
	_ = l.client.Close()
	if l.server != nil {
		_ = l.server.Close()
	}
}

// forward passes data in both directions until either side ends.
func (l *link) forward(ctx context.Context) {
	var directions sync.WaitGroup
	directions.Go(func() { l.copy(ctx, l.server, l.client, false) })
	directions.Go(func() { l.copy(ctx, l.client, l.server, true) })
	directions.Wait()
}

// copy passes data in one direction. The end of a connection is data too: in a
// hole the other side does not learn of it.
func (l *link) copy(ctx context.Context, to, from net.Conn, answer bool) {
	defer l.closeBoth()
	buf := make([]byte, forwardBytes)
	for {
		n, err := from.Read(buf)
		switch l.proxy.modeOf(ctx, l.role, l.closed) {
		case Refuse:
			return
		case Lose:
			if answer {
				return
			}
		case Slow:
			select {
			case <-time.After(slowBy):
			case <-l.closed:
				return
			}
		}
		if _, writeErr := to.Write(buf[:n]); err != nil || writeErr != nil {
			return
		}
	}
}

// readStartup reads the first message of a PostgreSQL connection.
func readStartup(r io.Reader) ([]byte, error) {
	head := make([]byte, 8)
	if _, err := io.ReadFull(r, head); err != nil {
		return nil, fmt.Errorf("read the first message: %w", err)
	}
	size := binary.BigEndian.Uint32(head)
	if size < 8 || size > maxStartup {
		return nil, fmt.Errorf("the first message has %d bytes", size)
	}
	message := append(head, make([]byte, size-8)...)
	if _, err := io.ReadFull(r, message[8:]); err != nil {
		return nil, fmt.Errorf("read the first message: %w", err)
	}
	return message, nil
}

// roleOf returns the application name in a first message.
func roleOf(message []byte) string {
	if binary.BigEndian.Uint32(message[4:]) == cancelCode {
		return roleOfCancel
	}
	fields := bytes.Split(message[8:], []byte{0})
	for i := 0; i+1 < len(fields); i += 2 {
		if string(fields[i]) == "application_name" && len(fields[i+1]) > 0 {
			return string(fields[i+1])
		}
	}
	return roleUnnamed
}
