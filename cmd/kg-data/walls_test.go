//go:build cgo && linux

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	datasetframe "github.com/kappagraph/kappa/internal/dataset/frame"
	"github.com/kappagraph/kappa/internal/sandbox/frame"
)

// TestD04_Limits reads the limits of a live worker, and those of this process.
func TestD04_Limits(t *testing.T) {
	own, err := os.ReadFile("/proc/self/limits")
	if err != nil {
		t.Fatal(err)
	}
	p, _ := newPool(t, 1)
	if _, err := do(t, p, 10*time.Second, datasetframe.Request{Op: datasetframe.OpQuery, SQL: "SELECT 1", Limit: 1}); err != nil {
		t.Fatal(err)
	}
	pid := workerPID(t)
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/limits", pid))
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"Max core file size": "0 0", "Max open files": "128 128", "Max file size": "4294967296 4294967296", "Max cpu time": "2400 2405",
	} {
		if got := limitIn(string(text), name); got != want {
			t.Errorf("%s is %q, want %s", name, got, want)
		}
	}
	var soft, hard uint64 // what is mapped at the start, and 2 GiB
	if n, err := fmt.Sscan(limitIn(string(text), "Max address space"), &soft, &hard); n != 2 || soft != hard || soft <= 2<<30 || soft > 5<<30 {
		t.Errorf("the address space is %d, at most %d: %v", soft, hard, err)
	}
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"NoNewPrivs:\t1", "Seccomp:\t2"} {
		if !strings.Contains(string(status), want) {
			t.Errorf("the status of the worker lacks %q", want)
		}
	}
	if os.Getuid() == 0 && !strings.Contains(string(status), "Uid:\t65534\t65534\t65534\t65534") {
		t.Error("the worker of a server that is root is not nobody")
	}
	if environ, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid)); err != nil || len(environ) != 0 {
		t.Errorf("the worker's environment is %q, %v", environ, err)
	}
	now, err := os.ReadFile("/proc/self/limits")
	if err != nil || string(now) != string(own) {
		t.Error("the limits of the server changed")
	}
	hello := p.Hello()
	if version, _, _ := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION); int(version) >= 3 && !slices.Contains(hello.InForce, "landlock") {
		t.Error("this system has landlock, and the worker does not use it")
	}
	theirs, err := os.Readlink(fmt.Sprintf("/proc/%d/ns/net", pid))
	ours, err2 := os.Readlink("/proc/self/ns/net")
	if apart := err == nil && err2 == nil && theirs != ours; apart != slices.Contains(hello.InForce, "own network namespace") || os.Getuid() == 0 && !apart {
		t.Errorf("the worker's network is %s, ours %s", theirs, ours)
	}
	group, err := os.ReadFile(fmt.Sprintf("/proc/%d/cgroup", pid))
	if own := strings.Contains(string(group), fmt.Sprintf("/kg-data-%d-%d", os.Getpid(), pid)); err != nil || own != slices.Contains(hello.InForce, frame.MemoryGroup) {
		t.Errorf("the worker's control groups are %s, %v", group, err)
	}
	t.Logf("in force: %s; not in force: %s", strings.Join(hello.InForce, ", "), strings.Join(hello.NotInForce, ", "))
	if len(hello.InForce)+len(hello.NotInForce) < 9 {
		t.Errorf("it does not say of each wall whether it stands: %+v", hello)
	}
}

func limitIn(text, name string) string {
	for line := range strings.Lines(text) {
		if rest, ok := strings.CutPrefix(line, name); ok {
			return strings.Join(strings.Fields(rest)[:2], " ") // soft and hard
		}
	}
	return ""
}

// workerPID finds the one child of this process.
func workerPID(t *testing.T) int {
	t.Helper()
	all, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range all {
		text, err := os.ReadFile(name)
		if err != nil {
			continue // it has ended
		}
		var pid, parent int
		var state string
		_, rest, _ := strings.Cut(string(text), ") ")
		if n, _ := fmt.Sscan(rest, &state, &parent); n == 2 && parent == os.Getpid() && strings.Contains(string(text), "(kg-data)") {
			_, _ = fmt.Sscan(string(text), &pid)
			return pid
		}
	}
	t.Fatal("there is no worker")
	return 0
}
