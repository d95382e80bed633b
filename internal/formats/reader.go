package formats

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"time"
	"unsafe"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus"
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
// Error that no retry can help. When ctx ends, Text returns context.Cause(ctx). The text of a
// plain document is body itself, which must not be changed afterwards.
func (r *Reader) Text(ctx context.Context, body []byte, format corpus.ContentType) (corpus.DocumentText, error) {
	switch format {
	case corpus.ContentPlain, corpus.ContentMarkdown, corpus.ContentLog:
		return readText(body, format)
	}
	var text corpus.DocumentText
	err := r.within(ctx, body, format, func(ctx context.Context) (err error) {
		text, err = r.convert(ctx, body, format, 0)
		return err
	})
	if err != nil {
		return corpus.DocumentText{}, err
	}
	return finished(text)
}

// within has do look at a document within the limits, when it is its turn.
func (r *Reader) within(ctx context.Context, body []byte, format corpus.ContentType, do func(context.Context) error) error {
	select {
	case r.reading <- struct{}{}:
		defer func() { <-r.reading }()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	if format == corpus.ContentPDF || MayHavePDF(format) && mentionsPDF(body) {
		// Compiling PDFium is no document's fault, and takes long on a busy machine.
		if err := r.pdfium.prepare(ctx); err != nil {
			return err
		}
	}
	limit := corpus.ReadingTime(r.limit, format, len(body))
	limited, cancel := corpus.WithReadingLimit(ctx, limit, maxPages, errLate)
	defer cancel()
	err := do(limited)
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case limited.Err() != nil:
		return malformed("The document could not be read within %v. Split it, or extract the text first.", limit)
	}
	return err
}

// errLate is the end of a document's time.
var errLate = errors.New("the document has been read for as long as it may be")

// convert reads a document that is within depth others. A panic of a parser is an
// error about the document.
func (r *Reader) convert(ctx context.Context, body []byte, format corpus.ContentType, depth int) (text corpus.DocumentText, err error) {
	defer func() {
		if p := recover(); p != nil {
			cause := fmt.Errorf("panic: %v\n%s", p, debug.Stack())
			err = kappa.Permanent(errors.Join(malformed("The document is broken: it could not be read as %s.", format), cause))
		}
	}()
	switch format.Base() {
	case corpus.ContentHTML:
		return readHTML(ctx, body)
	case corpus.ContentPDF:
		return r.pdfium.read(ctx, body, false)
	case corpus.ContentDOCX:
		return readDOCX(ctx, body)
	case corpus.ContentXLSX:
		return readXLSX(ctx, body)
	case corpus.ContentPPTX:
		return readPPTX(ctx, body)
	case corpus.ContentODT, corpus.ContentODS, corpus.ContentODP:
		return readODF(ctx, body)
	case corpus.ContentRTF:
		return readRTF(ctx, body)
	case corpus.ContentDOC:
		return readDOC(ctx, body)
	case corpus.ContentXLS:
		return readXLS(ctx, body)
	case corpus.ContentPPT:
		return readPPT(ctx, body)
	case corpus.ContentMSG:
		return r.readMSG(ctx, body, depth)
	case corpus.ContentEPUB:
		return readEPUB(ctx, body)
	case corpus.ContentEmail:
		return r.readEmail(ctx, body, depth)
	case corpus.ContentMailbox:
		return r.readMailbox(ctx, body, depth)
	case corpus.ContentPlain, corpus.ContentMarkdown, corpus.ContentLog:
		return readText(body, format)
	case corpus.ContentXML:
		text, warning, err := decodeXML(body)
		if err != nil {
			return corpus.DocumentText{}, err
		}
		d, err := readXML(ctx, text)
		return withDoubts(d, warning), err
	case corpus.ContentCSV, corpus.ContentJSON, corpus.ContentSource, corpus.ContentMarkup:
		return readStructured(ctx, body, format)
	}
	return corpus.DocumentText{}, kappa.NewError(kappa.CodeUnsupported, fmt.Sprintf("Documents of the format %q are not read.", format))
}

// readText returns a text that is read as it stands, byte for byte if it is UTF-8.
func readText(body []byte, format corpus.ContentType) (corpus.DocumentText, error) {
	text, warning, err := decode(body)
	if err != nil {
		return corpus.DocumentText{}, err
	}
	d := corpus.DocumentText{Text: unsafe.String(unsafe.SliceData(text), len(text)), Markup: corpus.ContentPlain} //nolint:gosec // nobody writes to it, and a large document is not held twice
	switch format {
	case corpus.ContentMarkdown:
		d.Markup, d.Places = corpus.ContentMarkdown, sections(d.Text)
	case corpus.ContentLog:
		d.Warnings = append(d.Warnings, "It is a log: its lines are read as text, and few of them are sentences")
	default:
		d.Places = formFeeds(d.Text)
	}
	return withDoubts(d, warning), nil
}

// readStructured reads the formats that are text with a structure.
func readStructured(ctx context.Context, body []byte, format corpus.ContentType) (corpus.DocumentText, error) {
	text, warning, err := decode(body)
	if err != nil {
		return corpus.DocumentText{}, err
	}
	text = []byte(strings.TrimPrefix(string(text), byteOrderMark))
	var d corpus.DocumentText
	switch format.Base() {
	case corpus.ContentCSV:
		d, err = readCSV(ctx, text)
	case corpus.ContentJSON:
		d, err = readJSON(ctx, text)
	case corpus.ContentMarkup:
		d, err = readMarkup(ctx, string(text), format.Language())
	default:
		d, err = readSource(ctx, string(text), format.Language())
	}
	if warning != "" {
		d.Warnings = append(d.Warnings, warning)
	}
	return d, err
}

// finished makes a text of a parser one that can be stored, and refuses one that
// is blank.
func finished(d corpus.DocumentText) (corpus.DocumentText, error) {
	if d.Places == nil {
		d.Text = storable(d.Text) // places count in a text that is storable already
	}
	if len(d.Text) > maxTextBytes {
		return d, tooLong()
	}
	if !strings.ContainsFunc(d.Text, visible) && len(d.Pictures) == 0 {
		return d, malformed("The document has no text that can be read.%s", strings.Join(append([]string{""}, d.Warnings...), " "))
	}
	if d.Places == nil && d.Markup == corpus.ContentMarkdown {
		d.Places = sections(d.Text)
	}
	return withDoubts(d, ""), nil
}

// storable drops control characters from a text, and what is not UTF-8.
func storable(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, "\uFFFD"))
}

// withDoubts adds a warning, and that of a text that seems to have lost its spaces.
func withDoubts(d corpus.DocumentText, warning string) corpus.DocumentText {
	if warning != "" {
		d.Warnings = append(d.Warnings, warning)
	}
	const sample = 64 << 10
	paged := len(d.Places) > 0 && d.Places[0].Page > 0 // each page has been looked at
	if !paged && lostSpaces(d.Text[:min(len(d.Text), sample)]) {
		d.Warnings = append(d.Warnings, "The text seems to have lost its spaces")
	}
	return d
}

// tooLong refuses a document for the length of its text.
func tooLong() error {
	return malformed("The document has more than %d MB of text. Split it into smaller ones.", maxTextBytes>>20)
}
