package index

import (
	"runtime"
	"sync/atomic"
)

// mapping is a file whose bytes are in memory. They are readable as long as something refers
// to it: segments do, and Views to segments.
type mapping struct {
	bytes []byte
}

// mapped counts the bytes of all files that are in memory.
var mapped atomic.Int64

// mapFile maps a whole file, which is never changed.
func mapFile(name string) (*mapping, error) {
	p, err := mapBytes(name)
	if err != nil {
		return nil, err
	}
	mapped.Add(int64(len(p)))
	m := &mapping{bytes: p}
	runtime.AddCleanup(m, func(p []byte) {
		mapped.Add(-int64(len(p)))
		unmapBytes(p)
	}, p)
	return m, nil
}
