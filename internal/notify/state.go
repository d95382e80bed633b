package notify

import (
	"regexp"
	"sync"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/work"
)

// state is what a source reports about itself. All sources share it, so that
// their figures mean the same.
type state struct {
	mu  sync.Mutex // guards now
	now work.EventSource
}

// newState returns the state of an active source that is not connected yet.
func newState(name string) *state {
	return &state{now: work.EventSource{Name: name, Active: true}}
}

// connected records that messages arrive from now on.
func (s *state) connected() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now.Connected, s.now.Since, s.now.Error = true, moment(), ""
}

// begun records that the source begins to run: it is without a connection from now
// on, however long ago it ran before.
func (s *state) begun() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.now.Connected {
		s.now.Since = moment()
	}
}

// lost records why there is no connection, and reports whether there was one
// before. Only then it counts as a reconnect and changes Since.
func (s *state) lost(err error) (was bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	was = s.now.Connected
	if was {
		s.now.Connected, s.now.Since = false, moment()
		s.now.Reconnects++
	}
	s.now.LagMS, s.now.LagBytes = nil, nil
	if err != nil {
		s.now.Error = redact(err.Error())
	}
	return was
}

// stopped records that the source was asked to end, which is no lost connection.
func (s *state) stopped() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.now.Connected {
		s.now.Connected, s.now.Since = false, moment()
	}
	s.now.LagMS, s.now.LagBytes = nil, nil
}

// lag records how long the last message to itself took.
func (s *state) lag(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ms := float64(d.Microseconds()) / 1000
	s.now.LagMS = &ms
}

// lagBytes records how much of the write-ahead log is not read yet.
func (s *state) lagBytes(n int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now.LagBytes = &n
}

// snapshot returns a copy that nobody changes.
func (s *state) snapshot() work.EventSource {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now
}

func moment() *kappa.Time {
	t := kappa.At(time.Now())
	return &t
}

// redact takes passwords out of the text of an error: those of addresses such
// as postgres://user:secret@host and those of password=secret. The drivers do so
// as well, but an address may be one that they cannot parse.
func redact(text string) string {
	text = regexp.MustCompile(`(://[^\s:/@]*):[^\s]*@`).ReplaceAllString(text, "$1:xxxxx@")
	return regexp.MustCompile(`(?i)(password\s*=\s*)('(?:[^'\\]|\\.)*'?|[^\s'&]+)`).ReplaceAllString(text, "${1}xxxxx")
}
