package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/kappagraph/kappa/bench/serving"
	"github.com/kappagraph/kappa/internal/pgembed"
)

// scale times questions to the articles of the first file among many other passages, which
// are shuffled words of the same articles. How often the right paragraph comes first says
// little there.
func (b *bench) scale(ctx context.Context) error {
	for size := range strings.SplitSeq(b.passages, ",") {
		n, err := strconv.Atoi(size)
		if err != nil || n < passagesOf || n > 10_000_000 {
			return fmt.Errorf("-passages must be numbers from %d to 10000000 with commas between, got %q", passagesOf, size)
		}
		if err := b.scaleOf(ctx, n); err != nil {
			return fmt.Errorf("%d passages: %w", n, err)
		}
	}
	return nil
}

func (b *bench) scaleOf(ctx context.Context, passages int) (err error) {
	cluster, err := serving.StartCluster(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, cluster.Close(ctx)) }()
	database := "DATABASE_URL=" + cluster.DSN(pgembed.Database)
	server, password, err := serving.StartIn(ctx, b.kg, cluster.Dir, "", database)
	if err != nil {
		return err
	}
	l := &library{Server: server, articles: b.sets[0].articles, ontology: "articles", cluster: filepath.Join(cluster.Dir, "postgres", "data")}
	err = l.read(ctx)
	l.Stop()
	if err != nil {
		return err
	}
	f := filler{articles: l.articles}
	if err := f.fill(ctx, cluster.DSN(pgembed.Database), passages); err != nil {
		return err
	}
	fmt.Printf("\n%d passages more, of %d words, %.1f GB in the tables\n", passages, f.words, float64(f.bytes)/1e9)
	l.ontology = "" // of all
	for _, start := range []string{"first start, the index is made", "next start, the index is there"} {
		began := time.Now()
		if l.Server, _, err = serving.StartIn(ctx, b.kg, cluster.Dir, password, database); err != nil {
			return err
		}
		err = b.started(ctx, l, start, began)
		l.Stop()
		if err != nil {
			return err
		}
	}
	return nil
}

// started waits for the index and times questions.
func (b *bench) started(ctx context.Context, l *library, start string, began time.Time) error {
	serving := time.Since(began)
	for {
		answer, err := l.ask(ctx, "what is there?")
		if err != nil {
			return err
		}
		if answer.Index.Ready {
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	fmt.Printf("  %s: serving after %.1f s, whole after %.1f s, %s\n", start, serving.Seconds(), time.Since(began).Seconds(), memoryOf(l.PID()))
	all := spread(l.articles, b.calls)
	if err := b.timed(ctx, l, all); err != nil {
		return err
	}
	if err := b.typed(ctx, l, all); err != nil {
		return err
	}
	fmt.Printf("  afterwards %s\n", memoryOf(l.PID()))
	return nil
}

// memoryOf says what a process has in memory.
func memoryOf(pid int) string {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return "memory unknown"
	}
	var of []string
	for line := range strings.Lines(string(status)) {
		name, value, _ := strings.Cut(line, ":")
		if kilobytes, err := strconv.Atoi(strings.TrimSuffix(strings.TrimSpace(value), " kB")); err == nil && (name == "RssAnon" || name == "RssFile") {
			of = append(of, fmt.Sprintf("%s %d MB", map[string]string{"RssAnon": "own memory", "RssFile": "pages of files"}[name], kilobytes/1024))
		}
	}
	return strings.Join(of, ", ")
}
