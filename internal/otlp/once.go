package otlp

import "sync/atomic"

// once says what is logged of a collector that is away for a while: the first failure, and
// that there is none any more.
type once struct{ failing atomic.Bool }

// failed reports whether it is the first failure.
func (o *once) failed() bool { return o.failing.CompareAndSwap(false, true) }

// worked reports whether what came before has failed.
func (o *once) worked() bool { return o.failing.CompareAndSwap(true, false) }
