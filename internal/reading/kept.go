package reading

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/reading/frame"
)

const (
	// textPart is the part of what is kept that is the text; the others are pages.
	textPart = 0
	// maxKept is how long a part may be, packed. A longer one is read again.
	maxKept = 8 << 20
	// maxKeptHead is how long what is said of a text may be.
	maxKeptHead = frame.MaxAnswer
)

// keptFrom is from which size on a document is worth keeping what was read of it. Of 64 KiB, reading
// takes 6 ms (CSV) to 24 ms (HTML), and keeping it and taking it from there 1.3 ms, besides what the
// disk takes; of a tenth of that both take about a millisecond. A PDF takes 160 ms with one page.
const keptFrom = 64 << 10

// worthKeeping reports whether what is read of a document is kept: it is, by its kind and size, what
// takes time.
func worthKeeping(size int, format corpus.ContentType) bool {
	switch format {
	case corpus.ContentPlain, corpus.ContentMarkdown, corpus.ContentLog:
		return false
	case corpus.ContentPDF:
		return true
	}
	return size >= keptFrom
}

// memo is what is kept of one document by one reader. Without it the document is read, so nothing
// that fails is an error.
type memo struct {
	parts  corpus.KeptParts // nil keeps nothing
	reader string
	r      *Reader
}

// memo returns what is kept of the document that ctx is about, as read by what, which has a version
// besides that of this program, or none.
func (r *Reader) memo(ctx context.Context, what string) memo {
	return memo{parts: corpus.KeptPartsOf(ctx), reader: r.cfg.Version + " " + what, r: r}
}

// load returns the parts that are kept and can be read.
func (m memo) load(ctx context.Context) map[int]corpus.DocumentText {
	if m.parts == nil {
		return nil
	}
	kept, err := m.parts.Parts(ctx, m.reader)
	if err != nil {
		m.r.cfg.Log.WarnContext(ctx, "what was read of a document could not be looked for; it is read again", "err", err)
		return nil
	}
	texts := make(map[int]corpus.DocumentText, len(kept))
	for part, packed := range kept {
		text, err := unpack(packed)
		if err != nil {
			m.r.cfg.Log.WarnContext(ctx, "what was kept of a document is damaged; it is read again", "part", part, "err", err)
			continue
		}
		texts[part] = text
	}
	return texts
}

// store keeps parts.
func (m memo) store(ctx context.Context, texts map[int]corpus.DocumentText) {
	if m.parts == nil || len(texts) == 0 {
		return
	}
	parts := make(map[int][]byte, len(texts))
	for part, text := range texts {
		if packed, ok := pack(text); ok {
			parts[part] = packed
		}
	}
	if len(parts) == 0 {
		return
	}
	if err := m.parts.Keep(ctx, m.reader, parts); err != nil && ctx.Err() == nil {
		m.r.cfg.Log.WarnContext(ctx, "what was read of a document could not be kept; it may be read again", "err", err)
	}
}

// keptText is a text as it is kept: what a process that reads says of it, and how long it is.
type keptText struct {
	frame.Answer

	Bytes int `json:"bytes"`
}

var errTooLong = errors.New("too long to be kept")

// limited writes no more than so many bytes.
type limited struct {
	bytes.Buffer

	most int
}

func (l *limited) Write(p []byte) (int, error) {
	if l.Len()+len(p) > l.most {
		return 0, errTooLong
	}
	_, _ = l.Buffer.Write(p) // into memory
	return len(p), nil
}

// pack returns a text as it is kept: a line about it, and the text, compressed together, with a
// checksum. ok is false when it is too long.
func pack(d corpus.DocumentText) (packed []byte, ok bool) {
	a := answerOf(d)
	head, err := json.Marshal(keptText{Answer: a, Bytes: len(d.Text)})
	if err != nil || len(head) >= maxKeptHead || len(d.Text) > frame.MaxExtracted {
		return nil, false
	}
	out := &limited{most: maxKept}
	w, err := gzip.NewWriterLevel(out, gzip.BestSpeed)
	if err != nil {
		return nil, false
	}
	for _, write := range []func() error{
		func() error { _, err := w.Write(append(head, '\n')); return err },
		func() error { _, err := io.WriteString(w, d.Text); return err },
		w.Close,
	} {
		if write() != nil {
			return nil, false
		}
	}
	return out.Bytes(), true
}

// unpack reads what pack has made. It is checked as what a process says is.
func unpack(packed []byte) (d corpus.DocumentText, err error) {
	unzipped, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return d, fmt.Errorf("unpack it: %w", err)
	}
	all := &io.LimitedReader{R: unzipped, N: maxKeptHead + frame.MaxExtracted}
	r := bufio.NewReader(all)
	head, err := r.ReadBytes('\n')
	if err != nil {
		return d, fmt.Errorf("unpack it: %w", err)
	}
	var k keptText
	if err := json.Unmarshal(head, &k); err != nil {
		return d, fmt.Errorf("unpack it: %w", err)
	}
	if k.Bytes < 0 || k.Bytes > frame.MaxExtracted || k.Failure != nil || k.Same {
		return d, fmt.Errorf("%w: a text of %d bytes", errAnswer, k.Bytes)
	}
	text := make([]byte, k.Bytes)
	if _, err := io.ReadFull(r, text); err != nil {
		return d, fmt.Errorf("unpack it: %w", err)
	}
	if n, err := r.Read(make([]byte, 1)); n > 0 || !errors.Is(err, io.EOF) { // the end has the checksum
		return d, fmt.Errorf("unpack its end: %w", errors.Join(errAnswer, err))
	}
	return textOf(k.Answer, text, nil)
}

// answerOf is what a process says of a text.
func answerOf(d corpus.DocumentText) frame.Answer {
	a := frame.Answer{Markup: d.Markup, Warnings: d.Warnings, Pages: d.Pages, Pictures: d.Pictures}
	for _, p := range d.Places {
		a.Places = append(a.Places, frame.Place(p))
	}
	return a
}
