package files

import (
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus/datasets"
)

// maxOutput is the most bytes of a result. They are taken from the quota before it is
// written; a quarter of the quota, if that is less.
const maxOutput = 1 << 30

// Output is a file that a worker writes and the server then reads.
type Output struct {
	Path string

	files    *Files
	file     *os.File
	name     string
	reserved int64
}

// Output makes an empty file, which the caller closes.
func (f *Files) Output() (*Output, error) {
	room := min(maxOutput, f.cfg.Quota/4)
	if !f.reserve(room) {
		return nil, &datasets.Error{Type: datasets.ErrMemory, Message: "there is no room for the result beside the datasets in use; try again later"}
	}
	name := rand.Text()
	file, err := f.root.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err == nil {
		err = file.Chmod(0o666) // the worker may be another user; nobody else knows the name
	}
	if err != nil {
		f.release(room)
		return nil, fmt.Errorf("make the file of a result: %w", err)
	}
	o := &Output{Path: filepath.Join(f.cfg.Dir, name), files: f, file: file, name: name, reserved: room}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.results[o] = true
	return o, nil
}

// Finish returns how many bytes were written. It returns a datasets.Error when they are
// more than a result may have.
func (o *Output) Finish() (int64, error) {
	stat, err := o.file.Stat()
	if err != nil {
		return 0, fmt.Errorf("measure the file of a result: %w", err)
	}
	if stat.Size() > o.reserved {
		return 0, &datasets.Error{
			Type: datasets.ErrMemory, Code: kappa.CodeTooLarge,
			Message: fmt.Sprintf("the result is larger than the %d bytes that this server keeps; ask for fewer rows or columns", o.reserved),
		}
	}
	return stat.Size(), nil
}

// Read reads what was written, from the beginning.
func (o *Output) Read(b []byte) (int, error) { return o.file.Read(b) } //nolint:wrapcheck // io.EOF is the contract

// Close removes the file.
func (o *Output) Close() {
	o.files.mu.Lock()
	delete(o.files.results, o) // no one looks at its size while it is closed
	o.files.mu.Unlock()
	if err := errors.Join(o.file.Close(), o.files.root.Remove(o.name)); err != nil {
		o.files.cfg.Log.Warn("a dataset's file could not be removed", "err", err)
	}
	o.files.release(o.reserved)
}
