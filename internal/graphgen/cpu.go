//go:build unix

package graphgen

import (
	"syscall"
	"testing"
	"time"
)

// ReportCPU runs a benchmark's work until b.Loop ends, and reports the processor
// time of each round, which other work on the machine changes less than its time.
// Collecting garbage counts as well.
func ReportCPU(b *testing.B, work func(round int)) {
	b.Helper()
	begin := cpu()
	rounds := 0
	for ; b.Loop(); rounds++ {
		if rounds == 0 {
			begin = cpu()
		}
		work(rounds)
	}
	b.ReportMetric(float64(cpu()-begin)/float64(max(1, rounds)), "cpu-ns/op")
}

// cpu returns the processor time of this process so far.
func cpu() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
