//go:build !linux

package notify

import "syscall"

// setUserTimeout does nothing: only Linux has such a limit. Probes and keepalives
// notice a dead connection everywhere.
func setUserTimeout(string, string, syscall.RawConn) error { return nil }
