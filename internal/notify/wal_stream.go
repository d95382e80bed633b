package notify

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pglogrepl"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"
)

const (
	walAskEvery     = 2 * time.Second // reports, and asks for an answer: a dead connection says nothing
	walAnswerWithin = 6 * time.Second // one that decodes a huge transaction answers every walServerGivesUp/2
	walSendWithin   = 3 * time.Second
	walReportBytes  = 16 << 20 // log read since the last report that calls for one at once
)

// walTiming is how often a walStream asks and how long it waits, and how often the
// publication is looked at. It checks the
// time whenever it asks, so a dead connection is given up ask + answer after the
// last message when answer is a multiple of ask.
type walTiming struct{ ask, answer, look time.Duration }

// walStream is a replication stream that has begun.
type walStream struct {
	conn    *pgconn.PgConn
	sink    WALSink
	hook    func(ctx context.Context, point string) error // nil: none
	state   *state
	timing  walTiming
	decoder walDecoder

	done     pglogrepl.LSN // all commits before it were handed over
	reported pglogrepl.LSN // what was reported to the server last
	asked    time.Time     // when the open request for an answer was sent; zero without one
	heard    time.Time     // when the last message came
	late     time.Duration // the longest from a commit until it was sent, since the last answer
}

// run hands over what is committed until ctx ends or the connection fails, and
// always returns an error.
func (s *walStream) run(ctx context.Context) error {
	for {
		if err := s.ask(ctx, time.Now()); err != nil {
			return err
		}
		askAgain, cancel := context.WithTimeout(ctx, s.timing.ask)
		err := s.receive(askAgain)
		cancel()
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			return err
		}
	}
}

// receive takes messages until ctx ends, for which it returns nil, or the
// connection fails.
func (s *walStream) receive(ctx context.Context) error {
	for {
		message, err := s.conn.ReceiveMessage(ctx)
		if err != nil && ctx.Err() != nil {
			return nil //nolint:nilerr // it was asked to stop
		}
		if err != nil {
			return fmt.Errorf("read the replication stream: %w", err)
		}
		s.heard = time.Now()
		switch m := message.(type) {
		case *pgproto3.CopyData:
			if err := s.take(ctx, m.Data); err != nil {
				return err
			}
		case *pgproto3.NoticeResponse:
			if err := walNotice(m); err != nil {
				return fmt.Errorf("the replication stream lacks events: %w", err)
			}
		case *pgproto3.ParameterStatus:
		case *pgproto3.ErrorResponse:
			return fmt.Errorf("the server ended the replication stream: %w", walProblem(pgconn.ErrorResponseToPgError(m)))
		case *pgproto3.CopyDone, *pgproto3.CommandComplete:
			return errors.New("the server ended the replication stream")
		default:
			return fmt.Errorf("read the replication stream: unexpected message %T", message)
		}
	}
}

// take handles what one CopyData carries.
func (s *walStream) take(ctx context.Context, data []byte) error {
	if len(data) == 0 {
		return errors.New("read the replication stream: empty message")
	}
	switch data[0] {
	case pglogrepl.PrimaryKeepaliveMessageByteID:
		keepalive, err := pglogrepl.ParsePrimaryKeepaliveMessage(data[1:])
		if err != nil {
			return fmt.Errorf("read the replication stream: %w", err)
		}
		return s.keepalive(ctx, keepalive)
	case pglogrepl.XLogDataByteID:
		carried, err := pglogrepl.ParseXLogData(data[1:])
		if err != nil {
			return fmt.Errorf("read the replication stream: %w", err)
		}
		batch, err := s.decoder.decode(carried.WALData)
		if err != nil {
			return err
		}
		if len(batch.events)+len(batch.jobs) > 0 {
			if err := reach(ctx, s.hook, PointAfterReceive); err != nil {
				return err
			}
		}
		s.handOver(batch, carried.ServerTime)
		return nil
	}
	return fmt.Errorf("read the replication stream: unknown message %q", data[0])
}

// handOver notifies the sink of committed events and of jobs that have some. Only
// then their transaction counts as done.
func (s *walStream) handOver(batch walBatch, sent time.Time) {
	if len(batch.events) > 0 {
		s.sink.Publish(batch.events)
	}
	if len(batch.jobs) > 0 {
		s.sink.HintSeqs(batch.jobs)
	}
	if batch.ended {
		s.done = max(s.done, batch.end)
		s.late = max(s.late, sent.Sub(batch.committed))
	}
}

// keepalive records how far the server has read the log. When no transaction is
// being sent, nothing before that place is missing, whether it concerned us or
// not; the slot has to move on also while only others write.
func (s *walStream) keepalive(ctx context.Context, k pglogrepl.PrimaryKeepaliveMessage) error {
	if !s.decoder.open {
		s.done = max(s.done, k.ServerWALEnd)
	}
	s.state.lagBytes(int64(max(s.done, k.ServerWALEnd) - s.done))
	if !s.asked.IsZero() {
		s.state.lag(max(s.late, time.Since(s.asked)))
		s.asked, s.late = time.Time{}, 0
	}
	if k.ReplyRequested || s.done > s.reported+walReportBytes {
		return s.report(ctx, false)
	}
	return nil
}

// ask reports, and requests an answer unless one is still due. It returns an
// error when that is due for too long and nothing else came either.
func (s *walStream) ask(ctx context.Context, now time.Time) error {
	if s.asked.IsZero() {
		s.asked = now
		return s.report(ctx, true)
	}
	if now.Sub(s.asked) >= s.timing.answer && now.Sub(s.heard) >= s.timing.answer {
		return fmt.Errorf("the server did not answer within %s", s.timing.answer)
	}
	return s.report(ctx, false)
}

// report says to the server that all before s.done was handed over. All three
// positions are given: the driver would fill in missing ones. Its send knows no
// deadline, so the socket gets one.
func (s *walStream) report(ctx context.Context, answer bool) error {
	if err := s.conn.Conn().SetWriteDeadline(time.Now().Add(walSendWithin)); err != nil {
		return fmt.Errorf("report to the server: %w", err)
	}
	err := pglogrepl.SendStandbyStatusUpdate(ctx, s.conn, pglogrepl.StandbyStatusUpdate{
		WALWritePosition: s.done, WALFlushPosition: s.done, WALApplyPosition: s.done, ReplyRequested: answer,
	})
	if err == nil {
		err = s.conn.Conn().SetWriteDeadline(time.Time{})
	}
	if err != nil {
		return fmt.Errorf("report to the server: %w", err)
	}
	s.reported = s.done
	return nil
}
