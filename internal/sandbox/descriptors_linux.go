package sandbox

import (
	"math"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// keepDescriptors makes sure that no process which this one starts has more of its
// descriptors than it is given: what this process inherited itself, from a shell or a
// manager of services, goes on otherwise.
func keepDescriptors() {
	const first = 3 // behind the standard ones
	if unix.CloseRange(first, math.MaxInt32, unix.CLOSE_RANGE_CLOEXEC) == nil {
		return
	}
	open, _ := os.ReadDir("/proc/self/fd") // a kernel before 5.11
	for _, f := range open {
		if fd, err := strconv.Atoi(f.Name()); err == nil && fd >= first {
			unix.CloseOnExec(fd)
		}
	}
}
