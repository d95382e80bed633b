package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"syscall"
	"time"

	"github.com/kappagraph/kappa/internal/retrieval/ranking"
)

// timed is how many questions are timed.
const timed = 1000

// measureTime prints how long a question takes, from its text to the order of its candidates,
// with the weights that are part of Kappa.
func (t *trial) measureTime(ctx context.Context, out io.Writer) error {
	v, err := t.corpus.library(func(int, int32) bool { return true })
	if err != nil {
		return err
	}
	questions := every(t.corpus.questions, timed, 0)
	took := make([]time.Duration, 0, len(questions))
	before := processorTime()
	for _, q := range questions {
		start := time.Now()
		if _, err := askOne(ctx, ranking.Learned(), v, t.corpus.english, q); err != nil {
			return err
		}
		took = append(took, time.Since(start))
	}
	processor := (processorTime() - before) / time.Duration(len(took))
	slices.Sort(took)
	fmt.Fprintf(out, "  %-16s p50 %v  p95 %v  processor %v a question\n", "time", took[len(took)/2].Round(time.Microsecond), took[len(took)*95/100].Round(time.Microsecond), processor.Round(time.Microsecond))
	return nil
}

// processorTime returns what this process has used of the processors.
func processorTime() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
