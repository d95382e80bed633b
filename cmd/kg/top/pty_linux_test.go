package top

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/cmd/kg/show"
	"github.com/kappagraph/kappa/work"
)

// terminal opens a terminal of 100 columns, and returns the side of who sits at it.
func terminal(t *testing.T) (user, program *os.File) {
	t.Helper()
	user, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = user.Close() })
	n, err := unix.IoctlGetInt(int(user.Fd()), unix.TIOCGPTN)
	if err := errors.Join(err, unix.IoctlSetPointerInt(int(user.Fd()), unix.TIOCSPTLCK, 0)); err != nil {
		t.Fatal(err)
	}
	program, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = program.Close() })
	if err := unix.IoctlSetWinsize(int(user.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 30, Col: 100}); err != nil {
		t.Fatal(err)
	}
	return user, program
}

// reader collects what a terminal was sent.
type reader struct{ said chan []byte }

func read(user *os.File) *reader {
	r := &reader{said: make(chan []byte, 1024)}
	go func() {
		for {
			b := make([]byte, 4096)
			n, err := user.Read(b)
			if err != nil {
				close(r.said)
				return
			}
			r.said <- b[:n]
		}
	}()
	return r
}

// until returns what comes up to some words.
func (r *reader) until(t *testing.T, words string) string {
	t.Helper()
	var all bytes.Buffer
	hang := time.After(time.Minute)
	for !strings.Contains(all.String(), words) {
		select {
		case b := <-r.said:
			all.Write(b)
		case <-hang:
			t.Fatalf("%q did not come, but %q", words, all.String())
		}
	}
	return all.String()
}

// TestTerminalIsLeftAsItWas runs on a terminal, and ends by a key, by a signal to the process, and
// because the server refuses.
func TestTerminalIsLeftAsItWas(t *testing.T) {
	for how, end := range map[string]func(user *os.File, server *fakeServer, cancel context.CancelFunc) error{
		"key": func(user *os.File, _ *fakeServer, _ context.CancelFunc) error {
			_, err := user.WriteString("q")
			return err
		},
		"signal": func(_ *os.File, _ *fakeServer, cancel context.CancelFunc) error { cancel(); return nil },
		"hangup": func(*os.File, *fakeServer, context.CancelFunc) error {
			return syscall.Kill(os.Getpid(), syscall.SIGHUP)
		},
		"refused": func(_ *os.File, server *fakeServer, _ context.CancelFunc) error {
			close(server.news)
			return nil
		},
	} {
		t.Run(how, func(t *testing.T) {
			user, program := terminal(t)
			before, err := unix.IoctlGetTermios(int(program.Fd()), unix.TCGETS)
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			server := newFakeServer(client.News{Begins: true}, job(first, "ingestion", work.StatusProcessing, "ice.pdf"))
			server.end = errors.New("denied")
			screen := show.Screen{Writer: program, Env: func(string) (string, bool) { return "", false }}
			ended := make(chan error, 1)
			go func() {
				ended <- Run(ctx, Config{Server: server, Name: "here", In: program, Screen: screen, Order: "status"})
			}()
			r := read(user)
			if said := r.until(t, "ice.pdf"); !strings.Contains(said, "\x1b[?1049h") {
				t.Errorf("the screen before is not kept: %q", said)
			}
			if err := end(user, server, cancel); err != nil {
				t.Fatal(err)
			}
			r.until(t, "\x1b[?1049l")
			if err := <-ended; (how == "refused") != (err != nil) {
				t.Errorf("ended with %v", err)
			}
			after, err := unix.IoctlGetTermios(int(program.Fd()), unix.TCGETS)
			if err != nil || *after != *before {
				t.Errorf("the terminal was %+v and is %+v, %v", before, after, err)
			}
		})
	}
}
