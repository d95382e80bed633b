package notify

import (
	"net"
	"syscall"
	"testing"
)

func TestDialerLimits(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	conn, err := newDialer().DialContext(t.Context(), "tcp", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	raw, err := conn.(*net.TCPConn).SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ option, want int }{
		"TCP_USER_TIMEOUT in ms": {tcpUserTimeout, 10_000},
		"TCP_KEEPIDLE in s":      {syscall.TCP_KEEPIDLE, 10},
		"TCP_KEEPINTVL in s":     {syscall.TCP_KEEPINTVL, 5},
		"TCP_KEEPCNT":            {syscall.TCP_KEEPCNT, 3},
	} {
		var got int
		var optErr error
		if err := raw.Control(func(fd uintptr) {
			got, optErr = syscall.GetsockoptInt(int(fd), syscall.IPPROTO_TCP, c.option)
		}); err != nil || optErr != nil {
			t.Fatal(err, optErr)
		}
		if got != c.want {
			t.Errorf("%s is %d, want %d", name, got, c.want)
		}
	}
}
