//go:build unix

package dataset

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus/datasets"
	"github.com/kappagraph/kappa/internal/await"
	"github.com/kappagraph/kappa/internal/dataset/frame"
)

func start(t *testing.T, change func(c *Config)) *Pool {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("dataset workers run on Linux only")
	}
	cfg := Config{Bin: os.Args[0], Dir: t.TempDir(), Workers: 2}
	if change != nil {
		change(&cfg)
	}
	p := New(cfg)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- p.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		if s := p.Stats(); s.Alive != 0 || s.Busy != 0 {
			t.Errorf("left behind: %+v", s)
		}
	})
	return p
}

func ask(t *testing.T, p *Pool, sql string) (pid int, err error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	a, err := p.Do(ctx, frame.Request{Op: frame.OpQuery, SQL: sql, Tables: []frame.Table{{Name: "sales", Path: p.cfg.Dir + "/x1"}}})
	if err != nil {
		return 0, err
	}
	return int(a.Rows.TotalRows), nil
}

func wantClass(t *testing.T, what string, err error, class datasets.ErrorType) {
	t.Helper()
	var e *datasets.Error
	if !errors.As(err, &e) || e.Type != class {
		t.Errorf("%s: got %v, want %s", what, err, class)
	}
}

func alive(pid int) bool { return syscall.Kill(pid, 0) == nil }

func TestDo(t *testing.T) {
	t.Run("a worker answers again and again, in an empty environment", func(t *testing.T) {
		p := start(t, func(c *Config) { c.Workers = 1 })
		first, err := ask(t, p, "answer")
		again, err2 := ask(t, p, "answer")
		if err != nil || err2 != nil || first != again {
			t.Errorf("got %d and %d, %v, %v", first, again, err, err2)
		}
		if h := p.Hello(); h.Version != "fake" || h.InForce[0] != "" {
			t.Errorf("got %+v", h)
		}
	})
	t.Run("it is replaced after its tasks", func(t *testing.T) {
		p := start(t, func(c *Config) { c.Workers, c.tasks = 1, 3 })
		pids := map[int]int{}
		for range 9 {
			pid, err := ask(t, p, "answer")
			if err != nil {
				t.Fatal(err)
			}
			pids[pid]++
		}
		if len(pids) != 3 || p.Stats().Retired != 3 {
			t.Errorf("got %v, %+v", pids, p.Stats())
		}
	})
	t.Run("whatever a worker does has its class, and the next task a worker", func(t *testing.T) {
		p := start(t, func(c *Config) { c.Workers = 1 })
		for sql, class := range map[string]datasets.ErrorType{
			"exit": datasets.ErrInternal, "garbage": datasets.ErrInternal, "flood": datasets.ErrInternal, "lie": datasets.ErrInternal, "half": datasets.ErrInternal, "twice": datasets.ErrInternal, "at once": datasets.ErrInternal,
			"panic": datasets.ErrMemory, "signal 11": datasets.ErrMemory, "signal 6": datasets.ErrMemory, "signal 9": datasets.ErrMemory, "cpu": datasets.ErrTimeout,
			"fail memory": datasets.ErrMemory, "fail sql": datasets.ErrSQL, "fail validation": datasets.ErrValidation,
		} {
			if number, ok := strings.CutPrefix(sql, "signal "); ok {
				pid, err := ask(t, p, "answer")
				if err != nil {
					t.Fatal(err)
				}
				n, _ := strconv.Atoi(number)
				time.AfterFunc(50*time.Millisecond, func() { _ = syscall.Kill(pid, syscall.Signal(n)) })
			}
			_, err := ask(t, p, sql)
			wantClass(t, sql, err, class)
			if err != nil && strings.Contains(err.Error(), p.cfg.Dir) {
				t.Errorf("%s: a path of ours is shown: %v", sql, err)
			}
			if _, err := ask(t, p, "answer"); err != nil {
				t.Errorf("after %s: %v", sql, err)
			}
		}
	})
	t.Run("noise is not kept, and fat workers go", func(t *testing.T) {
		p := start(t, func(c *Config) { c.Workers = 1 })
		first, err := ask(t, p, "noise")
		if err != nil {
			t.Fatal(err)
		}
		if fat, err := ask(t, p, "fat"); err != nil || fat != first {
			t.Fatal(fat, err)
		}
		if next, err := ask(t, p, "answer"); err != nil || next == first || alive(first) {
			t.Errorf("the fat worker %d is still there: %v", first, err)
		}
	})
	t.Run("a worker that died while idle is replaced unseen", func(t *testing.T) {
		p := start(t, func(c *Config) { c.Workers = 1 })
		first, err := ask(t, p, "answer")
		if err != nil {
			t.Fatal(err)
		}
		_ = syscall.Kill(first, syscall.SIGKILL)
		for alive(first) {
			runtime.Gosched()
		}
		for limit := time.Now().Add(2 * time.Second); p.Stats().Alive != 0; runtime.Gosched() {
			if time.Now().After(limit) {
				t.Errorf("%d workers are said to be alive", p.Stats().Alive)
				break
			}
		}
		if next, err := ask(t, p, "answer"); err != nil || next == first {
			t.Errorf("got %d, %v", next, err)
		}
	})
}

func TestWorkersThatOpenNoDatabase(t *testing.T) {
	p := start(t, func(c *Config) { c.Workers = 1 })
	first, err := ask(t, p, "no-second-database")
	if err != nil {
		t.Fatal(err)
	}
	t.Run("one is replaced unseen", func(t *testing.T) {
		if next, err := ask(t, p, "no-second-database"); err != nil || next == first || p.Stats().Crashed != 1 {
			t.Errorf("got %d after %d, %v, %+v", next, first, err, p.Stats())
		}
	})
	t.Run("one that dies before it is ready is replaced unseen", func(t *testing.T) {
		dir := workersDir(t)
		p := start(t, func(c *Config) { c.Workers, c.Dir = 1, dir })
		pid, err := ask(t, p, "answer")
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, diesOnce), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		_ = syscall.Kill(pid, syscall.SIGKILL)
		if next, err := ask(t, p, "answer"); err != nil || next == pid || p.Stats().Started != 3 {
			t.Errorf("got %d after %d, %v, %+v", next, pid, err, p.Stats())
		}
	})
	t.Run("after three of them the failure is ours", func(t *testing.T) {
		_, err := ask(t, p, "no-database")
		wantClass(t, "three workers without a database", err, datasets.ErrInternal)
		if started := p.Stats().Started; started != 4 {
			t.Errorf("%d workers were started, want 4", started)
		}
	})
}

func TestD02_DeadlineKills(t *testing.T) {
	for _, sql := range []string{"hang", "sleep"} {
		p := start(t, func(c *Config) { c.Workers = 1 })
		pid, err := ask(t, p, "answer")
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		begin := time.Now()
		_, err = p.Do(ctx, frame.Request{Op: frame.OpQuery, SQL: sql})
		spent := time.Since(begin)
		cancel()
		wantClass(t, sql, err, datasets.ErrTimeout)
		if spent > 20*time.Second || alive(pid) {
			t.Errorf("%s: ended after %s; alive: %t", sql, spent, alive(pid))
		}
	}
	t.Run("cancel too", func(t *testing.T) {
		p := start(t, nil)
		ctx, cancel := context.WithCancelCause(t.Context())
		why := errors.New("asked for")
		time.AfterFunc(50*time.Millisecond, func() { cancel(why) })
		if _, err := p.Do(ctx, frame.Request{SQL: "hang"}); !errors.Is(err, why) {
			t.Errorf("got %v", err)
		}
	})
}

func TestManyTasksShareWorkers(t *testing.T) {
	p := start(t, func(c *Config) { c.Workers = 3 })
	var all sync.WaitGroup
	for i := range 30 {
		all.Go(func() {
			sql := "answer"
			if i%5 == 0 {
				sql = "panic"
			}
			if _, err := ask(t, p, sql); (err != nil) != (i%5 == 0) {
				t.Errorf("%s: %v", sql, err)
			}
			if s := p.Stats(); s.Alive > 3 {
				t.Errorf("%d workers are alive", s.Alive)
			}
		})
	}
	all.Wait()
	t.Run("who waits too long gets an error", func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
		defer cancel()
		var all sync.WaitGroup
		for range 6 {
			all.Go(func() {
				_, err := p.Do(ctx, frame.Request{SQL: "sleep"})
				wantClass(t, "waiting", err, datasets.ErrTimeout)
			})
		}
		all.Wait()
	})
}

// TestOneUserKeepsNobodyWaiting has one user ask twelve endless questions: others have their
// answer at once, and the one who floods hears when to ask again.
func TestOneUserKeepsNobodyWaiting(t *testing.T) {
	p := start(t, func(c *Config) { c.Workers = 2 })
	as := func(ctx context.Context, user int) context.Context {
		return datasets.WithAsker(ctx, datasets.Asker{UserID: user})
	}
	flood, end := context.WithTimeout(t.Context(), 5*time.Second)
	defer end()
	var all sync.WaitGroup
	var told atomic.Int64
	for range 12 {
		all.Go(func() {
			_, err := p.Do(as(flood, 1), frame.Request{SQL: "sleep"})
			known, ok := errors.AsType[*datasets.Error](err)
			if ok && kappa.ErrorCode(err) == kappa.CodeRateLimited && known.RetryAfter > 0 {
				told.Add(1)
			}
		})
	}
	await.That(t, "a worker is taken, and the others wait", func() bool {
		p.turns.mu.Lock()
		defer p.turns.mu.Unlock()
		return p.turns.busy == 1 && len(p.turns.waiting) == 1
	})
	for user := 2; user < 8; user++ {
		if _, err := p.Do(as(t.Context(), user), frame.Request{SQL: "answer"}); err != nil || flood.Err() != nil {
			t.Errorf("user %d: %v; the flood: %v", user, err, flood.Err())
		}
	}
	all.Wait()
	if told.Load() != 11 {
		t.Errorf("%d of 12 heard when to ask again, want all but the one that ran", told.Load())
	}
}

// workersDir returns a directory which workers may change, who may be another user.
func workersDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "kg-dataset-test-")
	if err == nil {
		err = os.Chmod(dir, 0o777)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

func TestUnavailable(t *testing.T) {
	for name, c := range map[string]struct {
		cfg  Config
		text string
	}{
		"switched off": {Config{}, "KG_DATASET_WORKERS"},
		"no program":   {Config{Workers: 1}, "KG_DATASET_BIN"},
	} {
		_, err := New(c.cfg).Do(t.Context(), frame.Request{})
		if kappa.ErrorCode(err) != kappa.CodeUnavailable || !strings.Contains(kappa.ErrorMessage(err), c.text) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	t.Run("a program that is none", func(t *testing.T) {
		p := start(t, func(c *Config) { c.Bin = "/etc/passwd" })
		if err := p.Check(t.Context()); err == nil {
			t.Error("nothing is wrong")
		}
		if _, err := ask(t, p, "answer"); kappa.ErrorCode(err) != kappa.CodeUnavailable {
			t.Errorf("got %v", err)
		}
	})
	t.Run("a worker that is not ready before the deadline", func(t *testing.T) {
		dir := workersDir(t)
		if err := os.WriteFile(filepath.Join(dir, neverReady), nil, 0o644); err != nil {
			t.Fatal(err)
		}
		p := start(t, func(c *Config) { c.Dir, c.Workers = dir, 2 })
		for range 2 { // the first one may wait for the worker that starts with the pool
			ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
			defer cancel()
			wantClass(t, "checked", p.Check(ctx), datasets.ErrTimeout)
			_, err := p.Do(ctx, frame.Request{SQL: "answer"})
			wantClass(t, "asked", err, datasets.ErrTimeout)
		}
	})
	t.Run("a stopped pool", func(t *testing.T) {
		p := New(Config{Bin: os.Args[0], Dir: t.TempDir(), Workers: 1})
		ctx, stop := context.WithCancel(t.Context())
		stop()
		if err := p.Run(ctx); err != nil {
			t.Fatal(err)
		}
		if _, err := ask(t, p, "answer"); kappa.ErrorCode(err) != kappa.CodeUnavailable {
			t.Errorf("got %v", err)
		}
		within, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if err := p.Check(within); kappa.ErrorCode(err) != kappa.CodeUnavailable {
			t.Errorf("it waits for a worker that never comes: %v", err)
		}
	})
}

func TestD03_StopReapsEverything(t *testing.T) {
	var mu sync.Mutex
	var pids []int
	t.Run("three workers", func(t *testing.T) {
		p := start(t, func(c *Config) { c.Workers = 3 })
		var all sync.WaitGroup
		for range 3 {
			all.Go(func() {
				pid, err := ask(t, p, "answer")
				if err != nil {
					t.Error(err)
				}
				mu.Lock()
				defer mu.Unlock()
				pids = append(pids, pid)
			})
		}
		all.Wait()
	})
	for _, pid := range pids {
		if pid == 0 || alive(pid) {
			t.Errorf("worker %d is alive", pid)
		}
	}
}
