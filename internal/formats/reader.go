package formats

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"time"

	"github.com/kappagraph/kappa"
)

// The limits of a document that is not text already.
const (
	// maxTextBytes is the longest text that is made of a document.
	maxTextBytes = 64 << 20
	// maxTime is how long reading a document may take.
	maxTime = time.Minute
	// atOnce is how many documents are read at the same time, each of which takes
	// memory.
	atOnce = 2
)

// Reader reads documents. It is safe for concurrent use.
type Reader struct {
	pdfium  pdfium
	reading chan struct{} // has an element for each document that is being read
	limit   time.Duration
}

// NewReader returns a Reader, which holds nothing until it reads the first
// document. Close frees what it holds then.
func NewReader() *Reader {
	return &Reader{reading: make(chan struct{}, atOnce), limit: maxTime}
}

// Close frees the memory of the reader, which may not be used after it.
func (r *Reader) Close(ctx context.Context) error { return r.pdfium.close(ctx) }

// Text returns the text of a document that Recognise said is of this format. A
// document that cannot be read, or only beyond the limits, is a CodeMalformed
// Error that no retry can help. When ctx ends, Text returns context.Cause(ctx).
func (r *Reader) Text(ctx context.Context, body []byte, format kappa.ContentType) (kappa.DocumentText, error) {
	switch format {
	case kappa.ContentPlain, kappa.ContentMarkdown:
		return kappa.DocumentText{Text: string(body), Markup: format}, nil
	}
	select {
	case r.reading <- struct{}{}:
		defer func() { <-r.reading }()
	case <-ctx.Done():
		return kappa.DocumentText{}, context.Cause(ctx)
	}
	if format == kappa.ContentPDF {
		// Compiling PDFium is no document's fault, and takes long on a busy machine.
		if err := r.pdfium.prepare(ctx); err != nil {
			return kappa.DocumentText{}, err
		}
	}
	limited, cancel := context.WithTimeout(ctx, r.limit)
	defer cancel()
	text, err := r.convert(limited, body, format)
	switch {
	case ctx.Err() != nil:
		return kappa.DocumentText{}, context.Cause(ctx)
	case limited.Err() != nil:
		return kappa.DocumentText{}, malformed("The document could not be read within %v. Split it, or extract the text first.", r.limit)
	case err != nil:
		return kappa.DocumentText{}, err
	}
	return finished(text)
}

// convert reads a document. A panic of a parser is an error about the document.
func (r *Reader) convert(ctx context.Context, body []byte, format kappa.ContentType) (text kappa.DocumentText, err error) {
	defer func() {
		if p := recover(); p != nil {
			cause := fmt.Errorf("panic: %v\n%s", p, debug.Stack())
			err = kappa.Permanent(errors.Join(malformed("The document is broken: it could not be read as %s.", format), cause))
		}
	}()
	switch format {
	case kappa.ContentHTML:
		return readHTML(ctx, body)
	case kappa.ContentPDF:
		return r.pdfium.read(ctx, body)
	case kappa.ContentDOCX:
		return readDOCX(ctx, body)
	}
	return kappa.DocumentText{}, kappa.NewError(kappa.CodeUnsupported, fmt.Sprintf("Documents of the format %q are not read.", format))
}

// finished makes a text of a parser one that can be stored, and refuses one that
// is blank.
func finished(d kappa.DocumentText) (kappa.DocumentText, error) {
	d.Text = strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, strings.ToValidUTF8(d.Text, "\uFFFD"))
	if len(d.Text) > maxTextBytes {
		return d, tooLong()
	}
	if !strings.ContainsFunc(d.Text, visible) {
		return d, malformed("The document has no text that can be read.%s", strings.Join(append([]string{""}, d.Warnings...), " "))
	}
	return d, nil
}

// tooLong refuses a document for the length of its text.
func tooLong() error {
	return malformed("The document has more than %d MB of text. Split it into smaller ones.", maxTextBytes>>20)
}
