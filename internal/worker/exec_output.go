package worker

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/kappagraph/kappa/internal/remote/wire"
)

// mostLine is how long a line of a program may be, in bytes. What comes after that is
// left out, and the line is one of the log.
const mostLine = 1 << 20

// output is what a program says.
type output struct {
	run *Run

	mu     sync.Mutex
	result json.RawMessage
	failed *execError
}

// execError is the line with which a program says that it has failed.
type execError struct {
	Type    string `json:"type"`
	Message string `json:"message"`
	Retry   *bool  `json:"retry"`
}

// failure returns the error of the run. retry is what counts when the line does not say.
func (e *execError) failure(retry bool) *Failure {
	f := &Failure{Type: e.Type, Message: e.Message, Retry: retry}
	if e.Retry != nil {
		f.Retry = *e.Retry
	}
	if f.Type == "" {
		f.Type = "Error"
	}
	return f
}

// said returns the last result and the last error.
func (o *output) said() (json.RawMessage, *execError) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.result, o.failed
}

// readLines reads standard output.
func (o *output) readLines(r io.Reader) {
	eachLine(r, mostLine, func(line []byte, cut bool) {
		if cut {
			o.run.Log("warn", "a line of more than 1 MiB was left out: "+prefix(line, 200))
			return
		}
		if problem := o.line(line); problem != "" {
			o.run.Log("warn", problem+": "+prefix(line, 200))
		}
	})
}

// readLog reads standard error.
func (o *output) readLog(r io.Reader) {
	eachLine(r, wire.MaxLogLine, func(line []byte, cut bool) {
		text := string(line)
		if cut {
			text += cutMark
		}
		o.run.Log("info", text)
	})
}

// line handles a line of standard output. It returns what is wrong with one that is JSON
// and none of those that are known.
func (o *output) line(line []byte) (problem string) {
	var members map[string]json.RawMessage
	if json.Unmarshal(line, &members) != nil || members == nil {
		o.run.Log("info", string(line))
		return ""
	}
	if len(members) != 1 {
		return "a line must have exactly one key"
	}
	for key, value := range members {
		switch key {
		case "progress":
			return text(o.run.Progress(value))
		case "checkpoint":
			return text(o.run.Save(value))
		case "log":
			return o.logLine(value)
		case "result":
			o.mu.Lock()
			o.result = value
			o.mu.Unlock()
		case "error":
			e := &execError{}
			if json.Unmarshal(value, e) != nil {
				return "error: type and message must be texts, retry true or false"
			}
			o.mu.Lock()
			o.failed = e
			o.mu.Unlock()
		default:
			return "the key is none of progress, checkpoint, log, result and error"
		}
	}
	return ""
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func (o *output) logLine(value json.RawMessage) string {
	var l wire.LogLine
	if json.Unmarshal(value, &l) != nil {
		return "log: level and message must be texts"
	}
	if l.Level == "" {
		l.Level = "info"
	}
	o.run.Log(l.Level, l.Message)
	return ""
}

// eachLine calls visit with every line, without its end; cut says that more of it was
// left out. It returns at the end, or at an error.
func eachLine(r io.Reader, most int, visit func(line []byte, cut bool)) {
	in := bufio.NewReaderSize(r, 64<<10)
	var line []byte
	cut := false
	for {
		part, err := in.ReadSlice('\n')
		if room := most - len(line); len(bytes.TrimRight(part, "\r\n")) > room {
			part, cut = part[:room], true
		}
		line = append(line, part...)
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if line = bytes.TrimRight(line, "\r\n"); len(line) > 0 || cut {
			visit(line, cut)
		}
		if err != nil {
			return
		}
		line, cut = nil, false
	}
}

// prefix returns the beginning of a line.
func prefix(line []byte, most int) string {
	if len(line) > most {
		for most > 0 && !utf8.RuneStart(line[most]) {
			most--
		}
		line = line[:most]
	}
	return strings.ToValidUTF8(string(line), "\ufffd")
}
