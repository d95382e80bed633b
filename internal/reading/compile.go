package reading

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"sync"
	"time"

	"github.com/kappagraph/kappa"
)

// The time that it may take to compile what reads PDF, and after what time that is tried
// again.
const (
	compileWithin = 5 * time.Minute
	compileAgain  = 30 * time.Second
)

// compiler has the program compile what reads PDF, once for all processes, when the first
// PDF comes: it takes seconds, and no process that reads could keep it.
type compiler struct {
	cfg   Config
	asked chan struct{}

	mu    sync.Mutex
	done  chan struct{} // closed when it is known what came of it
	err   error
	after time.Time // not tried again before
}

func newCompiler(cfg Config) *compiler {
	return &compiler{cfg: cfg, asked: make(chan struct{}, 1), done: make(chan struct{})}
}

// begin has run compile, if that has not been done. It does not wait.
func (c *compiler) begin() {
	select {
	case c.asked <- struct{}{}:
	default:
	}
}

// run compiles when it is asked to, until ctx ends.
func (c *compiler) run(ctx context.Context) {
	if c.cfg.Bin == "" || c.cfg.Dir == "" {
		return
	}
	for {
		select {
		case <-ctx.Done():
			return
		case <-c.asked:
		}
		c.mu.Lock()
		due := c.err != nil && time.Now().After(c.after)
		first := !closed(c.done)
		c.mu.Unlock()
		if !first && !due {
			continue
		}
		err := c.compile(ctx)
		if ctx.Err() != nil {
			return
		}
		c.mu.Lock()
		c.err, c.after = err, time.Now().Add(compileAgain)
		if first {
			close(c.done)
		}
		c.mu.Unlock()
	}
}

func closed(c chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// await returns when what reads PDF is compiled, or why it is not.
func (c *compiler) await(ctx context.Context) error {
	c.begin()
	select {
	case <-c.done:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	return c.problem()
}

// problem returns why nothing could be compiled, or nil.
func (c *compiler) problem() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		return notNow(c.err)
	}
	return nil
}

// compile runs the program, outside the walls: it reads no document.
func (c *compiler) compile(ctx context.Context) error {
	limited, cancel := context.WithTimeout(ctx, compileWithin)
	defer cancel()
	began := time.Now()
	cmd := exec.CommandContext(limited, c.cfg.Bin, append(slices.Clip(c.cfg.Args), "--compile", c.cfg.Dir)...)
	cmd.Env, cmd.Dir = []string{}, "/"
	var said bytes.Buffer
	cmd.Stderr = &said
	if err := cmd.Run(); err != nil {
		err = fmt.Errorf("compile what reads PDF: %w: %.1000s", err, said.String())
		if ctx.Err() == nil {
			c.cfg.Log.ErrorContext(ctx, "no PDF can be read", "err", err)
		}
		return err
	}
	c.cfg.Log.InfoContext(ctx, "what reads PDF is compiled", "took", time.Since(began).Round(time.Millisecond))
	return nil
}

// notNow is the failure of a document that is not its own: a job that ends with it goes on
// later, and no attempt is counted.
func notNow(err error) error {
	if errors.Is(err, context.Canceled) {
		return err
	}
	return kappa.Postpone(&kappa.Error{
		Code: kappa.CodeUnavailable, RetryAfter: compileAgain, Err: err,
		Message: "No process could be started that reads documents; kg doctor says why",
	}, compileAgain)
}
