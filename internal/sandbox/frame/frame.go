// Package frame is how the server and a child process talk over pipes: JSON documents, each
// behind its length. Both sides distrust the other: a frame is bounded before it is
// read, and decoded strictly. After an error the pipe is of no use, and the process at its
// other end is killed.
package frame

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"
)

const header = 4 // bytes: the length, big-endian

// What goes wrong with frames.
var (
	ErrMalformed = errors.New("malformed frame")                  // what came is no frame of ours
	ErrTooLong   = errors.New("a frame is longer than its limit") // nothing was written
)

// Write writes v as a frame of at most most bytes, in one call of w.
func Write(w io.Writer, v any, most int) error {
	var b bytes.Buffer
	b.Write(make([]byte, header))
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return fmt.Errorf("encode a frame: %w", err)
	}
	frame := b.Bytes()
	n := len(frame) - header
	if n > most {
		return fmt.Errorf("%w: %d bytes, at most %d", ErrTooLong, n, most)
	}
	binary.BigEndian.PutUint32(frame, uint32(n))
	if _, err := w.Write(frame); err != nil {
		return fmt.Errorf("write a frame: %w", err)
	}
	return nil
}

// Read reads a frame of at most most bytes into v. It holds memory for what has come, not
// for what was announced. It returns io.EOF when the pipe ends between two frames, and an
// error that wraps ErrMalformed for anything that is no frame: too long, cut off, not
// UTF-8, with members that v lacks, or with more behind the document.
func Read(r io.Reader, v any, most int) error {
	var head [header]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		if errors.Is(err, io.EOF) {
			return io.EOF
		}
		return fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	n := int64(binary.BigEndian.Uint32(head[:]))
	if n > int64(most) {
		return fmt.Errorf("%w: %d bytes announced, at most %d are read", ErrMalformed, n, most)
	}
	var body bytes.Buffer
	if got, err := io.CopyN(&body, r, n); err != nil {
		return fmt.Errorf("%w: %d of %d bytes came: %w", ErrMalformed, got, n, err)
	}
	if !utf8.Valid(body.Bytes()) {
		return fmt.Errorf("%w: not UTF-8", ErrMalformed)
	}
	d := json.NewDecoder(&body)
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return fmt.Errorf("%w: more behind the document", ErrMalformed)
	}
	return nil
}

// firstPiece is how much of what was announced is believed before any of it has come.
const firstPiece = 1 << 20

// ReadTrail reads n bytes that follow a frame, at most most. It holds memory for what was
// announced only when a good deal of it has come.
func ReadTrail(r io.Reader, n, most int) ([]byte, error) {
	if n < 0 || n > most {
		return nil, fmt.Errorf("%w: %d bytes announced behind it, at most %d are read", ErrMalformed, n, most)
	}
	trail := make([]byte, min(n, firstPiece))
	got, err := io.ReadFull(r, trail)
	if err == nil && n > firstPiece {
		trail = append(make([]byte, 0, n), trail...)[:n]
		got, err = io.ReadFull(r, trail[firstPiece:])
		got += firstPiece
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %d of %d bytes came behind it: %w", ErrMalformed, got, n, err)
	}
	return trail, nil
}

// PassTrail has read read the n bytes that follow a frame, at most most. It returns the error
// of read, and one that wraps ErrMalformed when that has left some of them.
func PassTrail(r io.Reader, n, most int, read func(io.Reader) error) error {
	if n < 0 || n > most {
		return fmt.Errorf("%w: %d bytes announced behind it, at most %d are read", ErrMalformed, n, most)
	}
	trail := &io.LimitedReader{R: r, N: int64(n)}
	if err := read(trail); err != nil {
		return err
	}
	if trail.N > 0 {
		return fmt.Errorf("%w: %d of %d bytes came behind it", ErrMalformed, int64(n)-trail.N, n)
	}
	return nil
}
