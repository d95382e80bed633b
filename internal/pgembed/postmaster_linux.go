package pgembed

import (
	"fmt"
	"os"
)

// worksIn reports whether the process is a postgres whose working directory
// is dir, as every postgres works in its data directory.
func worksIn(pid int, dir string) bool {
	cwd, err := os.Stat(fmt.Sprintf("/proc/%d/cwd", pid))
	if err != nil {
		// It has ended, or it does not let us look; its name is open to all.
		name, err := os.ReadFile(fmt.Sprintf("/proc/%d/comm", pid))
		return err == nil && string(name) == "postgres\n"
	}
	want, err := os.Stat(dir)
	return err == nil && os.SameFile(cwd, want)
}
