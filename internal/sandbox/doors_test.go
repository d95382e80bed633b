//go:build linux

package sandbox

import (
	"context"
	"errors"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// asDuckDB is the directory of a child of these tests that has the walls of a dataset worker.
const asDuckDB = "/var"

// doors are ways past the walls: calls of the system, which a child tries for a test.
type doors struct {
	server  int                       // the process that is attacked
	foreign map[string]func() uintptr // made before the walls stand
	early   chan func()               // run on a thread from before the walls
}

// openDoors is called before the walls stand.
func openDoors(server int) doors {
	d := doors{server: server, foreign: map[string]func() uintptr{}, early: make(chan func())}
	if runtime.GOARCH == "amd64" {
		d.foreign["i386 getpid"] = machineCode([]byte{0xb8, 20, 0, 0, 0, 0xcd, 0x80, 0xc3})                                                               // mov eax, 20; int 0x80; ret
		d.foreign["i386 socket"] = machineCode([]byte{0x53, 0xb8, 0x67, 1, 0, 0, 0xbb, 1, 0, 0, 0, 0xb9, 1, 0, 0, 0, 0x31, 0xd2, 0xcd, 0x80, 0x5b, 0xc3}) // push rbx; eax 359; ebx 1; ecx 1; edx 0; int 0x80
	}
	go func() {
		runtime.LockOSThread()
		for f := range d.early {
			f()
		}
	}()
	return d
}

// machineCode returns what runs code.
func machineCode(code []byte) func() uintptr {
	page, err := unix.Mmap(-1, 0, 4096, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		panic(err)
	}
	copy(page, code)
	if err := unix.Mprotect(page, unix.PROT_READ|unix.PROT_EXEC); err != nil {
		panic(err)
	}
	start := unsafe.Pointer(&page[0])
	closure := &start
	return *(*func() uintptr)(unsafe.Pointer(&closure))
}

// calls are those of this processor that a child tries: number and arguments.
var calls = map[string][]uintptr{
	"socket": {unix.SYS_SOCKET, unix.AF_UNIX, unix.SOCK_STREAM}, "socket of the network": {unix.SYS_SOCKET, unix.AF_INET, unix.SOCK_STREAM},
	"socketpair": {unix.SYS_SOCKETPAIR, unix.AF_UNIX, unix.SOCK_STREAM}, "connect": {unix.SYS_CONNECT, 0}, "sendto": {unix.SYS_SENDTO, 0}, "recvmsg": {unix.SYS_RECVMSG, 0},
	"kill the server": {unix.SYS_KILL, theServer, 0}, "kill everybody": {unix.SYS_KILL, ^uintptr(0), 0}, "kill a group": {unix.SYS_KILL, 0, 0},
	"tkill": {unix.SYS_TKILL, theServer, 0}, "tgkill the server": {unix.SYS_TGKILL, theServer, theServer, 0},
	"rt_sigqueueinfo": {unix.SYS_RT_SIGQUEUEINFO, theServer, 0}, "rt_tgsigqueueinfo": {unix.SYS_RT_TGSIGQUEUEINFO, theServer, theServer, 0},
	"prlimit of the server": {unix.SYS_PRLIMIT64, theServer, unix.RLIMIT_NOFILE}, "setpriority": {unix.SYS_SETPRIORITY, 0, theServer, 19},
	"sched_setaffinity": {unix.SYS_SCHED_SETAFFINITY, theServer}, "sched_setscheduler": {unix.SYS_SCHED_SETSCHEDULER, theServer}, "sched_setattr": {unix.SYS_SCHED_SETATTR, theServer},
	"ioprio_set": {unix.SYS_IOPRIO_SET, 1, theServer}, "owner of a descriptor's signals": {unix.SYS_FCNTL, 0, unix.F_SETOWN, theServer}, "signal of a descriptor": {unix.SYS_FCNTL, 0, 10, 9},
	"a new process": {unix.SYS_CLONE, uintptr(unix.SIGCHLD)}, "a thread in a new network": {unix.SYS_CLONE, unix.CLONE_VM | unix.CLONE_SIGHAND | unix.CLONE_THREAD | unix.CLONE_NEWNET},
	"memfd_create": {unix.SYS_MEMFD_CREATE, 0}, "seccomp": {unix.SYS_SECCOMP, 1}, "prctl dumpable": {unix.SYS_PRCTL, unix.PR_SET_DUMPABLE, 1}, "prctl ptracer": {unix.SYS_PRCTL, unix.PR_SET_PTRACER, 1},
	"shmget": {unix.SYS_SHMGET, 1, 4096, 0o1600}, "msgget": {unix.SYS_MSGGET, 1, 0o1600}, "mq_open": {unix.SYS_MQ_OPEN, 0}, "ioctl": {unix.SYS_IOCTL, 0, unix.TIOCSTI},
	"unlinkat": {unix.SYS_UNLINKAT, 0}, "renameat2": {unix.SYS_RENAMEAT2, 0}, "symlinkat": {unix.SYS_SYMLINKAT, 0}, "fchmod": {unix.SYS_FCHMOD, 0, 0o777}, "inotify_init1": {unix.SYS_INOTIFY_INIT1, 0},
	"timer_create": {unix.SYS_TIMER_CREATE, 0}, "landlock_restrict_self": {unix.SYS_LANDLOCK_RESTRICT_SELF, 0}, "a call that nobody knows": {4000, 0},

	"ptrace": {unix.SYS_PTRACE, unix.PTRACE_ATTACH, theServer}, "process_vm_readv": {unix.SYS_PROCESS_VM_READV, theServer}, "process_vm_writev": {unix.SYS_PROCESS_VM_WRITEV, theServer},
	"pidfd_open": {unix.SYS_PIDFD_OPEN, theServer}, "pidfd_getfd": {unix.SYS_PIDFD_GETFD, 0}, "kcmp": {unix.SYS_KCMP, theServer}, "execve": {unix.SYS_EXECVE, 0}, "execveat": {unix.SYS_EXECVEAT, 0},
	"bpf": {unix.SYS_BPF, 0}, "perf_event_open": {unix.SYS_PERF_EVENT_OPEN, 0}, "userfaultfd": {unix.SYS_USERFAULTFD, 0}, "io_uring_setup": {unix.SYS_IO_URING_SETUP, 1}, "keyctl": {unix.SYS_KEYCTL, 0}, "add_key": {unix.SYS_ADD_KEY, 0},
	"unshare": {unix.SYS_UNSHARE, unix.CLONE_NEWUSER}, "setns": {unix.SYS_SETNS, 0}, "mount": {unix.SYS_MOUNT, 0}, "pivot_root": {unix.SYS_PIVOT_ROOT, 0}, "chroot": {unix.SYS_CHROOT, 0},
	"init_module": {unix.SYS_INIT_MODULE, 0}, "kexec_load": {unix.SYS_KEXEC_LOAD, 0}, "setuid": {unix.SYS_SETUID, 0}, "capset": {unix.SYS_CAPSET, 0}, "personality": {unix.SYS_PERSONALITY, 0},

	"clone3":        {unix.SYS_CLONE3, 0, 88},
	"getpid of x32": {0x40000000 | unix.SYS_GETPID},

	"signal itself": {unix.SYS_KILL, itself, 0}, "signal its thread": {unix.SYS_TGKILL, itself, itself, 0}, "its own limits": {unix.SYS_PRLIMIT64, 0, unix.RLIMIT_NOFILE},
	"getpid": {unix.SYS_GETPID}, "executable memory": {unix.SYS_MMAP, 0, 4096, unix.PROT_READ | unix.PROT_EXEC, unix.MAP_PRIVATE | unix.MAP_ANONYMOUS, ^uintptr(0)},
}

// Arguments that a child replaces.
const (
	theServer = 1<<62 + iota
	itself
)

// try does a call and says what came of it. The words before its name say where: on a
// thread of before the walls, or on a new one.
func (d doors) try(name string) (result string) {
	if rest, ok := strings.CutPrefix(name, "early "); ok {
		done := make(chan struct{})
		d.early <- func() { result = d.try(rest); close(done) }
		<-done
		return result
	}
	if rest, ok := strings.CutPrefix(name, "late "); ok {
		done := make(chan struct{})
		go func() { runtime.LockOSThread(); result = d.try(rest); close(done) }()
		<-done
		return result
	}
	if f := d.foreign[name]; f != nil {
		if int32(f()) < 0 {
			return "refused"
		}
		return "answered"
	}
	call := calls[name]
	arguments := make([]uintptr, 6)
	for i, a := range call {
		switch {
		case i == 0:
			continue
		case a == theServer:
			a = uintptr(d.server)
		case a == itself:
			a = uintptr(os.Getpid())
		}
		arguments[i-1] = a
	}
	r, _, errno := unix.RawSyscall6(call[0], arguments[0], arguments[1], arguments[2], arguments[3], arguments[4], arguments[5])
	if r == 0 && strings.HasPrefix(name, "a ") {
		unix.RawSyscall(unix.SYS_EXIT, 0, 0, 0) // the new process
	}
	if errno != 0 {
		return unix.ErrnoName(errno)
	}
	return "answered"
}

// tryDoor has a child try a door.
func tryDoor(t *testing.T, p *Pool, door string) (string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var a said
	err := p.Do(ctx, Task{Request: asked{"door " + door}, Answer: &a})
	return a.Text, err
}

// TestDoors tries the doors beside each wall, of both kinds of child.
func TestDoors(t *testing.T) {
	refused := strings.Split("socket,socket of the network,socketpair,connect,sendto,recvmsg,kill the server,kill everybody,kill a group,tkill,tgkill the server,rt_sigqueueinfo,rt_tgsigqueueinfo,"+
		"prlimit of the server,setpriority,sched_setaffinity,sched_setscheduler,sched_setattr,ioprio_set,owner of a descriptor's signals,signal of a descriptor,a new process,a thread in a new network,"+
		"memfd_create,seccomp,prctl dumpable,prctl ptracer,shmget,msgget,mq_open,ioctl,unlinkat,renameat2,symlinkat,fchmod,inotify_init1,timer_create,landlock_restrict_self,a call that nobody knows", ",")
	killed := strings.Split("ptrace,process_vm_readv,process_vm_writev,pidfd_open,pidfd_getfd,kcmp,execve,execveat,bpf,perf_event_open,userfaultfd,io_uring_setup,keyctl,add_key,"+
		"unshare,setns,mount,pivot_root,chroot,init_module,kexec_load,setuid,capset,personality", ",")
	if runtime.GOARCH == "amd64" {
		killed = append(killed, "i386 getpid", "i386 socket", "getpid of x32", "early i386 socket", "late i386 socket", "early getpid of x32")
	}
	for _, kind := range []string{"", asDuckDB} {
		p := start(t, func(c *Config) { c.Dir, c.Tasks = kind, 1000 })
		for _, door := range append(refused, "early socket", "late socket", "early kill the server", "late kill the server") {
			if got, err := tryDoor(t, p, door); err != nil || got != "EPERM" {
				t.Errorf("%s %s: got %s, %v, want EPERM", kind, door, got, err)
			}
		}
		for _, door := range append(killed, "early ptrace", "late ptrace") {
			if got, err := tryDoor(t, p, door); !errors.Is(err, ErrForbidden) {
				t.Errorf("%s %s: got %s, %v, want that it is killed", kind, door, got, err)
			}
		}
		if got, err := tryDoor(t, p, "clone3"); err != nil || got != "ENOSYS" {
			t.Errorf("%s clone3: got %s, %v", kind, got, err)
		}
		for _, door := range []string{"signal itself", "signal its thread", "its own limits", "getpid"} {
			if got, err := tryDoor(t, p, door); err != nil || got != "answered" {
				t.Errorf("%s %s: got %s, %v", kind, door, got, err)
			}
		}
		want := map[string]string{"": "answered", asDuckDB: "EPERM"}[kind]
		if got, err := tryDoor(t, p, "executable memory"); err != nil || got != want {
			t.Errorf("%s executable memory: got %s, %v, want %s", kind, got, err, want)
		}
	}
}

// TestDescriptors leaks a descriptor, and lists what a child has open.
func TestDescriptors(t *testing.T) {
	leak, err := unix.Open("/etc/hostname", unix.O_RDONLY, 0) // without O_CLOEXEC, as what a shell left
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = unix.Close(leak) }()
	p := start(t, nil)
	var a said
	if err := p.Do(t.Context(), Task{Request: asked{"say x"}, Answer: &a}); err != nil {
		t.Fatal(err)
	}
	seen, err := os.ReadDir("/proc/" + strconv.Itoa(a.PID) + "/fd")
	if err != nil {
		t.Fatal(err)
	}
	open := map[string]string{}
	for _, f := range seen {
		open[f.Name()], _ = os.Readlink("/proc/" + strconv.Itoa(a.PID) + "/fd/" + f.Name())
	}
	for _, standard := range []string{"0", "1", "2"} {
		if open[standard] != os.DevNull {
			t.Errorf("the descriptor %s is %s", standard, open[standard])
		}
	}
	for name, file := range open {
		switch {
		case file == os.DevNull, strings.HasPrefix(file, "pipe:"), strings.HasPrefix(file, "anon_inode:"), strings.HasPrefix(file, "/proc/"), strings.HasPrefix(file, "/memfd:kg-test"), strings.HasPrefix(file, "/sys/fs/cgroup/cpu"): // the last of Go itself
		default:
			t.Errorf("the child has %s open, as %s", file, name)
		}
	}
}
