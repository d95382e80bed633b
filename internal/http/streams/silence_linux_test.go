package streams

import (
	"context"
	"net"
	"syscall"
	"testing"
	"time"

	nethttp "net/http"

	"github.com/kappagraph/kappa/work"
)

func TestStreamsLimitSilence(t *testing.T) {
	conns := make(chan net.Conn, 1)
	b := withHistory(1, work.StatusProcessing)
	s := newTestServer(t, testConfig(b))
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.web.Run(ctx, spyListener{ln, conns}) }()
	w := openStreamOf(t, &nethttp.Transport{}, "http://"+ln.Addr().String()+"/jobs/"+knownJob+"/stream", map[string]string{"Authorization": "Bearer good"})
	w.want("1 snapshot")
	rc, err := (<-conns).(*net.TCPConn).SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	_ = rc.Control(func(fd uintptr) {
		ms, err := syscall.GetsockoptInt(int(fd), syscall.IPPROTO_TCP, tcpUserTimeout)
		if want := int((10 * time.Second).Milliseconds()); err != nil || ms != want {
			t.Errorf("the kernel gives up after %d ms, %v, want %d", ms, err, want)
		}
	})
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// spyListener shows the connections that it accepts.
type spyListener struct {
	net.Listener
	conns chan<- net.Conn
}

func (l spyListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err == nil {
		l.conns <- conn
	}
	return conn, err
}
