// Command retrieval measures how fast the first stage of finding passages is: the fifty
// candidates of a question, in the index of this module, in bleve and in SQLite's FTS5, which
// get the same passages and the same questions in one run.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime/pprof"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

type options struct {
	passages  string
	only      string
	text      string
	dir       string
	profile   string
	questions int
	times     int
	added     int
	strict    bool
}

// system is something that finds passages.
type system struct {
	name string
	open func(dir string) (finder, error)
	// wanted are the greatest p50 and p95 in milliseconds, by how many passages there are.
	wanted map[int][2]float64
}

func systems() []system {
	return []system{
		{"kappa-english", func(dir string) (finder, error) { return openOurs(dir, true) }, map[int][2]float64{100_000: {.5, 2}, 1_000_000: {1, 5}}},
		{"kappa-agnostic", func(dir string) (finder, error) { return openOurs(dir, false) }, map[int][2]float64{1_000_000: {4, 12}}},
		{"bleve", func(dir string) (finder, error) { return openBleve(dir) }, nil},
		{"fts5", func(dir string) (finder, error) { return openFTS(dir) }, nil},
	}
}

func main() {
	var o options
	var names []string
	for _, s := range systems() {
		names = append(names, s.name)
	}
	flag.StringVar(&o.passages, "n", "1000,100000,1000000", "numbers of passages, with commas")
	flag.StringVar(&o.only, "only", strings.Join(names, ","), "systems, with commas")
	flag.StringVar(&o.text, "text", "", "a file whose words are drawn, instead of ones that are made up")
	flag.StringVar(&o.dir, "dir", "", "where the indexes are made; a temporary folder by default")
	flag.StringVar(&o.profile, "profile", "", "write a profile of the questions to this file")
	flag.IntVar(&o.questions, "questions", 2000, "how many questions are asked")
	flag.IntVar(&o.times, "times", 3, "how often each is asked: the shortest time counts, since other work on the machine lengthens some")
	flag.IntVar(&o.added, "added", 1000, "how many passages are added one by one")
	flag.BoolVar(&o.strict, "strict", false, "fail when a demand is missed")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, "retrieval:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o options) error {
	fmt.Println("system           passages   p50 ms   p95 ms   p99 ms  words/s in  add ms p50   p95  open s  heap MB  files MB  mapped MB  segments")
	missed := false
	for number := range strings.SplitSeq(o.passages, ",") {
		n, err := strconv.Atoi(number)
		if err != nil {
			return fmt.Errorf("-n: %w", err)
		}
		for _, s := range systems() {
			if !slices.Contains(strings.Split(o.only, ","), s.name) {
				continue
			}
			f, err := measureIn(ctx, o, s, n)
			if err != nil {
				return fmt.Errorf("%s, %d passages: %w", s.name, n, err)
			}
			fmt.Println(f.row(s.name, n))
			if w, ok := s.wanted[n]; ok && (f.p50 > w[0] || f.p95 > w[1]) {
				fmt.Printf("  missed: p50 %.1f ms and p95 %.1f ms are demanded\n", w[0], w[1])
				missed = true
			}
		}
	}
	if missed && o.strict {
		return errors.New("a demand is missed")
	}
	return nil
}

// measureIn measures a system in a folder that is removed afterwards.
func measureIn(ctx context.Context, o options, s system, n int) (figures, error) {
	dir, err := os.MkdirTemp(o.dir, "retrieval")
	if err != nil {
		return figures{}, err
	}
	defer os.RemoveAll(dir)
	if o.profile != "" {
		file, err := os.Create(o.profile)
		if err != nil {
			return figures{}, err
		}
		defer file.Close()
		o.profile = ""
		return measure(ctx, o, s, n, dir, func() func() {
			if err := pprof.StartCPUProfile(file); err != nil {
				return func() {}
			}
			return pprof.StopCPUProfile
		})
	}
	return measure(ctx, o, s, n, dir, func() func() { return func() {} })
}
