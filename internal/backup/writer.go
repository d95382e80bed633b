package backup

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"io"

	"github.com/klauspost/compress/zstd"

	"github.com/kappagraph/kappa/storage"
)

// trailer is the last line of an archive.
type trailer struct {
	Rows   map[string]int64 `json:"rows"`
	SHA256 string           `json:"sha256"` // of the lines before, with their ends
}

// Writer writes an archive.
type Writer struct {
	zip  *zstd.Encoder
	out  *bufio.Writer // to the hash and to zip
	hash hash.Hash
	rows map[string]int64
}

// NewWriter begins an archive on w. Close finishes it.
func NewWriter(w io.Writer, header storage.BackupHeader) (*Writer, error) {
	// Two goroutines would compress no faster on the machines that this is for, and
	// would take the memory of one.
	zip, err := zstd.NewWriter(w, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	a := &Writer{zip: zip, hash: sha256.New(), rows: map[string]int64{}}
	a.out = bufio.NewWriterSize(io.MultiWriter(a.hash, zip), 1<<16)
	return a, a.line(header)
}

func (a *Writer) line(v any) error {
	line, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("encode a line: %w", err)
	}
	_, _ = a.out.Write(line) // the error is kept, and returned by the next call
	return a.out.WriteByte('\n')
}

// Add writes a row, which is a JSON object without line breaks.
func (a *Writer) Add(r storage.BackupRow) error {
	a.rows[r.Table]++
	_, _ = a.out.WriteString(`{"table":"` + r.Table + `","row":`)
	_, _ = a.out.Write(r.Row)
	_, err := a.out.WriteString("}\n")
	return err
}

// Close writes the trailer. An archive without one is refused.
func (a *Writer) Close() error {
	if err := a.out.Flush(); err != nil {
		_ = a.zip.Close()
		return err
	}
	if err := a.line(trailer{a.rows, hex.EncodeToString(a.hash.Sum(nil))}); err != nil {
		return err
	}
	if err := a.out.Flush(); err != nil {
		return err
	}
	return a.zip.Close()
}

// Abandon frees what the Writer holds, without a trailer.
func (a *Writer) Abandon() { a.zip.Reset(nil) }
