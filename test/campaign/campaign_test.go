package main

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/kappagraph/kappa/internal/built"
	"github.com/kappagraph/kappa/internal/pgtest"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }

// campaignSeed decides the faults of the campaign that runs with every change.
// What they meet differs from run to run.
const campaignSeed = 20260101

// newConfig returns the setting of a campaign in a directory of its own.
func newConfig(t *testing.T, program string) config {
	t.Helper()
	dir := shortDir(t)
	check(t, os.Chmod(dir, 0o711)) // root's PostgreSQL runs as another user
	return config{
		Servers: defaultServers, Seed: campaignSeed, Every: defaultEvery, Lease: defaultLease,
		Program: program, Dir: dir, Log: slog.New(slog.DiscardHandler),
	}
}

// carryOut runs a campaign and fails on each violation.
func carryOut(t *testing.T, cfg config) figures {
	t.Helper()
	f, violations, err := run(t.Context(), cfg)
	if err != nil {
		for i := range cfg.Servers {
			name := fmt.Sprintf("server%d.log", i)
			text, _ := os.ReadFile(filepath.Join(cfg.Dir, name))
			t.Logf("the end of %s:\n%s", name, text[max(0, len(text)-5000):])
		}
		t.Fatalf("seed %d: %v", cfg.Seed, err)
	}
	var summary bytes.Buffer
	f.write(&summary, violations)
	t.Log("\n" + summary.String())
	for _, v := range violations {
		t.Errorf("seed %d: %s %s", cfg.Seed, v.Invariant, v.Evidence)
	}
	return f
}

// TestCampaign is the campaign of every change: a few hundred jobs without faults,
// when nothing may be repeated (I10), and a few faults.
func TestCampaign(t *testing.T) {
	t.Parallel()
	t.Run("without faults no attempt is repeated", func(t *testing.T) {
		t.Parallel()
		cfg := newConfig(t, builtProgram(t))
		cfg.Jobs, cfg.Servers = 100, 2
		cfg.Lease = 15 * time.Second // so that a busy machine is not taken for a fault
		f := carryOut(t, cfg)
		if f.Jobs < cfg.Jobs || f.Repeated != 0 || f.StepsRepeated != 0 || f.Quarantined != 0 {
			t.Errorf("%d of %d jobs, %d attempts and %d steps repeated, %d quarantined", f.Jobs, cfg.Jobs, f.Repeated, f.StepsRepeated, f.Quarantined)
		}
	})
	t.Run("under a few faults nothing is lost, double or illegal", func(t *testing.T) {
		t.Parallel()
		underFaults(t, 200, 6)
	})
}

// TestCampaign_Slow is 5,000 jobs under 100 faults, of every kind.
func TestCampaign_Slow(t *testing.T) {
	pgtest.SlowTier(t)
	underFaults(t, 5000, completeSchedule)
}

func underFaults(t *testing.T, jobs, faults int) {
	t.Helper()
	cfg := newConfig(t, builtProgram(t))
	cfg.Jobs, cfg.Faults = jobs, faults
	f := carryOut(t, cfg)
	if f.Jobs < cfg.Jobs || f.Completed < f.Jobs*8/10 {
		t.Errorf("%d of %d jobs were submitted, %d completed: the campaign tests little", f.Jobs, cfg.Jobs, f.Completed)
	}
}

// kg is the program with failpoints.
var kg = sync.OnceValues(func() (string, error) { return built.KG(context.Background()) })

// builtProgram returns kg, built with failpoints.
func builtProgram(t *testing.T) string {
	t.Helper()
	program, err := kg()
	check(t, err)
	return program
}

// shortDir is a directory whose path fits into that of a socket.
func shortDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "kgc-")
	check(t, err)
	t.Cleanup(func() { check(t, os.RemoveAll(dir)) })
	return dir
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
