package http

import (
	"container/list"
	"context"
	"net"
	"syscall"
	"time"
)

// countedConn is a connection that is counted.
type countedConn struct {
	net.Conn
	owner *connections
	until time.Time // when it ends at the latest, if it is of the reserve

	// Guarded by owner.mu.
	place  *list.Element // in idle or waiting; nil while it has a request
	since  time.Time     // when it was put there
	closed bool          // it is not counted any more
}

func (c *countedConn) isReserved() bool { return !c.until.IsZero() }

// Close closes the connection and makes room for another one.
func (c *countedConn) Close() error {
	c.owner.mu.Lock()
	c.owner.releaseLocked(c)
	c.owner.mu.Unlock()
	return c.Conn.Close()
}

// CloseWrite ends what is sent, so that net/http can wait for a client that is
// still sending.
func (c *countedConn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}

// SyscallConn returns the kernel's connection.
func (c *countedConn) SyscallConn() (syscall.RawConn, error) {
	if raw, ok := c.Conn.(syscall.Conn); ok {
		return raw.SyscallConn()
	}
	return nil, syscall.ENOTSUP
}

// SetDeadline sets both deadlines, within the time of the reserve.
func (c *countedConn) SetDeadline(t time.Time) error { return c.Conn.SetDeadline(c.within(t)) }

// SetReadDeadline sets the deadline for reading, within the time of the reserve.
func (c *countedConn) SetReadDeadline(t time.Time) error { return c.Conn.SetReadDeadline(c.within(t)) }

// SetWriteDeadline sets the deadline for writing, within the time of the reserve.
func (c *countedConn) SetWriteDeadline(t time.Time) error {
	return c.Conn.SetWriteDeadline(c.within(t))
}

func (c *countedConn) within(t time.Time) time.Time {
	if c.isReserved() && (t.IsZero() || t.After(c.until)) {
		return c.until
	}
	return t
}

// countedConnOf returns the connection of the request that ctx belongs to, nil when it
// is not counted.
func countedConnOf(ctx context.Context) *countedConn {
	c, ok := ctx.Value(connKey{}).(Connection)
	if !ok {
		return nil
	}
	counted, _ := beneath(c.Conn).(*countedConn)
	return counted
}

// wasEvicted reports whether the connection of the request that ctx belongs to was
// closed just when the request came.
func wasEvicted(ctx context.Context) bool {
	c := countedConnOf(ctx)
	if c == nil {
		return false
	}
	c.owner.mu.Lock()
	defer c.owner.mu.Unlock()
	return c.closed
}

// onReserve reports whether the request that ctx belongs to came on a connection of
// the reserve.
func onReserve(ctx context.Context) bool {
	c := countedConnOf(ctx)
	return c != nil && c.isReserved()
}
