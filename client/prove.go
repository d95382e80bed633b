package client

import (
	"bufio"
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/kappagraph/kappa/access"
)

// ErrUnproven reports that the server at an address did not prove to be the
// server that is meant. Nothing was sent to it.
var ErrUnproven = errors.New("what answers there does not prove to be the server of this machine")

// The bounds of a proof.
const (
	proofTimeout  = 5 * time.Second
	maxProofBytes = 16 << 10
)

// ProvenTransport returns a transport for the one server at an address without a
// path. On each connection, before anything else is sent, the server must
// prove that it knows a key: what it answers to a nonce must be what proof returns
// for it. Over TLS that stands for the certificate, which is one for other machines: the
// proof is bound to the connection, so that nobody in between can pass it on. It uses no proxy.
func ProvenTransport(address string, proof func(nonce string) (string, error)) (*http.Transport, error) {
	base, err := parseBase(address)
	if err != nil {
		return nil, err
	}
	if base.Path != "" {
		return nil, fmt.Errorf("the address of a server that proves itself must have no path, got %q", address)
	}
	var dialer net.Dialer
	t := newTransport(base)
	t.Proxy = nil
	dial := func(ctx context.Context, network, _ string) (net.Conn, error) {
		conn, err := dialer.DialContext(ctx, network, hostPort(base))
		if err != nil {
			return nil, err
		}
		if base.Scheme == "https" {
			conn = tls.Client(conn, &tls.Config{MinVersion: tls.VersionTLS12, ServerName: base.Hostname(), InsecureSkipVerify: true}) //nolint:gosec // demandProof verifies it
		}
		if err := demandProof(ctx, conn, base.Host, proof); err != nil {
			return nil, errors.Join(err, conn.Close())
		}
		return conn, nil
	}
	none := func(context.Context, string, string) (net.Conn, error) { return nil, ErrUnproven }
	t.DialContext, t.DialTLSContext = dial, none
	if base.Scheme == "https" {
		t.DialContext, t.DialTLSContext = none, dial
	}
	return t, nil
}

// demandProof has the server at the other end of conn prove itself. The connection
// can be used after it.
func demandProof(ctx context.Context, conn net.Conn, host string, proof func(nonce string) (string, error)) error {
	nonce := rand.Text() + rand.Text()
	defer context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })()
	if err := conn.SetDeadline(time.Now().Add(proofTimeout)); err != nil {
		return err
	}
	bound, err := channelNonce(ctx, conn, nonce)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrUnproven, err)
	}
	want, err := proof(bound)
	if err != nil {
		return err
	}
	got, err := askProof(conn, host, nonce)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrUnproven, err)
	}
	if !hmac.Equal([]byte(got), []byte(want)) {
		return ErrUnproven
	}
	return conn.SetDeadline(time.Time{})
}

// hostPort returns the host and the port of an address.
func hostPort(base *url.URL) string {
	if base.Port() != "" {
		return base.Host
	}
	port := "80"
	if base.Scheme == "https" {
		port = "443"
	}
	return net.JoinHostPort(base.Hostname(), port)
}

// channelNonce returns what stands for the nonce in the proof.
func channelNonce(ctx context.Context, conn net.Conn, nonce string) (string, error) {
	over, ok := conn.(*tls.Conn)
	if !ok {
		return nonce, nil
	}
	if err := over.HandshakeContext(ctx); err != nil {
		return "", err
	}
	return access.ChannelNonce(over.ConnectionState(), nonce)
}

// askProof asks for the answer to a nonce.
func askProof(conn net.Conn, host, nonce string) (string, error) {
	if _, err := fmt.Fprintf(conn, "GET /.well-known/kappa-server?nonce=%s HTTP/1.1\r\nHost: %s\r\nAccept: application/json\r\n\r\n", nonce, host); err != nil {
		return "", err
	}
	r := bufio.NewReader(io.LimitReader(conn, maxProofBytes))
	resp, err := http.ReadResponse(r, nil)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	var answer struct {
		Proof string `json:"proof"`
	}
	body, err := io.ReadAll(resp.Body)
	switch {
	case err != nil:
		return "", err
	case resp.StatusCode != http.StatusOK:
		return "", errors.New("it answers " + resp.Status)
	case resp.Close || r.Buffered() > 0:
		return "", errors.New("it does not go on with the connection")
	}
	err = json.Unmarshal(body, &answer)
	return answer.Proof, err
}
