package reading

import (
	"context"
	"errors"
	"sync"
	"time"
)

// foundFor is how long it holds what was found: who installs an OCR program, or a language for it,
// waits no longer.
const foundFor = time.Minute

// finder looks for the OCR program when it is needed.
type finder struct {
	find func(ctx context.Context) (OCR, error) // nil finds none

	mu   sync.Mutex
	till time.Time // until when it holds
	ocr  OCR
	err  error
}

// now returns the program that is here, or why there is none. Whoever asks meanwhile waits for who
// looks.
func (f *finder) now(ctx context.Context) (OCR, error) {
	if f.find == nil {
		return OCR{}, errNoOCR
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if now := time.Now(); now.After(f.till) {
		f.ocr, f.err = f.find(context.WithoutCancel(ctx)) // it is for others too
		f.till = time.Now().Add(foundFor)
	}
	return f.ocr, f.err
}

var errNoOCR = errors.New("no OCR program is here; install tesseract-ocr, which is found within a minute")
