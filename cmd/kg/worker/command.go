// Package worker is kg worker: a process that connects to a server, and works on its
// jobs on this machine.
package worker

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/kappagraph/kappa/cmd/kg/exit"
	"github.com/kappagraph/kappa/cmd/kg/show"
	"github.com/kappagraph/kappa/internal/otlp"
	"github.com/kappagraph/kappa/internal/worker"
	"github.com/kappagraph/kappa/tracing"
)

// exitRefused is the exit code when the server does not want the worker.
const exitRefused = 3

const long = `Connect to a server, and work on its jobs on this machine.

The worker connects out to the server and needs no open port. It shares a secret
with the server, which comes from KG_WORKER_SECRET or --secret-file.

Slot groups say what it takes: "fast_lane:1 manual,*:4" has one slot for the
queue fast_lane alone, and four for all queues, manual first. Each group claims
by itself.

Without --exec it reads chunks of documents (extract_chunk) for a server with
KG_EXTRACTOR=remote, with the extractor that KG_EXTRACTOR and the settings of
docs/models.md name here. With --exec a program works on the jobs of --types.

SIGTERM has it claim nothing more, wait for running jobs, hand back what has not
ended, and exit. The second one does not wait, the third one exits at once.

Exit codes: 0 stopped, 1 failed, 2 wrong settings, 3 refused by the server.`

// NewCommand is kg worker. environ has the variables of the environment, as NAME=value.
func NewCommand(version string, environ []string) *cobra.Command {
	o := &options{version: version, env: lookup(environ)}
	cmd := &cobra.Command{
		Use:   "worker [--exec PROGRAM -- ARGS...]",
		Short: "Work on jobs of a server on another machine",
		Example: `  kg worker --server wss://kg.example.com --queues "fast_lane:1 manual,*:4" --secret-file /etc/kappa/worker-secret
  kg worker --server wss://kg.example.com --types resize --exec ./resize -- --quality 80`,
		Long: long,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.changed = cmd.Flags().Changed
			return run(cmd, o, args)
		},
	}
	o.bind(cmd.Flags())
	return cmd
}

// lookup returns what reads variables of the environment; "" stands for none.
func lookup(environ []string) func(name string) string {
	values := map[string]string{}
	for _, variable := range environ {
		name, value, _ := strings.Cut(variable, "=")
		values[name] = value
	}
	return func(name string) string { return values[name] }
}

// run works until it is stopped.
func run(cmd *cobra.Command, o *options, args []string) error {
	level := slog.LevelInfo
	if text := o.env("KG_LOG_LEVEL"); text != "" && level.UnmarshalText([]byte(text)) != nil {
		return exit.Usage("KG_LOG_LEVEL: must be debug, info, warn or error, got %q", text)
	}
	format := cmp.Or(o.env("KG_LOG_FORMAT"), show.LogText)
	if !slices.Contains(show.LogFormats(), format) {
		return exit.Usage("KG_LOG_FORMAT: must be text or json, got %q", format)
	}
	log := slog.New(tracing.LogHandler{Handler: show.LogHandler(cmd.ErrOrStderr(), format, level)})
	cfg, err := o.config(args, log)
	if err != nil {
		return &exit.Error{Code: exit.Misused, Err: err}
	}
	recorder, err := openTracer(cmd.Context(), o, log)
	if err != nil {
		return err
	}
	defer recorder.Close(cmd.Context())
	if recorder != nil {
		cfg.Tracer = recorder
	}
	w, err := worker.New(cfg)
	if err != nil {
		return &exit.Error{Code: exit.Misused, Err: err}
	}
	stopHealth, err := serveHealth(cmd.Context(), o.health, w, log)
	if err != nil {
		return exit.Usage("--health: %s", err)
	}
	defer stopHealth()
	ctx, stop := context.WithCancel(cmd.Context())
	defer stop()
	defer listen(stop, w)()
	err = w.Run(ctx)
	if refused, ok := errors.AsType[*worker.Refused](err); ok {
		return &exit.Error{Code: exitRefused, Err: refused}
	}
	return err
}

// openTracer has traces recorded, if the variables of OpenTelemetry say so; nil otherwise.
func openTracer(ctx context.Context, o *options, log *slog.Logger) (*otlp.Tracer, error) {
	cfg, err := otlp.Read(o.env)
	if err != nil {
		return nil, exit.Usage("settings of traces:\n  %s", strings.ReplaceAll(err.Error(), "\n", "\n  "))
	}
	if !cfg.On() {
		return nil, nil //nolint:nilnil // a nil Tracer records nothing
	}
	return otlp.New(ctx, cfg, otlp.Service{Name: "kappa-worker", Version: o.version, Instance: rand.Text()}, log)
}

// listen has signals stop the worker: the first one in good order, the second without
// waiting for jobs, the third at once. done ends listening.
func listen(stop func(), w *worker.Worker) (done func()) {
	signals, over := make(chan os.Signal, 3), make(chan struct{})
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP) // a terminal that is closed
	var listening sync.WaitGroup
	listening.Go(func() {
		for _, act := range []func(){stop, w.Hurry, w.Abort} {
			select {
			case <-signals:
				act()
			case <-over:
				return
			}
		}
	})
	return func() {
		signal.Stop(signals)
		close(over)
		listening.Wait()
	}
}

// serveHealth serves /livez and /readyz, if there is an address for them.
func serveHealth(ctx context.Context, addr string, w *worker.Worker, log *slog.Logger) (stop func(), err error) {
	if addr == "" {
		return func() {}, nil
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w", addr, err)
	}
	log.InfoContext(ctx, "serving /livez and /readyz", "addr", listener.Addr().String())
	server := &http.Server{Handler: w.Health(), ReadHeaderTimeout: 5 * time.Second, WriteTimeout: 5 * time.Second, IdleTimeout: time.Minute}
	var serving sync.WaitGroup
	serving.Go(func() { _ = server.Serve(listener) }) // it ends when it is closed
	return func() {
		_ = server.Close()
		serving.Wait()
	}, nil
}
