package main

import (
	"bufio"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
)

// logCounts is what the servers' logs say of the faults.
type logCounts struct {
	Rescues    int // jobs taken back from lost workers
	Stale      int // writes refused because the claim was not current
	LeasesLost int
	Relistens  int
	Leaders    int // times that a server began to lead
	Panics     int
	Secrets    int            // lines with a password, a client's secret or a token
	Errors     map[string]int // by message
}

// messagePattern finds level and message of a line of the text log.
var messagePattern = regexp.MustCompile(`level=(\w+) msg=("(?:[^"\\]|\\.)*"|\S+)`)

// readLogs counts in the logs of the servers; none of the secrets is to be in
// them.
func readLogs(servers []*server, secrets []string) (logCounts, error) {
	c := logCounts{Errors: map[string]int{}}
	for _, s := range servers {
		file, err := os.Open(s.logPath())
		if err != nil {
			return c, fmt.Errorf("read the log of server %d: %w", s.index, err)
		}
		lines := bufio.NewScanner(file)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			c.read(lines.Text(), secrets)
		}
		err = lines.Err()
		_ = file.Close() // it was only read
		if err != nil {
			return c, fmt.Errorf("read the log of server %d: %w", s.index, err)
		}
	}
	return c, nil
}

// read counts one line.
func (c *logCounts) read(line string, secrets []string) {
	if slices.ContainsFunc(secrets, func(secret string) bool { return strings.Contains(line, secret) }) {
		c.Secrets++
	}
	for part, n := range map[string]*int{
		`reason="worker lost"`: &c.Rescues, "claim was stale": &c.Stale, "claim is stale": &c.Stale,
		"worker lost its lease": &c.LeasesLost, "event source interrupted": &c.Relistens, "msg=leading": &c.Leaders,
		"handler panicked": &c.Panics, "panic:": &c.Panics,
	} {
		if strings.Contains(line, part) {
			*n++
		}
	}
	if found := messagePattern.FindStringSubmatch(line); found != nil && found[1] == "ERROR" {
		c.Errors[strings.Trim(found[2], `"`)]++
	}
}

// add adds the counts of other logs.
func (c *logCounts) add(o logCounts) {
	c.Rescues, c.Stale, c.LeasesLost = c.Rescues+o.Rescues, c.Stale+o.Stale, c.LeasesLost+o.LeasesLost
	c.Relistens, c.Leaders, c.Panics = c.Relistens+o.Relistens, c.Leaders+o.Leaders, c.Panics+o.Panics
	c.Secrets += o.Secrets
	if c.Errors == nil {
		c.Errors = map[string]int{}
	}
	for message, n := range o.Errors {
		c.Errors[message] += n
	}
}
