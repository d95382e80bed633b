//go:build unix

package formats

import "golang.org/x/sys/unix"

// reserve returns memory that takes none before it is written, or nil.
func reserve(size int) []byte {
	block, err := unix.Mmap(-1, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return nil
	}
	return block
}

func release(block []byte) { _ = unix.Munmap(block) } // it fails only for what is not reserved
