package main

import (
	"bufio"
	"encoding/json"
	"io"
	"strconv"
	"strings"

	"github.com/kappagraph/kappa/work"
)

const (
	eventSnapshot = "snapshot"
	maxFrameLine  = 1 << 20
)

// readFrames reads at most so many numbered events, fewer when the stream ends.
// A frame that is cut off counts as not received. After a terminal event it
// reads on: what follows it is wrong.
func readFrames(r io.Reader, most int) []shown {
	var frames []shown
	over := false
	eachFrame(r, func(fields map[string]string) bool {
		f, numbered := newShown(fields)
		if !numbered {
			return true
		}
		frames = append(frames, f)
		over = over || work.EventKind(f.event).Terminal()
		return len(frames) < most || over
	})
	return frames
}

// eachFrame calls take with the fields of each whole frame until the stream ends
// or take returns false. The fields are its own until it returns.
func eachFrame(r io.Reader, take func(fields map[string]string) bool) {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxFrameLine)
	fields := map[string]string{}
	for lines.Scan() {
		if line := lines.Text(); line != "" {
			name, value, _ := strings.Cut(line, ":")
			fields[name] = strings.TrimPrefix(value, " ")
			continue
		}
		if !take(fields) {
			return
		}
		clear(fields)
	}
}

// newShown turns the fields of a frame into an event; numbered is false for one
// without an id of its own.
func newShown(fields map[string]string) (f shown, numbered bool) {
	id, err := strconv.ParseInt(fields["id"], 10, 64)
	if err != nil {
		return shown{}, false
	}
	f = shown{id: id, event: fields["event"]}
	if f.event == eventSnapshot || f.event == string(work.EventStatus) {
		var frame struct {
			Status work.Status `json:"status"`
		}
		if json.Unmarshal([]byte(fields["data"]), &frame) == nil {
			f.status = frame.Status
		}
	}
	return f, true
}
