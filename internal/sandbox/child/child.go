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
	Working func(said func(steps, of int))     // called before Answer, with what says how much is done; nil = nobody asks
	Answer  func(task Q) A
	Trail   func() []byte // what follows the answer that was made last; nil = nothing
	TooLong func() A      // instead of an answer that is longer than MaxAnswer
	After   func()        // called when an answer is gone, while nobody waits; nil = nothing to do
}

// Run does tasks until the pipe on the standard input ends and returns the exit code. The
// frames travel on other descriptors than the standard ones, which lead nowhere meanwhile.
func (p Program[Q, A]) Run() int {
	pipes, err := walls.MoveStandard()
	if err != nil {
		return complain(os.Stderr, p.Walls.Name, err, ExitWalls)
	}
	return run[Q, A]{p, pipes}.all()
}

// run is the life of a child.
type run[Q, A any] struct {
	Program[Q, A]

	pipes walls.Standard
}

func (r run[Q, A]) all() int {
	w, err := walls.Build(r.Walls)
	if err != nil {
		return r.complain(err, ExitWalls)
	}
	version, err := r.Open()
	if err != nil {
		return r.complain(err, ExitWalls)
	}
	if frame.Write(r.pipes.Out, frame.Hello{Version: version, InForce: w.InForce, NotInForce: w.NotInForce}, r.MaxAnswer) != nil {
		return 0 // the server has gone
	}
	for request := range r.requests() {
		if r.Take != nil {
			if err := r.Take(); err != nil {
				return r.complain(err, ExitOpen)
			}
		}
		if frame.Write(r.pipes.Out, frame.Answer{ID: request.ID, Begins: true}, r.MaxAnswer) != nil {
			return 0
		}
		if r.answer(w, request) != nil {
			return 0
		}
		if r.After != nil {
			r.After()
		}
	}
	return 0
}

func (r run[Q, A]) complain(err error, code int) int {
	return complain(r.pipes.Err, r.Walls.Name, err, code)
}

func complain(where io.Writer, name string, err error, code int) int {
	_, _ = fmt.Fprintf(where, "%s: %v\n", name, err)
	return code
}

// answer does a task and writes its answer.
func (r run[Q, A]) answer(w *walls.Walls, request frame.Request) error {
	if r.Working != nil {
		r.Working(func(steps, of int) {
			_ = frame.Write(r.pipes.Out, frame.Answer{ID: request.ID, Done: &frame.Done{Steps: steps, Of: of}}, r.MaxAnswer) // the answer says whether the server is there
		})
	}
	a := frame.Answer{ID: request.ID, Body: r.Answer(*request.Body.(*Q)), RSSBytes: w.Resident()}
	var trail []byte
	if r.Trail != nil {
		trail = r.Trail()
		a.TrailBytes = len(trail)
	}
	err := frame.Write(r.pipes.Out, a, r.MaxAnswer)
	if err == nil && len(trail) > 0 {
		_, err = r.pipes.Out.Write(trail)
	}
	if errors.Is(err, frame.ErrTooLong) {
		err = frame.Write(r.pipes.Out, frame.Answer{ID: request.ID, Body: r.TooLong()}, r.MaxAnswer)
	}
	return err //nolint:wrapcheck // the server has gone
}

// requests reads ahead, so that a server that goes ends the child at once.
func (r run[Q, A]) requests() <-chan frame.Request {
	all := make(chan frame.Request)
	go func() {
		for {
			next := frame.Request{Body: new(Q)}
			err := frame.Read(r.pipes.In, &next, r.MaxRequest)
			if errors.Is(err, io.EOF) {
				os.Exit(0) //nolint:revive // at once, in the middle of a task too
			}
			if _, ok := next.Body.(*Q); err == nil && !ok {
				err = fmt.Errorf("%w: a request without a task", frame.ErrMalformed)
			}
			if err != nil {
				os.Exit(r.complain(err, ExitPipe)) //nolint:revive // likewise
			}
			all <- next
		}
	}()
	return all
}
