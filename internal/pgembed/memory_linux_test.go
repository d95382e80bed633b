package pgembed

import "syscall"

// memory is a file system in memory where there is one with room, as pgtest has it, else "":
// then the folder for temporary files is taken. A cluster is a thousand files, and to make
// them on a disk takes half the time of these tests.
func memory() string {
	const dir, needed = "/dev/shm", 4 << 30
	var fs syscall.Statfs_t
	if err := syscall.Statfs(dir, &fs); err != nil || fs.Bavail*uint64(fs.Bsize) < needed {
		return ""
	}
	return dir
}
