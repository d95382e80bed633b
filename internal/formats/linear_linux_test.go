package formats

import (
	"runtime"
	"runtime/debug"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/kappagraph/kappa/corpus"
)

// linear reads a document, and one of twice its size: that takes about twice the time and
// the memory, and less than three times; what is quadratic takes four times. The least of
// some times counts, and the time on the processor, because others work on the machine, too.
func linear(t *testing.T, n int, document func(n int) string, format corpus.ContentType) {
	t.Helper()
	const fixed, fixedBytes = 10 * time.Millisecond, 1 << 20 // what is lost in noise
	const tries, most = 12, 3
	once, twice := document(n), document(2*n)
	time1, time2, bytes1, bytes2 := time.Hour, time.Hour, uint64(0), uint64(0)
	for try := 0; try < 2 || try < tries && time2 > most*time1+fixed; try++ {
		var took time.Duration
		took, bytes1 = cost(t, once, format)
		time1 = min(time1, took)
		took, bytes2 = cost(t, twice, format)
		time2 = min(time2, took)
	}
	t.Logf("%s: %v and %d KB, twice as large %v and %d KB", format, time1, bytes1>>10, time2, bytes2>>10)
	if time2 > most*time1+fixed || bytes2 > most*bytes1+fixedBytes {
		t.Errorf("%s: it took %v and %d KB, and %v and %d KB for twice its size", format, time1, bytes1>>10, time2, bytes2>>10)
	}
}

// cost reads a document, and returns the time on the processor, without that of the garbage
// collector, and what was allocated.
func cost(t *testing.T, document string, format corpus.ContentType) (took time.Duration, allocated uint64) {
	t.Helper()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	r, body := NewReader(), []byte(document)
	runtime.GC()
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // or this thread assists the collector
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	began := processorTime(t)
	_, err := r.Text(t.Context(), body, format)
	took = processorTime(t) - began
	runtime.ReadMemStats(&after)
	if err != nil {
		t.Fatal(err)
	}
	return took, after.TotalAlloc - before.TotalAlloc
}

// processorTime returns how long this thread has run.
func processorTime(t *testing.T) time.Duration {
	t.Helper()
	var usage unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_THREAD, &usage); err != nil {
		t.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
