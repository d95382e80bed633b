package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

const ticksPerSecond = 100 // of /proc, on every Linux that Go runs on

// cpuTime is processor time.
type cpuTime = time.Duration

// process is what /proc says of one.
type process struct {
	pid, parent int
	own         cpuTime
	ended       cpuTime // of its children that have ended
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
	ticks := func(n int) cpuTime { return time.Duration(n) * time.Second / ticksPerSecond }
	return process{pid: n[0], parent: n[1], own: ticks(n[2] + n[3]), ended: ticks(n[4] + n[5])}, nil
}

// cpuOf returns the processor time of one process so far.
func cpuOf(pid int) (cpuTime, error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	p, err := parseStat(strconv.Itoa(pid), stat)
	return p.own, err
}
