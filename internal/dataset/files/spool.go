package files

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
)

// ErrNoRoom reports that the quota has no room beside the files in use.
var ErrNoRoom = errors.New("no room within the quota")

// Spool is a file of the server's own: it is written to its end, and then read, as often as
// one likes. Its bytes are taken from the quota as they come.
type Spool struct {
	files *Files
	file  *os.File
	size  int64
	free  int64 // reserved and not written yet
}

// Spool makes an empty file, which the caller closes.
func (f *Files) Spool() (*Spool, error) {
	name := rand.Text()
	file, err := f.root.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err == nil {
		err = f.root.Remove(name) // it goes with the last one who has it open, and nobody finds it
	}
	if err != nil {
		if file != nil {
			_ = file.Close()
		}
		return nil, fmt.Errorf("make a file for an answer: %w", err)
	}
	return &Spool{files: f, file: file}, nil
}

// Write appends. It returns ErrNoRoom when the quota has no room.
func (s *Spool) Write(b []byte) (int, error) {
	for s.free < int64(len(b)) {
		if !s.files.reserve(reserveStep) {
			return 0, ErrNoRoom
		}
		s.free += reserveStep
	}
	n, err := s.file.WriteAt(b, s.size)
	s.size += int64(n)
	s.free -= int64(n)
	s.files.wrote(int64(n))
	if err != nil {
		return n, fmt.Errorf("write a file for an answer: %w", err)
	}
	return n, nil
}

// Content returns a reader of all that was written.
func (s *Spool) Content() io.Reader { return io.NewSectionReader(s.file, 0, s.size) }

// Close removes the file.
func (s *Spool) Close() {
	if err := s.file.Close(); err != nil {
		s.files.cfg.Log.Warn("a file for an answer could not be closed", "err", err)
	}
	s.files.mu.Lock()
	defer s.files.mu.Unlock()
	s.files.used -= s.size + s.free
	s.files.free -= s.free
}
