package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
)

// errNoMetrics says that the server does not say how many goroutines it has.
var errNoMetrics = errors.New("/metrics has no go_goroutines")

// memory returns what the process holds in RAM, in bytes.
func (s *server) memory() (int64, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.PID()))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(text)) {
		if value, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			kB, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(value), " kB"), 10, 64)
			return kB << 10, err
		}
	}
	return 0, errors.New("the process has no VmRSS")
}

// openFiles returns how many files and sockets the process has open.
func (s *server) openFiles() (int, error) {
	list, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", s.PID()))
	return len(list), err
}

// goroutines returns how many goroutines the server has, or errNoMetrics.
func (s *server) goroutines(ctx context.Context, token string) (int, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+s.addr+"/metrics", nil)
	if err != nil {
		return 0, err
	}
	request.Header.Set("Authorization", "Bearer "+token)
	request.Close = true // the connection has goroutines too
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(text)) {
		if value, ok := strings.CutPrefix(line, "go_goroutines "); ok {
			return strconv.Atoi(strings.TrimSpace(value))
		}
	}
	return 0, errNoMetrics
}
