//go:build cgo && linux

package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/kappagraph/kappa/bench/serving"
	"github.com/kappagraph/kappa/corpus/datasets"
)

// server is kg serve with dataset workers.
type server struct{ *serving.Server }

// serve starts kg serve, which may fetch from this machine, and logs in.
func (b *bench) serve(ctx context.Context, settings ...string) (*server, error) {
	s, err := serving.Start(ctx, b.kg, append(settings, "KG_DATASET_PRIVATE=allow", "KG_DATASET_FRESH_SECONDS=3600")...)
	return &server{s}, err
}

// ask asks the question to the file of a million rows and returns how long that took.
func (s *server) ask(ctx context.Context, url string) (time.Duration, int, error) {
	began := time.Now()
	answer, err := s.API.Datasets.Query(ctx, datasets.Query{
		SQL: fmt.Sprintf(groups, "million"), Limit: datasets.MaxRows, Datasets: []datasets.Dataset{{URL: url + "/million.parquet", TableName: "million"}},
	})
	return time.Since(began), len(answer.Rows), err
}

// workers returns the processes of its dataset workers.
func (s *server) workers() (pids []int) {
	all, _ := filepath.Glob("/proc/[0-9]*/stat") // the pattern is right
	for _, name := range all {
		text, err := os.ReadFile(name)
		if err != nil {
			continue // it has ended
		}
		_, rest, _ := bytes.Cut(text, []byte(") "))
		fields := strings.Fields(string(rest))
		if len(fields) > 1 && fields[0] != "Z" && fields[1] == strconv.Itoa(s.PID()) && bytes.Contains(text, []byte("(kg-data)")) {
			pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(name)))
			pids = append(pids, pid)
		}
	}
	return pids
}

// resident returns the memory that a process holds, in bytes.
func resident(pid int) int64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	fields := strings.Fields(string(text))
	if err != nil || len(fields) < 2 {
		return 0
	}
	pages, _ := strconv.ParseInt(fields[1], 10, 64)
	return pages * int64(os.Getpagesize())
}
