//go:build unix && !linux

package worker

import "syscall"

// ownGroup gives a program a process group of its own. The kernel cannot end it when we
// are killed.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
