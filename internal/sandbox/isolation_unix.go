//go:build unix && !linux

package sandbox

import "syscall"

func isolation(bool) *syscall.SysProcAttr { return withoutNamespace() }

func withoutNamespace() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

func programOf(bin string) string { return bin }

func keepDescriptors() {}
