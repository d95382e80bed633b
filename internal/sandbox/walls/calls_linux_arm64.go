package walls

import "golang.org/x/sys/unix"

const (
	architecture = unix.AUDIT_ARCH_AARCH64
	fstatat      = unix.SYS_FSTATAT
)

// This processor has no calls from before those that every one has.
var ofOld, ofOldPaths, ofOldStart, ofOldAttacks []uint32
