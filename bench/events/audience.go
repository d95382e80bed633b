package main

import (
	"context"
	"fmt"
	"net/netip"
	"sync"
	"time"
)

const (
	perAddress  = 2000 // streams from one source address: it has some 28,000 ports
	atOnce      = 64   // streams that are being opened
	openTimeout = 30 * time.Second
	idleTick    = 50 * time.Millisecond
)

// audience are the clients of event streams. One goroutine reads them all and
// records when the last of them got each event.
type audience struct {
	poller *poller
	group  sync.WaitGroup
	stop   chan struct{}

	mu       sync.Mutex // guards what follows
	streams  []*stream
	answered int // streams that have their snapshot
	ended    int // by the server
	refused  map[string]int
	arrivals map[event]arrival
}

// stream is one client.
type stream struct {
	socket int // 0 once it has ended
	job    string
	seen   int64 // number of the last event; it covers those that it has overtaken
	parser parser
}

// arrival is how far an event has come.
type arrival struct {
	clients int
	last    time.Time
}

func newAudience() (*audience, error) {
	p, err := newPoller()
	if err != nil {
		return nil, err
	}
	a := &audience{poller: p, stop: make(chan struct{}), refused: map[string]int{}, arrivals: map[event]arrival{}}
	a.group.Go(a.read)
	return a, nil
}

// close ends the streams.
func (a *audience) close() {
	close(a.stop)
	a.group.Wait()
	for _, s := range a.streams {
		if s.socket != 0 {
			closeSocket(s.socket)
		}
	}
	a.poller.close()
}

// seat says which stream a client opens.
type seat struct{ job, token string }

// open opens streams at a server and waits until all have their snapshot.
func (a *audience) open(ctx context.Context, addr string, seats []seat) error {
	target, err := netip.ParseAddrPort(addr)
	if err != nil {
		return err
	}
	for _, seat := range seats {
		if err := a.openOne(ctx, target, seat); err != nil {
			return err
		}
	}
	return a.until(ctx, openTimeout, "all streams have their snapshot", func() bool { return a.answered == len(a.streams) })
}

func (a *audience) openOne(ctx context.Context, target netip.AddrPort, seat seat) error {
	err := a.until(ctx, openTimeout, "some streams have their snapshot", func() bool { return len(a.streams)-a.answered < atOnce })
	if err != nil {
		return err
	}
	n := len(a.streams) // only grown here
	source := netip.AddrFrom4([4]byte{127, 0, 1, byte(1 + n/perAddress)})
	request := "GET /jobs/" + seat.job + "/stream HTTP/1.1\r\nHost: " + target.String() + "\r\nAccept: text/event-stream\r\nAuthorization: Bearer " + seat.token + "\r\n\r\n"
	socket, err := dial(source, target, []byte(request))
	if err != nil {
		return err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.streams = append(a.streams, &stream{socket: socket, job: seat.job})
	return a.poller.add(socket, n)
}

// until waits for a condition, which is examined under the lock. It gives up when
// a stream was refused or cut, and after the time.
func (a *audience) until(ctx context.Context, limit time.Duration, what string, met func() bool) error {
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for began := time.Now(); ; {
		a.mu.Lock()
		done, trouble := met(), a.ended > 0 || len(a.refused) > 0
		state := fmt.Sprintf("%d of %d have a snapshot, %d were cut, refused with status: %v", a.answered, len(a.streams), a.ended, a.refused)
		a.mu.Unlock()
		switch {
		case done:
			return nil
		case trouble:
			return fmt.Errorf("streams: %s", state)
		case time.Since(began) > limit:
			return fmt.Errorf("not within %s: %s; %s", limit, what, state)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}

// arrival returns how far an event has come.
func (a *audience) arrival(e event) arrival {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.arrivals[e]
}

// cut returns how many streams the server has ended.
func (a *audience) cut() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.ended
}

// read reads the streams until close.
func (a *audience) read() {
	buffer := make([]byte, 64<<10)
	for {
		select {
		case <-a.stop:
			return
		default:
		}
		err := a.poller.wait(idleTick, func(number int) {
			a.mu.Lock()
			defer a.mu.Unlock()
			a.readOneLocked(a.streams[number], buffer)
		})
		if err != nil {
			return // only when this file is wrong; nothing arrives then, and the wait for it says so
		}
	}
}

// readOneLocked reads what one stream has. The time is that of the read.
func (a *audience) readOneLocked(s *stream, buffer []byte) {
	if s.socket == 0 {
		return
	}
	n, err := readSocket(s.socket, buffer)
	if n <= 0 || err != nil {
		closeSocket(s.socket)
		s.socket = 0
		a.ended++
		return
	}
	now := time.Now()
	s.parser.feed(buffer[:n], func(k kind, seq int64) {
		if k == snapshot {
			a.answered++
			s.seen = seq
			return
		}
		for ; s.seen < seq; s.seen++ { // progress that a reader lags behind of is left out
			e := event{s.job, s.seen + 1}
			a.arrivals[e] = arrival{clients: a.arrivals[e].clients + 1, last: now}
		}
	})
	if code := s.parser.code; code != "" && code != "200" {
		a.refused[code]++
	}
}
