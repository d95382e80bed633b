package apitest

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"testing"
	"time"

	nethttp "net/http"
)

// Dial opens a connection that is closed after the test at the latest.
func Dial(t testing.TB, addr string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(20 * time.Second))
	return conn
}

// Write writes the head of an authorised request, and a body.
func Write(t testing.TB, conn net.Conn, line, contentType, header, body string) {
	t.Helper()
	if _, err := fmt.Fprintf(conn, "%s\r\nHost: localhost\r\nAuthorization: Bearer %s\r\nContent-Type: %s\r\n%s\r\n\r\n%s", line, Good, contentType, header, body); err != nil {
		t.Fatal(err)
	}
}

// Answer reads the answer on a connection.
func Answer(t testing.TB, conn net.Conn) (*nethttp.Response, string) {
	t.Helper()
	resp, err := nethttp.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, string(body)
}
