package index

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

const (
	fileEnding       = ".segment"
	unfinishedEnding = ".unfinished"
)

// folder is where the files of segments are. One process at a time has it.
type folder struct {
	dir    string
	origin string
	lock   *os.File
	log    *slog.Logger
}

// LockedError reports that another process has the index of a folder open.
type LockedError struct{ Dir string }

func (e *LockedError) Error() string {
	return "the index in " + e.Dir + " is used by another process: stop it, or use another folder"
}

// openFolder makes a folder where there is none, and locks it.
func openFolder(dir, origin string, log *slog.Logger) (*folder, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the folder of the index: %w", err)
	}
	lock, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock the index: %w", err)
	}
	switch free, err := lockFile(lock); {
	case err != nil:
		return nil, fmt.Errorf("lock the index in %s: %w", dir, errors.Join(err, lock.Close()))
	case !free:
		return nil, errors.Join(&LockedError{Dir: dir}, lock.Close())
	}
	return &folder{dir: dir, origin: origin, lock: lock, log: log}, nil
}

// segments opens the files that are right, and removes all others that the index wrote: those
// that were not finished, are damaged, are of another database, or were merged into another.
func (f *folder) segments() ([]*segment, error) {
	entries, err := os.ReadDir(f.dir)
	if err != nil {
		return nil, fmt.Errorf("read the folder of the index: %w", err)
	}
	var all []*segment
	merged := map[uint64]bool{}
	for _, e := range entries {
		name := filepath.Join(f.dir, e.Name())
		switch filepath.Ext(e.Name()) {
		case unfinishedEnding:
			f.remove(name)
		case fileEnding:
			s, err := f.open(name)
			if err != nil {
				f.log.Warn("a file of the index is not used", "file", name, "err", err)
				f.remove(name)
				continue
			}
			all = append(all, s)
			for _, parent := range s.head.Parents {
				merged[parent] = true
			}
		}
	}
	return slices.DeleteFunc(all, func(s *segment) bool {
		if merged[s.head.Number] {
			f.remove(s.file)
		}
		return merged[s.head.Number]
	}), nil
}

// open opens a file.
func (f *folder) open(name string) (*segment, error) {
	m, err := mapFile(name)
	if err != nil {
		return nil, err
	}
	s, err := openSegment(m.bytes)
	switch {
	case err != nil:
		return nil, err
	case s.head.Origin != f.origin:
		return nil, errors.New("it is of another database")
	case filepath.Base(name) != fileName(s.head.Number):
		return nil, errors.New("it is a copy of another file")
	}
	s.file, s.mapping = name, m
	return s, nil
}

// remove removes a file. Views that read it still can.
func (f *folder) remove(name string) {
	if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		f.log.Warn("a file of the index cannot be removed", "file", name, "err", err)
	}
}

func fileName(number uint64) string {
	return strings.Repeat("0", max(0, 12-len(strconv.FormatUint(number, 10)))) + strconv.FormatUint(number, 10) + fileEnding
}

// write makes a file by what write writes into it, and opens it. The file has its name only
// when all of it is on the disk.
func (f *folder) write(number uint64, write func(io.Writer) error) (*segment, error) {
	name := filepath.Join(f.dir, fileName(number))
	unfinished := name + unfinishedEnding
	if err := writeFile(unfinished, write); err != nil {
		f.remove(unfinished)
		return nil, err
	}
	if err := os.Rename(unfinished, name); err != nil {
		f.remove(unfinished)
		return nil, err
	}
	if err := syncFolder(f.dir); err != nil {
		return nil, err
	}
	return f.open(name)
}

func writeFile(name string, write func(io.Writer) error) error {
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	buffered := bufio.NewWriterSize(file, 1<<17)
	err = write(buffered)
	if err == nil {
		err = buffered.Flush()
	}
	if err == nil {
		err = file.Sync()
	}
	return errors.Join(err, file.Close())
}

// close lets another process have the folder.
func (f *folder) close() error { return f.lock.Close() }
