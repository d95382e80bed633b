package main

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	cryptorand "crypto/rand"

	"github.com/jackc/pgx/v5"

	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/api"
	"github.com/kappagraph/kappa/work"
)

const (
	visitJobs     = 2             // of each principal
	visitStreams  = 3             // at once
	firstVisitJob = 1_000_000_000 // number of the first job; those of the workload are below
	// visitFrom and visitUntil bound how long a principal reads before its right
	// ends.
	visitFrom, visitUntil = time.Second, 3 * time.Second
	// visitAfter is how long it goes on asking after that, and visitLongest how
	// long it waits for its streams to end.
	visitAfter, visitLongest = 7 * time.Second, 20 * time.Second
	contributor              = "contributor"
)

// visitor is one principal while it visits.
type visitor struct {
	crowd *crowd
	r     *rand.Rand // of the visit itself; what runs beside it has its own
	user  int
	creds api.Credentials
	token string

	mu sync.Mutex // guards the evidence
	visited
}

func newVisitor(c *crowd, number int, r *rand.Rand) *visitor {
	loses := rightEnds()[number%len(rightEnds())]
	return &visitor{crowd: c, r: r, visited: visited{number: number, loses: loses, seesAll: loses == endOfRole, own: map[string]bool{}}}
}

// come prepares the visit. It reports false when nobody comes any more.
func (v *visitor) come(ctx context.Context) bool {
	v.crowd.coming.RLock()
	defer v.crowd.coming.RUnlock()
	select {
	case <-v.crowd.enough:
		return false
	default:
		return v.prepare(ctx)
	}
}

// visit is the visit from the first request to the last.
func (v *visitor) visit(ctx context.Context) {
	reading, goAway := context.WithCancel(ctx)
	defer goAway()
	soon, noMore := context.WithCancel(reading) // ends when it opens no more streams
	defer noMore()
	var streams, requests sync.WaitGroup
	for n := range visitStreams {
		r := rand.New(rand.NewPCG(v.r.Uint64(), uint64(n)))
		streams.Go(func() { v.follow(reading, soon, r, n) })
	}
	r := rand.New(rand.NewPCG(v.r.Uint64(), visitStreams))
	requests.Go(func() { v.ask(soon, r) })
	if pause(ctx, between(v.r, visitFrom, visitUntil)) && v.lose(ctx) {
		pause(ctx, visitAfter)
	}
	noMore()
	late := time.AfterFunc(visitLongest-visitAfter, goAway)
	defer late.Stop()
	streams.Wait()
	requests.Wait()
}

// prepare makes the user, its client, its token and its jobs. It reports false
// when ctx ended first.
func (v *visitor) prepare(ctx context.Context) bool {
	for _, step := range []func(context.Context) error{v.register, v.fetchToken, v.submit, v.learnJobs} {
		for {
			callCtx, cancel := context.WithTimeout(ctx, callTimeout)
			err := step(callCtx)
			cancel()
			if err == nil {
				break
			}
			v.crowd.log.DebugContext(ctx, "a visit waits", "visit", v.number, "err", err)
			if !pause(ctx, storeRetry) {
				return false
			}
		}
	}
	switch v.loses {
	case endOfToken:
		v.subject = tokenID(v.token)
	case endOfClient, endOfSecret:
		v.subject = v.creds.ClientID
	case endOfUser, endOfRole:
		v.subject = fmt.Sprint(v.user)
	}
	return true
}

// register stores a user and its client, each time under other names: the answer
// may be lost.
func (v *visitor) register(ctx context.Context) error {
	role, scopes := contributor, []string{"read:*"}
	if v.seesAll {
		role = access.RolePlatformAdmin
	}
	if v.loses == endOfSecret { // who may only read cannot rotate
		scopes = append(scopes, "write:*")
	}
	secret, id := cryptorand.Text(), cryptorand.Text()
	hash := sha256.Sum256([]byte(secret))
	v.creds = api.Credentials{OAuthClient: access.OAuthClient{ClientID: "visit-" + id}, Secret: secret}
	v.crowd.access.remember(secret)
	return connected(ctx, v.crowd.dsn, func(ctx context.Context, conn *pgx.Conn) error {
		return conn.QueryRow(ctx, `
			WITH u AS (INSERT INTO kg_api.users (username, role) VALUES ($1, $2) RETURNING id),
			c AS (INSERT INTO kg_api.oauth_clients (client_id, user_id, name, secret_hash, scopes) SELECT $1, u.id, 'visit', $3, $4 FROM u)
			SELECT u.id FROM u`, v.creds.ClientID, role, hash[:], scopes).Scan(&v.user)
	})
}

// fetchToken gets the only token of the visit.
func (v *visitor) fetchToken(ctx context.Context) (err error) {
	s := v.crowd.servers[v.r.IntN(len(v.crowd.servers))]
	if s.address() == "" {
		return fmt.Errorf("server %d is not ready", s.index)
	}
	v.token, err = fetchToken(ctx, s.address(), v.creds)
	if err == nil {
		v.crowd.access.remember(v.token)
	}
	return err
}

// submit submits the principal's jobs, which run about as long as the visit.
func (v *visitor) submit(ctx context.Context) error {
	for n := len(v.own); n < visitJobs; n++ {
		number := firstVisitJob + v.r.IntN(firstVisitJob)
		data := fmt.Sprintf(`{"n":%d,"ms":%d,"steps":%d}`, number, 5000+v.r.IntN(4000), 20+v.r.IntN(20))
		job, err := v.crowd.db.Jobs().SubmitJob(ctx, work.NewJob{
			Type: work.TypeSleep, Queue: work.DefaultQueue, Priority: 20, AutoApprove: true, MaxRetries: maxRetries, UserID: v.user, Data: []byte(data),
		})
		v.crowd.addJob(v.number, job.ID, number, err)
		if err != nil {
			return err
		}
		v.own[job.ID] = true
	}
	return nil
}

// learnJobs adds the jobs whose submissions were not answered, but stored.
func (v *visitor) learnJobs(ctx context.Context) error {
	return connected(ctx, v.crowd.dsn, func(ctx context.Context, conn *pgx.Conn) error {
		var ids []string
		if err := conn.QueryRow(ctx, "SELECT array_agg(job_id) FROM kg_api.jobs WHERE user_id = $1", v.user).Scan(&ids); err != nil {
			return err
		}
		for _, id := range ids {
			v.own[id] = true
		}
		return nil
	})
}

// tokenID returns the id that a token carries, or "".
func tokenID(token string) string {
	var claims struct {
		ID string `json:"jti"`
	}
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return ""
	}
	text, err := base64.RawURLEncoding.DecodeString(parts[1])
	if errors.Join(err, json.Unmarshal(text, &claims)) != nil {
		return ""
	}
	return claims.ID
}
