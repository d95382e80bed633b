package main

import (
	"net"
	"strings"
	"testing"
)

func TestAudience(t *testing.T) {
	t.Run("counts each client of an event once", func(t *testing.T) {
		took, err := bareFanout(t.Context(), 50, 3)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range took {
			if len(took) != 3 || d <= 0 {
				t.Errorf("took %v, want three times above 0", took)
			}
		}
	})

	t.Run("gives up when a stream is refused", func(t *testing.T) {
		err := openAt(t, "HTTP/1.1 429 Too Many Requests\r\n\r\n")
		if err == nil || !strings.Contains(err.Error(), "429:1") {
			t.Errorf("got %v, want an error that names the status", err)
		}
	})

	t.Run("gives up when a stream is cut", func(t *testing.T) {
		err := openAt(t, "")
		if err == nil || !strings.Contains(err.Error(), "1 were cut") {
			t.Errorf("got %v, want an error that counts it", err)
		}
	})
}

// openAt opens a stream at a server that gives one answer and closes.
func openAt(t *testing.T, answer string) error {
	t.Helper()
	var config net.ListenConfig
	listener, err := config.Listen(t.Context(), "tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	go func() {
		if c, err := listener.Accept(); err == nil {
			_, _ = c.Write([]byte(answer))
			_ = c.(*net.TCPConn).CloseWrite()
		}
	}()
	a, err := newAudience()
	if err != nil {
		t.Fatal(err)
	}
	defer a.close()
	return a.open(t.Context(), listener.Addr().String(), []seat{{"job", "token"}})
}
