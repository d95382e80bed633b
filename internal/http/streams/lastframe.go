package streams

import (
	"sync/atomic"

	"github.com/kappagraph/kappa/work"
)

// lastFrame keeps the text of the last event that a stream of its job sent.
// All who watch a job get the same event at about the same time, so that it is
// written out once and not for each of thousands.
type lastFrame struct {
	last atomic.Pointer[eventText]
}

type eventText struct {
	event *work.Event
	text  []byte
}

// of returns an event as the streams of its job show it. Nobody may change it.
func (l *lastFrame) of(e *work.Event) []byte {
	if last := l.last.Load(); last != nil && last.event == e {
		return last.text
	}
	text := frame{id: e.Seq, event: string(e.Kind), data: orEmpty(e.Payload)}.appendTo(nil)
	l.last.Store(&eventText{event: e, text: text})
	return text
}
