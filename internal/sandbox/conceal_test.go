//go:build linux

package sandbox

import (
	"os"
	"os/exec"
	"strconv"
	"testing"

	"golang.org/x/sys/unix"
)

// TestConceal has a process of the same user look into this one, and a child start.
func TestConceal(t *testing.T) {
	if err := Conceal(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = setDumpable(1) })
	look := exec.CommandContext(t.Context(), "cat", "/proc/"+strconv.Itoa(os.Getpid())+"/environ")
	if os.Getuid() == 0 {
		t.Log("as root: whether another user is kept away is not tried")
	} else if err := look.Run(); err == nil {
		t.Error("another process of this user reads the environment of this one")
	}
	p := start(t, nil)
	var a said
	if err := p.Do(t.Context(), Task{Request: asked{"say x"}, Answer: &a}); err != nil || a.Text != "x" {
		t.Errorf("a child of a concealed process: %+v, %v", a, err)
	}
	given := exec.CommandContext(t.Context(), "true")
	given.SysProcAttr = isolation(false)
	namespaces := []string{"net", "ipc"}
	if err := given.Run(); err != nil { // as in a chroot, for who is not root
		t.Logf("NOT TESTED: that a child has namespaces of its own, which this system gives nobody: %v", err)
		namespaces = nil
	}
	for _, namespace := range namespaces {
		theirs, _ := os.Readlink("/proc/" + strconv.Itoa(a.PID) + "/ns/" + namespace)
		ours, _ := os.Readlink("/proc/self/ns/" + namespace)
		if theirs == ours {
			t.Errorf("the child of a concealed process has no %s namespace of its own", namespace)
		}
	}
	if dumpable, err := unix.PrctlRetInt(unix.PR_GET_DUMPABLE, 0, 0, 0, 0); err != nil || dumpable != 0 {
		t.Errorf("afterwards it is visible: %d, %v", dumpable, err)
	}
}
