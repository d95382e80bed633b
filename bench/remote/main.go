// Command remote measures remote workers: how long a job waits for an idle one, also
// while another group of it is full, how many runs a second one server hands out, and
// what idle workers cost. It runs kg serve as a process of its own on a new private
// cluster, and the workers here.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/kappagraph/kappa/bench/serving"
	"github.com/kappagraph/kappa/internal/pgembed"
	"github.com/kappagraph/kappa/work"
)

const (
	secret  = "a secret for the benchmark"
	jobType = "exec"

	between = 60 * time.Millisecond // jobs whose start is measured: a connection has 20 claims a second

	mostStart  = 5 * time.Millisecond // approval to confirmed, the middle of all
	mostFast   = 200 * time.Millisecond
	leastRuns  = 3000.0 // a second
	mostMemory = 60.0   // kB of an idle worker
)

func main() {
	kg := flag.String("kg", "bin/kg", "the kg program")
	starts := flag.Int("starts", 200, "jobs whose start is measured")
	runs := flag.Int("runs", 20_000, "runs without work")
	workers := flag.Int("workers", 100, "workers with 10 slots each that do them")
	idle := flag.Int("idle", 1000, "idle workers; 0 leaves them out")
	statements := flag.Bool("statements", false, "say which statements took the time; it takes pg_stat_statements, and slows all of them a little")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, *kg, *statements, *starts, *runs, *workers, *idle); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, kg string, statements bool, starts, runs, workers, idle int) error {
	cluster, dir, err := startCluster(ctx, statements)
	defer os.RemoveAll(dir)
	if err != nil {
		return err
	}
	defer func() { _ = cluster.Stop(context.WithoutCancel(ctx)) }()
	s, err := serving.Start(ctx, kg, "KG_WORKER_SECRET="+secret, "DATABASE_URL="+cluster.DSN(pgembed.Database))
	if err != nil {
		return err
	}
	defer s.Stop()
	token, err := s.Token()
	if err != nil {
		return err
	}
	b := &bench{s: s, token: token, cluster: cluster, dir: dir, statements: statements}
	for _, part := range []func(context.Context) error{
		func(ctx context.Context) error { return b.idle(ctx, idle) },
		func(ctx context.Context) error { return b.start(ctx, starts) },
		func(ctx context.Context) error { return b.fastLane(ctx, min(starts, 200)) },
		func(ctx context.Context) error { return b.throughput(ctx, runs, workers) },
	} {
		partCtx, cancel := context.WithCancel(ctx)
		err := part(partCtx)
		cancel()
		b.workers.Wait()
		if err != nil {
			return err
		}
	}
	return errors.Join(b.missed...)
}

type bench struct {
	s          *serving.Server
	token      string
	cluster    *pgembed.Cluster
	dir        string // of the cluster
	statements bool   // are counted
	workers    sync.WaitGroup
	missed     []error
}

// want notes a figure that is not what it is to be.
func (b *bench) want(ok bool, format string, args ...any) {
	if !ok {
		b.missed = append(b.missed, fmt.Errorf(format, args...))
	}
}

// connect connects a worker that runs until ctx ends.
func (b *bench) connect(ctx context.Context, groups string, change func(*worker)) error {
	w, err := connect(ctx, b.s.API.BaseURL(), groups)
	if err != nil {
		return err
	}
	if change != nil {
		change(w)
	}
	b.workers.Go(func() {
		if err := w.run(ctx); err != nil {
			fmt.Fprintln(os.Stderr, "bench: a worker:", err)
		}
	})
	return nil
}

func (b *bench) submit(ctx context.Context, queue string) (string, error) {
	job, err := b.s.API.Jobs.Submit(ctx, work.NewJob{Type: jobType, Queue: queue, AutoApprove: true, Data: json.RawMessage(`{}`)})
	return job.JobID, err
}

// starts collects when runs were confirmed.
type starts struct {
	mu sync.Mutex
	at map[string]time.Time
}

func (s *starts) took(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.at[id] = time.Now()
}

// wait returns when a job was confirmed.
func (s *starts) wait(ctx context.Context, id string) (time.Time, error) {
	for ctx.Err() == nil {
		s.mu.Lock()
		at, ok := s.at[id]
		s.mu.Unlock()
		if ok {
			return at, nil
		}
		time.Sleep(100 * time.Microsecond)
	}
	return time.Time{}, ctx.Err()
}

// start measures how long a job waits for an idle worker: from the request that submits
// and approves it, and, as the server says, from the approval alone.
func (b *bench) start(ctx context.Context, jobs int) error {
	seen := &starts{at: map[string]time.Time{}}
	if err := b.connect(ctx, "*:10", func(w *worker) { w.took = seen.took }); err != nil {
		return err
	}
	before, err := b.metrics(ctx)
	if err != nil {
		return err
	}
	spent, err := b.cost(ctx)
	if err == nil {
		err = b.forgetStatements(ctx)
	}
	if err != nil {
		return err
	}
	var took []time.Duration
	for range jobs {
		began := time.Now()
		id, err := b.submit(ctx, "default")
		if err != nil {
			return err
		}
		at, err := seen.wait(ctx, id)
		if err != nil {
			return err
		}
		took = append(took, at.Sub(began))
		time.Sleep(between)
	}
	after, err := b.metrics(ctx)
	if err != nil {
		return err
	}
	now, err := b.cost(ctx)
	if err != nil {
		return err
	}
	n := after["kg_remote_start_seconds_count"] - before["kg_remote_start_seconds_count"]
	within := after[`kg_remote_start_seconds_bucket{le="0.005"}`] - before[`kg_remote_start_seconds_bucket{le="0.005"}`]
	mean := (after["kg_remote_start_seconds_sum"] - before["kg_remote_start_seconds_sum"]) / n
	slices.Sort(took)
	fmt.Printf("start on an idle worker: %d jobs, approval to confirmed %.2f ms on average, %.1f %% within 5 ms; from the request p50 %s, p99 %s; %s\n",
		jobs, 1000*mean, 100*within/n, round(took[len(took)/2]), round(took[len(took)*99/100]), now.since(spent, jobs))
	if err := b.writeStatements(ctx, jobs); err != nil {
		return err
	}
	b.want(within*2 >= n, "half of the jobs are to start within %s, but %.1f %% do", mostStart, 100*within/n)
	return nil
}

// fastLane measures it for a group of its own, while the other group is full.
func (b *bench) fastLane(ctx context.Context, jobs int) error {
	seen := &starts{at: map[string]time.Time{}}
	for range 50 {
		if _, err := b.submit(ctx, "default"); err != nil {
			return err
		}
	}
	if err := b.connect(ctx, "fast_lane:1 *:10", func(w *worker) { w.took, w.hold = seen.took, true }); err != nil {
		return err
	}
	time.Sleep(time.Second) // it is full
	var worst time.Duration
	for range jobs {
		began := time.Now()
		id, err := b.submit(ctx, "fast_lane")
		if err != nil {
			return err
		}
		at, err := seen.wait(ctx, id)
		if err != nil {
			return err
		}
		worst = max(worst, at.Sub(began))
		time.Sleep(between)
	}
	fmt.Printf("fast lane while the other group is full: %d jobs, from the request at most %s\n", jobs, round(worst))
	b.want(worst < mostFast, "a job of the fast lane waited %s, want less than %s", worst, mostFast)
	return nil
}

// submitAll submits runs without work.
func (b *bench) submitAll(ctx context.Context, runs int) error {
	var group sync.WaitGroup
	var submitted atomic.Int64
	errs := make([]error, 16)
	for i := range errs {
		group.Go(func() {
			for submitted.Add(1) <= int64(runs) && errs[i] == nil {
				_, errs[i] = b.submit(ctx, "bulk")
			}
		})
	}
	group.Wait()
	return errors.Join(errs...)
}

// throughput has many workers do runs without work.
func (b *bench) throughput(ctx context.Context, runs, workers int) error {
	if err := b.submitAll(ctx, runs); err != nil {
		return err
	}
	before, err := b.cost(ctx)
	if err == nil {
		err = b.forgetStatements(ctx)
	}
	if err != nil {
		return err
	}
	var done atomic.Int64
	first := atomic.Pointer[time.Time]{}
	began := time.Now()
	for range workers {
		if err := b.connect(ctx, "bulk:10", func(w *worker) {
			w.done = &done
			w.took = func(string) { now := time.Now(); first.CompareAndSwap(nil, &now) }
		}); err != nil {
			return err
		}
	}
	for done.Load() < int64(runs) {
		if time.Since(began) > 5*time.Minute {
			return fmt.Errorf("%d of %d runs have ended after %s", done.Load(), runs, time.Since(began))
		}
		time.Sleep(time.Millisecond)
	}
	rate := float64(runs) / time.Since(*first.Load()).Seconds()
	after, err := b.cost(ctx)
	if err != nil {
		return err
	}
	left, err := b.s.API.Jobs.List(ctx, work.JobFilter{Statuses: []work.Status{work.StatusApproved}, Type: jobType, Limit: 500})
	if err != nil {
		return err
	}
	lost := 0
	for _, j := range left {
		if j.Queue == "bulk" {
			lost++
		}
	}
	fmt.Printf("runs without work: %d workers with 10 slots each, %d runs, %.0f a second, %d lost; %s\n", workers, runs, rate, lost, after.since(before, runs))
	if err := b.writeStatements(ctx, runs); err != nil {
		return err
	}
	b.want(rate >= leastRuns, "%.0f runs a second, want %.0f", rate, leastRuns)
	b.want(lost == 0, "%d runs are lost", lost)
	return nil
}

// idle measures what idle workers cost, which claim once a second.
func (b *bench) idle(ctx context.Context, workers int) error {
	if workers == 0 {
		return nil
	}
	before, err := b.memory()
	if err != nil {
		return err
	}
	for range workers {
		if err := b.connect(ctx, "fast_lane:1 *:4", func(w *worker) { w.poll = time.Second }); err != nil {
			return err
		}
	}
	time.Sleep(15 * time.Second) // they claim, and their first heartbeats come
	m, err := b.metrics(ctx)
	if err != nil {
		return err
	}
	from, asked := m[`kg_remote_claims_total{result="empty_memory"}`], m[`kg_remote_claims_total{result="empty_query"}`]
	time.Sleep(5 * time.Second)
	if m, err = b.metrics(ctx); err != nil {
		return err
	}
	after, err := b.memory()
	if err != nil {
		return err
	}
	each := float64(after-before) / float64(workers)
	queries := (m[`kg_remote_claims_total{result="empty_query"}`] - asked) / 5
	claims := (m[`kg_remote_claims_total{result="empty_memory"}`] - from) / 5
	fmt.Printf("idle: %d workers, %.1f kB each, %.0f claims and %.1f claim queries a second\n", workers, each, claims, queries)
	b.want(each <= mostMemory, "an idle worker takes %.1f kB, want %.0f", each, mostMemory)
	b.want(queries == 0, "idle workers ask %.1f times a second, want never", queries)
	return nil
}

// memory returns the resident memory of the server, in kB.
func (b *bench) memory() (int, error) {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(b.s.PID()) + "/status")
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			return strconv.Atoi(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "kB")))
		}
	}
	return 0, errors.New("the memory of the server is not known")
}

// metrics reads the metrics of the server.
func (b *bench) metrics(ctx context.Context) (map[string]float64, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, b.s.API.BaseURL()+"/metrics", nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+b.token)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		body, _ := io.ReadAll(resp.Body)
		return nil, fmt.Errorf("read the metrics: %d %s", resp.StatusCode, body)
	}
	m := map[string]float64{}
	for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
		if at := strings.LastIndexByte(lines.Text(), ' '); at > 0 {
			m[lines.Text()[:at]], _ = strconv.ParseFloat(lines.Text()[at+1:], 64)
		}
	}
	return m, nil
}

func round(d time.Duration) time.Duration { return d.Round(10 * time.Microsecond) }
