package setup

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"syscall"
)

// owner is whom a file belongs to, and who may read it.
type owner struct {
	uid, gid int // -1 is this user
	mode     fs.FileMode
}

// ownerOf returns that of a file: what replaces it is as it, so that a service can read it. It
// is never readable by everybody. Without a file it is this user alone.
func ownerOf(path string) owner {
	of := owner{uid: -1, gid: -1, mode: 0o600}
	stat, err := os.Stat(path)
	if err != nil {
		return of
	}
	of.mode = stat.Mode().Perm()&0o640 | 0o600
	if sys, ok := stat.Sys().(*syscall.Stat_t); ok && os.Geteuid() == 0 {
		of.uid, of.gid = int(sys.Uid), int(sys.Gid)
	}
	return of
}

// write writes the files with secrets, and then the settings file. Each is there as a whole or
// not at all.
func write(path, text string, secrets map[string]string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("make the folder of the settings file: %w", err)
	}
	of := ownerOf(path)
	for _, file := range slices.Sorted(maps.Keys(secrets)) {
		if err := replace(file, secrets[file]+"\n", of); err != nil {
			return fmt.Errorf("write %s: %w", file, err)
		}
	}
	if err := replace(path, text, of); err != nil {
		return fmt.Errorf("write the settings file: %w", err)
	}
	return nil
}

// replace puts a file in the place of path.
func replace(path, text string, of owner) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*") // of mode 0600
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(f.Name()))
		}
	}()
	if of.uid >= 0 {
		err = f.Chown(of.uid, of.gid)
	}
	if err == nil {
		err = f.Chmod(of.mode)
	}
	if err == nil {
		_, err = f.WriteString(text)
	}
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
