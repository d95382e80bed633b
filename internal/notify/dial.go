package notify

import (
	"net"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

const (
	connectTimeout    = 5 * time.Second
	keepAliveIdle     = 10 * time.Second
	keepAliveInterval = 5 * time.Second
	keepAliveCount    = 3
	userTimeout       = 10 * time.Second // for the other end to acknowledge what was sent
)

// orWritable returns how a server is accepted: as validate says, or, when that is
// nil, if it takes writes.
func orWritable(validate pgconn.ValidateConnectFunc) pgconn.ValidateConnectFunc {
	if validate == nil {
		return pgconn.ValidateConnectTargetSessionAttrsReadWrite
	}
	return validate
}

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
