package formats

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/tetratelabs/wazero"

	"github.com/kappagraph/kappa/corpus"
)

// MayHavePDF reports whether PDFium may be needed for documents of a format: mail has
// attachments.
func MayHavePDF(format corpus.ContentType) bool {
	return format == corpus.ContentPDF || format == corpus.ContentEmail || format == corpus.ContentMSG || format == corpus.ContentMailbox
}

// mentionsPDF reports whether a mail may have a PDF attached, by its type, its name or its first
// bytes, be they in base64.
func mentionsPDF(body []byte) bool {
	for _, sign := range []string{"/pdf", "/PDF", ".pdf", ".PDF", "%PDF", "JVBERi0"} {
		if bytes.Contains(body, []byte(sign)) {
			return true
		}
	}
	return false
}

// Prepare gets ready for documents of a format: PDFium is compiled for the first PDF, which
// is no document's fault and takes seconds. Mail seldom has one attached, and does not wait. It
// returns context.Cause(ctx) when ctx ends first.
func (r *Reader) Prepare(ctx context.Context, format corpus.ContentType) error {
	if format != corpus.ContentPDF {
		return nil
	}
	return r.pdfium.prepare(ctx)
}

// EndWithProcess has a new Reader read for a process that somebody kills when a document takes too
// long: a page of a PDF may then go on after its context has ended. It reads faster.
func (r *Reader) EndWithProcess() { r.pdfium.killed = true }

// UseCompiled has a new Reader, which ends with its process, take PDFium from the directory that
// Compile has filled.
func (r *Reader) UseCompiled(dir string) error {
	cache, err := wazero.NewCompilationCacheWithDir(dir)
	if err != nil {
		return fmt.Errorf("read what was compiled: %w", err)
	}
	r.pdfium.mu.Lock()
	defer r.pdfium.mu.Unlock()
	r.pdfium.compiled = cache
	return nil
}

// Compile compiles PDFium into a directory, for Readers of other processes and other users.
func Compile(ctx context.Context, dir string) (err error) {
	r := NewReader()
	r.EndWithProcess()
	defer func() { err = errors.Join(err, r.Close(ctx)) }()
	if err := r.UseCompiled(dir); err != nil {
		return err
	}
	if err := r.pdfium.prepare(ctx); err != nil {
		return err
	}
	return filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			return os.Chmod(path, 0o755) // others read it
		}
		return os.Chmod(path, 0o644) // others read it
	})
}
