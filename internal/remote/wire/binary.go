package wire

import "fmt"

// Kinds of binary frames.
const (
	kindPush      = 0
	kindReply     = 1
	kindBroadcast = 2
)

// DecodeClientBinary reads a binary frame of a client: a push, whose payload must be a
// JSON object for its event to be handled.
func DecodeClientBinary(message []byte) (Frame, error) {
	if len(message) == 0 || message[0] != kindPush {
		return Frame{}, fmt.Errorf("%w: a client sends pushes only", ErrFrame)
	}
	parts, rest, err := head(message[1:], 4)
	if err != nil {
		return Frame{}, err
	}
	f := Frame{JoinRef: parts[0], Ref: parts[1], Topic: parts[2], Event: parts[3], Payload: rest}
	if len(rest) == 0 {
		f.Payload = nil
	}
	return f, f.check()
}

// DecodeServerBinary reads a binary frame of a server. Its payload is in Binary.
func DecodeServerBinary(message []byte) (Frame, error) {
	if len(message) == 0 {
		return Frame{}, fmt.Errorf("%w: empty", ErrFrame)
	}
	switch message[0] {
	case kindReply:
		parts, rest, err := head(message[1:], 4)
		if err != nil {
			return Frame{}, err
		}
		return Frame{JoinRef: parts[0], Ref: parts[1], Topic: parts[2], Event: EventReply, Status: parts[3], Binary: rest}, nil
	case kindPush:
		parts, rest, err := head(message[1:], 3)
		if err != nil {
			return Frame{}, err
		}
		return Frame{JoinRef: parts[0], Topic: parts[1], Event: parts[2], Binary: rest}, nil
	case kindBroadcast:
		parts, rest, err := head(message[1:], 2)
		if err != nil {
			return Frame{}, err
		}
		return Frame{Topic: parts[0], Event: parts[1], Binary: rest}, nil
	}
	return Frame{}, fmt.Errorf("%w: kind %d", ErrFrame, message[0])
}

// head reads n lengths, and as many strings of those lengths.
func head(b []byte, n int) ([]string, []byte, error) {
	if len(b) < n {
		return nil, nil, fmt.Errorf("%w: cut in its head", ErrFrame)
	}
	lengths, rest := b[:n], b[n:]
	parts := make([]string, n)
	for i, length := range lengths {
		if len(rest) < int(length) {
			return nil, nil, fmt.Errorf("%w: cut in its head", ErrFrame)
		}
		parts[i], rest = string(rest[:length]), rest[length:]
	}
	return parts, rest, nil
}

// EncodeBinaryReply returns the reply to f with raw bytes as a binary frame. The refs
// and the topic of f are of a frame that was read, so none is above 255 bytes.
func EncodeBinaryReply(f Frame, status string, response []byte) []byte {
	return encodeHead(kindReply, []string{f.JoinRef, f.Ref, f.Topic, status}, response)
}

// EncodeBinaryPush returns f as the binary frame that a client may send.
func EncodeBinaryPush(f Frame) []byte {
	return encodeHead(kindPush, []string{f.JoinRef, f.Ref, f.Topic, f.Event}, f.Payload)
}

func encodeHead(kind byte, parts []string, payload []byte) []byte {
	buf := make([]byte, 0, 1+len(parts)+256+len(payload))
	buf = append(buf, kind)
	for _, p := range parts {
		buf = append(buf, byte(min(len(p), 255)))
	}
	for _, p := range parts {
		buf = append(buf, p[:min(len(p), 255)]...)
	}
	return append(buf, payload...)
}
