package sandbox

import "errors"

// Why a task has no answer. What Do returns wraps one of them, unless the task's context
// was cancelled: then it is the cause of that.
var (
	ErrBusy       = errors.New("no child was free until the deadline")
	ErrNotReady   = errors.New("no child was ready before the deadline")
	ErrLate       = errors.New("the child had not answered at the deadline") // it is dead
	ErrOutOfTime  = errors.New("the child has used up its processor time")
	ErrCrashed    = errors.New("the child was ended by a signal or a fatal error") // as when memory runs out
	ErrForbidden  = errors.New("the child was killed at a call of the system that only an attack makes")
	ErrMalformed  = errors.New("the child answered what cannot be read")
	ErrEnded      = errors.New("the child ended without an answer")
	ErrUnusable   = errors.New("no child could begin with the task") // several ended before it, one after another
	ErrNotStarted = errors.New("no child could be started")
	ErrStopping   = errors.New("the pool stops")
)

// errUnused reports that a child ended before it had done anything of a task.
var errUnused = errors.New("the child ended before the task")
