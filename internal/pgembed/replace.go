package pgembed

import (
	"errors"
	"io/fs"
	"os"
)

// replaceFile replaces a file of the directory with one that only the owner can
// read. A crash leaves the old one or the new one, whole, and what it leaves
// besides is cleared by the next call. It follows no link: the directory may be
// another user's when this one is root.
func replaceFile(dir *os.Root, name, text string, owner account, durable bool) error {
	temporary := name + ".tmp"
	if err := dir.Remove(temporary); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	err := writeNew(dir, temporary, text, owner, durable)
	if err == nil {
		err = dir.Rename(temporary, name)
	}
	if err != nil || !durable {
		return err
	}
	return syncDir(dir.Name())
}

// writeNew writes a file that does not exist yet.
func writeNew(dir *os.Root, name, text string, owner account, durable bool) error {
	file, err := dir.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = file.WriteString(text)
	if err == nil && os.Geteuid() == 0 {
		err = file.Chown(owner.uid, owner.gid)
	}
	if err == nil && durable {
		err = file.Sync()
	}
	return errors.Join(err, file.Close())
}
