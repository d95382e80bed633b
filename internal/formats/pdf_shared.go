package formats

import (
	"context"
	"fmt"

	gopdfium "github.com/klippa-app/go-pdfium"
	"github.com/tetratelabs/wazero/experimental"
)

// pdfiumShared has the documents of a process take the same PDFium, one after another. Each still has
// a sandbox of its own; only the program, of which decoding alone takes longer than a short
// document, is decoded once. A sandbox does not end with the context that asked for it.
type pdfiumShared struct {
	pool   gopdfium.Pool // nil until the first document
	memory *pdfMemory    // of the sandbox that is being started
}

// sandbox starts a sandbox with this memory. One is started at a time.
func (s *pdfiumShared) sandbox(ctx context.Context, memory *pdfMemory, start func(context.Context) (gopdfium.Pool, error)) (gopdfium.Pdfium, error) {
	if s.pool == nil {
		pool, err := start(experimental.WithMemoryAllocator(context.WithoutCancel(ctx), s))
		if err != nil {
			return nil, err
		}
		s.pool = pool
	}
	s.memory = memory
	library, err := s.pool.GetInstanceWithContext(ctx)
	if err != nil {
		return nil, fmt.Errorf("start PDFium: %w", err)
	}
	return library, nil
}

// Allocate implements experimental.MemoryAllocator.
func (s *pdfiumShared) Allocate(capacity, most uint64) experimental.LinearMemory {
	return s.memory.Allocate(capacity, most)
}

func (s *pdfiumShared) close() error {
	if s.pool == nil {
		return nil
	}
	return s.pool.Close()
}
