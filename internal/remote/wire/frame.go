package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// Topics.
const (
	TopicPhoenix = "phoenix"
	TopicQueue   = "worker:queue"
	runPrefix    = "run:"
)

// RunTopic returns the topic of a run.
func RunTopic(jobID string) string { return runPrefix + jobID }

// RunOf returns the job id in the topic of a run.
func RunOf(topic string) (string, bool) { return strings.CutPrefix(topic, runPrefix) }

// Events of Phoenix itself.
const (
	EventJoin      = "phx_join"
	EventLeave     = "phx_leave"
	EventReply     = "phx_reply"
	EventClose     = "phx_close"
	EventHeartbeat = "heartbeat"
)

// Statuses of a reply.
const (
	StatusOK    = "ok"
	StatusError = "error"
)

// ErrFrame is wrapped by what DecodeText and DecodeBinary return about bytes that are
// no frame: whoever reads them closes the connection with 1002.
var ErrFrame = errors.New("not a frame")

// Frame is a message. A ref that is "" travels as null.
type Frame struct {
	JoinRef, Ref string
	Topic, Event string
	Payload      json.RawMessage // an object; nil travels as {}
	// Binary holds the bytes of a payload that came in a binary frame of the server; the
	// event is then phx_reply and Status says how the reply ended.
	Binary []byte
	Status string
}

// Reply is the payload of phx_reply.
type Reply struct {
	Status   string          `json:"status"`
	Response json.RawMessage `json:"response"`
}

// DecodeText reads a text frame: an array of exactly five, of which refs are strings
// or null, topic and event strings, and the payload an object.
func DecodeText(message []byte) (Frame, error) {
	var parts []json.RawMessage
	if err := json.Unmarshal(message, &parts); err != nil {
		return Frame{}, fmt.Errorf("%w: no array", ErrFrame)
	}
	if len(parts) != 5 {
		return Frame{}, fmt.Errorf("%w: an array of %d, want 5", ErrFrame, len(parts))
	}
	var f Frame
	for i, to := range []*string{&f.JoinRef, &f.Ref, &f.Topic, &f.Event} {
		if i < 2 && string(parts[i]) == "null" {
			continue
		}
		if string(parts[i]) == "null" || json.Unmarshal(parts[i], to) != nil {
			return Frame{}, fmt.Errorf("%w: element %d is no string", ErrFrame, i+1)
		}
	}
	payload := bytes.TrimSpace(parts[4])
	if len(payload) == 0 || payload[0] != '{' {
		return Frame{}, fmt.Errorf("%w: the payload is no object", ErrFrame)
	}
	f.Payload = payload
	return f, f.check()
}

// check reports refs, topics and events that are longer than the protocol allows. Only
// a ref is a fault of the frame; who handles the event refuses the others.
func (f Frame) check() error {
	if len(f.JoinRef) > MaxRef || len(f.Ref) > MaxRef {
		return fmt.Errorf("%w: a ref is longer than %d bytes", ErrFrame, MaxRef)
	}
	return nil
}

// EncodeText returns f as a text frame.
func EncodeText(f Frame) []byte {
	buf := make([]byte, 0, len(f.Payload)+len(f.Topic)+len(f.Event)+32)
	buf = append(buf, '[')
	for _, ref := range []string{f.JoinRef, f.Ref} {
		if ref == "" {
			buf = append(buf, "null,"...)
		} else {
			buf = append(appendString(buf, ref), ',')
		}
	}
	buf = append(appendString(buf, f.Topic), ',')
	buf = append(appendString(buf, f.Event), ',')
	if len(f.Payload) == 0 {
		buf = append(buf, "{}"...)
	}
	return append(append(buf, f.Payload...), ']')
}

// appendString appends s as JSON.
func appendString(buf []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c == '"' || c == '\\' || c >= 0x7f || c == '<' || c == '>' || c == '&' {
			text, _ := json.Marshal(s) //nolint:errchkjson // a string always encodes
			return append(buf, text...)
		}
	}
	buf = append(buf, '"')
	buf = append(buf, s...)
	return append(buf, '"')
}

// ReplyTo returns the reply to f, with its refs and topic as they came.
func ReplyTo(f Frame, status string, response json.RawMessage) Frame {
	if len(response) == 0 {
		response = json.RawMessage("{}")
	}
	payload := make([]byte, 0, len(response)+len(status)+32)
	payload = append(payload, `{"status":"`...)
	payload = append(payload, status...)
	payload = append(payload, `","response":`...)
	payload = append(payload, response...)
	return Frame{JoinRef: f.JoinRef, Ref: f.Ref, Topic: f.Topic, Event: EventReply, Payload: append(payload, '}')}
}
