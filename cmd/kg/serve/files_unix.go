//go:build unix

package serve

import "syscall"

// openFiles returns how many files this process may have open. Go has raised that to
// the hard limit when the process started.
func openFiles() int {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return anyFiles
	}
	return int(min(uint64(limit.Cur), anyFiles)) //nolint:unconvert // it is signed on some systems
}
