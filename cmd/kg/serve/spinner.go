package serve

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/kappagraph/kappa/cmd/kg/show"
)

// spinner is a log on a terminal that shows, below its last line, that the server is still
// starting: to make a cluster takes seconds, and longer on a slow disk.
type spinner struct {
	out   io.Writer
	what  string
	began time.Time

	mu    sync.Mutex // guards what follows, and out
	shown bool
	last  time.Time     // of a line
	done  chan struct{} // nil once it has stopped, and where out is no terminal
}

const spinEvery = 100 * time.Millisecond

// newSpinner returns a log on out, with a spinner where out is a terminal.
func newSpinner(out io.Writer, what string) *spinner {
	s := &spinner{out: out, what: what, began: time.Now()}
	if show.IsTerminal(out) {
		s.done = make(chan struct{})
		go s.spin(s.done)
	}
	return s
}

func (s *spinner) spin(done <-chan struct{}) {
	tick := time.NewTicker(spinEvery)
	defer tick.Stop()
	for {
		select {
		case <-done:
			return
		case <-tick.C:
			s.draw()
		}
	}
}

func (s *spinner) draw() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.done == nil {
		return
	}
	took := time.Since(s.began)
	turn := []rune(`|/-\`)[int(took/spinEvery)%4]
	fmt.Fprintf(s.out, "\r\033[K%c %s, %.0f s", turn, s.what, took.Seconds())
	s.shown = true
}

// clear takes the spinner off the screen. The caller holds mu.
func (s *spinner) clear() {
	if s.shown {
		fmt.Fprint(s.out, "\r\033[K")
		s.shown = false
	}
}

// Write writes lines of the log above the spinner.
func (s *spinner) Write(lines []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.clear()
	s.last = time.Now()
	return s.out.Write(lines)
}

// quiet returns for how long no line was written.
func (s *spinner) quiet() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return time.Since(s.last)
}

// stop takes the spinner away. What is written later is written as it is.
func (s *spinner) stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.clear()
	if s.done != nil {
		close(s.done)
		s.done = nil
	}
}
