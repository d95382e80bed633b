// Package read is the process that reads documents for a server: kg read. People never call
// it. It walls itself in before it hears of any document.
package read

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"unsafe"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/formats"
	"github.com/kappagraph/kappa/internal/reading"
	"github.com/kappagraph/kappa/internal/reading/frame"
	"github.com/kappagraph/kappa/internal/sandbox"
	"github.com/kappagraph/kappa/internal/sandbox/child"
	"github.com/kappagraph/kappa/internal/sandbox/walls"
)

// Command is the first argument of a program that is to read documents.
const Command = "read"

// exitCompile is the exit code when nothing could be compiled.
const exitCompile = 1

// Main reads documents until its parent closes the pipe, and returns the exit code. args are
// those after the command.
func Main(ctx context.Context, args []string) int {
	return run(ctx, args, func(*walls.Config) {})
}

// run is Main; adjust changes the walls, for tests.
func run(ctx context.Context, args []string, adjust func(w *walls.Config)) int {
	set := flag.NewFlagSet(Command, flag.ContinueOnError)
	w := walls.Config{Name: "kg-read", Calls: walls.CallsOfGo, FileBytes: 1, CPUSeconds: 3600}
	w.Flags(set)
	set.StringVar(&w.Read, "compiled", "", "directory of what was compiled")
	ocr := set.String("ocr", "", "only become the program that reads pictures, whose languages are in this directory")
	compile := set.String("compile", "", "only compile what reads PDF into this directory")
	if set.Parse(args) != nil {
		return child.ExitWalls
	}
	adjust(&w)
	if *compile != "" {
		if err := formats.Compile(ctx, *compile); err != nil {
			fmt.Fprintln(os.Stderr, "kg read:", err)
			return exitCompile
		}
		return 0
	}
	if *ocr != "" {
		w.Name, w.Programs = "kg-ocr", []string{*ocr}
		err := walls.Become(w, set.Args(), []string{"OMP_THREAD_LIMIT=1"}) // its threads are slower than one, for pages
		fmt.Fprintln(os.Stderr, "kg read:", err)
		return child.ExitWalls
	}
	debug.SetMemoryLimit(reading.Resident * 3 / 4)
	r := &reader{ctx: ctx, formats: formats.NewReader(), compiled: w.Read, input: os.NewFile(sandbox.InputDescriptor, "document")}
	return child.Program[frame.Request, frame.Answer]{
		Walls: w, MaxRequest: frame.MaxRequest, MaxAnswer: frame.MaxAnswer,
		Open: r.open, Working: func(said func(steps, of int)) { r.said = said }, Answer: r.answer, Trail: r.trail, TooLong: tooLong,
	}.Run()
}

// reader reads one document after another.
type reader struct {
	ctx      context.Context //nolint:containedctx // of the process
	formats  *formats.Reader
	compiled string
	input    *os.File
	text     []byte              // of the last document
	said     func(steps, of int) // tells the server how many pages are read
}

func (*reader) open() (string, error) { return "formats", nil }

// useCompiled has PDF read by what the server has compiled, before the first document that
// may need it came.
func (r *reader) useCompiled(format corpus.ContentType) error {
	if r.compiled == "" || !formats.MayHavePDF(format) {
		return nil
	}
	err := r.formats.UseCompiled(r.compiled)
	if err == nil {
		r.compiled = ""
	}
	return err
}

// answer reads a document. A panic is the document's fault.
func (r *reader) answer(q frame.Request) (a frame.Answer) {
	r.text = nil
	defer tidy()
	defer func() {
		if p := recover(); p != nil {
			r.text = nil
			a = frame.Answer{Failure: &frame.Failure{
				Code: kappa.CodeMalformed, Message: fmt.Sprintf("The document is broken: it could not be read as %s.", q.Format),
				Cause: fmt.Sprintf("panic: %v\n%s", p, debug.Stack()),
			}}
		}
	}()
	body, err := r.document(q.Bytes)
	if err != nil {
		return failure(err)
	}
	if q.Op == frame.OpRecognise {
		format, err := r.formats.Recognise(body, q.Filename, q.Declared)
		if err != nil {
			return failure(err)
		}
		return frame.Answer{Format: format}
	}
	if err := r.useCompiled(q.Format); err != nil {
		return failure(err)
	}
	if q.Op == frame.OpPictures {
		return r.pictures(body, q.Pages)
	}
	text, err := r.formats.TextAndPictures(corpus.WithReadingProgress(r.ctx, r.progress()), body, q.Format)
	if err != nil {
		return failure(err)
	}
	return r.answered(text, body)
}

// document returns the document, which is as long as the server says.
func (r *reader) document(size int) ([]byte, error) {
	if size < 0 || size > frame.MaxText {
		return nil, fmt.Errorf("a document of %d bytes", size)
	}
	body := make([]byte, size)
	if n, err := r.input.ReadAt(body, 0); n < size {
		return nil, fmt.Errorf("read %d of %d bytes of the document: %w", n, size, err)
	}
	return body, nil
}

// progress returns what tells the server how many pages are read, of many.
func (r *reader) progress() func(done, of int) {
	const every = 50 // pages
	return func(done, of int) {
		if done%every == 0 && r.said != nil {
			r.said(done, of)
		}
	}
}

// answered is the answer with a text.
func (r *reader) answered(text corpus.DocumentText, body []byte) frame.Answer {
	a := frame.Answer{Markup: text.Markup, Warnings: text.Warnings, Pages: text.Pages, Pictures: text.Pictures}
	for _, p := range text.Places {
		a.Places = append(a.Places, frame.Place(p))
	}
	if a.Same = text.Text == string(body); !a.Same {
		r.text = unsafe.Slice(unsafe.StringData(text.Text), len(text.Text)) //nolint:gosec // it is only written
	}
	return a
}

// pictures is the answer with pictures of pages.
func (r *reader) pictures(body []byte, pages []int) frame.Answer {
	pictures, err := r.formats.Pictures(r.ctx, body, pages)
	if err != nil {
		return failure(err)
	}
	a := frame.Answer{}
	for _, p := range pictures {
		a.Sizes = append(a.Sizes, len(p))
	}
	r.text = bytes.Join(pictures, nil)
	return a
}

// trail returns the text that follows the answer.
func (r *reader) trail() []byte {
	text := r.text
	r.text = nil
	return text
}

// failure says why a document could not be read.
func failure(err error) frame.Answer {
	f := &frame.Failure{Code: kappa.ErrorCode(err), Message: err.Error()}
	if e, ok := errors.AsType[*kappa.Error](err); ok {
		f.Message = e.Message
		if e.Err != nil {
			f.Cause = e.Err.Error()
		}
	}
	const most = 100_000 // bytes
	f.Cause = f.Cause[:min(len(f.Cause), most)]
	return frame.Answer{Failure: f}
}

func tooLong() frame.Answer {
	return frame.Answer{Failure: &frame.Failure{Code: kappa.CodeMalformed, Message: "The document has more pages and headings than can be kept. Split it into smaller ones."}}
}

// untidy is from how much memory on a document's is given back before the next one comes.
const untidy = 96 << 20

// tidy gives memory back, so that the process need not end for what the next document does
// not use.
func tidy() {
	samples := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(samples)
	held, released := samples[0].Value.Uint64(), samples[1].Value.Uint64()
	if held > math.MaxInt64 || released > held || held-released < untidy {
		return
	}
	debug.FreeOSMemory()
}
