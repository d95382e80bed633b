package pgembed

import "golang.org/x/sys/unix"

// memory is a file system in memory where there is one with room that may be written to, as pgtest
// has it, else "": then the folder for temporary files is taken. A cluster is a thousand files, and
// to make them on a disk takes half the time of these tests.
func memory() string {
	const dir, needed = "/dev/shm", 4 << 30
	var fs unix.Statfs_t
	if err := unix.Statfs(dir, &fs); err != nil || fs.Type != unix.TMPFS_MAGIC || unix.Access(dir, unix.W_OK) != nil || fs.Bavail*uint64(fs.Bsize) < needed {
		return ""
	}
	return dir
}
