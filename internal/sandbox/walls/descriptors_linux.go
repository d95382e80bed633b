package walls

import (
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"strconv"

	"golang.org/x/sys/unix"
)

// closeInherited closes what this process was given besides the standard descriptors and
// its input. All that it opened itself is closed by an execve, which is how they are told
// apart.
func closeInherited(input bool) error {
	all, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return fmt.Errorf("list what is open: %w", err)
	}
	for _, entry := range all {
		fd, err := strconv.Atoi(entry.Name())
		if err != nil || fd <= 2 || input && fd == InputDescriptor {
			continue
		}
		flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0)
		if err != nil || flags&unix.FD_CLOEXEC != 0 {
			continue
		}
		if err := unix.Close(fd); err != nil {
			return fmt.Errorf("close the inherited descriptor %d: %w", fd, err)
		}
	}
	return nil
}

// MoveStandard moves the standard descriptors of this process to others, and puts /dev/null
// in their place: what a library prints goes nowhere, and not among the frames. A fatal
// error of Go's runtime is still told to the server.
func MoveStandard() (s Standard, err error) {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return s, err //nolint:wrapcheck // it names the file
	}
	defer func() { err = errors.Join(err, null.Close()) }()
	for fd, file := range []**os.File{&s.In, &s.Out, &s.Err} {
		moved, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, InputDescriptor+1)
		if err != nil {
			return s, fmt.Errorf("move the descriptor %d: %w", fd, err)
		}
		*file = os.NewFile(uintptr(moved), "")
		if err := unix.Dup3(int(null.Fd()), fd, 0); err != nil {
			return s, fmt.Errorf("put %s on the descriptor %d: %w", os.DevNull, fd, err)
		}
	}
	if err := debug.SetCrashOutput(s.Err, debug.CrashOptions{}); err != nil {
		return s, fmt.Errorf("move where fatal errors go: %w", err)
	}
	return s, nil
}
