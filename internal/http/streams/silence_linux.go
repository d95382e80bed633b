package streams

import (
	"net"
	"syscall"
	"time"
)

// tcpUserTimeout is TCP_USER_TIMEOUT, which the standard library has no name for.
const tcpUserTimeout = 0x12

// limitSilence has the kernel give a connection up when what was sent stays
// unacknowledged for this long. A write does not show it: a client that vanished
// without a word leaves room in the kernel's buffer for many small ones.
func limitSilence(conn net.Conn, most time.Duration) error {
	if over, ok := conn.(interface{ NetConn() net.Conn }); ok {
		conn = over.NetConn() // beneath TLS
	}
	raw, ok := conn.(syscall.Conn)
	if !ok {
		return nil // not the kernel's
	}
	rc, err := raw.SyscallConn()
	if err != nil {
		return err
	}
	var failed error
	err = rc.Control(func(fd uintptr) {
		failed = syscall.SetsockoptInt(int(fd), syscall.IPPROTO_TCP, tcpUserTimeout, int(most.Milliseconds()))
	})
	if err != nil {
		return err
	}
	return failed
}
