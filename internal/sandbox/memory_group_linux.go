package sandbox

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// memoryGroups makes control groups that limit the memory of children, one for each, below a
// directory in which this process may make them: see cgroups(7). Such a limit counts what
// that of the address space leaves out, such as cached pages of the files that a child
// reads and what the kernel holds for it.
type memoryGroups struct {
	dir   string // in which the groups are made
	name  string // with which their names begin
	limit string // the file that has the limit
	swap  string // the file that limits memory and swap, or swap; may be missing
	both  bool   // swap counts memory too
}

const (
	serverGroup   = "kg-server" // to which a server moves itself in a group that was delegated to it
	controlGroups = "/sys/fs/cgroup"
)

var errNotDelegated = errors.New("no control group was delegated to the server; under systemd, set Delegate=memory in its unit")

// findMemoryGroups finds where this process may make groups that limit memory. membership
// is the text of /proc/self/cgroup, root where control groups are mounted.
func findMemoryGroups(name, membership, root string) (*memoryGroups, error) {
	var unified, memory string
	for line := range strings.Lines(membership) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(parts) != 3 {
			continue
		}
		switch {
		case slices.Contains(strings.Split(parts[1], ","), "memory"):
			memory = parts[2]
		case parts[0] == "0":
			unified = parts[2]
		}
	}
	if memory != "" { // version 1, in which a group with processes may have groups below it
		return (&memoryGroups{name: name, dir: filepath.Join(root, "memory", memory), limit: "memory.limit_in_bytes", swap: "memory.memsw.limit_in_bytes", both: true}).usable()
	}
	if unified == "" {
		return nil, errors.New("this system has no control groups")
	}
	own := filepath.Join(root, unified)
	g := &memoryGroups{name: name, limit: "memory.max", swap: "memory.swap.max"}
	// A group that hands controllers down may have no processes of its own. So the children's
	// groups stand beside this one, or this process moves to a group below.
	switch above := filepath.Dir(own); {
	case unified != "/" && handsDown(above) && filepath.Base(own) == serverGroup:
		g.dir = above
	case delegated(own):
		if err := moveDown(own); err != nil {
			return nil, err
		}
		g.dir = own
	case unified != "/" && delegated(above) && handsDown(above):
		g.dir = above
	default:
		return nil, errNotDelegated
	}
	return g.usable()
}

// usable removes what servers left behind that have ended, and makes sure that groups can
// be made.
func (g *memoryGroups) usable() (*memoryGroups, error) {
	left, _ := filepath.Glob(filepath.Join(g.dir, g.name+"-*-*"))
	for _, dir := range left {
		server, _, _ := strings.Cut(strings.TrimPrefix(filepath.Base(dir), g.name+"-"), "-")
		if _, err := os.Stat("/proc/" + server); err != nil {
			_ = unix.Rmdir(dir) // refused while there is a process in it
		}
	}
	trial := filepath.Join(g.dir, g.name+"-"+strconv.Itoa(os.Getpid()))
	if err := os.Mkdir(trial, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		if errors.Is(err, fs.ErrPermission) || errors.Is(err, fs.ErrNotExist) || errors.Is(err, unix.EROFS) {
			return nil, errNotDelegated
		}
		return nil, fmt.Errorf("make a control group: %w", err)
	}
	_, err := os.Stat(filepath.Join(trial, g.limit))
	_ = unix.Rmdir(trial)
	if err != nil {
		return nil, fmt.Errorf("the control groups in %s do not limit memory", g.dir)
	}
	return g, nil
}

// delegated reports whether the manager of services gave a group to this one.
func delegated(group string) bool {
	value := make([]byte, 8)
	for _, name := range []string{"user.delegate", "trusted.delegate"} {
		if n, err := unix.Getxattr(group, name, value); err == nil && string(value[:n]) == "1" {
			return true
		}
	}
	return false
}

// handsDown reports whether the groups below a group limit memory.
func handsDown(group string) bool {
	text, err := os.ReadFile(filepath.Join(group, "cgroup.subtree_control"))
	return err == nil && slices.Contains(strings.Fields(string(text)), "memory")
}

// moveDown moves the processes of a group to one below it, and has the group hand down the
// limit of memory.
func moveDown(group string) error {
	if handsDown(group) {
		return nil
	}
	below := filepath.Join(group, serverGroup)
	if err := os.Mkdir(below, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return errNotDelegated
	}
	for range 10 { // a process may be born meanwhile
		text, err := os.ReadFile(filepath.Join(group, "cgroup.procs"))
		if err != nil {
			return fmt.Errorf("read the processes of the control group: %w", err)
		}
		for pid := range strings.FieldsSeq(string(text)) {
			_ = writeControl(filepath.Join(below, "cgroup.procs"), pid) // it may have ended
		}
		if err = writeControl(filepath.Join(group, "cgroup.subtree_control"), "+memory"); err == nil {
			return nil
		}
	}
	return fmt.Errorf("the control group %s does not hand down its limit of memory", group)
}

// memoryGroup is a group with one process.
type memoryGroup struct{ dir string }

// remove removes the group when its process has ended.
func (g *memoryGroup) remove() {
	for wait := time.Millisecond; unix.Rmdir(g.dir) == unix.EBUSY && wait < time.Second; wait *= 2 {
		time.Sleep(wait) //nolint:forbidigo // nothing is waited for longer; the kernel is still taking the process apart
	}
}

// starved reports that the kernel ended the process because the group had no memory left.
func (g *memoryGroup) starved() bool {
	for _, file := range []string{"memory.events", "memory.oom_control"} { // of version 2, of version 1
		text, _ := os.ReadFile(filepath.Join(g.dir, file)) // one of them is there
		for line := range strings.Lines(string(text)) {
			if n, found := strings.CutPrefix(strings.TrimSpace(line), "oom_kill "); found && n != "0" {
				return true
			}
		}
	}
	return false
}

// confine puts a process in a group of its own.
func (g *memoryGroups) confine(pid int, memory uint64) (*memoryGroup, error) {
	group := &memoryGroup{filepath.Join(g.dir, fmt.Sprintf("%s-%d-%d", g.name, os.Getpid(), pid))}
	if err := os.Mkdir(group.dir, 0o755); err != nil {
		return nil, fmt.Errorf("make a control group: %w", err)
	}
	most := strconv.FormatUint(memory, 10)
	noSwap := "0"
	if g.both {
		noSwap = most
	}
	err := cmp.Or(writeControl(filepath.Join(group.dir, g.limit), most), readBack(filepath.Join(group.dir, g.limit), memory))
	if err == nil {
		_ = writeControl(filepath.Join(group.dir, g.swap), noSwap)
		err = writeControl(filepath.Join(group.dir, "cgroup.procs"), strconv.Itoa(pid))
	}
	if err != nil {
		group.remove()
		return nil, fmt.Errorf("limit the memory of the control group: %w", err)
	}
	return group, nil
}

// readBack checks a limit, which the kernel rounds down to whole pages.
func readBack(file string, want uint64) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err //nolint:wrapcheck // it names the file
	}
	page := uint64(os.Getpagesize())
	if got, err := strconv.ParseUint(strings.TrimSpace(string(text)), 10, 64); err != nil || got/page != want/page {
		return fmt.Errorf("%s reads %s", file, strings.TrimSpace(string(text)))
	}
	return nil
}

// writeControl writes a file of a control group, which must be there already.
func writeControl(file, text string) error {
	f, err := os.OpenFile(file, os.O_WRONLY, 0)
	if err != nil {
		return err //nolint:wrapcheck // it names the file
	}
	_, err = f.WriteString(text)
	return cmp.Or(err, f.Close())
}

// ownGroups finds where this process may make groups.
func ownGroups(name string) (*memoryGroups, error) {
	text, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return nil, errors.New("this system has no control groups")
	}
	return findMemoryGroups(name, string(text), controlGroups)
}
