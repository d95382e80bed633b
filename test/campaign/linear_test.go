package main

import (
	"errors"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/kappagraph/kappa/internal/pgtest"
)

const (
	someHistories   = 20  // with every change
	linearHistories = 300 // in the slow tier
	linearCallers   = 8
	linearCalls     = 11 // of each caller
	linearJobs      = 3
	linearWorkers   = 6
)

// TestLinearizable has callers approve, claim, checkpoint, finish, release,
// cancel and read the same few jobs at once, also with claims that are not
// current, while their workers end and their jobs are taken back. Whatever came
// back must be what one thread would have answered in some order.
func TestLinearizable(t *testing.T) {
	t.Parallel()
	t.Run("every history has an order", func(t *testing.T) {
		t.Parallel()
		haveOrder(t, someHistories)
	})
	t.Run("a completion that does not name its claim is found out", func(t *testing.T) {
		t.Parallel()
		l := newLinear(t)
		l.unfenced = true
		for seed := range uint64(linearHistories) {
			if porcupine.CheckOperationsTimeout(linearModel(), l.history(t, seed), 10*time.Second) == porcupine.Illegal {
				t.Logf("found in history %d", seed+1)
				return
			}
		}
		t.Errorf("%d histories with unfenced completions have an order", linearHistories)
	})
}

// TestLinearizable_Slow checks many more histories.
func TestLinearizable_Slow(t *testing.T) {
	pgtest.SlowTier(t)
	t.Parallel()
	haveOrder(t, linearHistories)
}

// haveOrder checks so many histories, and more where a machine makes none with each of the answers
// that matter.
func haveOrder(t *testing.T, histories uint64) {
	t.Helper()
	l := newLinear(t)
	seen := map[linearAnswer]int{}
	unseen := func() []string {
		return slices.DeleteFunc([]string{"conflict", "stale", "cancelled", "lost"}, func(err string) bool { return seen[linearAnswer{err: err}] > 0 })
	}
	for seed := range max(histories, linearHistories) {
		if seed >= histories && len(unseen()) == 0 {
			break
		}
		history := l.history(t, seed)
		for _, op := range history {
			seen[op.Output.(linearAnswer)]++
		}
		result, info := porcupine.CheckOperationsVerbose(linearModel(), history, 10*time.Second)
		if result != porcupine.Ok {
			file, err := os.CreateTemp("", "history-*.html")
			check(t, err)
			check(t, errors.Join(porcupine.Visualize(linearModel(), info, file), file.Close()))
			t.Fatalf("the history of seed %d is %s; see %s", seed, result, file.Name())
		}
	}
	if none := unseen(); len(none) > 0 {
		t.Errorf("no answer was %q: the histories test little", none)
	}
	t.Logf("answers: %v", seen)
}
