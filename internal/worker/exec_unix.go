//go:build unix

package worker

import "syscall"

// terminateGroup asks a program, and what it has started, to end.
func terminateGroup(pid int) { _ = syscall.Kill(-pid, syscall.SIGTERM) } // it may have ended

// killGroup ends a program, and what it has started.
func killGroup(pid int) { _ = syscall.Kill(-pid, syscall.SIGKILL) } // it may have ended
