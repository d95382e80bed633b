package worker

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/coder/websocket"

	"github.com/kappagraph/kappa/internal/remote/wire"
)

const dialTimeout = 20 * time.Second

// dialer opens a line to a server with a token.
type dialer func(ctx context.Context, address, token string) (line, error)

// refusedError is an answer to the request for a WebSocket.
type refusedError struct {
	status int
	after  time.Duration // that the server asks for
	text   string
}

func (e *refusedError) Error() string {
	return fmt.Sprintf("the server answered %d: %s", e.status, e.text)
}

// dialOver returns a dialer that believes the authorities of roots; nil is those of the system.
func dialOver(roots *x509.CertPool) dialer {
	if roots == nil {
		return func(ctx context.Context, address, token string) (line, error) { return dial(ctx, nil, address, token) }
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.TLSClientConfig = &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: roots}
	through := &http.Client{Transport: transport}
	return func(ctx context.Context, address, token string) (line, error) {
		return dial(ctx, through, address, token)
	}
}

// dial opens a WebSocket; through nil is the default client. The token travels in a header:
// addresses are logged.
func dial(ctx context.Context, through *http.Client, address, token string) (line, error) {
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	at, err := url.Parse(address)
	if err != nil {
		return nil, fmt.Errorf("read the address: %w", err)
	}
	at.RawQuery = "vsn=2.0.0"
	conn, resp, err := websocket.Dial(ctx, at.String(), &websocket.DialOptions{ //nolint:bodyclose // nothing is to be closed, the library says
		HTTPHeader: http.Header{"Authorization": {"Bearer " + token}}, CompressionMode: websocket.CompressionDisabled,
		Subprotocols: []string{wire.Subprotocol}, HTTPClient: through,
	})
	if err != nil {
		if resp != nil && resp.StatusCode != http.StatusSwitchingProtocols {
			return nil, refusalOf(resp)
		}
		return nil, fmt.Errorf("connect to %s: %w", at.Host, err)
	}
	conn.SetReadLimit(wire.MaxWorkerMessage)
	return socket{conn}, nil
}

// refusalOf reads the answer of a server that opens no WebSocket.
func refusalOf(resp *http.Response) *refusedError {
	e := &refusedError{status: resp.StatusCode, text: http.StatusText(resp.StatusCode)}
	if resp.Body != nil {
		if body, err := io.ReadAll(io.LimitReader(resp.Body, 1024)); err == nil && len(body) > 0 {
			e.text = strings.Join(strings.Fields(strings.ToValidUTF8(string(body), "")), " ")
		}
	}
	if seconds, err := strconv.Atoi(resp.Header.Get("Retry-After")); err == nil && seconds > 0 {
		e.after = min(time.Duration(seconds)*time.Second, time.Minute)
	}
	return e
}

// socket is a line over a WebSocket.
type socket struct{ conn *websocket.Conn }

func (s socket) Read(ctx context.Context) ([]byte, error) {
	_, message, err := s.conn.Read(ctx)
	return message, err
}

func (s socket) Write(ctx context.Context, message []byte) error {
	return s.conn.Write(ctx, websocket.MessageText, message)
}

func (s socket) Close(ordered bool) {
	if ordered {
		_ = s.conn.Close(websocket.StatusNormalClosure, "")
	}
	_ = s.conn.CloseNow()
}

// restarting reports whether a server said that it stops, or that a newer connection
// took over: it can be asked again at once.
func restarting(err error) bool {
	code := websocket.CloseStatus(err)
	return code == websocket.StatusGoingAway || code == websocket.StatusServiceRestart
}
