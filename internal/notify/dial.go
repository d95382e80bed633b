package notify

import (
	"net"
	"time"
)

const (
	connectTimeout    = 5 * time.Second
	keepAliveIdle     = 10 * time.Second
	keepAliveInterval = 5 * time.Second
	keepAliveCount    = 3
	userTimeout       = 10 * time.Second // for the other end to acknowledge what was sent
)

// newDialer returns how sources connect: so that the system notices a dead
// connection by itself, both an idle one and one with data under way.
func newDialer() *net.Dialer {
	return &net.Dialer{
		Timeout: connectTimeout,
		KeepAliveConfig: net.KeepAliveConfig{
			Enable: true, Idle: keepAliveIdle, Interval: keepAliveInterval, Count: keepAliveCount,
		},
		Control: setUserTimeout,
	}
}
