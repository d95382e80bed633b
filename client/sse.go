package client

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
)

// maxFrameBytes bounds one event of a stream, names and all.
const maxFrameBytes = 1 << 20

// errFrameTooLong reports an event beyond maxFrameBytes.
var errFrameTooLong = fmt.Errorf("an event has more than %d bytes", maxFrameBytes)

// frame is one event of a text/event-stream.
type frame struct {
	event string // "message" when the stream names none
	id    string // the last id that the stream gave, also when an earlier event gave it
	data  string
}

// sseDecoder reads a text/event-stream as the HTML standard defines it.
type sseDecoder struct {
	r      *bufio.Reader
	id     string
	retry  time.Duration // as the stream asked last; 0 before
	skipLF bool          // the last line ended with CR, so an LF that follows belongs to it
	start  bool          // nothing was read yet
}

func newSSEDecoder(r io.Reader) *sseDecoder {
	return &sseDecoder{r: bufio.NewReader(r), start: true}
}

// next returns the next event. It returns io.EOF at the end of the stream; an
// event without its empty line is not complete, and is lost then.
func (d *sseDecoder) next() (frame, error) {
	f := frame{event: "message"}
	var data []string
	size := 0
	for {
		line, err := d.line(maxFrameBytes - size)
		if err != nil {
			return frame{}, err
		}
		size += len(line) + 1
		if line == "" {
			if data == nil {
				f.event, size = "message", 0
				continue // an event without data is none
			}
			f.id, f.data = d.id, strings.Join(data, "\n")
			return f, nil
		}
		name, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch name {
		case "event":
			f.event = value
		case "data":
			data = append(data, value)
		case "id":
			if !strings.ContainsRune(value, 0) {
				d.id = value
			}
		case "retry":
			d.setRetry(value)
		} // all else is a comment or not known
	}
}

// setRetry takes a number of milliseconds; anything else is ignored.
func (d *sseDecoder) setRetry(value string) {
	ms, err := strconv.ParseUint(value, 10, 32)
	if err == nil {
		d.retry = time.Duration(ms) * time.Millisecond
	}
}

// line returns the next line of at most `most` bytes, without its end, which is
// CR, LF or both.
func (d *sseDecoder) line(most int) (string, error) {
	var line []byte
	for {
		if _, err := d.r.Peek(1); err != nil {
			return "", err
		}
		ready, _ := d.r.Peek(d.r.Buffered()) // cannot fail: it is there
		if d.skipLF && ready[0] == '\n' {
			_, _ = d.r.Discard(1)
			d.skipLF = false
			continue
		}
		d.skipLF = false
		end := bytes.IndexAny(ready, "\r\n")
		if end < 0 {
			end = len(ready)
		}
		if len(line)+end > most {
			return "", errFrameTooLong
		}
		line = append(line, ready[:end]...)
		if end == len(ready) {
			_, _ = d.r.Discard(end)
			continue
		}
		d.skipLF = ready[end] == '\r'
		_, _ = d.r.Discard(end + 1)
		if d.start {
			line, d.start = bytes.TrimPrefix(line, []byte("\ufeff")), false
		}
		return string(line), nil
	}
}

// broken reports whether err means that a stream ended before its time, and
// not that what it says cannot be read.
func broken(err error) bool { return !errors.Is(err, errFrameTooLong) }
