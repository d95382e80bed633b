//go:build linux

package read

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/reading/frame"
	"github.com/kappagraph/kappa/internal/sandbox"
)

// misbehaving does what the document says: it stands for a reader that a document has taken
// over, or broken.
type misbehaving struct{ *reader }

func (m *misbehaving) answer(q frame.Request) frame.Answer {
	body, err := m.document(q.Bytes)
	if err != nil {
		return failure(err)
	}
	verb, rest, _ := strings.Cut(string(body), " ")
	a := frame.Answer{Markup: corpus.ContentPlain}
	m.text = []byte(rest)
	switch verb {
	case "survive": // who was there before this moment hangs
		moment, text, _ := strings.Cut(rest, " ")
		if fmt.Sprint(begun.UnixNano()) < moment {
			hang()
		}
		m.text = []byte(text)
	case "die":
		os.Exit(2) //nolint:revive // as Go's runtime does without memory
	case "leave":
		os.Exit(0) //nolint:revive // as a reader that was taken over may
	case "loop":
		for spun := 0; ; spun++ { // it takes a processor for ever
			runtime.KeepAlive(spun)
		}
	case "eat":
		eat()
	case "garbage":
		shout("\x00\x00\x00\x04????")
		hang()
	case "flood":
		for {
			shout(strings.Repeat("\xff", 1<<10))
		}
	case "markup":
		a.Markup = "text/html"
	case "place":
		a.Places = []frame.Place{{Start: len(rest) + 1}}
	case "order":
		a.Places = []frame.Place{{Start: 3}, {Start: 1}}
	case "binary":
		m.text = []byte("a\x00b\xff")
	case "warn":
		a.Warnings = make([]string, 100_000)
	case "both":
		a.Same = true
	case "steps": // which it says it has done, of 9
		for number := range strings.FieldsSeq(rest) {
			n, _ := strconv.Atoi(number)
			m.said(n, 9)
		}
	case "picture": // on a page that there is not
		a.Pages = 3
		a.Places = []frame.Place{{Page: 1}, {Start: len(rest), Page: 3}}
		n, _ := strconv.Atoi(rest)
		a.Pictures = []int{n}
	case "pid":
		m.text = fmt.Append(nil, os.Getpid())
	case "escape":
		a.Warnings = escapes()
		if exec.Command("/bin/true").Run() == nil {
			a.Warnings = append(a.Warnings, "another program")
		}
	}
	return a
}

// begun is when this process began.
var begun = time.Now()

// hang waits for the end of this process.
func hang() { time.Sleep(time.Hour) }

// shout writes to every descriptor behind the standard ones and the input: one of them is the
// pipe on which the frames travel to the server.
func shout(words string) {
	for fd := sandbox.InputDescriptor + 1; fd < sandbox.InputDescriptor+12; fd++ {
		_, _ = syscall.Write(fd, []byte(words))
	}
}

// eat takes all memory that there is.
func eat() {
	var all [][]byte
	for {
		piece := make([]byte, 16<<20)
		for i := 0; i < len(piece); i += 4096 {
			piece[i] = 1
		}
		all = append(all, piece)
		if len(all) > 1000 {
			return
		}
	}
}

// escapes returns what a process behind the walls can reach, which it must not.
func escapes() (reached []string) {
	for _, file := range []string{"/etc/passwd", "/proc/1/environ", "/proc/self/maps", "/tmp"} {
		if f, err := os.Open(file); err == nil {
			_ = f.Close()
			reached = append(reached, "open "+file)
		}
	}
	for _, family := range []int{unix.AF_UNIX, unix.AF_INET, unix.AF_INET6} {
		if fd, err := unix.Socket(family, unix.SOCK_STREAM, 0); err == nil {
			_ = unix.Close(fd)
			reached = append(reached, fmt.Sprint("a socket of the family ", family))
		}
	}
	if f, err := os.Create("/tmp/kg-read-was-here"); err == nil {
		_ = f.Close()
		reached = append(reached, "a new file")
	}
	return reached
}
