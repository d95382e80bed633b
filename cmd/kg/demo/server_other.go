//go:build !linux

package demo

import "syscall"

// dieWithParent does nothing where the kernel cannot stop the child when we are
// killed.
func dieWithParent(*syscall.SysProcAttr) {}
