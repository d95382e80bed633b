package serve

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/kappagraph/kappa"
)

// diskRoom is how long no part of the server may have failed for want of room
// until there is some again: each tries at least every 6 s.
const diskRoom = 12 * time.Second

// diskLog is a log that says once that the database's disk is full, and once that
// it is not any more: meanwhile all that writes fails again and again, and the log
// may be on that very disk. Refused requests are logged as ever.
type diskLog struct {
	slog.Handler
	state *diskState
}

// diskState is what the handlers of one log share.
type diskState struct {
	out  slog.Handler // without the attributes of a part
	mu   sync.Mutex   // guards what follows
	over *time.Timer  // nil while there is room
	from time.Time
	last time.Time
}

func newDiskLog(out slog.Handler) *diskLog {
	return &diskLog{Handler: out, state: &diskState{out: out}}
}

// close ends the watch.
func (l *diskLog) close() {
	l.state.mu.Lock()
	defer l.state.mu.Unlock()
	if l.state.over != nil {
		l.state.over.Stop()
		l.state.over = nil
	}
}

// Handle logs a record, or has it counted that the disk is full.
func (l *diskLog) Handle(ctx context.Context, r slog.Record) error {
	if r.Level >= slog.LevelWarn && saysDiskFull(r) {
		return l.state.full(ctx)
	}
	return l.Handler.Handle(ctx, r)
}

// WithAttrs returns a log that adds attributes.
func (l *diskLog) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &diskLog{l.Handler.WithAttrs(attrs), l.state}
}

// WithGroup returns a log that adds a group.
func (l *diskLog) WithGroup(name string) slog.Handler {
	return &diskLog{l.Handler.WithGroup(name), l.state}
}

// saysDiskFull reports whether a record is about a failure for want of room.
func saysDiskFull(r slog.Record) (full bool) {
	r.Attrs(func(a slog.Attr) bool {
		err, ok := a.Value.Any().(error)
		full = ok && errors.Is(err, kappa.ErrDiskFull)
		return !full
	})
	return full
}

// full records a failure, and logs the first one.
func (s *diskState) full(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last = time.Now()
	if s.over != nil {
		s.over.Reset(diskRoom)
		return nil
	}
	s.from = s.last
	s.over = time.AfterFunc(diskRoom, s.room)
	return s.out.Handle(ctx, slog.NewRecord(s.last, slog.LevelWarn,
		"the database's disk is full; claims, completions and submissions wait until there is room", 0))
}

// room logs that nothing has failed for a while.
func (s *diskState) room() {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	if s.over == nil || now.Sub(s.last) < diskRoom {
		return // it was renewed
	}
	s.over = nil
	r := slog.NewRecord(now, slog.LevelInfo, "the database's disk has room again", 0)
	r.Add("seconds", s.last.Sub(s.from).Seconds())
	_ = s.out.Handle(context.Background(), r) // a log that cannot be written cannot say so
}
