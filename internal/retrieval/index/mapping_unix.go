//go:build unix

package index

import (
	"errors"
	"fmt"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

func mapBytes(name string) ([]byte, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close() //nolint:errcheck // it is only read
	about, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if about.Size() < int64(tailSize) || !about.Mode().IsRegular() {
		return nil, errDamaged
	}
	p, err := unix.Mmap(int(file.Fd()), 0, int(about.Size()), unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return nil, fmt.Errorf("map %s: %w", name, err)
	}
	return p, nil
}

func unmapBytes(p []byte) {
	_ = unix.Munmap(p) // fails only for what is not mapped
}

// lockFile locks a file for this process, until it is closed or the process ends. It returns
// false when another has it.
func lockFile(file *os.File) (bool, error) {
	err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return false, nil
	}
	return err == nil, err
}

// syncFolder makes the names in a folder survive a crash.
func syncFolder(dir string) error {
	file, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(file.Sync(), file.Close())
}
