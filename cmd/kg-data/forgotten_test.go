//go:build cgo && linux

package main

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"github.com/kappagraph/kappa/internal/dataset/frame"
)

// insideVariable says that a test runs in a process of its own with a /proc of its own.
const insideVariable = "KG_TEST_OWN_PROC"

// TestWorkersOutliveWhatTheKernelForgets has the kernel forget the inodes of /proc that
// nobody uses, as it does by itself after a while. A worker must go on opening databases.
func TestWorkersOutliveWhatTheKernelForgets(t *testing.T) {
	if os.Getenv(insideVariable) != "" {
		forgetAndAsk(t)
		return
	}
	inside := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
	inside.Env = append(os.Environ(), insideVariable+"=1")
	inside.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWPID | syscall.CLONE_NEWNS, Pdeathsig: syscall.SIGKILL}
	if os.Getuid() != 0 {
		inside.SysProcAttr.Cloneflags |= syscall.CLONE_NEWUSER
		inside.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}}
		inside.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}}
	}
	said, err := inside.CombinedOutput()
	if inside.Process == nil {
		t.Skipf("SKIPPED: this system gives no namespace to a test: %v", err)
	}
	if err != nil {
		t.Errorf("%v\n%s", err, said)
	}
}

func forgetAndAsk(t *testing.T) {
	t.Helper()
	mount := func(source, target, kind string, flags uintptr) {
		t.Helper()
		if err := syscall.Mount(source, target, kind, flags, ""); err != nil {
			t.Fatalf("mount %s: %v", target, err)
		}
	}
	private := "/"
	if err := syscall.Mount("", private, "", syscall.MS_REC|syscall.MS_PRIVATE, ""); errors.Is(err, syscall.EINVAL) {
		private = "/proc" // below a root that is no mount, as after chroot, what is mounted there has to be
	}
	mount("", private, "", syscall.MS_REC|syscall.MS_PRIVATE)
	mount("proc", "/proc", "proc", 0)
	p, _ := newPool(t, 1)
	for range 4 {
		if _, err := do(t, p, 20*time.Second, frame.Request{Op: frame.OpQuery, SQL: "SELECT 1", Limit: 1}); err != nil {
			t.Fatal(err)
		}
		mount("proc", "/proc", "proc", syscall.MS_REMOUNT) // forgets what nobody uses
	}
	if s := p.Stats(); s.Started != 1 {
		t.Errorf("%d workers were needed, want the first one to go on: %+v", s.Started, s)
	}
}
