package main

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"time"

	"github.com/kappagraph/kappa/work"
)

const (
	followers = 24
	// followLongest is the longest time that a follower stays with one server.
	followLongest = 2 * time.Second
	// followEnd is how long a follower may still need to see the end of its job
	// when every job has ended and no fault lasts.
	followEnd = 30 * time.Second
)

// followed is what one client has seen of one job.
type followed struct {
	job         string
	connections []connection
	ended       bool   // it has seen the end, or was answered that it had
	trouble     string // an answer that no fault explains
}

// connection is one stream, from its beginning to its cut.
type connection struct {
	after  int64 // the Last-Event-ID that was sent, -1 for none
	status int   // of the answer, 0 for none
	frames []shown
}

// shown is one event as a client has got it.
type shown struct {
	id     int64
	event  string
	status work.Status // of a snapshot or a status event
}

// gallery are clients that follow jobs over HTTP, each one after another,
// leaving at random and coming back to any server with the id of the last event
// that they have seen.
type gallery struct {
	servers []*server
	access  *apiAccess
	http    *http.Client
	log     *slog.Logger

	mu   sync.Mutex // guards seen
	seen []followed
}

func newGallery(servers []*server, a *apiAccess, log *slog.Logger) *gallery {
	transport := &http.Transport{MaxIdleConnsPerHost: followers}
	return &gallery{servers: servers, access: a, log: log, http: &http.Client{Transport: transport}}
}

// run follows the jobs that fresh names until it is closed and each follower has
// seen the end of its last one, or ctx ends. What then is not seen to its end is
// in the result without one.
func (g *gallery) run(ctx context.Context, seed uint64, fresh <-chan string) {
	var group sync.WaitGroup
	for n := range followers {
		r := rand.New(rand.NewPCG(seed, uint64(n)))
		group.Go(func() {
			for job := range fresh {
				f := g.follow(ctx, r, job)
				g.mu.Lock()
				g.seen = append(g.seen, f)
				g.mu.Unlock()
			}
		})
	}
	group.Wait()
	g.http.CloseIdleConnections()
}

// result returns what was seen; run must have ended.
func (g *gallery) result() []followed {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.seen
}

// follow follows one job to its end, and comes back once more after it.
func (g *gallery) follow(ctx context.Context, r *rand.Rand, job string) followed {
	f := followed{job: job}
	last := int64(-1)
	for {
		c := g.connect(ctx, r, job, last)
		f.connections = append(f.connections, c)
		for _, frame := range c.frames {
			last = max(last, frame.id)
		}
		switch c.status {
		case http.StatusNoContent:
			f.ended = true
			return f
		case 0, http.StatusOK, http.StatusUnauthorized, http.StatusTooManyRequests, http.StatusServiceUnavailable:
		default:
			f.trouble = fmt.Sprintf("was answered %d", c.status)
			return f
		}
		if !pause(ctx, between(r, 0, 300*time.Millisecond)) {
			return f
		}
	}
}

// connect opens a stream, reads some of it, and leaves.
func (g *gallery) connect(ctx context.Context, r *rand.Rand, job string, last int64) connection {
	c := connection{after: last}
	limit, cancel := context.WithTimeout(ctx, between(r, followLongest/10, followLongest))
	defer cancel()
	address := g.servers[r.IntN(len(g.servers))].address()
	if address == "" {
		return c
	}
	token, err := g.access.bearer(limit, address)
	if err != nil {
		return c
	}
	req, err := streamRequest(limit, address, job, last, token, r.IntN(4) == 0)
	if err != nil {
		g.log.DebugContext(ctx, "a stream cannot be asked for", "err", err)
		return c
	}
	resp, err := g.http.Do(req)
	if err != nil {
		return c
	}
	defer resp.Body.Close()
	c.status = resp.StatusCode
	if c.status == http.StatusUnauthorized {
		g.access.drop(token)
	}
	if c.status == http.StatusOK {
		c.frames = readFrames(resp.Body, 1+r.IntN(8))
	}
	return c
}

// streamRequest asks for the stream of a job after the event last, with the
// token in the address or not.
func streamRequest(ctx context.Context, address, job string, last int64, token string, inAddress bool) (*http.Request, error) {
	address += "/jobs/" + job + "/stream"
	if inAddress {
		address += "?" + url.Values{"token": {token}}.Encode()
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", "text/event-stream")
	if !inAddress {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	if last >= 0 {
		req.Header.Set("Last-Event-ID", strconv.FormatInt(last, 10))
	}
	return req, nil
}
