//go:build !unix

package dataset

import (
	"os"
	"syscall"
)

// Workers run on Linux only: elsewhere kg-data ends at once and says so.

func isolation() *syscall.SysProcAttr { return withoutNamespace() }

func withoutNamespace() *syscall.SysProcAttr { return &syscall.SysProcAttr{} }

func programOf(bin string) string { return bin }

func lowerPriority(int) {}

func killGroup(pid int) {
	if p, err := os.FindProcess(pid); err == nil {
		_ = p.Kill()
	}
}

func silent(*os.File) bool { return true }
