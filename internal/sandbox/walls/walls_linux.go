package walls

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"syscall"

	"github.com/elastic/go-seccomp-bpf"
	"github.com/landlock-lsm/go-landlock/landlock"
	"golang.org/x/sys/unix"
)

// Build builds the walls of this process, for good. Without those of the memory and of the
// parent it fails; what else the system offers is set and read back, and what it does not
// offer is in the report.
func Build(c Config) (*Walls, error) {
	c = c.withDefaults()
	w := &Walls{}
	var err error
	if w.statm, err = os.Open("/proc/self/statm"); err != nil {
		return nil, fmt.Errorf("read the memory in use: %w", err)
	}
	_ = os.WriteFile("/proc/self/comm", []byte(c.Name), 0) // the server starts it by a descriptor, whose number it would be called
	if err := watchParent(c.Parent); err != nil {
		return nil, err
	}
	for _, l := range []struct {
		name     string
		resource int
		most     uint64
	}{
		{"address space", unix.RLIMIT_AS, c.Memory},
		{"core files", unix.RLIMIT_CORE, 0},
		{"open files", unix.RLIMIT_NOFILE, maxOpenFiles},
		{"size of files", unix.RLIMIT_FSIZE, c.FileBytes},
	} {
		if err := limit(l.resource, l.most, l.most); err != nil {
			return nil, fmt.Errorf("limit the %s to %d: %w", l.name, l.most, err)
		}
		w.InForce = append(w.InForce, "limit of "+l.name)
	}
	if err := limitProcessor(c.CPUSeconds); err != nil {
		return nil, err
	}
	w.InForce = append(w.InForce, "limit of processor time")
	if os.Getuid() != 0 {
		w.InForce = append(w.InForce, "user "+strconv.Itoa(os.Getuid()))
	} else {
		w.NotInForce = append(w.NotInForce, "another user: it runs as root")
	}
	w.report("own network namespace", checkNetwork())
	w.report("landlock", w.landlock(c))
	w.report("seccomp", filterCalls())
	return w, nil
}

func (w *Walls) report(name string, err error) {
	if err != nil {
		w.NotInForce = append(w.NotInForce, name+": "+err.Error())
		return
	}
	w.InForce = append(w.InForce, name)
}

// watchParent makes sure that the process ends with the server, also when that has ended
// already.
func watchParent(parent int) error {
	if err := unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(syscall.SIGKILL), 0, 0, 0); err != nil {
		return fmt.Errorf("end with the server: %w", err)
	}
	if parent != 0 && os.Getppid() != parent {
		return fmt.Errorf("the server %d has ended", parent)
	}
	return nil
}

// limitProcessor ends the process with a code of its own when its processor time is used up.
func limitProcessor(seconds uint64) error {
	const grace = 5 // seconds, after which the kernel ends it
	if err := limit(unix.RLIMIT_CPU, seconds, seconds+grace); err != nil {
		return fmt.Errorf("limit the processor time: %w", err)
	}
	used := make(chan os.Signal, 1)
	signal.Notify(used, syscall.SIGXCPU)
	go func() {
		<-used
		os.Exit(ExitOutOfTime) //nolint:revive // in the middle of a task
	}()
	return nil
}

// limit sets a limit, for good, and reads it back.
func limit(resource int, most, hard uint64) error {
	want := unix.Rlimit{Cur: most, Max: hard}
	if err := unix.Setrlimit(resource, &want); err != nil {
		return err //nolint:wrapcheck // the caller says what
	}
	var got unix.Rlimit
	if err := unix.Getrlimit(resource, &got); err != nil {
		return err //nolint:wrapcheck // the caller says what
	}
	if got != want {
		return fmt.Errorf("it reads %d", got.Cur)
	}
	return nil
}

// checkNetwork reports whether the server started this process in a network of its own,
// in which there is nothing but a loopback that is down.
func checkNetwork() error {
	interfaces, err := net.Interfaces()
	if err != nil {
		return fmt.Errorf("cannot be checked: %w", err)
	}
	for _, i := range interfaces {
		if i.Flags&net.FlagUp != 0 {
			return fmt.Errorf("the interface %s is up", i.Name)
		}
	}
	return nil
}

// landlock leaves only the directory of the files: to be read, and written where a result
// is exported.
func (w *Walls) landlock(c Config) error {
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
	if err := landlock.V3.RestrictPaths(rules...); err != nil {
		return fmt.Errorf("not offered by this system: %w", err)
	}
	if _, err := os.ReadFile("/etc/passwd"); err == nil {
		return fmt.Errorf("it was set, and /etc/passwd can still be read")
	}
	return nil
}

// Rights of landlock(7).
const (
	writeFile    = 1 << 1
	readFile     = 1 << 2
	readDir      = 1 << 3
	truncateFile = 1 << 14
)

// refused are the system calls that a child has no use for: networks, other programs and
// processes, and what escapes are made of.
var refused = []string{
	"socket", "socketpair", "connect", "bind", "listen", "accept", "accept4", "sendto", "sendmsg", "sendmmsg",
	"execve", "execveat", "fork", "vfork", "ptrace", "process_vm_readv", "process_vm_writev", "pidfd_getfd", "kcmp",
	"mount", "umount2", "pivot_root", "chroot", "unshare", "setns", "open_tree", "move_mount", "fsopen", "fsmount", "mknod", "mknodat",
	"bpf", "perf_event_open", "userfaultfd", "io_uring_setup", "io_uring_enter", "io_uring_register", "keyctl", "add_key", "request_key",
	"init_module", "finit_module", "delete_module", "kexec_load", "kexec_file_load", "reboot", "swapon", "swapoff", "syslog", "acct",
	"symlink", "symlinkat", "link", "linkat", "rename", "renameat", "renameat2", "unlink", "unlinkat", "chmod", "fchmod", "fchmodat", "chown", "fchown", "lchown", "fchownat",
	"personality", "setuid", "setgid", "setresuid", "setresgid", "setreuid", "setregid", "capset", "name_to_handle_at", "open_by_handle_at", "memfd_create",
}

// filterCalls refuses those calls on every thread, and new processes: clone only makes
// threads, and clone3, whose arguments cannot be seen, reads as if the system lacked it,
// upon which libraries take clone.
func filterCalls() error {
	filter := seccomp.Filter{
		NoNewPrivs: true, Flag: seccomp.FilterFlagTSync,
		Policy: seccomp.Policy{DefaultAction: seccomp.ActionAllow, Syscalls: []seccomp.SyscallGroup{
			{Action: seccomp.ActionErrno, Names: refused},
			{Action: seccomp.ActionErrno | seccomp.Action(syscall.ENOSYS), Names: []string{"clone3"}},
			{Action: seccomp.ActionErrno, NamesWithCondtions: []seccomp.NameWithConditions{
				{Name: "clone", Conditions: seccomp.ArgumentConditions{{Argument: 0, Operation: seccomp.BitsNotSet, Value: syscall.CLONE_THREAD}}},
			}},
		}},
	}
	if err := seccomp.LoadFilter(filter); err != nil {
		return fmt.Errorf("not offered by this system: %w", err)
	}
	if fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0); err == nil {
		_ = unix.Close(fd)
		return fmt.Errorf("it was set, and sockets can still be opened")
	}
	return nil
}

// Resident returns the bytes of memory that this process holds.
func (w *Walls) Resident() int64 {
	text := make([]byte, 128)
	n, err := w.statm.ReadAt(text, 0)
	if n == 0 && err != nil {
		return 0
	}
	fields := bytes.Fields(text[:n])
	if len(fields) < 2 {
		return 0
	}
	pages, _ := strconv.ParseInt(string(fields[1]), 10, 64)
	return pages * int64(os.Getpagesize())
}
