package remote

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/coder/websocket"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/remote/wire"
	"github.com/kappagraph/kappa/work"
)

// Serve takes the connection of a worker over, and returns when it has ended. What is
// refused is refused before the connection is a WebSocket: the error is then the
// answer.
func (s *Server) Serve(w http.ResponseWriter, r *http.Request) error {
	h, err := s.admit(r)
	if err == nil && (s.stopping.Load() || !s.enter()) {
		err = &kappa.Error{Code: kappa.CodeUnavailable, Message: "no more workers are taken now; connect again", RetryAfter: 2 * time.Second}
	}
	if err != nil {
		s.refused.log(r.Context(), s, address(r), err)
		return err
	}
	defer s.leave()
	opened, err := s.cfg.Store.Connect(r.Context(), h.RemoteHello)
	expired := errors.Is(err, kappa.ErrLeaseLost)
	if err != nil && !expired {
		s.refused.log(r.Context(), s, address(r), err)
		return err
	}
	conn, err := websocket.Accept(w, r, &websocket.AcceptOptions{
		Subprotocols: []string{wire.Subprotocol}, InsecureSkipVerify: true, CompressionMode: websocket.CompressionDisabled, // admit has compared the origin
	})
	if err != nil {
		return nil // Accept has answered
	}
	defer conn.CloseNow() //nolint:errcheck // it is closed already, or the peer is gone
	conn.SetReadLimit(wire.MaxMessage)
	n := newSession(context.WithoutCancel(r.Context()), s, conn, newMember(h, opened, expired))
	defer n.socket.cancel()
	s.serve(n)
	return nil
}

// serve handles one connection until it ends.
func (s *Server) serve(n *session) {
	s.opening()
	defer s.open.Done()
	ctx, m := context.WithoutCancel(n.socket.ctx), n.member
	s.add(n)
	defer s.remove(n)
	if s.stopping.Load() {
		n.socket.end(websocket.StatusServiceRestart, "the server stops")
	}
	n.log.InfoContext(ctx, "remote worker connected", "address", m.hello.Address, "version", m.hello.Version, "api_version", m.hello.apiVersion)
	if !m.hello.extended {
		n.adopt() // before it claims: what it runs takes its slots
	}
	err := n.socket.run(n.handle)
	callCtx, cancel := context.WithTimeout(ctx, statementLimit)
	defer cancel()
	if seen := n.takeSeen(); seen.Completed+seen.Failed+seen.Late > 0 { // since the last time
		seen.Renew = false
		if _, serr := s.cfg.Store.Seen(callCtx, []work.RemoteSeen{seen}); serr != nil {
			n.log.WarnContext(ctx, "counts of a remote worker are lost", "err", serr)
		}
	}
	if derr := s.cfg.Store.Disconnect(callCtx, m.RemoteConnection); derr != nil {
		n.log.WarnContext(ctx, "storing that a remote worker is gone failed", "err", derr)
	}
	confirmed, reserved := n.held.count()
	n.log.InfoContext(ctx, "remote worker disconnected", "err", err, "runs", confirmed+reserved)
}

// hello is what is known of a connection before it is open.
type hello struct {
	work.RemoteHello
	apiVersion string // as the worker says, for the log
	extended   bool   // by its token; the join says so too
	arrays     bool   // dataclips travel as arrays of numbers
}

// admit checks a request before it becomes a WebSocket.
func (s *Server) admit(r *http.Request) (hello, error) {
	q := r.URL.Query()
	switch {
	case !s.Enabled():
		return hello{}, kappa.NewError(kappa.CodeNotFound, "Remote workers are not enabled")
	case !strings.HasPrefix(q.Get("vsn"), "2."):
		return hello{}, kappa.NewError(kappa.CodeMalformed, "vsn: must begin with 2., the version of the serializer")
	}
	text := bearer(r)
	if text == "" {
		return hello{}, kappa.NewError(kappa.CodeUnauthenticated, "A worker token is missing")
	}
	token, err := wire.CheckWorkerToken(text, s.cfg.Now(), s.cfg.Secret, s.cfg.OldSecret)
	if err != nil {
		return hello{}, &kappa.Error{Code: kappa.CodeUnauthenticated, Message: err.Error()}
	}
	if origin := r.Header.Get("Origin"); origin != "" && !sameOrigin(origin, r.Host) {
		return hello{}, kappa.NewError(kappa.CodeForbidden, "Pages of other sites are no workers")
	}
	h := hello{arrays: q.Get("binary") == "0", extended: token.Issuer == wire.IssuerKappa, apiVersion: cut(q.Get("api_version"), 64)}
	h.RemoteHello = work.RemoteHello{
		Name: cut(token.WorkerID, wire.MaxWorkerID), Version: cut(q.Get("worker_version"), 64), Server: s.cfg.Name, Address: address(r), Lease: wire.Lease,
	}
	if h.extended {
		if !isUUID(token.WorkerID) {
			return hello{}, kappa.NewError(kappa.CodeUnauthenticated, "worker_id: must be the UUID of the process")
		}
		h.Identity, h.WorkerID = strings.ToLower(token.WorkerID), strings.ToLower(token.WorkerID)
	} else {
		h.Identity = "compat " + token.WorkerID + " " + strconv.FormatInt(token.IssuedAt.Unix(), 10)
		h.WorkerID = uuidOf(h.Identity, time.Now())
	}
	known, err := s.cfg.Store.Known(r.Context(), h.Identity)
	switch {
	case err != nil:
		return hello{}, err
	case known.Blocked:
		return hello{}, kappa.NewError(kappa.CodeForbidden, "An operator has blocked this worker")
	case token.Stale && !known.Seen:
		return hello{}, &kappa.Error{Code: kappa.CodeUnauthenticated, Message: wire.ErrOldToken.Error()}
	}
	if !strings.EqualFold(r.Header.Get("Upgrade"), "websocket") || !strings.Contains(strings.ToLower(r.Header.Get("Connection")), "upgrade") {
		return hello{}, kappa.NewError(kappa.CodeUpgradeRequired, "This is a WebSocket: ask for an upgrade")
	}
	return h, nil
}

// bearer returns the worker token of a request.
func bearer(r *http.Request) string {
	if token := r.URL.Query().Get("token"); token != "" {
		return token
	}
	if token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok {
		return token
	}
	for _, list := range r.Header.Values("Sec-WebSocket-Protocol") {
		for protocol := range strings.SplitSeq(list, ",") {
			if token, ok := wire.TokenOfSubprotocol(strings.TrimSpace(protocol)); ok {
				return token
			}
		}
	}
	return ""
}

func sameOrigin(origin, host string) bool {
	u, err := url.Parse(origin)
	return err == nil && strings.EqualFold(u.Host, host)
}

func address(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	return host
}

// cut returns s without what is beyond most bytes, or cannot be shown.
func cut(s string, most int) string {
	s = strings.ToValidUTF8(strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return -1
		}
		return r
	}, s), "")
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "")
	}
	return s
}

func isUUID(s string) bool {
	if len(s) != 36 {
		return false
	}
	for i, c := range []byte(s) {
		dash := i == 8 || i == 13 || i == 18 || i == 23
		hex := c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
		if dash != (c == '-') || !dash && !hex {
			return false
		}
	}
	return true
}

// uuidOf returns an identifier for a worker that has none.
func uuidOf(identity string, at time.Time) string {
	b := sha256.Sum256([]byte(identity + " " + at.Format(time.RFC3339Nano)))
	b[6] = b[6]&0x0f | 0x80 // version 8: our own
	b[8] = b[8]&0x3f | 0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:16])
}

// refusals logs who is refused, once a minute for each address.
type refusals struct {
	mu   sync.Mutex
	last map[string]time.Time
}

func (f *refusals) log(ctx context.Context, s *Server, from string, err error) {
	f.mu.Lock()
	now := time.Now()
	if f.last == nil || len(f.last) > 10_000 {
		f.last = map[string]time.Time{}
	}
	quiet := now.Sub(f.last[from]) < time.Minute
	if !quiet {
		f.last[from] = now
	}
	f.mu.Unlock()
	if !quiet {
		s.cfg.Log.WarnContext(ctx, "remote worker refused", "address", from, "reason", kappa.ErrorMessage(err))
	}
}
