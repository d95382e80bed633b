//go:build unix

package sandbox

import (
	"errors"
	"os"
	"syscall"
)

// niceness is the priority of a child, below that of the server.
const niceness = 10

// badCall is the signal that ends a process at a call which a filter kills for.
const badCall = syscall.SIGSYS

// lowerPriority gives the processor to the server first. Where that is not granted, the
// child goes on as it is.
func lowerPriority(pid int) { _ = syscall.Setpriority(syscall.PRIO_PGRP, pid, niceness) }

// killGroup kills a process with everything in its group.
func killGroup(pid int) { _ = syscall.Kill(-pid, syscall.SIGKILL) }

// silent reports that nothing was said on a pipe, and that it has not ended. It does not
// wait.
func silent(pipe *os.File) bool {
	raw, err := pipe.SyscallConn()
	if err != nil {
		return false
	}
	nothing := false
	err = raw.Read(func(fd uintptr) bool {
		_, err := syscall.Read(int(fd), make([]byte, 1))
		nothing = errors.Is(err, syscall.EAGAIN) || errors.Is(err, syscall.EINTR)
		return true
	})
	return err == nil && nothing
}
