package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/kappagraph/kappa/internal/built"
)

// kind is a kind of attack.
type kind struct {
	name string
	what string
	run  func(ctx context.Context, t *target, out *tally) error
}

// kinds are tried in this order: what may leave the server worse off comes last.
var kinds = []kind{
	{"routes", "each route with each role and each kind of token", attackRoutes},
	{"tokens", "tokens and keys that were altered", attackTokens},
	{"objects", "what belongs to others", attackObjects},
	{"cursors", "cursors that were altered", attackCursors},
	{"origins", "foreign origins and hosts", attackOrigins},
	{"addresses", "documents at addresses inside the network", attackAddresses},
	{"sql", "SQL that reads, writes or escapes", attackSQL},
	{"archives", "archives that were altered", attackArchives},
	{"frames", "forged tokens and frames of workers", attackFrames},
	{"bodies", "hostile bodies", attackBodies},
	{"documents", "bombs of each format beside honest texts", attackDocuments},
	{"connections", "slow and half-open connections", attackConnections},
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := program(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// program is the command; it returns the exit code.
func program(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("attack", flag.ContinueOnError)
	flags.SetOutput(stderr)
	kg := flags.String("kg", "", "the kg to attack (default: built from the source)")
	only := flags.String("only", "", "kinds with commas between; all without it: "+strings.Join(names(), ", "))
	if err := flags.Parse(args); err != nil {
		return 2
	}
	chosen, err := choose(*only)
	if err != nil {
		fmt.Fprintf(stderr, "attack: %v\n", err)
		return 2
	}
	holes, err := attack(ctx, *kg, chosen, stdout)
	switch {
	case err != nil:
		fmt.Fprintf(stderr, "attack: %v\n", err)
		return 1
	case holes > 0:
		return 1
	}
	return 0
}

func names() []string {
	list := make([]string, len(kinds))
	for i, k := range kinds {
		list[i] = k.name
	}
	return list
}

// choose returns the kinds of a list of names; all for "".
func choose(only string) ([]kind, error) {
	if only == "" {
		return kinds, nil
	}
	var chosen []kind
	for name := range strings.SplitSeq(only, ",") {
		i := slices.Index(names(), name)
		if i < 0 {
			return nil, fmt.Errorf("there is no kind %q; there are %s", name, strings.Join(names(), ", "))
		}
		chosen = append(chosen, kinds[i])
	}
	return chosen, nil
}

// attack starts a server and attacks it; it returns how many holes there are.
func attack(ctx context.Context, kg string, chosen []kind, out io.Writer) (holes int, err error) {
	dir, err := os.MkdirTemp("", "kga-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)                      //nolint:errcheck // a temporary directory
	if err := os.Chmod(dir, 0o711); err != nil { // root's PostgreSQL runs as another user
		return 0, err
	}
	if kg == "" {
		if kg, err = built.KG(ctx); err != nil {
			return 0, err
		}
	}
	var settings []string
	if slices.ContainsFunc(chosen, func(k kind) bool { return k.name == "sql" }) {
		data, err := built.Data(ctx)
		if err != nil {
			return 0, err
		}
		settings = []string{"KG_DATASET_BIN=" + data}
	}
	t, err := start(ctx, kg, dir, settings...)
	if err != nil {
		return 0, err
	}
	defer t.stop()
	fmt.Fprintf(out, "%-12s %8s %6s %9s  %s\n", "kind", "tried", "holes", "seconds", "what")
	all := &tally{}
	for _, k := range chosen {
		began, mine := time.Now(), &tally{}
		if err := k.run(ctx, t, mine); err != nil {
			return all.count(), fmt.Errorf("%s: %w", k.name, err)
		}
		if err := t.alive(ctx); err != nil {
			mine.hole("the server afterwards: %v", err)
		}
		fmt.Fprintf(out, "%-12s %8d %6d %9.1f  %s\n", k.name, mine.tried, mine.count(), time.Since(began).Seconds(), k.what)
		for _, h := range mine.holes {
			fmt.Fprintf(out, "    %s\n", h)
		}
		all.add(mine)
	}
	fmt.Fprintf(out, "%-12s %8d %6d\n", "all", all.tried, all.count())
	return all.count(), nil
}
