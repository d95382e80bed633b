package formats

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	gopdfium "github.com/klippa-app/go-pdfium"
	pdferrors "github.com/klippa-app/go-pdfium/errors"
	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"
	"github.com/klippa-app/go-pdfium/webassembly"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"

	"github.com/kappagraph/kappa/corpus"
)

// maxPages is how many pages of a document are read.
const maxPages = 20_000

// pdfium reads PDF with the library PDFium in a sandbox: WebAssembly that has no
// files, no network, its own memory up to a limit, and that ends with a context or this process.
// Each document has a sandbox of its own; only the compiled program is shared.
type pdfium struct {
	mu       sync.Mutex
	compiled wazero.CompilationCache // nil until the first document
	prepared sync.Mutex              // held while PDFium is compiled
	ready    bool

	// killed is that somebody kills this process when a document takes too long. PDFium need not
	// look then, in each of its loops, whether it is to end, which is more than half of its time.
	killed bool
	shared pdfiumShared // used when killed
}

func (p *pdfium) close(ctx context.Context) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.compiled == nil {
		return nil
	}
	return errors.Join(p.shared.close(), p.compiled.Close(ctx))
}

// prepare compiles PDFium, once for all documents. It returns context.Cause(ctx) when ctx
// ends first.
func (p *pdfium) prepare(ctx context.Context) error {
	p.prepared.Lock()
	defer p.prepared.Unlock()
	if p.ready {
		return nil
	}
	memory := newPDFMemory(0)
	defer memory.free()
	_, end, err := p.sandbox(ctx, memory)
	if err == nil {
		p.ready = true
		err = end()
	}
	if err != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// sandbox starts PDFium for one document, with this memory; end ends it. Compiling it takes
// some seconds, once.
func (p *pdfium) sandbox(ctx context.Context, memory *pdfMemory) (library gopdfium.Pdfium, end func() error, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.killed {
		library, err = p.shared.sandbox(ctx, memory, p.start)
		if err != nil {
			return nil, nil, err
		}
		return library, library.Close, nil
	}
	pool, err := p.start(experimental.WithMemoryAllocator(ctx, memory))
	if err != nil {
		return nil, nil, err
	}
	library, err = pool.GetInstanceWithContext(ctx)
	if err != nil {
		return nil, nil, errors.Join(fmt.Errorf("start PDFium: %w", err), pool.Close())
	}
	return library, func() error { return errors.Join(library.Close(), pool.Close()) }, nil
}

// start makes PDFium ready, with mu held. What it starts ends with ctx.
func (p *pdfium) start(ctx context.Context) (gopdfium.Pool, error) {
	if p.compiled == nil {
		p.compiled = wazero.NewCompilationCache()
	}
	pool, err := webassembly.Init(webassembly.Config{
		Context: ctx, MaxTotal: -1, // each is asked for with a memory of its own
		FSConfig: wazero.NewFSConfig(), Stdout: io.Discard, Stderr: io.Discard,
		RuntimeConfig: wazero.NewRuntimeConfig().
			WithCoreFeatures(api.CoreFeaturesV2 | experimental.CoreFeaturesExceptionHandling).
			WithCompilationCache(p.compiled).
			WithMemoryLimitPages(2 * maxPDFMemory / wasmPage). // pdfMemory has the limit, and says so
			WithCloseOnContextDone(!p.killed),
	})
	if err != nil {
		return nil, fmt.Errorf("start PDFium: %w", err)
	}
	return pool, nil
}

// read returns the text of a PDF. With pictures it says which pages are pictures, instead of that
// they cannot be read.
func (p *pdfium) read(ctx context.Context, body []byte, pictures bool) (text corpus.DocumentText, err error) {
	err = p.open(ctx, body, func(library gopdfium.Pdfium, document references.FPDF_DOCUMENT, repaired bool) error {
		pages, err := pagesOf(ctx, library, document, pictures)
		if err != nil {
			return err
		}
		text = joinPages(pages.texts, pages.pictures...)
		if len(pages.pictures) > 0 {
			text.Pages, text.Pictures = len(pages.texts), pages.pictures
		}
		text.Warnings = append(text.Warnings, attachedFiles(library, document)...)
		if repaired {
			text.Warnings = append(text.Warnings, "The PDF is cut short or broken: what could be found of it is read")
		}
		return nil
	})
	return text, err
}

// open has use look at a PDF, which may have been repaired.
func (p *pdfium) open(ctx context.Context, body []byte, use func(library gopdfium.Pdfium, document references.FPDF_DOCUMENT, repaired bool) error) (err error) {
	if err := checkPDF(ctx, body); err != nil {
		return err
	}
	memory := newPDFMemory(len(body))
	defer func() {
		memory.free()
		if refused := memory.err(); err != nil && refused != nil {
			err = refused
		}
	}()
	library, end, err := p.sandbox(ctx, memory)
	if err != nil {
		return err
	}
	defer end() //nolint:errcheck // the document has been read, or its error says why not
	document, err := library.OpenDocument(&requests.OpenDocument{File: &body})
	repaired := []byte(nil)
	if err != nil && (errors.Is(err, pdferrors.ErrFormat) || errors.Is(err, pdferrors.ErrFile)) {
		if repaired = withTrailer(body); repaired != nil {
			document, err = library.OpenDocument(&requests.OpenDocument{File: &repaired})
		}
	}
	if err != nil {
		return pdfError(err)
	}
	return use(library, document.Document, repaired != nil)
}

// withTrailer returns a PDF that ends with what says where its pages are, for one that has lost
// its end: the last catalog in it counts. It returns nil when there is none, or when the
// document says that it is encrypted.
func withTrailer(body []byte) []byte {
	at := bytes.LastIndex(body, []byte("/Catalog"))
	if at < 0 || bytes.Contains(body, []byte("/Encrypt")) {
		return nil
	}
	object := bytes.LastIndex(body[:at], []byte("obj"))
	if object < 0 {
		return nil
	}
	catalog, ok := objectBefore(body, object)
	if !ok {
		return nil
	}
	return fmt.Appendf(slices.Clip(body), "\ntrailer\n<< /Root %d 0 R >>\nstartxref\n0\n%%%%EOF\n", catalog)
}

// firstLine returns what an error of the sandbox says, without where in PDFium it was.
func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}

// pdfError says what is wrong with a PDF.
func pdfError(err error) error {
	switch {
	case errors.Is(err, pdferrors.ErrPassword), errors.Is(err, pdferrors.ErrSecurity):
		return malformed("The PDF is encrypted: remove its password first, for example with: qpdf --decrypt --password=PASSWORD FILE NEW")
	case errors.Is(err, pdferrors.ErrFormat), errors.Is(err, pdferrors.ErrFile):
		return malformed("The PDF is broken: PDFium cannot open it.")
	}
	return malformed("The PDF cannot be read: %s.", firstLine(err))
}
