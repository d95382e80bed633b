package files

import (
	"fmt"
	"io"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus/datasets"
)

// Making is a file that the server writes itself, from its beginning to its end.
type Making struct{ b *builder }

// Create begins a file, which the caller ends with Finish or Abandon. Its bytes are taken from
// the quota as they come.
func (f *Files) Create() (*Making, error) {
	b, err := f.create()
	if err != nil {
		return nil, err
	}
	return &Making{b}, nil
}

var _ io.Writer = (*Making)(nil)

// Write appends. It returns a datasets.Error when the file is too large or the quota has no
// room.
func (m *Making) Write(p []byte) (int, error) {
	if most := m.b.files.cfg.MaxFile; m.b.entry.size+int64(len(p)) > most {
		return 0, &datasets.Error{
			Type: datasets.ErrMemory, Code: kappa.CodeTooLarge,
			Message: fmt.Sprintf("a table is larger than the %d bytes that a file may have (KG_DATASET_MAX_BYTES)", most),
		}
	}
	if err := m.b.place(p, m.b.entry.size); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Abandon removes what was written.
func (m *Making) Abandon() { m.b.abandon() }

// Finish keeps the file under a name, in the place of one that has it, and returns it, which
// the caller closes. Then it stays until it is dropped or the quota needs its room.
func (m *Making) Finish(name string) (*File, error) {
	e, err := m.b.finish()
	if err != nil {
		return nil, err
	}
	f := m.b.files
	f.mu.Lock()
	defer f.mu.Unlock()
	f.dropLocked(name)
	f.entries[key{url: name, made: true}] = e
	return f.useLocked(e), nil
}

// Made returns the file of a name, which the caller closes; nil when there is none any more.
func (f *Files) Made(name string) *File {
	f.mu.Lock()
	defer f.mu.Unlock()
	if e := f.entries[key{url: name, made: true}]; e != nil {
		return f.useLocked(e)
	}
	return nil
}

// Drop removes the file of a name, once nobody uses it.
func (f *Files) Drop(name string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.dropLocked(name)
}

func (f *Files) dropLocked(name string) {
	k := key{url: name, made: true}
	e := f.entries[k]
	if e == nil {
		return
	}
	delete(f.entries, k)
	e.gone = true
	e.users++ // so that it goes at once when nobody has it
	f.leaveLocked(e)
}
