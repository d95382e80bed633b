package pgtest

import "golang.org/x/sys/unix"

// memoryDir is a file system in memory, where most Linux systems have one.
const memoryDir = "/dev/shm"

// memoryNeeded is the room there that a cluster asks for. Test databases take some
// 10 MB each, the write-ahead log up to 1 GB.
const memoryNeeded = 4 << 30

// inMemory returns where a cluster may keep its files in memory, "" if nowhere: a container may
// have the directory on its disk, or for root alone. To
// copy the template is to make and to remove some three hundred files: on a disk
// that takes longer than most tests.
func inMemory() string {
	var fs unix.Statfs_t
	if err := unix.Statfs(memoryDir, &fs); err != nil || fs.Type != unix.TMPFS_MAGIC || unix.Access(memoryDir, unix.W_OK) != nil || fs.Bavail*uint64(fs.Bsize) < memoryNeeded {
		return ""
	}
	return memoryDir
}
