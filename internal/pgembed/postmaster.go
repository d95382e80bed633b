package pgembed

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// postmasterPatience is how long a start waits for the postgres of a server
// that was killed. It is told to shut down when the server dies, and writes a
// checkpoint first.
const postmasterPatience = 30 * time.Second

// awaitOldPostmaster returns when no postgres runs on the data directory. The
// caller holds the cluster's lock, so one that runs has no server any more.
func awaitOldPostmaster(ctx context.Context, dataDir string) error {
	pidFile := filepath.Join(dataDir, "postmaster.pid")
	var pid int
	err := poll(ctx, postmasterPatience, func() (bool, error) {
		var err error
		pid, err = postmasterPID(pidFile)
		return err == nil && !runs(pid, dataDir), err
	})
	if errors.Is(err, errPollTimeout) {
		return fmt.Errorf("another postgres (process %d) runs on %s: stop it with kill -INT %d", pid, dataDir, pid)
	}
	if err != nil {
		return fmt.Errorf("wait for the old postgres on %s: %w", dataDir, err)
	}
	if pid == 0 {
		return nil
	}
	// The file is stale. PostgreSQL removes it, but not when the number has
	// been given to another process, as happens in each start of a container.
	if err := os.Remove(pidFile); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("remove the stale %s: %w", pidFile, err)
	}
	return nil
}

// postmasterPID returns the process that the file names, and 0 when there is
// no file.
func postmasterPID(pidFile string) (int, error) {
	file, err := os.Open(pidFile)
	if errors.Is(err, os.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	defer file.Close()
	return readPID(file), nil
}

// runs reports whether pid is a postgres on the data directory. A process that
// we may not signal is none of ours, as PostgreSQL sees it too.
func runs(pid int, dataDir string) bool {
	return pid > 0 && syscall.Kill(pid, 0) == nil && worksIn(pid, dataDir)
}
