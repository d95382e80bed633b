package remote

import (
	"context"
	"time"
)

// durable stores an event of a run, while an answer may wait for the database. Beyond
// that the event is stored when the database is back: an error would lose it for
// certain. What comes after an event that waits, waits behind it.
func (c *channel) durable(q request, store func(ctx context.Context) error) {
	if !c.retry.idle() {
		c.later(q, store)
		return
	}
	switch err := c.persist(len(q.Payload), store); {
	case err == nil:
	case unavailable(err):
		c.n.log.WarnContext(c.n.socket.ctx, "an event of a run waits for the database", "event", q.Event, "job", c.run.key.JobID, "err", err)
		c.later(q, store)
	default:
		c.n.log.ErrorContext(c.n.socket.ctx, "an event of a run could not be stored", "event", q.Event, "job", c.run.key.JobID, "err", err)
	}
}

// later stores an event when the database is back, also when the connection has ended
// by then. An event for which there is no room is lost.
func (c *channel) later(q request, store func(ctx context.Context) error) {
	size := int64(len(q.Payload))
	if !c.n.srv.retry.tryTake(size) {
		c.n.log.ErrorContext(c.n.socket.ctx, "an event of a run is lost: too much waits for the database", "event", q.Event, "job", c.run.key.JobID)
		return
	}
	ctx := context.WithoutCancel(c.n.socket.ctx)
	c.retry.do(c.n.srv.spawn, func() {
		defer c.n.srv.retry.give(size)
		for {
			callCtx, cancel := context.WithTimeout(ctx, limitFor(len(q.Payload)))
			err := store(callCtx)
			cancel()
			if !unavailable(err) {
				if err != nil {
					c.n.log.ErrorContext(ctx, "an event of a run could not be stored", "event", q.Event, "job", c.run.key.JobID, "err", err)
				}
				return
			}
			if c.n.srv.stopping.Load() {
				c.n.log.ErrorContext(ctx, "an event of a run is lost: the server stops while the database is away", "event", q.Event, "job", c.run.key.JobID)
				return
			}
			c.n.srv.pause(retryEvery)
		}
	})
}

// limitFor is how long a statement may take that stores an event of so many bytes.
func limitFor(size int) time.Duration {
	return statementLimit + time.Duration(size>>20)*time.Second
}
