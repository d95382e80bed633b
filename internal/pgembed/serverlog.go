package pgembed

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

const (
	maxLogBytes  = 10 << 20
	maxTailBytes = 4 << 10
	maxTailLines = 20
)

// serverLog is the file that postgres writes its log to.
type serverLog struct {
	file  *os.File
	start int64 // where this run began to write
}

// openLog opens postgres.log for appending. A large one is first renamed to
// postgres.log.1, so that the two never grow without bound over many starts.
func openLog(dir string) (*serverLog, error) {
	path := filepath.Join(dir, "postgres.log")
	if entry, err := os.Lstat(path); err == nil && entry.Size() > maxLogBytes {
		if err := os.Rename(path, path+".1"); err != nil {
			return nil, fmt.Errorf("rotate the log of postgres: %w", err)
		}
	}
	file, err := openOwn(path, os.O_RDWR|os.O_APPEND)
	if err != nil {
		return nil, fmt.Errorf("open the log of postgres: %w", err)
	}
	start, err := file.Seek(0, io.SeekEnd)
	if err != nil {
		file.Close()
		return nil, fmt.Errorf("open the log of postgres: %w", err)
	}
	return &serverLog{file: file, start: start}, nil
}

// tail returns the last lines of this run.
func (l *serverLog) tail() string {
	end, err := l.file.Seek(0, io.SeekEnd)
	if err != nil {
		return ""
	}
	from := max(l.start, end-maxTailBytes)
	buf := make([]byte, end-from)
	n, _ := l.file.ReadAt(buf, from)
	return lastLines(string(buf[:n]))
}

// lastLines returns the last lines of a program's output.
func lastLines(output string) string {
	lines := strings.Split(strings.TrimSpace(output), "\n")
	return strings.Join(lines[max(0, len(lines)-maxTailLines):], "\n")
}

func (l *serverLog) close() { l.file.Close() }
