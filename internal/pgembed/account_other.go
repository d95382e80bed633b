//go:build !linux

package pgembed

import "syscall"

// namespaceAccounts returns nothing: only Linux has user namespaces.
func namespaceAccounts() []account { return nil }

func enterNamespace(*syscall.SysProcAttr, account) {}
