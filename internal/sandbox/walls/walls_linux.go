package walls

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"os/signal"
	"strconv"
	"syscall"

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
	if err := closeInherited(c.Input); err != nil {
		return nil, err
	}
	_ = os.WriteFile("/proc/self/comm", []byte(c.Name), 0) // the server starts it by a descriptor, whose number it would be called
	if err := watchParent(c.Parent); err != nil {
		return nil, err
	}
	mapped, err := w.pages(0)
	if err != nil {
		return nil, err
	}
	for _, l := range []struct {
		name     string
		resource int
		most     uint64
	}{
		{"address space", unix.RLIMIT_AS, mapped + c.Memory},
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
		w.NotInForce = append(w.NotInForce, "a user that is not root")
	}
	w.report("own network namespace", checkNetwork())
	if c.Calls != CallsOfDuckDB { // see sandbox.Config
		w.report("own process namespace", checkProcesses())
	}
	w.landlock(c)
	w.report("seccomp", filterCalls(c))
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
// already. In a namespace of processes of its own it cannot see which its parent is, and
// ends when the pipe does.
func watchParent(parent int) error {
	if err := unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(syscall.SIGKILL), 0, 0, 0); err != nil {
		return fmt.Errorf("end with the server: %w", err)
	}
	if actual := os.Getppid(); parent != 0 && actual != 0 && actual != parent {
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

// checkProcesses reports whether the server started this process where it sees no other.
func checkProcesses() error {
	if pid := os.Getpid(); pid != 1 {
		return fmt.Errorf("it is the process %d among others", pid)
	}
	return nil
}

// Resident returns the bytes of memory that this process holds; 0 when that cannot be read.
func (w *Walls) Resident() int64 {
	held, _ := w.pages(1)
	return int64(held)
}

// pages returns a figure of proc_pid_statm(5) in bytes: the first is what is mapped, the
// second what is held.
func (w *Walls) pages(n int) (uint64, error) {
	text := make([]byte, 128)
	length, err := w.statm.ReadAt(text, 0)
	if length == 0 && err != nil {
		return 0, fmt.Errorf("read the memory in use: %w", err)
	}
	fields := bytes.Fields(text[:length])
	if len(fields) < 2 {
		return 0, fmt.Errorf("read the memory in use: got %q", text[:length])
	}
	pages, err := strconv.ParseUint(string(fields[n]), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("read the memory in use: %w", err)
	}
	return pages * uint64(os.Getpagesize()), nil
}
