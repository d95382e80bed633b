package files

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus/datasets"
)

const (
	magic       = "PAR1" // at both ends of a Parquet file
	trailer     = 8      // bytes: the length of the footer, and the magic
	least       = int64(len(magic) + trailer)
	reserveStep = 1 << 20
)

// builder writes a file. Its space is reserved as bytes come.
type builder struct {
	files *Files
	file  *os.File
	entry *entry
	free  int64 // reserved and not written yet
}

func (f *Files) create() (*builder, error) {
	name := rand.Text()
	file, err := f.root.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, fmt.Errorf("make a dataset's file: %w", err)
	}
	return &builder{files: f, file: file, entry: &entry{name: name}}, nil
}

// copy appends what r brings.
func (b *builder) copy(r io.Reader) error {
	buf := make([]byte, 256<<10)
	for {
		n, err := r.Read(buf)
		if n > 0 {
			if b.entry.size+int64(n) > b.files.cfg.MaxFile {
				return tooLarge(b.files.cfg.MaxFile)
			}
			if err := b.place(buf[:n], b.entry.size); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err //nolint:wrapcheck // it says itself what failed
		}
	}
}

// place writes at an offset, and makes the file as long as that needs.
func (b *builder) place(p []byte, offset int64) error {
	for b.free < int64(len(p)) {
		if !b.files.reserve(reserveStep) {
			return &datasets.Error{Type: datasets.ErrMemory, Message: "there is no room for the file beside the datasets in use; try again later"}
		}
		b.free += reserveStep
	}
	if _, err := b.file.WriteAt(p, offset); err != nil {
		return fmt.Errorf("write a dataset's file: %w", err)
	}
	b.free -= int64(len(p))
	b.files.wrote(int64(len(p)))
	b.entry.disk += int64(len(p))
	b.entry.size = max(b.entry.size, offset+int64(len(p)))
	return nil
}

func tooLarge(most int64) error {
	return &datasets.Error{
		Type: datasets.ErrMemory, Code: kappa.CodeTooLarge,
		Message: fmt.Sprintf("the file is larger than the %d bytes that this server fetches", most),
	}
}

// finish checks both ends and returns the entry. A file that is no Parquet file is
// removed.
func (b *builder) finish() (*entry, error) {
	err := b.check()
	if err == nil {
		err = b.file.Chmod(0o444) // workers may be another user
	}
	if err != nil {
		b.abandon()
		return nil, err
	}
	b.files.release(b.free)
	return b.entry, b.file.Close()
}

func (b *builder) check() error {
	if b.entry.size < least {
		return notParquet("it has %d bytes", b.entry.size)
	}
	for _, at := range []int64{0, b.entry.size - int64(len(magic))} {
		got := make([]byte, len(magic))
		if _, err := b.file.ReadAt(got, at); err != nil {
			return fmt.Errorf("read a dataset's file: %w", err)
		}
		if !bytes.Equal(got, []byte(magic)) {
			return notParquet("it does not begin and end with PAR1")
		}
	}
	return nil
}

func notParquet(format string, args ...any) error {
	return &datasets.Error{Type: datasets.ErrValidation, Message: "this is no Parquet file: " + fmt.Sprintf(format, args...)}
}

// abandon removes what was written.
func (b *builder) abandon() {
	_ = b.file.Close()
	b.files.mu.Lock()
	defer b.files.mu.Unlock()
	b.files.used -= b.free
	b.files.free -= b.free
	b.files.removeLocked(b.entry)
}
