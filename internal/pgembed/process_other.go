//go:build !linux

package pgembed

import (
	"os/exec"
	"syscall"
)

// startGuarded starts cmd and a watchdog that signals it when this process ends.
func startGuarded(cmd *exec.Cmd, onDeath syscall.Signal) (release func(), err error) {
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	release, err = startWatchdog(cmd.Process.Pid, onDeath)
	if err != nil {
		_ = cmd.Process.Kill() // it is unguarded, and has done nothing yet
		_ = cmd.Wait()
		return nil, err
	}
	return release, nil
}
