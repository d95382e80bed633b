package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := program(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// program is the command; it returns the exit code.
func program(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	level := slog.LevelInfo
	var cfg config
	var roundFaults int
	var state string
	var limit time.Duration
	flags := flag.NewFlagSet("kg-campaign", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.IntVar(&cfg.Jobs, "jobs", 5000, "how many jobs are submitted")
	flags.IntVar(&cfg.Faults, "faults", 100, "how many faults are injected")
	flags.IntVar(&cfg.Servers, "servers", 3, "how many kg serve run")
	flags.Uint64Var(&cfg.Seed, "seed", 1, "what decides jobs and faults")
	flags.DurationVar(&cfg.Every, "every", defaultEvery, "mean time between two faults")
	flags.DurationVar(&cfg.Lease, "lease", defaultLease, "lease of the servers, whole seconds")
	flags.IntVar(&roundFaults, "round", 250, "most faults of a round; a larger campaign is made of several")
	flags.StringVar(&state, "state", "", "file that notes the rounds that are done, so that the same command goes on after them")
	flags.DurationVar(&limit, "duration", 0, "begin no round after this time (0: end when all are done)")
	flags.StringVar(&cfg.Program, "kg", "", "the kg to test (default: built from the source)")
	flags.TextVar(&level, "log", slog.LevelInfo, "level of the log: debug tells each fault")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	cfg.Log = slog.New(slog.NewTextHandler(stderr, &slog.HandlerOptions{Level: level}))
	if err := errors.Join(cfg.validate(), checkRange("round", roundFaults, 1, 10_000)); err != nil {
		fmt.Fprintf(stderr, "kg-campaign: %v\n", err)
		return 2
	}
	if cfg.Program == "" {
		dir, err := os.MkdirTemp("", "kgc-")
		if err == nil {
			defer os.RemoveAll(dir) //nolint:errcheck // a program in a temporary directory
			cfg.Program = filepath.Join(dir, "kg")
			err = build(ctx, cfg.Program)
		}
		if err != nil {
			fmt.Fprintf(stderr, "kg-campaign: %v\n", err)
			return 1
		}
	}
	m := marathon{rounds: split(cfg, roundFaults), state: state, limit: limit, carryOut: inNewDir, out: stdout}
	if err := m.run(ctx); err != nil {
		fmt.Fprintf(stderr, "kg-campaign: %v\n", err)
		return 1
	}
	return 0
}

// inNewDir runs a campaign in a directory of its own. The files of one that
// failed are kept, and named in the log.
func inNewDir(ctx context.Context, cfg config) (figures, []violation, error) {
	dir, err := os.MkdirTemp("", "kgc-")
	if err != nil {
		return figures{}, nil, err
	}
	if err := os.Chmod(dir, 0o711); err != nil { // root's PostgreSQL runs as another user
		return figures{}, nil, err
	}
	cfg.Dir = dir
	f, violations, err := run(ctx, cfg)
	if err != nil || len(violations) > 0 {
		cfg.Log.ErrorContext(ctx, "campaign failed", "seed", cfg.Seed, "files", dir, "violations", len(violations), "err", err)
		return f, violations, err
	}
	return f, nil, os.RemoveAll(dir)
}

// build builds kg from the source of this module.
func build(ctx context.Context, to string) error {
	cmd := exec.CommandContext(ctx, "go", "build", "-o", to, "github.com/kappagraph/kappa/cmd/kg")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build kg: %w\n%s", err, out)
	}
	return nil
}
