package walls

import "golang.org/x/sys/unix"

const (
	architecture = unix.AUDIT_ARCH_X86_64
	fstatat      = unix.SYS_NEWFSTATAT
)

// The calls that newer processors do without.
var (
	ofOld        = []uint32{unix.SYS_EPOLL_WAIT, unix.SYS_POLL, unix.SYS_TIME}
	ofOldPaths   = []uint32{unix.SYS_OPEN, unix.SYS_STAT, unix.SYS_LSTAT, unix.SYS_ACCESS, unix.SYS_READLINK}
	ofOldStart   = []uint32{unix.SYS_ARCH_PRCTL}
	ofOldAttacks = []uint32{
		unix.SYS_FORK, unix.SYS_VFORK, unix.SYS_MKNOD, unix.SYS_IOPL, unix.SYS_IOPERM, unix.SYS_MODIFY_LDT, unix.SYS_USELIB,
		unix.SYS_CREATE_MODULE, unix.SYS_GET_KERNEL_SYMS, unix.SYS_QUERY_MODULE,
	}
)
