package pgembed

import (
	"os"
	"syscall"
)

// namespaceAccounts returns the account that runs PostgreSQL in a user
// namespace: this process's user is mapped to another number there, so that
// PostgreSQL does not see root, while the kernel still lets it into the
// directories that root owns. PostgreSQL asks for the name of its user, so the
// number must be one that the machine knows.
func namespaceAccounts() []account {
	for _, name := range []string{"postgres", "nobody", "daemon", "bin"} {
		if a, ok := lookupAccount(name); ok {
			a.name, a.namespace = "user "+name+" of a user namespace", true
			return []account{a}
		}
	}
	return nil
}

// enterNamespace makes the kernel start the program in such a namespace.
func enterNamespace(attr *syscall.SysProcAttr, a account) {
	attr.Cloneflags |= syscall.CLONE_NEWUSER
	attr.UidMappings = []syscall.SysProcIDMap{{ContainerID: a.uid, HostID: os.Geteuid(), Size: 1}}
	attr.GidMappings = []syscall.SysProcIDMap{{ContainerID: a.gid, HostID: os.Getegid(), Size: 1}}
}
