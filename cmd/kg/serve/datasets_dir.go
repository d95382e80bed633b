package serve

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// What directories of a server are for, by which they are called.
const (
	dirOfDatasets = "datasets"
	dirOfReaders  = "readers" // for what they have compiled
)

// datasetDir is a directory of this server alone. It is locked for as long as the server
// lives, so that another one can remove it after a crash.
type datasetDir struct {
	path string
	lock *os.File
}

// newDatasetDir makes a directory for a purpose below base, or below that for temporary
// files, and removes those of servers that have crashed.
func newDatasetDir(base, purpose string) (*datasetDir, error) {
	prefix, unlocked := "kg-"+purpose+"-", "kg-new-"+purpose+"-"
	base, err := datasetBase(base)
	if err != nil {
		return nil, err
	}
	removeAbandoned(base, prefix)
	fresh, err := os.MkdirTemp(base, unlocked)
	if err != nil {
		return nil, fmt.Errorf("make the directory of %s: %w", purpose, err)
	}
	d := &datasetDir{path: filepath.Join(base, prefix+strings.TrimPrefix(filepath.Base(fresh), unlocked))}
	if d.lock, err = lockDir(fresh); err == nil {
		err = errors.Join(os.Chmod(fresh, 0o711), os.Rename(fresh, d.path)) // workers of another user open files in it, and list nothing
	}
	if err != nil {
		_ = os.RemoveAll(fresh)
		return nil, fmt.Errorf("make the directory of %s: %w", purpose, err)
	}
	return d, nil
}

// files is where the files are.
func (d *datasetDir) files() string { return filepath.Join(d.path, "files") }

// remove removes the directory.
func (d *datasetDir) remove() error { return errors.Join(os.RemoveAll(d.path), d.lock.Close()) }

// datasetBase returns the directory that was chosen, or one for temporary files that
// workers can search, who are another user when the server is root.
func datasetBase(chosen string) (string, error) {
	if chosen != "" {
		return filepath.Abs(chosen)
	}
	for _, dir := range []string{os.TempDir(), "/var/tmp", "/tmp"} {
		if os.Getuid() != 0 || searchable(dir) {
			return filepath.Abs(dir)
		}
	}
	return "", errors.New("no directory for temporary files can be searched by other users, as the processes are that read for the server; set KG_DATASET_DIR to one that can")
}

// searchable reports whether every user may search a directory and those above it.
func searchable(dir string) bool {
	for {
		stat, err := os.Stat(dir)
		if err != nil || stat.Mode().Perm()&0o001 == 0 {
			return false
		}
		if dir == filepath.Dir(dir) {
			return true
		}
		dir = filepath.Dir(dir)
	}
}

// lockDir locks a directory until the file is closed or this process ends.
func lockDir(dir string) (*os.File, error) {
	lock, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_RDWR|os.O_CREATE|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, err //nolint:wrapcheck // the caller says what
	}
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	return lock, nil
}

// removeAbandoned removes the directories of servers of this user that live no more.
func removeAbandoned(base, prefix string) {
	found, _ := filepath.Glob(filepath.Join(base, prefix+"*")) // the pattern is right
	for _, dir := range found {
		stat, err := os.Lstat(dir)
		if err != nil || !stat.IsDir() {
			continue
		}
		if owner, ok := stat.Sys().(*syscall.Stat_t); !ok || int(owner.Uid) != os.Getuid() {
			continue
		}
		lock, err := lockDir(dir)
		if err != nil {
			continue
		}
		_ = os.RemoveAll(dir) // the next start tries again
		_ = lock.Close()
	}
}
