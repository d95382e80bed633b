package main

import (
	"os/exec"
	"runtime"
	"syscall"
)

// dieWithParent lets the kernel kill the child when we are killed.
func dieWithParent(attributes *syscall.SysProcAttr) { attributes.Pdeathsig = syscall.SIGKILL }

// startPinned starts a child from a thread that lives as long as the child:
// for the kernel the parent is the thread.
func startPinned(cmd *exec.Cmd, exited <-chan struct{}) error {
	started := make(chan error, 1)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		started <- err
		if err == nil {
			<-exited
		}
	}()
	return <-started
}
