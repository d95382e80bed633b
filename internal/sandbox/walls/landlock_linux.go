package walls

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/landlock-lsm/go-landlock/landlock"
	"golang.org/x/sys/unix"
)

// Rights of landlock(7).
const (
	execute      = 1 << 0
	writeFile    = 1 << 1
	readFile     = 1 << 2
	readDir      = 1 << 3
	truncateFile = 1 << 14
)

// scopes are what later versions of landlock(7) keep a process from besides files. The
// filter of system calls keeps it from the same, so a kernel that lacks them leaves no hole.
var scopes = []struct {
	since int
	name  string
}{
	{4, "ports of TCP"},
	{5, "calls to devices"},
	{6, "signals and abstract sockets"},
	{9, "sockets in files"},
}

// versions are what a process is restricted by, from the best that is known on.
var versions = []struct {
	version int
	config  landlock.Config
}{{9, landlock.V9}, {6, landlock.V6}, {5, landlock.V5}, {4, landlock.V4}, {3, landlock.V3}}

// landlock leaves only the directory of the files: to be read, and written where a result
// is exported. It reports the files, and each scope beside them.
func (w *Walls) landlock(c Config) {
	offered, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		w.report("landlock", fmt.Errorf("not offered by this system: %w", errno))
		return
	}
	for _, v := range versions {
		if v.version <= int(offered) {
			err := w.restrict(v.config, c)
			w.unset = err
			w.report("landlock", err)
			w.reportScopes(v.version, int(offered), err)
			return
		}
	}
	w.report("landlock", fmt.Errorf("this system offers version %d, and 3 is needed", offered))
}

func (w *Walls) reportScopes(version, offered int, err error) {
	for _, s := range scopes {
		if err == nil && s.since > version {
			err = fmt.Errorf("this system offers version %d, and %d is needed", offered, s.since)
		}
		w.report("landlock of "+s.name, err)
	}
}

func (w *Walls) restrict(version landlock.Config, c Config) error {
	// DuckDB reads the limits of its control group when it opens a database, and falls over
	// a file that it sees and may not read. What landlock allows is an inode, and the kernel
	// forgets those of /proc that nobody has open, and makes others: so it stays open.
	group, err := os.Open("/proc/self/cgroup")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("read the control group: %w", err)
	}
	w.kept = append(w.kept, group)
	rules := []landlock.Rule{landlock.PathAccess(readFile, "/proc/self/cgroup", "/sys/fs/cgroup").IgnoreIfMissing()}
	if c.Files != "" {
		rules = append(rules, landlock.PathAccess(readFile|writeFile|truncateFile, filepath.Clean(c.Files)))
	}
	if c.Read != "" {
		rules = append(rules, landlock.PathAccess(readFile|readDir, filepath.Clean(c.Read)))
	}
	for _, path := range c.Programs {
		info, err := os.Stat(path)
		if err != nil {
			continue // this user does not reach it anyway
		}
		rights := landlock.AccessFSSet(execute | readFile)
		if info.IsDir() {
			rights |= readDir
		}
		rules = append(rules, landlock.PathAccess(rights, path))
	}
	if err := version.Restrict(rules...); err != nil {
		return fmt.Errorf("not offered by this system: %w", err)
	}
	if _, err := os.ReadFile("/etc/passwd"); err == nil {
		return errors.New("it was set, and /etc/passwd can still be read")
	}
	return nil
}
