package main

import (
	"context"
	"log/slog"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"

	"github.com/kappagraph/kappa/internal/postgres"
)

// crowdSize is how many principals visit at once.
const crowdSize = 8

// crowd are principals that lose their rights while they read: each is a user
// with a client and jobs of its own, and follows what it may see, and asks for
// what it may not, on all servers.
type crowd struct {
	dsn     string       // past the servers' proxies
	db      *postgres.DB // the same way
	servers []*server
	access  *apiAccess
	http    *http.Client
	log     *slog.Logger
	enough  chan struct{} // closed when nobody comes any more

	coming sync.RWMutex // read-held by who prepares

	mu       sync.Mutex // guards what follows
	next     int
	present  map[int][]string // jobs of those that visit now
	accepted map[string]int   // as in submissions
	unsure   map[int]bool
	seen     []visited
}

func newCrowd(c *campaign) *crowd {
	return &crowd{
		dsn: c.dsn, db: c.db, servers: c.servers, access: c.access, log: c.cfg.Log, enough: make(chan struct{}),
		http:    &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: crowdSize * visitStreams}},
		present: map[int][]string{}, accepted: map[string]int{}, unsure: map[int]bool{},
	}
}

// run has principals visit one after another until close; those that are there
// then stay to the end of their visit, or of ctx.
func (c *crowd) run(ctx context.Context, seed uint64) {
	var group sync.WaitGroup
	for range crowdSize {
		group.Go(func() {
			for ctx.Err() == nil && c.visit(ctx, seed) {
			}
		})
	}
	group.Wait()
	c.http.CloseIdleConnections()
}

// close lets nobody come any more, and waits for those that are about to: after
// it the crowd submits no job.
func (c *crowd) close() {
	close(c.enough)
	c.coming.Lock()
	c.coming.Unlock() //nolint:staticcheck // it was only waited for
}

// visit has the next principal come, read, lose its right and go. It reports
// false when nobody comes any more.
func (c *crowd) visit(ctx context.Context, seed uint64) bool {
	c.mu.Lock()
	number := c.next
	c.next++
	c.mu.Unlock()
	r := rand.New(rand.NewPCG(seed, firstVisitJob+uint64(number)))
	v := newVisitor(c, number, r)
	if !v.come(ctx) {
		return false
	}
	v.visit(ctx)
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.present, number)
	c.seen = append(c.seen, v.visited)
	return true
}

// addJob records a job of a principal, or that it is not known whether there is
// one.
func (c *crowd) addJob(visit int, id string, number int, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil {
		c.unsure[number] = true
		return
	}
	c.accepted[id] = number
	c.present[visit] = append(c.present[visit], id)
}

// foreign returns a job of another principal that visits now, or "".
func (c *crowd) foreign(visit int, r *rand.Rand) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var ids []string
	for _, other := range slices.Sorted(maps.Keys(c.present)) {
		if other != visit {
			ids = append(ids, c.present[other]...)
		}
	}
	if len(ids) == 0 {
		return ""
	}
	return ids[r.IntN(len(ids))]
}

// result returns what was seen, and adds the jobs of the crowd to those that were
// submitted; run must have ended.
func (c *crowd) result(s *submissions) []visited {
	c.mu.Lock()
	defer c.mu.Unlock()
	maps.Copy(s.Accepted, c.accepted)
	maps.Copy(s.Unsure, c.unsure)
	return c.seen
}
