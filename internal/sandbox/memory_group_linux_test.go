package sandbox

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// tree makes files below a new directory, from their paths and texts.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(root, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func TestFindMemoryGroups(t *testing.T) {
	const v2 = "0::/system.slice/kappa.service\n"
	plain := map[string]string{"system.slice/kappa.service/cgroup.procs": "1\n", "system.slice/cgroup.subtree_control": "cpu memory pids\n"}
	for name, c := range map[string]struct {
		membership string
		files      map[string]string
		want       string
	}{
		"no control groups":                   {"", nil, "no control groups"},
		"a line that is none":                 {"x\n", nil, "no control groups"},
		"nobody delegated the group":          {v2, plain, "Delegate=memory"},
		"the root of a container":             {"0::/\n", map[string]string{"cgroup.procs": "1\n"}, "Delegate=memory"},
		"version 1, which is not mounted":     {"4:memory:/user\n0::/\n", nil, "Delegate=memory"},
		"memory is not handed down to groups": {"0::/a/kg-server\n", map[string]string{"a/kg-server/cgroup.procs": "1", "a/cgroup.subtree_control": "memory"}, "do not limit memory"},
	} {
		t.Run(name, func(t *testing.T) {
			if g, err := findMemoryGroups("kg-test", c.membership, tree(t, c.files)); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %+v, %v, want %q", g, err, c.want)
			}
		})
	}
	t.Run("a delegated group, in which the processes move down first", func(t *testing.T) {
		root := tree(t, map[string]string{
			"system.slice/kappa.service/cgroup.procs": "17\n", "system.slice/kappa.service/cgroup.subtree_control": "",
			"system.slice/kappa.service/kg-server/cgroup.procs": "",
		})
		own := filepath.Join(root, "system.slice/kappa.service")
		if err := unix.Setxattr(own, "user.delegate", []byte("1"), 0); err != nil {
			t.Skipf("SKIPPED: this file system keeps no attributes, by which delegated groups are known: %v", err)
		}
		_, err := findMemoryGroups("kg-test", v2, root) // a directory is no control group, so the trial has no limit
		moved, _ := os.ReadFile(filepath.Join(own, "kg-server/cgroup.procs"))
		control, _ := os.ReadFile(filepath.Join(own, "cgroup.subtree_control"))
		if err == nil || !strings.Contains(err.Error(), own) || string(moved) != "17" || string(control) != "+memory" {
			t.Errorf("moved %q, handed down %q, %v", moved, control, err)
		}
	})
}

// TestMemoryGroup limits a real process, where this system lets us.
func TestMemoryGroup(t *testing.T) {
	g, err := ownGroups("kg-test")
	if err != nil {
		t.Skipf("SKIPPED: no child's memory can be limited by a control group here: %v", err)
	}
	const memory = 64 << 20
	run := func(kilobytes string) (starved bool, err error) {
		// It waits for a line, by which time it is in its group.
		cmd := exec.Command("sh", "-c", "read x; exec dd if=/dev/zero of=/dev/null bs="+kilobytes+"k count=1")
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		group, err := g.confine(cmd.Process.Pid, memory)
		if err != nil {
			t.Fatal(err)
		}
		defer group.remove()
		if _, err := in.Write([]byte("go\n")); err != nil {
			t.Fatal(err)
		}
		err = cmd.Wait()
		return group.starved(), err
	}
	if starved, err := run("1024"); err != nil || starved {
		t.Errorf("a process of 1 MiB: %v, starved is %v", err, starved)
	}
	var ended *exec.ExitError
	if starved, err := run("200000"); !errors.As(err, &ended) || !starved {
		t.Errorf("a process of 200 MB in a group of 64 MiB: %v, starved is %v", err, starved)
	}
	if left, _ := filepath.Glob(filepath.Join(g.dir, g.name+"-"+strconv.Itoa(os.Getpid())+"*")); len(left) != 0 {
		t.Errorf("left behind: %s", left)
	}
}
