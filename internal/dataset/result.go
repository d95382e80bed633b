package dataset

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"unicode/utf8"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus/datasets"
	wire "github.com/kappagraph/kappa/internal/sandbox/frame"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// Result is the answer to a question, until Close. Its rows are not in the field Rows: they
// are read once, by WriteJSON.
type Result struct {
	datasets.Rows

	graph *questions.TablesMark // what it was asked of; nil = of files

	mu     sync.Mutex // held while rows are read, so that Close waits
	rows   kept
	closed bool
}

// errClosed reports that an answer was closed before it was written.
var errClosed = errors.New("the answer was closed")

// WriteJSON writes the answer as a datasets.Rows, piece by piece.
func (r *Result) WriteJSON(w io.Writer) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return errClosed
	}
	columns := r.Columns
	if columns == nil {
		columns = []datasets.Column{}
	}
	var head bytes.Buffer
	e := json.NewEncoder(&head)
	e.SetEscapeHTML(false)
	if err := e.Encode(columns); err != nil {
		return fmt.Errorf("encode the columns of an answer: %w", err)
	}
	if _, err := fmt.Fprintf(w, `{"columns":%s,"rows":[`, bytes.TrimSpace(head.Bytes())); err != nil {
		return fmt.Errorf("send an answer: %w", err)
	}
	if err := r.rows.writeTo(w); err != nil {
		return err
	}
	duration, err := json.Marshal(r.DurationMS)
	if err != nil {
		return fmt.Errorf("encode the time of an answer: %w", err)
	}
	of, err := r.ofGraph()
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(w, `],"total_rows":%d,"truncated":%t,"duration_ms":%s%s}`+"\n", r.TotalRows, r.Truncated, duration, of); err != nil {
		return fmt.Errorf("send an answer: %w", err)
	}
	return nil
}

// ofGraph are the members that an answer has of the graph that it is of.
func (r *Result) ofGraph() (string, error) {
	if r.graph == nil {
		return "", nil
	}
	at, err := json.Marshal(kappa.At(r.graph.At))
	if err != nil {
		return "", fmt.Errorf("encode the time of an answer: %w", err)
	}
	return fmt.Sprintf(`,"epoch":%d,"as_of":%s`, r.graph.Epoch, at), nil
}

// Close forgets the answer. It may be called more than once.
func (r *Result) Close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.closed {
		r.closed = true
		r.rows.close()
	}
}

// add appends a row.
func (r *Result) add(row []byte) error {
	if r.rows.pieces != nil || r.rows.spool != nil {
		if err := r.rows.add([]byte{','}); err != nil {
			return err
		}
	}
	return r.rows.add(row)
}

// readRows reads rows as a worker writes them, each a JSON object on a line of its own, and
// passes them on. What is none is refused: a worker may have been taken over. When each
// fails the rest is read and forgotten, since the worker is not to blame.
func readRows(r io.Reader, each func(row []byte) error) (failed, malformed error) {
	lines := bufio.NewReaderSize(r, 32<<10)
	var row []byte
	for {
		piece, err := lines.ReadSlice('\n')
		row = append(row, piece...)
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case errors.Is(err, io.EOF) && len(row) == 0:
			return nil, nil
		case err != nil:
			return nil, fmt.Errorf("%w: rows that break off: %w", wire.ErrMalformed, err)
		}
		row = row[:len(row)-1]
		if len(row) == 0 || row[0] != '{' || !utf8.Valid(row) || !json.Valid(row) {
			return nil, fmt.Errorf("%w: a row that is no object", wire.ErrMalformed)
		}
		if err := each(row); err != nil {
			_, gone := io.Copy(io.Discard, lines)
			return err, gone
		}
		row = row[:0]
	}
}
