package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/kappagraph/kappa/work"
)

const (
	perIdleStream = 40               // kB of memory, at most
	manyJobs      = 500              // that half of the idle streams are spread over
	baseline      = 20 * time.Second // for counting what a server without streams does
	settle        = 12 * time.Second // the database's counters are 10 s old at most
	goneTime      = 30 * time.Second
	fixedRate     = 1.0 // transactions a second that streams may cost, however many
)

// idle opens very many streams, half of them on one job and half on many, holds
// them while nothing happens, and closes them.
func (b *bench) idle(ctx context.Context) error {
	streams := b.streams
	heading := []string{"what", "measured", "must", ""}
	title := fmt.Sprintf("%d idle streams on %d jobs, held for %s", streams, manyJobs+1, b.hold)
	if err := raiseFileLimit(streams + 500); err != nil {
		b.report.table(title, heading, [][]string{b.report.unavailable("streams", len(heading), err)})
		return nil
	}
	u, err := b.holdIdle(ctx, streams)
	if err != nil {
		return err
	}
	each := float64(u.with.memory-u.before.memory) / float64(streams) / 1024
	extra := u.busy - u.quiet
	rows := [][]string{
		{"held", fmt.Sprintf("%d, opened in %.1f s", streams-u.cut, u.opening.Seconds()), "all", b.report.verdict(u.cut == 0)},
		{"memory of the server", fmt.Sprintf("%.1f kB each", each), fmt.Sprintf("≤ %d kB each", perIdleStream), b.report.verdict(each <= perIdleStream)},
		{
			"database", fmt.Sprintf("%.2f transactions/s, %.2f/s without streams", u.busy, u.quiet),
			fmt.Sprintf("none a stream: ≤ %.0f/s more in all", fixedRate), b.report.verdict(extra <= fixedRate),
		},
	}
	rows = append(rows, u.left(b.report, len(heading))...)
	b.report.table(title, heading, rows)
	return nil
}

// idleUsage is what idle streams were seen to use.
type idleUsage struct {
	before, with, after footprint
	quiet, busy         float64 // transactions a second without and with the streams
	opening, closing    time.Duration
	cut                 int // streams that the server has ended
}

// left returns the rows that say what the streams have left behind.
func (u idleUsage) left(r *report, cells int) [][]string {
	files := []string{"open files", fmt.Sprintf("%d before, %d with, %d %.1f s after", u.before.files, u.with.files, u.after.files, u.closing.Seconds()), "", ""}
	if u.before.goroutines == 0 {
		return [][]string{files, r.unavailable("goroutines", cells, errNoMetrics)}
	}
	return [][]string{files, {
		"goroutines", fmt.Sprintf("%d before, %d with, %d %.1f s after", u.before.goroutines, u.with.goroutines, u.after.goroutines, u.closing.Seconds()),
		"0 left", r.verdict(!u.lingers()),
	}}
}

// holdIdle does it, on a server of its own.
func (b *bench) holdIdle(ctx context.Context, streams int) (u idleUsage, err error) {
	const database = "idle"
	dsn, err := b.newDatabase(ctx, database)
	if err != nil {
		return u, err
	}
	c, err := b.newCrowd(ctx, dsn, streams)
	if err != nil {
		return u, err
	}
	s, err := b.startFor(ctx, dsn, c)
	if err != nil {
		return u, err
	}
	defer s.Stop()
	seats, err := s.idleSeats(ctx, c, streams)
	if err != nil {
		return u, err
	}
	if u.quiet, err = b.rate(ctx, database, baseline); err != nil {
		return u, err
	}
	if u.before, err = s.footprint(ctx, c.tokens[0]); err != nil {
		return u, err
	}
	if err := u.hold(ctx, b, s, seats); err != nil {
		return u, err
	}
	began := time.Now()
	for u.after.files == 0 || u.lingers() && time.Since(began) < goneTime {
		if err := pause(ctx, 100*time.Millisecond); err != nil {
			return u, err
		}
		if u.after, err = s.footprint(ctx, c.tokens[0]); err != nil {
			return u, err
		}
		u.closing = time.Since(began)
	}
	return u, nil
}

// lingers reports whether something of the closed streams is still there.
func (u idleUsage) lingers() bool {
	if u.before.goroutines == 0 {
		return u.after.files > u.before.files
	}
	return u.after.goroutines > u.before.goroutines
}

// hold opens the streams, measures the server and the database, and closes them.
func (u *idleUsage) hold(ctx context.Context, b *bench, s *server, seats []seat) error {
	all, err := newAudience()
	if err != nil {
		return err
	}
	defer all.close()
	began := time.Now()
	if err := all.open(ctx, s.addr, seats); err != nil {
		return err
	}
	u.opening = time.Since(began)
	if u.busy, err = b.rate(ctx, "idle", b.hold); err != nil {
		return err
	}
	u.cut = all.cut()
	u.with, err = s.footprint(ctx, seats[0].token)
	return err
}

// idleSeats are half on one job and half on many.
func (s *server) idleSeats(ctx context.Context, c crowd, streams int) ([]seat, error) {
	var ids []string
	for range manyJobs + 1 {
		id, err := s.submit(ctx, work.NewJob{Type: work.TypeNoop})
		if err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	seats := c.seats(streams, ids[1:]...)
	for i := range seats[:streams/2] {
		seats[i].job = ids[0]
	}
	return seats, nil
}

// rate returns how many transactions end in a database in a second, when things
// have settled.
func (b *bench) rate(ctx context.Context, database string, window time.Duration) (float64, error) {
	if err := pause(ctx, settle); err != nil {
		return 0, err
	}
	before, err := b.transactions(ctx, database)
	if err != nil {
		return 0, err
	}
	if err := pause(ctx, window); err != nil {
		return 0, err
	}
	after, err := b.transactions(ctx, database)
	return float64(after-before) / window.Seconds(), err
}

func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// footprint is what a server holds at a moment.
type footprint struct {
	memory     int64 // bytes in RAM
	files      int   // open, with the sockets
	goroutines int   // 0 when the server does not say
}

func (s *server) footprint(ctx context.Context, token string) (f footprint, err error) {
	if f.goroutines, err = s.goroutines(ctx, token); err != nil && !errors.Is(err, errNoMetrics) {
		return f, err
	}
	if f.memory, err = s.memory(); err != nil {
		return f, err
	}
	f.files, err = s.openFiles()
	return f, err
}
