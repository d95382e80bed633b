//go:build unix

package index

import (
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
	defer file.Close()
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
	if err == syscall.EWOULDBLOCK { //nolint:errorlint // a bare number
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
	defer file.Close()
	return file.Sync()
}
