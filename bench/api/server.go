package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/internal/auth"
	api "github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/internal/http/accounts"
	"github.com/kappagraph/kappa/internal/http/jobs"
	"github.com/kappagraph/kappa/internal/pgembed"
	"github.com/kappagraph/kappa/internal/postgres"
	"github.com/kappagraph/kappa/migrations"
	"github.com/kappagraph/kappa/work"
)

// bench has two servers of the same database: one that authenticates, and one that takes
// everybody for the administrator.
type bench struct {
	dir     string
	cluster *pgembed.Cluster
	db      *postgres.DB
	stop    context.CancelFunc
	running sync.WaitGroup

	guarded, open string // addresses
	clientID      string
	secret        string
	job           string
	http          *http.Client
}

type accountStores struct {
	postgres.AccountStore
	postgres.ClientStore
	postgres.TokenStore
	postgres.RoleStore
}

// everybody is the administrator.
type everybody struct{}

func (everybody) Authenticate(context.Context, string) (access.Principal, error) {
	return access.Principal{
		User:   access.User{ID: access.AdminUserID, Username: access.AdminUsername, Role: access.RolePlatformAdmin},
		Scopes: []string{access.ScopeRead, access.ScopeWrite},
	}, nil
}

func (everybody) Reexamine(context.Context, access.Principal) error { return nil }

// open starts the cluster and both servers, and makes a client and a job.
func open(ctx context.Context) (b *bench, err error) {
	b = &bench{http: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 256}}}
	defer func() {
		if err != nil {
			b.close(ctx)
		}
	}()
	if b.dir, err = os.MkdirTemp("", "kg-bench-"); err != nil {
		return b, err
	}
	if err := os.Chmod(b.dir, 0o755); err != nil { // another user runs the cluster when this one is root
		return b, err
	}
	if b.cluster, err = pgembed.Start(ctx, pgembed.Config{Dir: filepath.Join(b.dir, "postgres"), MaxConnections: 60}); err != nil {
		return b, err
	}
	log := slog.New(slog.DiscardHandler)
	dsn := b.cluster.DSN(pgembed.Database)
	if err := migrations.Up(ctx, dsn, log); err != nil {
		return b, err
	}
	if b.db, err = postgres.Open(ctx, postgres.Config{DSN: dsn, JobConns: 10, GraphConns: 4, AuthConns: 5}); err != nil {
		return b, err
	}
	service, err := auth.New(auth.Config{Store: accountStores{b.db.Accounts(), b.db.Clients(), b.db.Tokens(), b.db.Roles()}, Now: b.db.Now, Log: log})
	if err != nil {
		return b, err
	}
	password := rand.Text()
	if _, err := service.Bootstrap(ctx, password); err != nil {
		return b, err
	}
	resources := []api.Resource{
		accounts.New(accounts.Config{Clients: service.Clients, Tokens: service.Tokens}),
		jobs.New(jobs.Config{Jobs: b.db.Jobs(), Operator: b.db.Jobs(), Types: &work.JobTypes{}, MaxLaneSlots: work.DefaultMaxLaneSlots}),
	}
	running, stop := context.WithCancel(context.WithoutCancel(ctx))
	b.stop = stop
	if b.guarded, err = b.serve(running, api.Config{Auth: service.Tokens, Log: log}, resources); err != nil {
		return b, err
	}
	if b.open, err = b.serve(running, api.Config{Auth: everybody{}, Log: log}, resources); err != nil {
		return b, err
	}
	job, err := b.db.Jobs().SubmitJob(ctx, work.NewJob{Type: "noop", Queue: "default", Data: json.RawMessage(`{}`), UserID: access.AdminUserID})
	b.job = job.ID
	if err != nil {
		return b, err
	}
	return b, b.login(ctx, password)
}

// serve runs a server and returns its address.
func (b *bench) serve(ctx context.Context, cfg api.Config, resources []api.Resource) (string, error) {
	cfg.Version, cfg.Hosts, cfg.Submissions = "bench", []string{"*"}, b.db.Jobs()
	server, err := api.New(cfg, resources...)
	if err != nil {
		return "", err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	b.running.Go(func() {
		if err := server.Run(ctx, listener); err != nil {
			fmt.Fprintln(os.Stderr, "bench:", err)
		}
	})
	return "http://" + listener.Addr().String(), nil
}

func (b *bench) close(ctx context.Context) {
	if b.stop != nil {
		b.stop()
		b.running.Wait()
	}
	if b.db != nil {
		b.db.Close()
	}
	var err error
	if b.cluster != nil {
		err = b.cluster.Stop(context.WithoutCancel(ctx))
	}
	if err = errors.Join(err, os.RemoveAll(b.dir)); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
	}
}

// post sends a form and decodes the answer.
func (b *bench) post(ctx context.Context, path string, form url.Values, out any) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, b.guarded+path, strings.NewReader(form.Encode()))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	response, err := b.http.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode >= 300 {
		err = fmt.Errorf("%s: status %d: %s", path, response.StatusCode, body)
	}
	if err != nil {
		return err
	}
	return json.Unmarshal(body, out)
}

func (b *bench) login(ctx context.Context, password string) error {
	var made struct {
		ID     string `json:"client_id"`
		Secret string `json:"client_secret"`
	}
	err := b.post(ctx, "/auth/oauth/clients/personal", url.Values{"username": {access.AdminUsername}, "password": {password}}, &made)
	b.clientID, b.secret = made.ID, made.Secret
	return err
}

// token asks for a token.
func (b *bench) token(ctx context.Context) (string, error) {
	var made struct {
		Token string `json:"access_token"`
	}
	err := b.post(ctx, "/auth/oauth/token", url.Values{"grant_type": {"client_credentials"}, "client_id": {b.clientID}, "client_secret": {b.secret}}, &made)
	return made.Token, err
}

// tokenCPU asks for tokens one after the other, and returns the processor time of this
// process for each: the server's and the client's.
func (b *bench) tokenCPU(ctx context.Context, n int) (time.Duration, error) {
	for range n / 10 { // connections, caches
		if _, err := b.token(ctx); err != nil {
			return 0, err
		}
	}
	before := processorTime()
	for range n {
		if _, err := b.token(ctx); err != nil {
			return 0, err
		}
	}
	return (processorTime() - before) / time.Duration(n), nil
}

// processorTime is what this process has used so far.
func processorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// speed is how often a server answered, how long it took, and the processor time of this
// process for it: the server's and its clients'. That of the database is not in it.
type speed struct {
	answered  int64
	took, cpu time.Duration
}

func (s speed) and(t speed) speed {
	return speed{s.answered + t.answered, s.took + t.took, s.cpu + t.cpu}
}

func (s speed) perSecond() float64 { return float64(s.answered) / s.took.Seconds() }

// String says how often a second, and what each took.
func (s speed) String() string {
	return fmt.Sprintf("%9.0f a second, %.0f µs processor time each", s.perSecond(), float64(s.cpu.Microseconds())/float64(max(1, s.answered)))
}

// rate asks a server for the job for some time.
func (b *bench) rate(ctx context.Context, server string, clients int, within time.Duration) (speed, error) {
	token, err := b.token(ctx)
	if err != nil {
		return speed{}, err
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var answered atomic.Int64
	failures := make(chan error, clients)
	before, started := processorTime(), time.Now()
	var group sync.WaitGroup
	for range clients {
		group.Go(func() {
			for time.Since(started) < within {
				if err := b.ask(ctx, server, token); err != nil {
					failures <- err
					stop()
					return
				}
				answered.Add(1)
			}
		})
	}
	group.Wait()
	took := time.Since(started)
	select {
	case err := <-failures:
		return speed{}, err
	default:
		return speed{answered.Load(), took, processorTime() - before}, nil
	}
}

// ask asks for the job.
func (b *bench) ask(ctx context.Context, server, token string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, server+"/jobs/"+b.job, nil)
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", "Bearer "+token)
	response, err := b.http.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if _, err := io.Copy(io.Discard, response.Body); err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("GET /jobs/%s: status %d", b.job, response.StatusCode)
	}
	return nil
}
