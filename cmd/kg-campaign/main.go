package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
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
	flags := flag.NewFlagSet("kg-campaign", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.IntVar(&cfg.Jobs, "jobs", 5000, "how many jobs are submitted")
	flags.IntVar(&cfg.Faults, "faults", 100, "how many faults are injected")
	flags.IntVar(&cfg.Servers, "servers", 3, "how many kg serve run")
	flags.Uint64Var(&cfg.Seed, "seed", 1, "what decides jobs and faults")
	flags.DurationVar(&cfg.Every, "every", defaultEvery, "mean time between two faults")
	flags.DurationVar(&cfg.Lease, "lease", defaultLease, "lease of the servers, whole seconds")
	flags.DurationVar(&cfg.Limit, "duration", 0, "end submissions and faults after this time (0: when all are done)")
	flags.StringVar(&cfg.Program, "kg", "", "the kg to test (default: built from the source)")
	flags.TextVar(&level, "log", slog.LevelInfo, "level of the log: debug tells each fault")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	cfg.Log = slog.New(slog.NewTextHandler(stderr, &slog.HandlerOptions{Level: level}))
	if err := cfg.validate(); err != nil {
		fmt.Fprintf(stderr, "kg-campaign: %v\n", err)
		return 2
	}
	if err := execute(ctx, cfg, stdout); err != nil {
		fmt.Fprintf(stderr, "kg-campaign: seed %d: %v\n", cfg.Seed, err)
		return 1
	}
	return 0
}

// execute builds kg, runs the campaign and prints its summary. The files of one
// that failed are kept.
func execute(ctx context.Context, cfg config, out io.Writer) error {
	dir, err := os.MkdirTemp("", "kgc-")
	if err != nil {
		return err
	}
	if err := os.Chmod(dir, 0o711); err != nil { // root's PostgreSQL runs as another user
		return err
	}
	cfg.Dir = dir
	if cfg.Program == "" {
		cfg.Program = filepath.Join(dir, "kg")
		if err := build(ctx, cfg.Program); err != nil {
			return err
		}
	}
	f, violations, err := run(ctx, cfg)
	if err == nil {
		f.write(out, violations)
		if len(violations) > 0 {
			err = fmt.Errorf("%d violations", len(violations))
		}
	}
	if err != nil {
		return fmt.Errorf("%w; logs are in %s", err, dir)
	}
	return os.RemoveAll(dir)
}

// build builds kg from the source of this module.
func build(ctx context.Context, to string) error {
	cmd := exec.CommandContext(ctx, "go", "build", "-o", to, "github.com/kappagraph/kappa/cmd/kg")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build kg: %w\n%s", err, out)
	}
	return nil
}
