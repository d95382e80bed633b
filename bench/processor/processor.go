// Package processor reads how much processor time processes have taken, which other work
// on the machine changes less than the time that they took. It needs /proc.
package processor

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

const ticksPerSecond = 100 // of /proc, on every Linux that Go runs on

// process is what /proc says of one.
type process struct {
	pid, parent int
	own         time.Duration
	ended       time.Duration // of its children that have ended
}

// processes returns all of this machine. There is an error where there is no /proc.
func processes() ([]process, error) {
	paths, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return nil, err
	}
	var list []process
	for _, path := range paths {
		stat, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended
		}
		p, err := parseStat(filepath.Base(filepath.Dir(path)), stat)
		if err != nil {
			return nil, err
		}
		list = append(list, p)
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("processor time is measured where there is /proc")
	}
	return list, nil
}

func parseStat(pid string, stat []byte) (process, error) {
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	var n [6]int
	for i, text := range []string{pid, fields[1], fields[11], fields[12], fields[13], fields[14]} {
		var err error
		if n[i], err = strconv.Atoi(text); err != nil {
			return process{}, err
		}
	}
	ticks := func(n int) time.Duration { return time.Duration(n) * time.Second / ticksPerSecond }
	return process{pid: n[0], parent: n[1], own: ticks(n[2] + n[3]), ended: ticks(n[4] + n[5])}, nil
}

// Of returns the processor time of one process so far.
func Of(pid int) (time.Duration, error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	p, err := parseStat(strconv.Itoa(pid), stat)
	return p.own, err
}

// OfCluster returns the processor time so far of a PostgreSQL whose data is in a
// directory: that of all its processes.
func OfCluster(data string) (time.Duration, error) {
	all, err := processes()
	if err != nil {
		return 0, err
	}
	postmaster, err := os.ReadFile(filepath.Join(data, "postmaster.pid"))
	if err != nil {
		return 0, err
	}
	var pid int
	if _, err := fmt.Sscan(string(postmaster), &pid); err != nil {
		return 0, fmt.Errorf("read postmaster.pid: %w", err)
	}
	at := slices.IndexFunc(all, func(p process) bool { return p.pid == pid })
	if at < 0 {
		return 0, fmt.Errorf("no process %d", pid)
	}
	total := all[at].own + all[at].ended
	for _, p := range all {
		if p.parent == pid {
			total += p.own
		}
	}
	return total, nil
}
