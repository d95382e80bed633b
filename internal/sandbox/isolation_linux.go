package sandbox

import (
	"os"
	"syscall"
)

// nobody is the user as whom children run when the server is root.
const nobody = 65534

// isolation starts a child in a session and process group of its own, which ends with the
// thread that started it, in an empty network, with ownProcesses where it sees no other
// process, and as nobody when the server is root. The kernel may share the processor between sessions before it does between processes
// (sched(7), autogroup), so a child in the session of the server would take its share.
func isolation(ownProcesses bool) *syscall.SysProcAttr {
	a := withoutNamespace()
	a.Cloneflags = syscall.CLONE_NEWNET | syscall.CLONE_NEWIPC
	if ownProcesses {
		a.Cloneflags |= syscall.CLONE_NEWPID
	}
	if os.Getuid() != 0 {
		a.Cloneflags |= syscall.CLONE_NEWUSER
		a.UidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getuid(), HostID: os.Getuid(), Size: 1}}
		a.GidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getgid(), HostID: os.Getgid(), Size: 1}}
	}
	return a
}

// withoutNamespace is isolation for systems that allow no namespaces.
func withoutNamespace() *syscall.SysProcAttr {
	a := &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
	if os.Getuid() == 0 {
		a.Credential = &syscall.Credential{Uid: nobody, Gid: nobody}
	}
	return a
}

// programOf is the path by which a child finds its program: it is open as its file 3, for
// another user may not search the directories above it.
func programOf(string) string { return "/proc/self/fd/3" }
