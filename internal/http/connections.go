package http

import (
	"container/list"
	"log/slog"
	"net"
	nethttp "net/http"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

const (
	evictableAfter = time.Second     // a connection that is idle for so long gives way to a new one
	reserveTime    = 2 * time.Second // for the one request of a connection of the reserve
	warnFullEvery  = time.Minute
)

// connections bounds how many connections are open. When there are as many as may
// be, a new one takes the place of the one that has been idle for the longest, as
// in nginx. When none is idle, it is of the reserve: it may ask for a probe, within
// reserveTime, and gets a 503 for everything else. When the reserve is full as well,
// the oldest that has not asked yet gives way: a probe asks at once.
type connections struct {
	most    int
	reserve int
	log     *slog.Logger
	over    *prometheus.CounterVec

	mu       sync.Mutex
	open     int       // not of the reserve
	reserved int       // open, of the reserve
	idle     list.List // of *countedConn: those without a request, the longest idle one first
	waiting  list.List // of *countedConn of the reserve: those that have not asked yet, the oldest first
	warnedAt time.Time
}

func newConnections(limits Limits, registry prometheus.Registerer, log *slog.Logger) *connections {
	c := &connections{most: limits.Connections, reserve: limits.Reserve, log: log}
	c.over = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "kappa_connections_over_limit_total", Help: "Connections beyond the limit, by what became of them.",
	}, []string{"outcome"})
	open := prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "kappa_connections_open", Help: "Connections of clients that are open."},
		func() float64 { return float64(c.count()) })
	registry.MustRegister(c.over, open)
	return c
}

func (c *connections) count() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.open + c.reserved
}

// limitedListener accepts connections as far as there is room.
type limitedListener struct {
	net.Listener
	conns *connections
}

// Accept returns the next connection that there is room for.
func (l limitedListener) Accept() (net.Conn, error) {
	for {
		accepted, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		admitted, evicted := l.conns.admit(accepted, time.Now())
		if evicted != nil {
			_ = evicted.Conn.Close()
		}
		if admitted != nil {
			return admitted, nil
		}
		_ = accepted.Close()
	}
}

// admit counts a connection, and returns nil when there is no room for it. The
// caller closes the one that is evicted for it, if there is one.
func (c *connections) admit(accepted net.Conn, now time.Time) (admitted, evicted *countedConn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	admitted = &countedConn{Conn: accepted, owner: c}
	if c.open >= c.most {
		c.warnFull(now)
		evicted = c.evict(&c.idle, now.Add(-evictableAfter))
	}
	if c.open < c.most {
		c.open++
		c.put(&c.idle, admitted, now)
		return admitted, evicted
	}
	if c.reserved >= c.reserve {
		evicted = c.evict(&c.waiting, now)
	}
	if c.reserved >= c.reserve {
		c.over.WithLabelValues("refused").Inc()
		return nil, nil
	}
	c.over.WithLabelValues("reserve").Inc()
	c.reserved++
	admitted.until = now.Add(reserveTime)
	_ = accepted.SetDeadline(admitted.until)
	c.put(&c.waiting, admitted, now)
	return admitted, evicted
}

func (c *connections) put(where *list.List, co *countedConn, now time.Time) {
	co.place, co.since = where.PushBack(co), now
}

// evict takes the oldest connection of a list that was put there at an instant or
// before, and returns nil when there is none.
func (c *connections) evict(from *list.List, before time.Time) *countedConn {
	oldest := from.Front()
	if oldest == nil || oldest.Value.(*countedConn).since.After(before) {
		return nil
	}
	co := oldest.Value.(*countedConn)
	c.releaseLocked(co)
	c.over.WithLabelValues("evicted").Inc()
	return co
}

// releaseLocked stops counting a connection.
func (c *connections) releaseLocked(co *countedConn) {
	if co.closed {
		return
	}
	co.closed = true
	c.removeLocked(co)
	if co.isReserved() {
		c.reserved--
	} else {
		c.open--
	}
}

// removeLocked takes a connection from the list that it is in.
func (c *connections) removeLocked(co *countedConn) {
	if co.place == nil {
		return
	}
	if co.isReserved() {
		c.waiting.Remove(co.place)
	} else {
		c.idle.Remove(co.place)
	}
	co.place = nil
}

// warnFull logs, now and then, that there are as many connections as may be.
func (c *connections) warnFull(now time.Time) {
	if now.Sub(c.warnedAt) < warnFullEvery {
		return
	}
	c.warnedAt = now
	c.log.Warn("as many connections are open as may be; idle ones are closed for new ones", "limit", c.most)
}

// changed records that a connection has a request now, or none.
func (c *connections) changed(nc net.Conn, state nethttp.ConnState) {
	co, ok := beneath(nc).(*countedConn)
	if !ok {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case co.closed:
	case state == nethttp.StateActive:
		c.removeLocked(co)
	case state == nethttp.StateIdle && co.place == nil && !co.isReserved():
		c.put(&c.idle, co, time.Now())
	}
}
