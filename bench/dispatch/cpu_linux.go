package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

const ticksPerSecond = 100 // of /proc, on every Linux that Go runs on

// cpuTime returns how much processor time this process, its ended children and
// the whole PostgreSQL cluster have used so far. It hardly depends on what else
// the machine does.
func cpuTime(dataDir string) (time.Duration, error) {
	var total time.Duration
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var usage syscall.Rusage
		if err := syscall.Getrusage(who, &usage); err != nil {
			return 0, err
		}
		total += time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
	}
	postmaster, err := os.ReadFile(filepath.Join(dataDir, "postmaster.pid"))
	if err != nil {
		return 0, err
	}
	pid, _, _ := strings.Cut(string(postmaster), "\n")
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return 0, err
	}
	for _, path := range stats {
		stat, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended
		}
		own := filepath.Base(filepath.Dir(path)) == pid
		fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
		if !own && fields[1] != pid {
			continue
		}
		// utime and stime, and those of the postmaster's ended children.
		used := fields[11:13]
		if own {
			used = fields[11:15]
		}
		for _, ticks := range used {
			n, err := strconv.ParseInt(ticks, 10, 64)
			if err != nil {
				return 0, err
			}
			total += time.Duration(n) * time.Second / ticksPerSecond
		}
	}
	return total, nil
}
