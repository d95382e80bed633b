package sandbox

import (
	"fmt"
	"os"
	"sync"

	"golang.org/x/sys/unix"
)

// concealed serialises what sets whether this process may be looked into, which is one for
// all pools.
var concealed sync.Mutex

// Conceal keeps other processes of the same user from looking into this one, which holds
// keys and passwords: from tracing it, and from its memory and descriptors in /proc. The
// kernel writes no core of it then. Debuggers of root are not kept away.
func Conceal() error {
	concealed.Lock()
	defer concealed.Unlock()
	return setDumpable(0)
}

// whileVisible runs what starts a process. One that is not root maps its user into the new
// process's namespace by a file in /proc, which is root's while the parent is concealed.
func whileVisible(start func() error) error {
	concealed.Lock()
	defer concealed.Unlock()
	if dumpable, err := unix.PrctlRetInt(unix.PR_GET_DUMPABLE, 0, 0, 0, 0); err != nil || dumpable != 0 || os.Getuid() == 0 {
		return start()
	}
	if err := setDumpable(1); err != nil {
		return err
	}
	defer func() { _ = setDumpable(0) }()
	return start()
}

func setDumpable(value uintptr) error {
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, value, 0, 0, 0); err != nil {
		return fmt.Errorf("set whether others may look into this process: %w", err)
	}
	return nil
}
