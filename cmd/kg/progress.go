package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/client"
)

// course is what a display knows of one job.
type course struct {
	followed
	status   kappa.Status // "" before the first update
	progress kappa.Progress
	reason   string // of a failed job
}

// take brings c up to date and reports whether its status changed.
func (c *course) take(u client.Update) (changed bool) {
	before := c.status
	if s := u.Status(); s != "" {
		c.status = s
	}
	switch {
	case u.Job != nil && u.Job.Progress != nil:
		c.progress = *u.Job.Progress
	case u.Progress != nil:
		c.progress = *u.Progress
	}
	if u.Kind == kappa.EventFailed {
		c.reason = u.Reason
	}
	return c.status != before
}

// counts says how far the job is, in chunks or items.
func (c *course) counts() string {
	switch p, chunks := c.progress, kappa.ReadIngestionProgress(c.progress.Counters); {
	case chunks.ChunksTotal > 0:
		return fmt.Sprintf("%d/%d chunks", chunks.ChunksProcessed, chunks.ChunksTotal)
	case p.ItemsTotal > 0:
		return fmt.Sprintf("%d/%d items", p.ItemsProcessed, p.ItemsTotal)
	}
	return ""
}

// found says what the job has written.
func (c *course) found() string {
	written := kappa.ReadIngestionProgress(c.progress.Counters)
	n := written.ConceptsCreated + written.ConceptsLinked
	if n == 0 {
		return ""
	}
	return counted(n, "concept")
}

// newDisplay returns the display that suits w: live bars on a terminal, a line
// for each notable change elsewhere.
func (a *app) newDisplay(w io.Writer, jobs []followed) display {
	courses := make([]*course, len(jobs))
	byID := make(map[string]*course, len(jobs))
	for i, j := range jobs {
		courses[i] = &course{followed: j}
		byID[j.id] = courses[i]
	}
	if columns, lines := a.size(w); isTerminal(w) && a.getenv("TERM") != "dumb" && columns > 0 && lines > 0 {
		return &bars{live: liveText{out: w}, paint: a.paint(w), size: func() (int, int) { return a.size(w) }, courses: courses, byID: byID}
	}
	return &plainLines{out: w, byID: byID, quarter: map[string]int{}}
}

// plainLines is a display that writes plain lines: each change of status, and each
// quarter of the way.
type plainLines struct {
	out      io.Writer
	indent   string
	onlyEnds bool // write how the jobs end, and nothing before
	byID     map[string]*course
	quarter  map[string]int // the last that was written, by job
}

func (l *plainLines) update(u client.Update) {
	c := l.byID[u.JobID]
	if c.take(u) && (c.status.Terminal() || !l.onlyEnds) {
		l.write(c, string(c.status))
	}
	if l.onlyEnds || c.status != kappa.StatusProcessing || c.progress.Percent >= 100 {
		return
	}
	if quarter := c.progress.Percent / 25; quarter > l.quarter[c.id] {
		l.quarter[c.id] = quarter
		l.write(c, fmt.Sprintf("%d %%", c.progress.Percent))
	}
}

func (l *plainLines) tick()  {}
func (l *plainLines) close() {}

// write writes one line on a job.
func (l *plainLines) write(c *course, what string) {
	parts := []string{l.indent + oneLine(c.name) + ": " + what}
	if c.status == kappa.StatusProcessing || c.status == kappa.StatusCompleted {
		for _, fact := range []string{c.counts(), c.found()} {
			if fact != "" {
				parts = append(parts, fact)
			}
		}
	}
	if c.status == kappa.StatusFailed && c.reason != "" {
		parts = append(parts, oneLine(c.reason))
	}
	fmt.Fprintln(l.out, strings.Join(parts, ", "))
}
