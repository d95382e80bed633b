package reading

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"time"
	"unicode/utf8"
	"unsafe"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/reading/frame"
	"github.com/kappagraph/kappa/internal/sandbox"
)

// The most that an answer may say besides the text. Who reads is not trusted: the document
// may have taken it over.
const (
	maxWarnings = 1000
	maxWarning  = 10_000 // bytes
	maxSection  = 10_000
	maxPages    = 20_000
)

// errAnswer reports an answer that no reader of ours gives.
var errAnswer = errors.New("the reader of documents answered what cannot be")

// textOf returns the text of an answer, which has been checked.
func textOf(a frame.Answer, trail, body []byte) (corpus.DocumentText, error) {
	text := trail
	if a.Same {
		if len(trail) > 0 {
			return corpus.DocumentText{}, fmt.Errorf("%w: a text beside that of the document", errAnswer)
		}
		text = body
	}
	d := corpus.DocumentText{
		Text:   unsafe.String(unsafe.SliceData(text), len(text)), //nolint:gosec // nobody writes to it, and a large document is not held twice
		Markup: a.Markup, Warnings: a.Warnings, Pages: a.Pages, Pictures: a.Pictures,
	}
	switch {
	case a.Markup != corpus.ContentPlain && a.Markup != corpus.ContentMarkdown:
		return d, fmt.Errorf("%w: the markup %.100q", errAnswer, a.Markup)
	case !utf8.Valid(text) || bytes.IndexByte(text, 0) >= 0:
		return d, fmt.Errorf("%w: a text that is not UTF-8, or with NUL bytes", errAnswer)
	case len(a.Warnings) > maxWarnings || slices.ContainsFunc(a.Warnings, func(w string) bool { return len(w) > maxWarning }):
		return d, fmt.Errorf("%w: %d warnings", errAnswer, len(a.Warnings))
	}
	if err := checkPictures(a); err != nil {
		return d, err
	}
	if len(a.Places) > 0 {
		d.Places = make([]corpus.Place, len(a.Places))
	}
	last := 0
	for i, p := range a.Places {
		if p.Start < last || p.Start > len(text) || p.Page < 0 || len(p.Section) > maxSection {
			return d, fmt.Errorf("%w: place %d at byte %d of %d", errAnswer, i, p.Start, len(text))
		}
		last = p.Start
		d.Places[i] = corpus.Place(p)
	}
	return d, nil
}

// checkPictures checks which pages are pictures, and of which there is text: each in order, as who
// joins the two relies on.
func checkPictures(a frame.Answer) error {
	if len(a.Pictures) == 0 {
		return nil
	}
	last := 0
	for _, page := range a.Pictures {
		if page <= last || page > a.Pages || a.Pages > maxPages {
			return fmt.Errorf("%w: a picture on page %d of %d", errAnswer, page, a.Pages)
		}
		last = page
	}
	last = 0
	for _, p := range a.Places {
		if p.Page <= last {
			return fmt.Errorf("%w: a text on page %d, after page %d", errAnswer, p.Page, last)
		}
		last = p.Page
	}
	return nil
}

// failed returns the error of a document that its reader refused.
func failed(f *frame.Failure) error {
	var cause error
	if f.Cause != "" {
		cause = errors.New(f.Cause)
	}
	const most = 2000 // bytes of a message
	switch f.Code {
	case kappa.CodeMalformed, kappa.CodeUnsupported, kappa.CodeTooLarge:
		message := f.Message
		if len(message) > most {
			message = message[:most]
		}
		return kappa.Permanent(&kappa.Error{Code: f.Code, Message: message, Err: cause})
	}
	return fmt.Errorf("the reader of documents failed: %.2000s: %w", f.Message, cause)
}

// failure says whose a failure of the sandbox is, and what to do, when reading could take limit.
func failure(err error, limit time.Duration) error {
	blame := func(what string) error {
		return kappa.Permanent(&kappa.Error{Code: kappa.CodeMalformed, Message: "The document could not be read: " + what + " Split it, or convert it to text, and submit that.", Err: err})
	}
	switch {
	case errors.Is(err, sandbox.ErrLate):
		return blame(fmt.Sprintf("that took longer than %v.", limit))
	case errors.Is(err, sandbox.ErrMemory):
		return blame(fmt.Sprintf("that took more memory than %d MB.", Resident>>20))
	case errors.Is(err, sandbox.ErrCrashed), errors.Is(err, sandbox.ErrEnded), errors.Is(err, sandbox.ErrOutOfTime):
		return blame(fmt.Sprintf("%d processes that tried ended at it, as when memory runs out.", tries))
	case errors.Is(err, sandbox.ErrMalformed), errors.Is(err, sandbox.ErrForbidden), errors.Is(err, errAnswer):
		return blame("it broke the process that read it.")
	case errors.Is(err, sandbox.ErrStopping):
		return &kappa.Error{Code: kappa.CodeUnavailable, Message: "the server stops", Err: err}
	case errors.Is(err, sandbox.ErrNotStarted), errors.Is(err, sandbox.ErrNotReady), errors.Is(err, sandbox.ErrUnusable), errors.Is(err, sandbox.ErrBusy):
		return notNow(err)
	}
	return err
}
