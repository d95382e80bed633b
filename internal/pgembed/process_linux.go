package pgembed

import (
	"os/exec"
	"syscall"
)

// startGuarded starts cmd and lets the kernel signal it when the calling
// thread ends.
func startGuarded(cmd *exec.Cmd, onDeath syscall.Signal) (release func(), err error) {
	cmd.SysProcAttr.Pdeathsig = onDeath
	return func() {}, cmd.Start()
}
