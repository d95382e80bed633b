package main

import (
	"bytes"
	"strconv"
)

// kind is what an event of a stream says, as far as it matters here.
type kind uint8

const (
	none kind = iota
	other
	snapshot
	status
	progress
)

// event names a line of a job's history.
type event struct {
	job string
	seq int64
}

// parser finds the events in the bytes of one answer. It keeps nothing between
// two whole lines, so that thousands of it are small.
type parser struct {
	rest []byte // of a line that has not ended
	code string // of the answer, such as "200"
	kind kind
	seq  int64
}

// feed reads what has arrived, and calls got for each event that is complete.
func (p *parser) feed(arrived []byte, got func(kind, int64)) {
	for {
		i := bytes.IndexByte(arrived, '\n')
		if i < 0 {
			p.rest = append(p.rest, arrived...)
			return
		}
		line := arrived[:i]
		if len(p.rest) > 0 {
			line, p.rest = append(p.rest, line...), nil
		}
		arrived = arrived[i+1:]
		p.line(line, got)
	}
}

// line reads one line. Those of the answer's head and between its chunks end in
// a carriage return and begin like no line of an event.
func (p *parser) line(line []byte, got func(kind, int64)) {
	switch {
	case p.code == "":
		p.code = "no HTTP"
		if _, after, ok := bytes.Cut(line, []byte(" ")); ok && len(after) >= 3 {
			p.code = string(after[:3])
		}
	case bytes.HasPrefix(line, []byte("id: ")):
		p.seq, _ = strconv.ParseInt(string(line[len("id: "):]), 10, 64) // 0 is none
	case bytes.HasPrefix(line, []byte("event: ")):
		p.kind = kindOf(line[len("event: "):])
	case len(line) == 0:
		if p.kind != none {
			got(p.kind, p.seq)
		}
		p.kind, p.seq = none, 0
	}
}

func kindOf(name []byte) kind {
	switch string(name) {
	case "snapshot":
		return snapshot
	case "status":
		return status
	case "progress":
		return progress
	default:
		return other
	}
}
