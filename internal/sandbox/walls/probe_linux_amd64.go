package walls

import (
	"errors"
	"fmt"
	"runtime"

	"golang.org/x/sys/unix"
)

// tryForeign starts a process, which loads the filter and asks for its process id as a
// program of another architecture does: of i386, or with x32 of that. It returns the
// process id, or an errno below zero.
//
//go:noescape
func tryForeign(program *unix.SockFprog, x32 uintptr) (pid uintptr)

// checkForeign makes sure that the filter sees the calls of other architectures, which this
// processor makes too, whatever the program was built for. It tries them in processes of
// their own, by a filter that refuses them where the one of this process kills.
func checkForeign(rules []rule) error {
	filter := assemble(rules, refuse)
	program := &unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	for x32, name := range []string{"i386", "x32"} {
		code, err := tryOnce(program, uintptr(x32))
		runtime.KeepAlive(filter)
		switch {
		case err != nil:
			return fmt.Errorf("the calls of %s could not be tried: %w", name, err)
		case code == 0:
			return fmt.Errorf("it was set, and the calls of %s are still answered", name)
		case code != 1:
			return errors.New("not offered by this system: no filter can be loaded")
		}
	}
	return nil
}

// tryOnce returns how the process of tryForeign ended. Signals stay away from it: what Go
// does about them is not there.
func tryOnce(program *unix.SockFprog, x32 uintptr) (code int, err error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var all, before unix.Sigset_t
	for i := range all.Val {
		all.Val[i] = ^uint64(0)
	}
	if err := unix.PthreadSigmask(unix.SIG_SETMASK, &all, &before); err != nil {
		return 0, fmt.Errorf("block signals: %w", err)
	}
	pid := int(tryForeign(program, x32))
	_ = unix.PthreadSigmask(unix.SIG_SETMASK, &before, nil)
	if pid < 0 {
		return 0, fmt.Errorf("start a process: %w", unix.Errno(-pid))
	}
	var status unix.WaitStatus
	for {
		if _, err := unix.Wait4(pid, &status, 0, nil); !errors.Is(err, unix.EINTR) {
			break
		}
	}
	if !status.Exited() { // i386 may not be offered at all: then the call is a fault
		return 1, nil
	}
	return status.ExitStatus(), nil
}
