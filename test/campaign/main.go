package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"runtime"
	"syscall"
	"time"

	"github.com/kappagraph/kappa/internal/built"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := program(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// options are what the command was given.
type options struct {
	cfg     config
	faults  int // most of a round
	state   string
	summary string
	limit   time.Duration
}

// readOptions reads and checks the flags; it has said what is wrong with them.
func readOptions(args []string, stderr io.Writer) (options, error) {
	var o options
	level := slog.LevelInfo
	flags := flag.NewFlagSet("campaign", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.IntVar(&o.cfg.Jobs, "jobs", 5000, "how many jobs are submitted")
	flags.IntVar(&o.cfg.Faults, "faults", 100, "how many faults are injected")
	flags.IntVar(&o.cfg.Servers, "servers", defaultServers, "how many kg serve run")
	flags.Uint64Var(&o.cfg.Seed, "seed", 1, "what decides jobs and faults")
	flags.DurationVar(&o.cfg.Every, "every", defaultEvery, "mean time between two faults")
	flags.DurationVar(&o.cfg.Lease, "lease", defaultLease, fmt.Sprintf("lease of the servers, whole seconds; %s for a soak unless it is given", soakLease))
	flags.StringVar(&o.cfg.Lanes, "lanes", "", "which servers run the lanes, leader or all; the seed decides unless it is given")
	flags.DurationVar(&o.cfg.Soak, "soak", 0, fmt.Sprintf("run for this time without faults, with more to do than the machine can; %d jobs a second unless -jobs is given", soakRate))
	flags.IntVar(&o.faults, "round", 250, "most faults of a round; a larger campaign is made of several")
	flags.IntVar(&o.cfg.Together, "together", 1, "most rounds at once: faults in one, while jobs end in the others")
	flags.StringVar(&o.state, "state", "", "file that notes the rounds that are done, so that the same command goes on after them")
	flags.StringVar(&o.summary, "summary", "", "file for the summary of the rounds that are done, as Markdown")
	flags.DurationVar(&o.limit, "duration", 0, "begin no round after this time (0: end when all are done)")
	flags.StringVar(&o.cfg.Program, "kg", "", "the kg to test, built with -tags failpoints (default: built from the source)")
	flags.TextVar(&level, "log", slog.LevelInfo, "level of the log: debug shows each fault")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	if o.cfg.Soak > 0 {
		o.soak(flags)
	}
	o.cfg.Log = slog.New(slog.NewTextHandler(stderr, &slog.HandlerOptions{Level: level}))
	err := errors.Join(o.cfg.validate(), checkRange("round", o.faults, 1, 10_000))
	if err != nil {
		fmt.Fprintf(stderr, "campaign: %v\n", err)
	}
	return o, err
}

// soak sets what a soak has otherwise, unless it was given.
func (o *options) soak(flags *flag.FlagSet) {
	given := map[string]bool{}
	flags.Visit(func(f *flag.Flag) { given[f.Name] = true })
	if !given["lease"] {
		o.cfg.Lease = soakLease
	}
	if !given["jobs"] {
		o.cfg.Jobs = max(1, int(o.cfg.Soak.Seconds())*soakRate)
	}
	if !given["faults"] {
		o.cfg.Faults = 0
	}
	o.cfg.Burners, o.cfg.Callers = burnersEach*runtime.NumCPU(), callersEach
}

// program is the command; it returns the exit code.
func program(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	o, err := readOptions(args, stderr)
	if err != nil {
		return 2
	}
	if o.cfg.Program == "" {
		if o.cfg.Program, err = built.KG(ctx); err != nil {
			fmt.Fprintf(stderr, "campaign: %v\n", err)
			return 1
		}
	}
	m := &marathon{rounds: split(o.cfg, o.faults), together: o.cfg.Together, state: o.state, limit: o.limit, carryOut: inNewDir, out: stdout}
	if o.summary != "" {
		m.summarize = func(f figures, violations []violation) error { return summarizeTo(o.summary, f, violations, o.cfg) }
	}
	if err := m.run(ctx); err != nil {
		fmt.Fprintf(stderr, "campaign: %v\n", err)
		return 1
	}
	return 0
}

// summarizeTo writes the summary to a file.
func summarizeTo(path string, f figures, violations []violation, cfg config) error {
	file, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("write the summary: %w", err)
	}
	if err := errors.Join(writeSummary(file, f, violations, cfg), file.Close()); err != nil {
		return fmt.Errorf("write the summary: %w", err)
	}
	return nil
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
