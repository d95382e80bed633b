package notify

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/kappagraph/kappa"
)

const (
	natsConnect    = 2 * time.Second // for one server to answer
	natsWrite      = 2 * time.Second // for one write to be taken
	natsPing       = 2 * time.Second // with natsPings: a dead connection is noticed after 6 s
	natsPings      = 2
	natsConfirm    = 10 * time.Second // for the server's answer; by then a dead connection is noticed
	natsInbox      = 8192             // messages that wait to be taken
	natsSendEvery  = 2 * time.Millisecond
	natsSendAgain  = 100 * time.Millisecond
	natsSendLast   = 500 * time.Millisecond // for what waits when we stop
	natsLagEvery   = 5 * time.Second
	natsResyncMost = time.Second // others may have everything reconciled once in this time
)

// natsSession is one connection of the client, which connects again by itself. It
// ends when the client gives up or NATS refuses what we need.
type natsSession struct {
	*NATS
	nc     *nats.Conn
	subs   map[string]*nats.Subscription // by job; of the goroutine of keep
	inbox  chan *nats.Msg
	moved  kappa.Waker // the connection came or went
	lossy  kappa.Waker // messages may have been lost
	closed chan struct{}

	mu     sync.Mutex // guards what follows, and up together with it
	drops  int        // how often the connection was lost
	ending bool       // what is lost now, we ended
}

// serve connects and serves until ctx ends or nothing more can be done with this
// connection.
func (n *NATS) serve(ctx context.Context) error {
	s := &natsSession{
		NATS: n, subs: map[string]*nats.Subscription{}, inbox: make(chan *nats.Msg, natsInbox),
		moved: kappa.NewWaker(), lossy: kappa.NewWaker(), closed: make(chan struct{}),
	}
	var err error
	if s.nc, err = s.connect(); err != nil {
		return fmt.Errorf("connect to NATS: %w", err)
	}
	workCtx, stop := context.WithCancel(ctx)
	var work sync.WaitGroup
	work.Go(func() { s.receive(workCtx) })
	work.Go(func() { s.publish(workCtx) })
	work.Go(func() { s.resyncs(workCtx) })
	defer func() {
		stop()
		work.Wait()
		s.mu.Lock()
		s.ending = true
		s.mu.Unlock()
		s.nc.Close()
		<-s.closed
	}()
	if err := s.subscribeAll(); err != nil {
		return err
	}
	return s.keep(ctx)
}

// connect starts the client. It is back after the first attempt, connected or
// not.
func (s *natsSession) connect() (*nats.Conn, error) {
	list, err := s.cfg.Options.connectOptions()
	if err != nil {
		return nil, err
	}
	list = append(list,
		nats.Name("kg "+s.cfg.ID), nats.NoEcho(),
		nats.Timeout(natsConnect), nats.FlusherTimeout(natsWrite), nats.ReconnectOnFlusherError(),
		nats.RetryOnFailedConnect(true), nats.MaxReconnects(-1), nats.CustomReconnectDelay(natsDelay),
		nats.IgnoreAuthErrorAbort(),
		nats.ReconnectBufSize(-1), // the outbox keeps what is not confirmed
		nats.PingInterval(natsPing), nats.MaxPingsOutstanding(natsPings),
		nats.ConnectHandler(func(*nats.Conn) { s.moved.Wake() }),
		nats.ReconnectHandler(func(*nats.Conn) { s.moved.Wake() }),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) { s.lose(err) }),
		nats.ReconnectErrHandler(func(_ *nats.Conn, err error) { s.lose(err) }),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) {
			if refused(err) != nil {
				s.moved.Wake()
			}
		}),
		nats.ClosedHandler(func(*nats.Conn) { close(s.closed) }),
	)
	return nats.Connect(s.cfg.Options.URL, list...)
}

// natsDelay returns the pause before attempt n: 100 ms at first, 5 s at most,
// varied by half.
func natsDelay(n int) time.Duration {
	wait := reconnectMost
	if n < 7 {
		wait = min(wait, reconnectFirst<<max(n-1, 0))
	}
	return wait/2 + rand.N(wait/2)
}

// keep follows the connection and the watchers until ctx ends or the connection
// is of no more use.
func (s *natsSession) keep(ctx context.Context) error {
	lag := time.NewTicker(s.lagEvery)
	defer lag.Stop()
	if s.nc.IsConnected() {
		s.moved.Wake()
	}
	for {
		var err error
		select {
		case <-ctx.Done():
			return nil
		case <-s.closed:
			return errors.Join(errors.New("NATS ended the connection"), s.nc.LastError())
		case <-s.moved.C():
			s.announce() // before the client is asked: it may be busy connecting
			err = s.follow(ctx)
		case <-s.interest.wake.C():
			err = s.watch(ctx)
		case <-lag.C:
			err = s.measure(ctx)
		}
		s.announce()
		if err != nil {
			return err
		}
	}
}

// lose records that the connection is gone, or could not be made.
func (s *natsSession) lose(err error) {
	s.mu.Lock()
	ending := s.ending
	s.drops++
	s.up.Store(false)
	s.mu.Unlock()
	if ending {
		return
	}
	if err == nil {
		err = errors.New("NATS ended the connection")
	}
	s.recordLoss(err)
	s.moved.Wake()
}

// recordLoss keeps why there is no connection, and logs it once.
func (s *natsSession) recordLoss(err error) {
	err = s.scrub(err)
	before := s.state.snapshot().Error
	if was := s.state.lost(err); was || s.state.snapshot().Error != before {
		s.cfg.Log.Warn("NATS interrupted", "err", err)
	}
}

// follow checks the connection. When it is new, the subscriptions are
// made active and everybody reconciles once: what was sent before is lost.
func (s *natsSession) follow(ctx context.Context) error {
	if s.up.Load() {
		return refused(s.nc.LastError())
	}
	if !s.nc.IsConnected() {
		return nil
	}
	s.mu.Lock()
	drops := s.drops
	s.mu.Unlock()
	if _, err := s.subscribeChanged(); err != nil {
		return s.unless(ctx, err)
	}
	if err := s.nc.Publish(s.subjects.probe(), s.own); err != nil {
		return s.unless(ctx, fmt.Errorf("publish on %s: %w", s.subjects.probe(), err))
	}
	took, err := s.confirm(ctx)
	if err != nil {
		return s.unless(ctx, err)
	}
	s.mu.Lock()
	current := drops == s.drops
	if current {
		s.state.connected()
		s.state.lag(took)
		s.up.Store(true)
	}
	s.mu.Unlock()
	if current {
		s.cfg.Log.InfoContext(ctx, "NATS connected", "server", s.nc.ConnectedAddr())
		s.resync()
		s.outbox.wake.Wake()
	}
	return nil
}

// confirm waits until the server has taken everything that was written, and
// returns how long that took. It also says what the server refused.
func (s *natsSession) confirm(ctx context.Context) (time.Duration, error) {
	ctx, cancel := context.WithTimeout(ctx, natsConfirm)
	defer cancel()
	started := time.Now()
	if err := s.nc.FlushWithContext(ctx); err != nil {
		return 0, fmt.Errorf("wait for an answer of NATS: %w", err)
	}
	return time.Since(started), refused(s.nc.LastError())
}

// unless returns err when it ends the session: not when we stop, nor when the
// connection is gone, because the client makes a new one.
func (s *natsSession) unless(ctx context.Context, err error) error {
	if ctx.Err() != nil || !s.nc.IsConnected() && refused(err) == nil {
		return nil //nolint:nilerr // the end of a session that is not at fault
	}
	return err
}

// refused returns the error of a server that does not let us do what we need: no
// later message will say that it changed its mind.
func refused(err error) error {
	if errors.Is(err, nats.ErrPermissionViolation) || errors.Is(err, nats.ErrMaxSubscriptionsExceeded) {
		return err
	}
	return nil
}

// measure takes the time of a round trip. Without a connection it records why:
// the client does not report every failed attempt.
func (s *natsSession) measure(ctx context.Context) error {
	if !s.up.Load() {
		if err := s.nc.LastError(); err != nil && !s.nc.IsConnected() {
			s.recordLoss(err)
		}
		return nil
	}
	took, err := s.confirm(ctx)
	if err != nil {
		return s.unless(ctx, err)
	}
	s.state.lag(took)
	return nil
}

// resyncs has everybody reconcile when messages may have been lost: at once, and then
// at most once a second.
func (s *natsSession) resyncs(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.lossy.C():
		}
		s.resync()
		select {
		case <-ctx.Done():
			return
		case <-time.After(natsResyncMost):
		}
	}
}
