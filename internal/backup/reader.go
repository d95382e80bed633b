package backup

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"maps"
	"regexp"

	"github.com/klauspost/compress/zstd"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/storage"
)

// The bounds of what is read: a line holds at most a piece of a document, or a vector.
const (
	maxLineBytes   = 64 << 20
	maxWindowBytes = 32 << 20
)

var tableName = regexp.MustCompile(`^[a-z][a-z_]{0,62}$`)

// Reader reads an archive.
type Reader struct {
	zip      *zstd.Decoder
	in       *bufio.Reader
	raw      *counter
	hash     hash.Hash
	line     []byte
	table    string // of the row before
	accepted bool   // by Verify, before
	header   storage.BackupHeader
	rows     map[string]int64
	read     int64 // lines
	expanded int64 // bytes of them
}

// NewReader reads the header of an archive. Close the Reader afterwards. It returns a
// CodeInvalid Error for what is no archive, or one of a later version.
func NewReader(r io.Reader) (*Reader, error) {
	raw := &counter{r: r}
	zip, err := zstd.NewReader(raw, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindowBytes), zstd.WithDecoderLowmem(true))
	if err != nil {
		return nil, err
	}
	a := &Reader{zip: zip, in: bufio.NewReaderSize(zip, 1<<16), raw: raw, hash: sha256.New(), rows: map[string]int64{}}
	if err := a.readHeader(); err != nil {
		a.Close()
		return nil, err
	}
	return a, nil
}

// Reopen is NewReader for an archive that Verify has accepted: its checksum says that it is
// the same, so that the rows are not checked once more.
func Reopen(r io.Reader) (*Reader, error) {
	a, err := NewReader(r)
	if err == nil {
		a.accepted = true
	}
	return a, err
}

func (a *Reader) readHeader() error {
	line, err := a.next()
	if errors.Is(err, io.EOF) {
		return invalid("is no archive of Kappa: it is empty")
	}
	if err != nil {
		return err
	}
	if err := json.Unmarshal(line, &a.header); err != nil || a.header.Format < 1 {
		return invalid("is no archive of Kappa: its first line is no header")
	}
	if a.header.Format > storage.BackupFormat {
		return invalid(fmt.Sprintf("was written by a later version: it has format %d, and this server reads %d", a.header.Format, storage.BackupFormat))
	}
	a.hash.Write(line)
	return nil
}

// Header returns the first line.
func (a *Reader) Header() storage.BackupHeader { return a.header }

// Next returns the next row, which is good until the next call. It returns io.EOF at the
// end of an archive that is whole, and a CodeInvalid Error where it is not.
func (a *Reader) Next() (storage.BackupRow, error) {
	line, err := a.next()
	if errors.Is(err, io.EOF) {
		return storage.BackupRow{}, invalid(fmt.Sprintf("was cut: it ends after %d lines, without a trailer", a.read))
	}
	if err != nil {
		return storage.BackupRow{}, err
	}
	if row, ok := a.split(line); ok {
		a.hash.Write(line)
		a.rows[row.Table]++
		return row, nil
	}
	return storage.BackupRow{}, a.end(line)
}

// split reads a line as Writer.Add writes it.
func (a *Reader) split(line []byte) (storage.BackupRow, bool) {
	rest, ok := bytes.CutPrefix(line, []byte(`{"table":"`))
	if !ok {
		return storage.BackupRow{}, false
	}
	table, rest, ok := bytes.Cut(rest, []byte(`","row":`))
	rest, closed := bytes.CutSuffix(rest, []byte("}\n"))
	if !ok || !closed || !a.accepted && !json.Valid(rest) {
		return storage.BackupRow{}, false
	}
	if string(table) != a.table {
		if !tableName.Match(table) {
			return storage.BackupRow{}, false
		}
		a.table = string(table)
	}
	return storage.BackupRow{Table: a.table, Row: rest}, true
}

// end checks the trailer, and returns io.EOF when all is well.
func (a *Reader) end(line []byte) error {
	var t trailer
	if err := json.Unmarshal(line, &t); err != nil || t.SHA256 == "" {
		return invalid(fmt.Sprintf("is damaged: line %d is neither a row nor the trailer", a.read))
	}
	if t.SHA256 != hex.EncodeToString(a.hash.Sum(nil)) {
		return invalid("is damaged: its checksum is not that of its lines")
	}
	if !maps.Equal(t.Rows, a.rows) {
		return invalid("is damaged: it does not hold as many rows as its trailer says")
	}
	if _, err := a.next(); !errors.Is(err, io.EOF) {
		return invalid("has something behind its trailer")
	}
	return io.EOF
}

// next returns the next line with its end.
func (a *Reader) next() ([]byte, error) {
	a.line = a.line[:0]
	for {
		part, err := a.in.ReadSlice('\n')
		a.line = append(a.line, part...)
		switch {
		case err == nil:
			a.read++
			a.expanded += int64(len(a.line))
			return a.line, nil
		case errors.Is(err, io.EOF) && len(a.line) > 0:
			return nil, invalid(fmt.Sprintf("was cut in line %d", a.read+1))
		case errors.Is(err, io.EOF):
			return nil, io.EOF
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, a.unreadable(err)
		case len(a.line) > maxLineBytes:
			return nil, invalid(fmt.Sprintf("has a line of more than %d bytes", maxLineBytes))
		}
	}
}

// unreadable tells a damaged archive from a source that cannot be read.
func (a *Reader) unreadable(err error) error {
	switch {
	case a.raw.err != nil:
		return fmt.Errorf("read the archive: %w", a.raw.err)
	case a.read == 0:
		return invalid("is no archive of Kappa: it does not begin as one")
	}
	return invalid(fmt.Sprintf("is damaged or was cut after line %d: %v", a.read, err))
}

// Summary returns what was read so far.
func (a *Reader) Summary() storage.BackupSummary {
	return storage.BackupSummary{BackupHeader: a.header, Rows: a.rows, Bytes: a.raw.n, Expanded: a.expanded}
}

// Close frees what the Reader holds.
func (a *Reader) Close() { a.zip.Close() }

// Verify reads a whole archive and returns what it holds. It returns a CodeInvalid Error
// when it is not whole.
func Verify(r io.Reader) (storage.BackupSummary, error) {
	a, err := NewReader(r)
	if err != nil {
		return storage.BackupSummary{}, err
	}
	defer a.Close()
	for {
		if _, err := a.Next(); errors.Is(err, io.EOF) {
			return a.Summary(), nil
		} else if err != nil {
			return a.Summary(), err
		}
	}
}

// invalid is what is wrong with an archive.
func invalid(rule string) error {
	return kappa.Invalid(kappa.FieldError{In: "form", Name: "file", Rule: rule})
}

// counter counts what is read, and keeps the error of its source.
type counter struct {
	r   io.Reader
	n   int64
	err error
}

// Read reads on.
func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	if err != nil && !errors.Is(err, io.EOF) {
		c.err = err
	}
	return n, err
}
