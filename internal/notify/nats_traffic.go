package notify

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// subscribeAll subscribes to the channels and to every watched job. The client
// does so again after each reconnect.
func (s *natsSession) subscribeAll() error {
	list := []string{s.subjects.resync(), s.subjects.probe()}
	for channel := range s.cfg.Handle {
		subject, _ := s.subjects.channel(channel)
		list = append(list, subject)
	}
	for _, subject := range list {
		if _, err := s.nc.ChanSubscribe(subject, s.inbox); err != nil {
			return fmt.Errorf("subscribe to %s: %w", subject, err)
		}
	}
	for id := range s.interest.all() {
		if err := s.subscribe(id); err != nil {
			return err
		}
	}
	return nil
}

// subscribe makes a subscription without a goroutine of its own: all share the
// inbox.
func (s *natsSession) subscribe(jobID string) error {
	if s.subs[jobID] != nil {
		return nil
	}
	sub, err := s.nc.ChanSubscribe(s.subjects.job(jobID), s.inbox)
	if err != nil {
		return fmt.Errorf("subscribe to a job: %w", err)
	}
	s.subs[jobID] = sub
	return nil
}

// watch subscribes to the jobs that have watchers now. The hub reads each
// new one when its subscription is surely active: what was sent before that,
// nobody heard.
func (s *natsSession) watch(ctx context.Context) error {
	if !s.up.Load() {
		return nil // follow subscribes, and everybody reconciles
	}
	added, err := s.subscribeChanged()
	if err == nil && len(added) > 0 {
		_, err = s.confirm(ctx)
	}
	if err != nil {
		return s.unless(ctx, err)
	}
	if slices.Contains(added, AllJobs) {
		s.resync()
	} else if len(added) > 0 {
		s.cfg.Sink.Hint(added...)
	}
	return nil
}

// subscribeChanged subscribes to the jobs that have watchers now, and no longer
// to those that have none. It returns those that have.
func (s *natsSession) subscribeChanged() (added []string, err error) {
	for id, watched := range s.interest.take() {
		if watched {
			if err := s.subscribe(id); err != nil {
				return nil, err
			}
			added = append(added, id) // also when it went and came back
			continue
		}
		sub := s.subs[id]
		if sub == nil {
			continue
		}
		delete(s.subs, id)
		if err := sub.Unsubscribe(); err != nil {
			return nil, fmt.Errorf("unsubscribe from a job: %w", err)
		}
	}
	return added, nil
}

// receive takes messages until ctx ends. When the inbox was full, some were
// dropped, and everybody reconciles once it is empty again.
func (s *natsSession) receive(ctx context.Context) {
	full := false
	for {
		select {
		case <-ctx.Done():
			return
		case m := <-s.inbox:
			s.hear(m, s.lossy.Wake)
		}
		waiting := len(s.inbox)
		full = full || waiting >= natsInbox-1
		if full && waiting == 0 {
			full = false
			s.lossy.Wake()
		}
	}
}

// publish sends what the outbox collects until ctx ends: the first at once, what
// comes meanwhile together. What the server did not confirm is sent again. At the
// end, what still waits is sent.
func (s *natsSession) publish(ctx context.Context) {
	defer func() {
		lastCtx, cancel := context.WithTimeout(context.WithoutCancel(ctx), natsSendLast)
		defer cancel()
		_ = s.send(lastCtx) // the others poll every few seconds
	}()
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.outbox.wake.C():
		}
		pause := natsSendEvery
		if err := s.send(ctx); err != nil {
			s.cfg.Log.DebugContext(ctx, "notifying by NATS failed; trying again", "err", s.scrub(err))
			s.outbox.wake.Wake()
			pause = natsSendAgain
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
	}
}

// send sends what waits, and keeps it when that fails.
func (s *natsSession) send(ctx context.Context) error {
	if !s.up.Load() {
		return nil // follow wakes us when it is connected
	}
	b := s.outbox.take()
	if b.empty() {
		return nil
	}
	n, err := s.write(b)
	if err == nil {
		_, err = s.confirm(ctx)
	}
	if err != nil {
		s.outbox.putBack(b)
		return err
	}
	s.counts.sent.Add(int64(n))
	return nil
}

// write hands a batch to the client and returns the number of messages.
func (s *natsSession) write(b natsBatch) (n int, err error) {
	put := func(subject string, message []byte) {
		if err == nil {
			err = s.nc.Publish(subject, message)
			n++
		}
	}
	if b.everything {
		put(s.subjects.resync(), s.own)
	}
	for c := range b.calls {
		subject, _ := s.subjects.channel(c.channel)
		message, tooLong := natsMessage{From: s.cfg.ID, Name: c.payload}.encode()
		if tooLong != nil {
			put(s.subjects.resync(), s.own) // they find out by reconciling
			continue
		}
		put(subject, message)
	}
	for id := range b.jobs {
		put(s.subjects.job(id), s.own)
	}
	return n, err
}
