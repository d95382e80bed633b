package remote

import (
	"encoding/json"
	"fmt"
	"runtime/debug"

	"github.com/kappagraph/kappa/internal/remote/wire"
)

// request is an event that a worker has sent on some topic of a session, and that is
// answered once. It does not change.
type request struct {
	n *session
	wire.Frame
}

// guard runs f, which answers the request. When f panics, the answer is an error, but never
// to those that an error would hurt.
func (q request) guard(f func()) {
	defer func() {
		if v := recover(); v != nil {
			q.panicked(v)
		}
	}()
	f()
}

func (q request) panicked(v any) {
	q.n.log.ErrorContext(q.n.socket.ctx, "handling an event panicked", "event", q.Event, "err", fmt.Sprint(v), "stack", string(debug.Stack()))
	switch q.Event {
	case wire.EventRunLog, wire.EventRunBatchLogs, wire.EventFetchPlan:
		if !q.n.member.extended() {
			q.reply(nil)
			return
		}
	}
	q.fail(wire.NewError(wire.CodeUnavailable, "it failed unexpectedly; see the server's log"))
}

// reply answers with ok. It reports whether the answer was handed to the socket.
func (q request) reply(response any) bool {
	var text json.RawMessage
	if response != nil {
		text, _ = json.Marshal(response)
	}
	return q.answer(wire.StatusOK, text)
}

// replyBytes answers with bytes: in a binary frame, or as a list of numbers.
func (q request) replyBytes(body []byte) {
	if !q.n.member.hello.arrays {
		q.n.socket.send(outFrame{data: wire.EncodeBinaryReply(q.Frame, wire.StatusOK, body), binary: true})
		return
	}
	numbers := make([]int, len(body))
	for i, b := range body {
		numbers[i] = int(b)
	}
	q.reply(numbers)
}

// refuse answers with an error of the compatible profile.
func (q request) refuse(reason string) {
	if q.n.member.extended() {
		q.fail(wire.NewError(wire.CodeBadPayload, "%s", reason))
		return
	}
	text, _ := json.Marshal(wire.Refusal{Reason: reason})
	q.answer(wire.StatusError, text)
}

// fail answers with an error of the extended profile.
func (q request) fail(e *wire.Error) {
	if !q.n.member.extended() && q.Event != wire.EventJoin {
		q.refuse(e.Message)
		return
	}
	text, _ := json.Marshal(e)
	q.answer(wire.StatusError, text)
}

func (q request) answer(status string, response json.RawMessage) bool {
	return q.n.socket.sendText(wire.ReplyTo(q.Frame, status, response))
}
