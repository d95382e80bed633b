package worker

import "syscall"

// ownGroup gives a program a process group of its own, and lets the kernel kill it when
// we are killed.
func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
