package pgembed

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"syscall"
)

// startWatchdog starts a shell that sends the signal to the process pid when
// this process ends: it reads from a pipe that nobody writes to and that the
// kernel closes then. Call release when pid has ended, before its number can
// be given to another process.
func startWatchdog(pid int, signal syscall.Signal) (release func(), err error) {
	reader, writer, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("start the watchdog of process %d: %w", pid, err)
	}
	defer reader.Close()
	cmd := exec.Command("/bin/sh", "-c", `read -r _; kill -s "$1" "$2"`,
		"watchdog", strconv.Itoa(int(signal)), strconv.Itoa(pid))
	cmd.Stdin, cmd.Env = reader, environment()
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		writer.Close()
		return nil, fmt.Errorf("start the watchdog of process %d: %w", pid, err)
	}
	return func() {
		_ = cmd.Process.Kill() // before the pipe closes, so that it signals nobody
		_ = cmd.Wait()
		writer.Close()
	}, nil
}
