package keyterms_test

import (
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/kappagraph/kappa/corpus"
)

// cpuTime is the processor time of this process so far: the clock of a busy machine says little.
func cpuTime(t *testing.T) time.Duration {
	t.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		t.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// TestLinear reads four times the text in not much more than four times the time.
func TestLinear(t *testing.T) {
	took := func(times int) time.Duration {
		var text strings.Builder
		for n := range times {
			fmt.Fprintf(&text, "Satz %d über Aachen-%d und 北京大学%d的研究. ", n, n%50, n)
		}
		best := time.Hour
		for range 3 {
			began := cpuTime(t)
			extract(t, "de", text.String(), corpus.ContentPlain)
			best = min(best, cpuTime(t)-began)
		}
		return best
	}
	if short, long := took(500), took(2000); long > 12*short+20*time.Millisecond {
		t.Errorf("%v, and %v for four times the text", short, long)
	}
}
