package sandbox

import (
	"fmt"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// openInput makes a file that is nowhere but in memory, once to be written by the parent
// and once to be read by a child.
func openInput(name string) (write, read *os.File, err error) {
	fd, err := unix.MemfdCreate(name, unix.MFD_CLOEXEC)
	if err != nil {
		return nil, nil, fmt.Errorf("make the input of a child: %w", err)
	}
	write = os.NewFile(uintptr(fd), name)
	if read, err = os.Open("/proc/self/fd/" + strconv.Itoa(fd)); err != nil {
		_ = write.Close()
		return nil, nil, fmt.Errorf("open the input of a child: %w", err)
	}
	return write, read, nil
}
