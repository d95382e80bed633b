package formats

import (
	"sync/atomic"

	"github.com/tetratelabs/wazero/experimental"
)

const (
	// maxPDFMemory is how much memory PDFium has for a document, the document itself
	// included.
	maxPDFMemory = 512 << 20
	// leastPDFMemory is how much it has for the smallest document, and pdfMemoryRatio how
	// many bytes more for each byte of one. A mark in a drawing, the most that PDFium makes
	// of a few bytes, takes some 300 times its size packed.
	leastPDFMemory = 96 << 20
	pdfMemoryRatio = 512
	wasmPage       = 64 << 10
)

// pdfMemory is the memory of one sandbox. It is reserved at once and used as it grows, so
// that growing never copies it, and it is given back when it is freed: nothing of it waits
// for the garbage collector.
type pdfMemory struct {
	most    uint64
	refused atomic.Bool // the document needed more than most
	block   []byte      // of most bytes, until it is freed
}

// newPDFMemory returns the memory for a document of so many bytes.
func newPDFMemory(size int) *pdfMemory {
	most := uint64(min(leastPDFMemory+pdfMemoryRatio*size, maxPDFMemory))
	return &pdfMemory{most: most / wasmPage * wasmPage}
}

// Allocate implements experimental.MemoryAllocator. A sandbox has one memory.
func (m *pdfMemory) Allocate(_, _ uint64) experimental.LinearMemory { return m }

// Reallocate implements experimental.LinearMemory: nil is what PDFium has no memory for.
func (m *pdfMemory) Reallocate(size uint64) []byte {
	if size > m.most {
		m.refused.Store(true)
		return nil
	}
	if m.block == nil {
		if m.block = reserve(int(m.most)); m.block == nil {
			return nil
		}
	}
	return m.block[:size]
}

// Free implements experimental.LinearMemory. It frees nothing: when reading is stopped, the
// sandbox is closed by what runs in it, and what called that may look at the memory again.
func (*pdfMemory) Free() {}

// free gives the memory back, after the sandbox has been closed.
func (m *pdfMemory) free() {
	if m.block != nil {
		release(m.block)
		m.block = nil
	}
}

// err says that a document needs too much memory, or returns nil.
func (m *pdfMemory) err() error {
	if !m.refused.Load() {
		return nil
	}
	return malformed("The PDF takes more than %d MB of memory to be read, too much for its size. Split it, or extract the text first.", m.most>>20)
}
