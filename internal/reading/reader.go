package reading

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/reading/frame"
	"github.com/kappagraph/kappa/internal/sandbox"
	wire "github.com/kappagraph/kappa/internal/sandbox/frame"
)

// The limits of a process that reads.
const (
	Resident     = 512 << 20 // bytes of memory that it may hold
	addressSpace = 6 << 30   // most of which it never uses
	perChild     = 50        // documents
	idleFor      = time.Minute
	startWithin  = 20 * time.Second
	maxTime      = time.Minute // for a document
	// inProcess is how long a text is at most that is read in this process.
	inProcess = 1 << 20
)

// local reads documents in this process.
type local interface {
	Prepare(ctx context.Context, format corpus.ContentType) error
	Recognise(body []byte, filename, declared string) (corpus.ContentType, error)
	Text(ctx context.Context, body []byte, format corpus.ContentType) (corpus.DocumentText, error)
}

// Config is what a Reader works with.
type Config struct {
	Bin  string   // the program that reads; "" reads all documents in this process
	Args []string // its command
	Dir  string   // which the program may read, for what it has compiled; "" = none

	Children int // processes at once
	Jobs     int // of them, those that read for others than analyses at most; 0 = all

	// FindOCR returns what reads pages that are pictures, and images, or says what is missing and
	// what to do. It is asked when it is needed, once a minute at most; nil reads none.
	FindOCR func(ctx context.Context) (OCR, error)

	Local local
	Limit time.Duration // for a document; 0 = a minute
	Log   *slog.Logger

	// Version is that of the program that reads: what another one has kept of a document is read
	// anew. See corpus.WithKeptParts.
	Version string

	Ready func(h wire.Hello) // called with what the first process says of its walls; may be nil
}

// Reader reads documents. It is safe for concurrent use.
type Reader struct {
	cfg      Config
	children *sandbox.Pool
	turns    chan struct{} // has an element for each document that is being read
	jobs     chan struct{} // likewise, but for analyses
	compiler *compiler
	finder   finder
}

// New returns a Reader that starts nothing before Run.
func New(cfg Config) *Reader {
	cfg.Limit = cmp.Or(cfg.Limit, maxTime)
	cfg.Jobs = cmp.Or(cfg.Jobs, cfg.Children)
	r := &Reader{cfg: cfg, turns: make(chan struct{}, cfg.Children), jobs: make(chan struct{}, cfg.Jobs), compiler: newCompiler(cfg), finder: finder{find: cfg.FindOCR}}
	args := cfg.Args
	if cfg.Dir != "" {
		args = append(slices.Clip(args), "--compiled", cfg.Dir)
	}
	children := cfg.Children
	if cfg.Bin == "" {
		children = 0
	}
	r.children = sandbox.New(sandbox.Config{
		Name: "kg-read", Bin: cfg.Bin, Args: args, Children: children, Memory: addressSpace, Resident: Resident, Tasks: perChild, Start: startWithin,
		MaxRequest: frame.MaxRequest, MaxAnswer: frame.MaxAnswer, MaxTrail: frame.MaxText, Input: true, OwnProcesses: ownProcesses, Ahead: true, Idle: idleFor,
		Ready: cfg.Ready, Log: cfg.Log,
	})
	return r
}

// Run starts processes when they are asked for, the first one at once, until ctx ends. Then
// it kills them, and returns when all are reaped.
func (r *Reader) Run(ctx context.Context) error {
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		r.compiler.run(ctx)
	}()
	err := r.children.Run(ctx)
	<-stopped
	return err
}

// Check returns what keeps documents from being read in processes, or nil.
func (r *Reader) Check(ctx context.Context) error {
	if r.cfg.Bin == "" {
		return nil
	}
	if err := r.children.Check(ctx); err != nil {
		return notNow(err)
	}
	return r.compiler.problem()
}

// Hello returns what the last process that started said of its walls; nil when none has.
func (r *Reader) Hello() *wire.Hello { return r.children.Hello() }

// Stats returns figures of the processes.
func (r *Reader) Stats() sandbox.Stats { return r.children.Stats() }

// Prepare gets ready for a document of a format, whatever the limit for it is: what comes after
// others like it does not wait.
func (r *Reader) Prepare(ctx context.Context, body []byte, format corpus.ContentType) error {
	if r.cfg.Bin == "" {
		return r.cfg.Local.Prepare(ctx, format)
	}
	if r.cfg.Dir == "" || !compiledFor(body, format) {
		return nil
	}
	return r.compiler.await(ctx)
}

// Recognise decides what format a document has, or refuses it with a message for the
// submitter. filename and declared are hints. It unpacks no more than 64 KiB of what says what
// an archive is, so it is done in this process.
func (r *Reader) Recognise(body []byte, filename, declared string) (corpus.ContentType, error) {
	format, err := r.cfg.Local.Recognise(body, filename, declared)
	if err == nil && compiledFor(body, format) {
		r.compiler.begin()
	}
	return format, err
}

// compiledFor reports whether a document of a format is a PDF, or an e-mail that may have one. An
// e-mail says so in the type or the name of what is attached, or the document does itself, be
// it in base64. One that hides it well is read, but slowly: its process compiles for itself.
func compiledFor(body []byte, format corpus.ContentType) bool {
	if format != corpus.ContentEmail && format != corpus.ContentMSG && format != corpus.ContentMailbox {
		return format == corpus.ContentPDF
	}
	for _, sign := range []string{"/pdf", "/PDF", ".pdf", ".PDF", "%PDF", "JVBERi0"} {
		if bytes.Contains(body, []byte(sign)) {
			return true
		}
	}
	return false
}

// Text returns the text of a document that Recognise said is of this format. A document
// that cannot be read, or only beyond the limits, is a CodeMalformed Error that no retry
// can help. When no process can read it now, that is a CodeUnavailable Error, and a job that
// ends with it goes on later. When ctx ends, Text returns context.Cause(ctx). The text of a plain
// document may be body itself, which must not be changed afterwards.
func (r *Reader) Text(ctx context.Context, body []byte, format corpus.ContentType) (corpus.DocumentText, error) {
	if format.IsImage() {
		return r.image(ctx, body)
	}
	text, err := r.read(ctx, body, format, r.jobs)
	if err != nil {
		return corpus.DocumentText{}, err
	}
	return r.withPictures(ctx, body, text)
}

// Analyses is the Reader for analyses, for which some processes are kept.
func (r *Reader) Analyses() Analyses { return Analyses{r} }

// Analyses reads documents for their analysis.
type Analyses struct{ *Reader }

// Text is that of a Reader, but pages that are pictures are not read yet: the text says which they
// are.
func (a Analyses) Text(ctx context.Context, body []byte, format corpus.ContentType) (corpus.DocumentText, error) {
	if format.IsImage() {
		return a.announced(ctx, corpus.DocumentText{Markup: corpus.ContentPlain, Pages: 1, Pictures: []int{1}})
	}
	text, err := a.read(ctx, body, format, nil)
	if err != nil {
		return corpus.DocumentText{}, err
	}
	return a.announced(ctx, text)
}

// needsParser reports whether a document is read by what may be led astray.
func needsParser(size int, format corpus.ContentType) bool {
	switch format {
	case corpus.ContentPlain, corpus.ContentMarkdown, corpus.ContentLog:
		return size >= inProcess
	}
	return true
}

// read returns the text of a document, without its pictures: what is kept of it, or else what is read.
func (r *Reader) read(ctx context.Context, body []byte, format corpus.ContentType, share chan struct{}) (corpus.DocumentText, error) {
	if !worthKeeping(len(body), format) {
		return r.readNow(ctx, body, format, share)
	}
	memo := r.memo(ctx, string(format))
	if text, kept := memo.load(ctx)[textPart]; kept {
		return text, nil
	}
	text, err := r.readNow(ctx, body, format, share)
	if err == nil {
		memo.store(ctx, map[int]corpus.DocumentText{textPart: text})
	}
	return text, err
}

func (r *Reader) readNow(ctx context.Context, body []byte, format corpus.ContentType, share chan struct{}) (corpus.DocumentText, error) {
	if r.cfg.Bin == "" || !needsParser(len(body), format) {
		return r.cfg.Local.Text(ctx, body, format)
	}
	if err := r.Prepare(ctx, body, format); err != nil {
		return corpus.DocumentText{}, err
	}
	leave, err := r.turn(ctx, share)
	if err != nil {
		return corpus.DocumentText{}, err
	}
	defer leave()
	return r.inChild(ctx, body, format)
}

// turn waits for a turn, of a share of all of them unless that is nil, until leave is called.
func (r *Reader) turn(ctx context.Context, share chan struct{}) (leave func(), err error) {
	var taken []chan struct{}
	leave = func() {
		for _, turn := range taken {
			<-turn
		}
	}
	for _, turn := range []chan struct{}{share, r.turns} {
		if turn == nil {
			continue
		}
		select {
		case turn <- struct{}{}:
			taken = append(taken, turn)
		case <-ctx.Done():
			leave()
			return nil, context.Cause(ctx)
		}
	}
	return leave, nil
}

// tries is how many processes read a document of which it is not clear whether it ended
// the one before.
const tries = 2

func (r *Reader) inChild(ctx context.Context, body []byte, format corpus.ContentType) (text corpus.DocumentText, err error) {
	for try := 1; ; try++ {
		text, err = r.once(ctx, body, format)
		if err == nil || ctx.Err() != nil {
			break
		}
		ended := errors.Is(err, sandbox.ErrCrashed) || errors.Is(err, sandbox.ErrEnded) || errors.Is(err, sandbox.ErrOutOfTime)
		if !ended || try == tries {
			break
		}
		r.cfg.Log.WarnContext(ctx, "the process that read a document ended; another one reads it", "format", format, "bytes", len(body), "err", err)
	}
	switch {
	case err == nil:
		return text, nil
	case ctx.Err() != nil:
		return corpus.DocumentText{}, context.Cause(ctx)
	}
	return corpus.DocumentText{}, failure(err, corpus.ReadingTime(r.cfg.Limit, format, len(body)))
}

// widest is how many bytes of text a byte of a document becomes at most that is text in another
// encoding.
const widest = 3

// once has one process read a document.
func (r *Reader) once(ctx context.Context, body []byte, format corpus.ContentType) (corpus.DocumentText, error) {
	limited, cancel := corpus.WithReadingLimit(ctx, corpus.ReadingTime(r.cfg.Limit, format, len(body)), maxPages, sandbox.ErrLate)
	defer cancel()
	var a frame.Answer
	var trail []byte
	err := r.children.Do(limited, sandbox.Task{
		Request: frame.Request{Op: frame.OpText, Bytes: len(body), Format: format}, Answer: &a, Trail: &trail,
		MostTrail: frame.MaxExtracted + widest*len(body), Input: bodyOf(body), Harmed: harmed(&a),
		Progress: corpus.ReadingProgress(limited),
	})
	switch {
	case err != nil:
		return corpus.DocumentText{}, fmt.Errorf("read it in a process of its own: %w", err)
	case a.Failure != nil:
		return corpus.DocumentText{}, failed(a.Failure)
	}
	return textOf(a, trail, body)
}

// bodyOf writes a document.
func bodyOf(body []byte) func(w io.Writer) error {
	return func(w io.Writer) error {
		_, err := w.Write(body)
		return err
	}
}

// harmed reports that an answer is one after which its process must not have another task.
func harmed(a *frame.Answer) func() bool {
	return func() bool { return a.Failure != nil && a.Failure.Code == kappa.CodeInternal }
}
