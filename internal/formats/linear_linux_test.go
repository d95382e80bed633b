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
// the memory, and less than three times; what is quadratic takes four times. Others work on
// the machine, and its clocks err: some pairs may be slow, or seem fast, so the pairs are
// read one after the other until two of them say so.
func linear(t *testing.T, n int, document func(n int) string, format corpus.ContentType) {
	t.Helper()
	const fixed, fixedBytes = 10 * time.Millisecond, 1 << 20 // what is lost in noise
	const tries, agree, most = 12, 2, 3
	once, twice := document(n), document(2*n)
	for try, good := 0, 0; good < agree; try++ {
		time1, bytes1 := cost(t, once, format)
		time2, bytes2 := cost(t, twice, format)
		t.Logf("%s: %v and %d KB, twice as large %v and %d KB", format, time1, bytes1>>10, time2, bytes2>>10)
		if time2 <= most*time1+fixed && bytes2 <= most*bytes1+fixedBytes {
			good++
		}
		if try == tries {
			t.Fatalf("%s: twice its size takes more than %d times as much, %d times of %d", format, most, tries-good, tries)
		}
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
