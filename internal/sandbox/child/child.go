// Package child is the other end of a sandbox: what a child process does from its start to
// its end. It walls itself in, says so, and does one task after another until its parent
// closes the pipe, which ends it at once, in the middle of a task too.
package child

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/kappagraph/kappa/internal/sandbox/frame"
	"github.com/kappagraph/kappa/internal/sandbox/walls"
)

// The exit codes, for the server's log. A child whose server has gone ends with 0.
const (
	ExitWalls = 3 // the walls without which no task is done do not stand
	ExitPipe  = 4 // the pipe brought what is no frame
	ExitOpen  = 6 // it could not get ready for a task, and nothing of that was done
)

// Program does tasks of type Q, whose answers are of type A.
type Program[Q, A any] struct {
	Walls      walls.Config
	MaxRequest int // bytes of a frame with a task
	MaxAnswer  int // likewise of one with an answer

	Open    func() (version string, err error) // called once, behind the walls
	Take    func() error                       // gets ready for a task that has come; nil = nothing to do
	Answer  func(task Q) A
	Trail   func() []byte // what follows the answer that was made last; nil = nothing
	TooLong func() A      // instead of an answer that is longer than MaxAnswer
	After   func()        // called when an answer is gone, while nobody waits; nil = nothing to do
}

// Run does tasks until the pipe ends and returns the exit code.
func (p Program[Q, A]) Run(in io.Reader, out io.Writer) int {
	w, err := walls.Build(p.Walls)
	if err != nil {
		return p.complain(err, ExitWalls)
	}
	version, err := p.Open()
	if err != nil {
		return p.complain(err, ExitWalls)
	}
	if frame.Write(out, frame.Hello{Version: version, InForce: w.InForce, NotInForce: w.NotInForce}, p.MaxAnswer) != nil {
		return 0 // the server has gone
	}
	for request := range p.requests(in) {
		if p.Take != nil {
			if err := p.Take(); err != nil {
				return p.complain(err, ExitOpen)
			}
		}
		if frame.Write(out, frame.Answer{ID: request.ID, Begins: true}, p.MaxAnswer) != nil {
			return 0
		}
		if p.answer(out, w, request) != nil {
			return 0
		}
		if p.After != nil {
			p.After()
		}
	}
	return 0
}

func (p Program[Q, A]) complain(err error, code int) int {
	fmt.Fprintf(os.Stderr, "%s: %v\n", p.Walls.Name, err)
	return code
}

// answer does a task and writes its answer.
func (p Program[Q, A]) answer(out io.Writer, w *walls.Walls, request frame.Request) error {
	a := frame.Answer{ID: request.ID, Body: p.Answer(*request.Body.(*Q)), RSSBytes: w.Resident()}
	var trail []byte
	if p.Trail != nil {
		trail = p.Trail()
		a.TrailBytes = len(trail)
	}
	err := frame.Write(out, a, p.MaxAnswer)
	if err == nil && len(trail) > 0 {
		_, err = out.Write(trail)
	}
	if errors.Is(err, frame.ErrTooLong) {
		err = frame.Write(out, frame.Answer{ID: request.ID, Body: p.TooLong()}, p.MaxAnswer)
	}
	return err //nolint:wrapcheck // the server has gone
}

// requests reads ahead, so that a server that goes ends the child at once.
func (p Program[Q, A]) requests(in io.Reader) <-chan frame.Request {
	all := make(chan frame.Request)
	go func() {
		for {
			r := frame.Request{Body: new(Q)}
			err := frame.Read(in, &r, p.MaxRequest)
			if errors.Is(err, io.EOF) {
				os.Exit(0) //nolint:revive // at once, in the middle of a task too
			}
			if _, ok := r.Body.(*Q); err == nil && !ok {
				err = fmt.Errorf("%w: a request without a task", frame.ErrMalformed)
			}
			if err != nil {
				os.Exit(p.complain(err, ExitPipe)) //nolint:revive // likewise
			}
			all <- r
		}
	}()
	return all
}
