package pgembed

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

const (
	// lockPatience is how long a new process waits for the lock. A process that
	// was killed holds its locks for some milliseconds more.
	lockPatience = time.Second
	pollInterval = 20 * time.Millisecond
)

// lockDir locks the cluster's directory for this process. The lock ends with
// the file that it returns, or with the process. When another process has it,
// the error is a [LockedError].
func lockDir(ctx context.Context, dir string) (*os.File, error) {
	file, err := openOwn(filepath.Join(dir, "lock"), os.O_RDWR)
	if err != nil {
		return nil, fmt.Errorf("lock the cluster in %s: %w", dir, err)
	}
	err = poll(ctx, lockPatience, func() (bool, error) {
		err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return false, nil
		}
		return err == nil, err
	})
	if errors.Is(err, errPollTimeout) {
		err = &LockedError{Dir: dir, PID: readPID(file)}
		file.Close()
		return nil, err
	}
	if err == nil {
		err = writePID(file)
	}
	if err != nil {
		file.Close()
		return nil, fmt.Errorf("lock the cluster in %s: %w", dir, err)
	}
	return file, nil
}

func writePID(file *os.File) error {
	if err := file.Truncate(0); err != nil {
		return err
	}
	_, err := file.WriteAt([]byte(strconv.Itoa(os.Getpid())+"\n"), 0)
	return err
}

// readPID reads the number in the first line, and 0 when there is none.
func readPID(r io.ReaderAt) int {
	buf := make([]byte, 20)
	n, _ := r.ReadAt(buf, 0)
	line, _, _ := strings.Cut(string(buf[:n]), "\n")
	pid, _ := strconv.Atoi(strings.TrimSpace(line))
	return pid
}

// openOwn opens or creates a file in the cluster's directory, only for its
// owner. As root the directory may be another user's: the file becomes his,
// and a symbolic link that he left in its place is not followed.
func openOwn(path string, flag int) (*os.File, error) {
	file, err := os.OpenFile(path, flag|os.O_CREATE|syscall.O_NOFOLLOW, 0o600)
	if err != nil || os.Geteuid() != 0 {
		return file, err
	}
	home, err := os.Stat(filepath.Dir(path))
	if err == nil {
		stat := home.Sys().(*syscall.Stat_t)
		err = file.Chown(int(stat.Uid), int(stat.Gid))
	}
	if err != nil {
		file.Close()
		return nil, err
	}
	return file, nil
}

// errPollTimeout reports that a condition did not become true in time.
var errPollTimeout = errors.New("waited in vain")

// poll calls ready until it is true or fails, for at most limit.
func poll(ctx context.Context, limit time.Duration, ready func() (bool, error)) error {
	ctx, cancel := context.WithTimeoutCause(ctx, limit, errPollTimeout)
	defer cancel()
	tick := time.NewTicker(pollInterval)
	defer tick.Stop()
	for {
		if ok, err := ready(); ok || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-tick.C:
		}
	}
}
