package release

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// container is a Debian whose systemd runs, in namespaces of its own.
type container struct{ pid int }

// asRoot skips a test where no system can be made.
func asRoot(t *testing.T) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("NOT TESTED: only root can make a system")
	}
	for _, program := range []string{"mmdebstrap", "unshare", "nsenter"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("NOT TESTED: there is no %s: apt-get install mmdebstrap util-linux", program)
		}
	}
}

// newContainer makes a fresh Debian 12 with systemd and little else, and starts it. It ends
// with the test, and leaves nothing.
func newContainer(t *testing.T, files ...string) *container {
	t.Helper()
	root := t.TempDir()
	const mirror = "deb http://deb.debian.org/debian bookworm main"
	command(t, "mmdebstrap", "--quiet", "--variant=minbase", "--include=ca-certificates,systemd-sysv", "bookworm", root, mirror)
	// The machine's own certificates and proxies, where it reaches the packages through one.
	for _, file := range append(files, "/etc/resolv.conf") {
		to := filepath.Join(root, "root", filepath.Base(file))
		if file == "/etc/resolv.conf" {
			to = filepath.Join(root, file)
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(to, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	c := startContainer(t, root, "/lib/systemd/systemd", "--show-status=no", "--log-target=console", "--log-level=warning")
	c.until(t, "test -S /run/systemd/private && systemctl is-system-running --wait")
	return c
}

// startContainer starts the first process of a system in a folder.
func startContainer(t *testing.T, root string, args ...string) *container {
	t.Helper()
	group := newGroup(t)
	cmd := exec.CommandContext(t.Context(), "unshare", append([]string{"--cgroup", "sh", "container.sh", root}, args...)...)
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWNS | syscall.CLONE_NEWPID | syscall.CLONE_NEWIPC | syscall.CLONE_NEWUTS,
		UseCgroupFD: true, CgroupFD: int(group.Fd()),
	}
	log := &strings.Builder{}
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { // after the end of the test's context, which kills it and all that it started
		_ = cmd.Wait()
		if t.Failed() {
			t.Logf("the system said:\n%s", log)
		}
	})
	return &container{pid: cmd.Process.Pid}
}

// newGroup makes a control group, which is removed after the test.
func newGroup(t *testing.T) *os.File {
	t.Helper()
	for _, root := range []string{"/sys/fs/cgroup", "/sys/fs/cgroup/unified"} {
		if _, err := os.Stat(filepath.Join(root, "cgroup.procs")); err != nil {
			continue
		}
		if _, err := os.Stat(filepath.Join(root, "cgroup.controllers")); err != nil {
			continue // version 1
		}
		dir, err := os.MkdirTemp(root, "kappa-release-")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { removeGroup(dir) })
		group, err := os.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = group.Close() })
		return group
	}
	t.Skip("NOT TESTED: there are no control groups of version 2")
	return nil
}

// removeGroup removes a control group and those below it.
func removeGroup(dir string) {
	entries, _ := os.ReadDir(dir)
	for _, entry := range entries {
		if entry.IsDir() {
			removeGroup(filepath.Join(dir, entry.Name()))
		}
	}
	_ = syscall.Rmdir(dir)
}

// try runs a script in the container as root.
func (c *container) try(ctx context.Context, script string) (string, error) {
	cmd := exec.CommandContext(ctx, "nsenter", "-t", strconv.Itoa(c.pid), "-m", "-p", "-i", "-u", "-C", "-r", "-w",
		"env", "-i", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/root", "DEBIAN_FRONTEND=noninteractive", "sh", "-euc", script)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// run runs a script that must succeed.
func (c *container) run(t *testing.T, script string) string {
	t.Helper()
	out, err := c.try(t.Context(), script)
	if err != nil {
		journal, _ := c.try(t.Context(), "journalctl -u kappa -o cat --no-pager | tail -30")
		t.Fatalf("%s: %v\n%s\nthe journal:\n%s", script, err, out, journal)
	}
	return out
}

// refuses runs scripts that must fail.
func (c *container) refuses(t *testing.T, scripts ...string) {
	t.Helper()
	for _, script := range scripts {
		if out, err := c.try(t.Context(), script); err == nil {
			t.Errorf("%s succeeds:\n%s", script, out)
		}
	}
}

// until runs a script until it succeeds, for a minute at most.
func (c *container) until(t *testing.T, script string) {
	t.Helper()
	c.run(t, "for try in $(seq 300); do ( "+script+" ) >/dev/null 2>&1 && exit 0; sleep 0.2; done; "+script)
}

// command runs a command that must succeed, and returns what it says.
func command(t *testing.T, name string, args ...string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), name, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %q: %v\n%s", name, args, err, out)
	}
	return string(out)
}
