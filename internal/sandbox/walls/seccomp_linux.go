//go:build amd64 || arm64

package walls

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// filterCalls leaves this process the calls of the system that its kind of program needs,
// on every thread, and makes sure of it: by calls of each architecture, and by what a child
// must not do to others.
func filterCalls(c Config) error {
	rules := rulesFor(c, uint32(os.Getpid()))
	if err := checkForeign(rules); err != nil {
		return err
	}
	filter := assemble(rules, kill)
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	runtime.LockOSThread() // the first call is for one thread, the second for all
	defer runtime.UnlockOSThread()
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("give up new privileges: %w", err)
	}
	thread, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_TSYNC, uintptr(unsafe.Pointer(&program))) //nolint:gosec // the kernel reads the program there
	switch {
	case errno != 0:
		return fmt.Errorf("not offered by this system: %w", errno)
	case thread != 0:
		return fmt.Errorf("the thread %d has a filter of its own", thread)
	}
	return checkRefused()
}

// checkRefused makes sure that calls of this architecture are refused.
func checkRefused() error {
	if fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0); err == nil {
		_ = unix.Close(fd)
		return errors.New("it was set, and sockets can still be opened")
	}
	if err := unix.Kill(1<<22+1, 0); !errors.Is(err, unix.EPERM) { // which there is not: the filter answers first
		return errors.New("it was set, and other processes can still be signalled")
	}
	return nil
}
