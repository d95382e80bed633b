package client

import (
	"bufio"
	"context"
	"crypto/hmac"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"
)

// ErrUnproven reports that the server at an address did not prove to be the
// server that is meant. Nothing was sent to it.
var ErrUnproven = errors.New("what answers there does not prove to be the server of this machine")

// The bounds of a proof.
const (
	proofTimeout  = 5 * time.Second
	maxProofBytes = 16 << 10
)

// ProvenTransport returns a transport for the one server at an address, http
// without a path. On each connection, before anything else is sent, the server must
// prove that it knows a key: what it answers to a nonce must be what proof returns
// for it. It uses no proxy.
func ProvenTransport(address string, proof func(nonce string) (string, error)) (*http.Transport, error) {
	base, err := parseBase(address)
	if err != nil {
		return nil, err
	}
	if base.Scheme != "http" || base.Path != "" {
		return nil, fmt.Errorf("the address of a server that proves itself must be http without a path, got %q", address)
	}
	var dialer net.Dialer
	t := newTransport(base)
	t.Proxy = nil
	t.DialTLSContext = func(context.Context, string, string) (net.Conn, error) { return nil, ErrUnproven }
	t.DialContext = func(ctx context.Context, network, _ string) (net.Conn, error) {
		conn, err := dialer.DialContext(ctx, network, base.Host)
		if err != nil {
			return nil, err
		}
		if err := demandProof(ctx, conn, base.Host, proof); err != nil {
			return nil, errors.Join(err, conn.Close())
		}
		return conn, nil
	}
	return t, nil
}

// demandProof has the server at the other end of conn prove itself. The connection
// can be used after it.
func demandProof(ctx context.Context, conn net.Conn, host string, proof func(nonce string) (string, error)) error {
	nonce := rand.Text() + rand.Text()
	want, err := proof(nonce)
	if err != nil {
		return err
	}
	defer context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })()
	if err := conn.SetDeadline(time.Now().Add(proofTimeout)); err != nil {
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
