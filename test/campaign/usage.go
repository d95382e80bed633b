package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// reading is what a server uses at one time.
type reading struct {
	At         time.Time
	Memory     float64 // resident, in bytes
	Goroutines float64
	Files      float64 // open
	Waits      float64 // for a connection of a pool, so far
}

// usage is what an installation uses in the course of time.
type usage struct {
	Took    time.Duration
	Burners int       // busy processes
	Callers int       // clients of each server
	Before  []reading // of each server, at rest
	After   []reading
	Busy    [][]reading    // of each server, under load
	Dead    float64        // the most dead rows for a live one, of a table with many
	Term    int64          // of the leader at the beginning
	Terms   int64          // that have begun since
	WAL     int64          // the most bytes of the write-ahead log
	Answers map[string]int // how many calls had each status, or none
}

// readServer asks a server what it uses.
func readServer(ctx context.Context, a *apiAccess, address string) (reading, error) {
	token, err := a.bearer(ctx, address)
	if err != nil {
		return reading{}, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address+"/metrics", nil)
	if err != nil {
		return reading{}, err
	}
	req.Header.Set("Authorization", "Bearer "+token)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return reading{}, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		a.drop(token)
		return reading{}, fmt.Errorf("the server answers %s to the request for its metrics", resp.Status)
	}
	sums, err := sumMetrics(resp.Body)
	return reading{
		At: time.Now(), Memory: sums["process_resident_memory_bytes"], Goroutines: sums["go_goroutines"],
		Files: sums["process_open_fds"], Waits: sums["kappa_pool_waits_total"],
	}, err
}

// sumMetrics reads metrics in the text format of Prometheus, and adds up those of
// one name.
func sumMetrics(text io.Reader) (map[string]float64, error) {
	sums := map[string]float64{}
	lines := bufio.NewScanner(text)
	for lines.Scan() {
		line := lines.Text()
		end := strings.LastIndexByte(line, ' ')
		if strings.HasPrefix(line, "#") || end < 0 {
			continue
		}
		name, _, _ := strings.Cut(line[:end], "{")
		value, err := strconv.ParseFloat(line[end+1:], 64)
		if err != nil {
			return nil, fmt.Errorf("read the metric %q: %w", line, err)
		}
		sums[name] += value
	}
	return sums, lines.Err()
}
