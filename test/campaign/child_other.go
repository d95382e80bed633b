//go:build !linux

package main

import (
	"os/exec"
	"syscall"
)

// dieWithParent does nothing where the kernel cannot end the child when we are
// killed.
func dieWithParent(*syscall.SysProcAttr) {}

// startPinned starts a child.
func startPinned(cmd *exec.Cmd, _ <-chan struct{}) error { return cmd.Start() }
