package walls

import (
	"fmt"
	"strconv"
	"syscall"
)

// libraries are where programs find what they are linked with, and what those open at their start.
var libraries = []string{
	"/lib", "/lib32", "/lib64", "/usr/lib", "/usr/lib32", "/usr/lib64", "/usr/local/lib", "/usr/local/lib64",
	"/etc/ld.so.cache", "/dev/null", "/dev/urandom",
}

// Become builds the walls of this process, of which the calls are CallsOfProgram, and has the
// program take its place that is open as InputDescriptor. It may run that and its libraries, and
// read what c allows besides. Become returns only when that failed.
func Become(c Config, args, env []string) error {
	program := "/proc/self/fd/" + strconv.Itoa(InputDescriptor) // another user may not search the directories above it
	c.Input, c.Calls = true, CallsOfProgram
	c.Programs = append(append([]string{program}, libraries...), c.Programs...)
	w, err := Build(c)
	if err != nil {
		return err
	}
	if w.unset != nil { // nobody would hear of it
		return w.unset
	}
	if err := syscall.Exec(program, args, env); err != nil {
		return fmt.Errorf("run %s: %w", args[0], err)
	}
	return nil
}
