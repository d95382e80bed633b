package follow

import (
	"fmt"
	"io"
	"strings"

	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/cmd/kg/show"
	"github.com/kappagraph/kappa/work"
)

// course is what a display knows of one job.
type course struct {
	Job
	status   work.Status // "" before the first update
	progress work.Progress
	reason   string // of a failed job
	note     string // what it waits for, or is to be seen to; "" for nothing
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
	if u.Kind == work.EventFailed {
		c.reason = u.Reason
	}
	c.note = note(u, c.note)
	return c.status != before
}

// note returns what an update says that a job waits for, or is to be seen to; before is
// what was said until then.
func note(u client.Update, before string) string {
	switch {
	case u.Warning != nil:
		return "warning: " + u.Warning.Message
	case u.Progress != nil:
		return u.Progress.Message
	case u.Change != nil && u.Change.Error != nil && u.Change.Status == work.StatusApproved:
		return *u.Change.Error
	case u.Job != nil && u.Job.WaitingFor != nil:
		w := u.Job.WaitingFor
		return fmt.Sprintf("waits for %s: %s", w.Provider, w.Reason)
	case u.Job != nil && u.Job.Progress != nil:
		return u.Job.Progress.Message
	case u.Status() == work.StatusApproved || u.Status() == work.StatusProcessing:
		return before // it is tried again
	}
	return ""
}

// Counts says how far a job is, in chunks or items; "" when that is not known.
func Counts(p work.Progress) string {
	switch chunks := work.ReadIngestionProgress(p.Counters); {
	case chunks.ChunksTotal > 0:
		return fmt.Sprintf("%d/%d chunks", chunks.ChunksProcessed, chunks.ChunksTotal)
	case p.ItemsTotal > 0:
		return fmt.Sprintf("%d/%d items", p.ItemsProcessed, p.ItemsTotal)
	}
	return ""
}

// Found says what a job has written, "" when that is nothing.
func Found(p work.Progress) string {
	written := work.ReadIngestionProgress(p.Counters)
	n := written.ConceptsCreated + written.ConceptsLinked
	if n == 0 {
		return ""
	}
	return show.Counted(n, "concept")
}

// NewDisplay returns the display that suits a screen: live bars on a terminal, a
// line for each notable change elsewhere.
func NewDisplay(on show.Screen, jobs []Job) Display {
	courses := make([]*course, len(jobs))
	byID := make(map[string]*course, len(jobs))
	for i, j := range jobs {
		courses[i] = &course{Job: j}
		byID[j.ID] = courses[i]
	}
	if on.Live() {
		return &bars{live: show.Live{Out: on}, paint: on.Paint(), size: on.Size, courses: courses, byID: byID}
	}
	return &Lines{out: on, byID: byID, quarter: map[string]int{}}
}

// Lines is a display that writes plain lines: each change of status, and each
// quarter of the way.
type Lines struct {
	out      io.Writer
	Indent   string
	OnlyEnds bool // write how the jobs end, and nothing before
	byID     map[string]*course
	quarter  map[string]int // the last that was written, by job
}

// Update implements Display.
func (l *Lines) Update(u client.Update) {
	c := l.byID[u.JobID]
	before := c.note
	if c.take(u) && (c.status.Terminal() || !l.OnlyEnds) {
		l.write(c, string(c.status))
	}
	if c.note != "" && c.note != before && !l.OnlyEnds {
		l.write(c, show.OneLine(c.note))
	}
	if l.OnlyEnds || c.status != work.StatusProcessing || c.progress.Percent >= 100 {
		return
	}
	if quarter := c.progress.Percent / 25; quarter > l.quarter[c.ID] {
		l.quarter[c.ID] = quarter
		l.write(c, fmt.Sprintf("%d %%", c.progress.Percent))
	}
}

// Tick implements Display.
func (l *Lines) Tick() {}

// Close implements Display.
func (l *Lines) Close() {}

// write writes one line on a job.
func (l *Lines) write(c *course, what string) {
	parts := []string{l.Indent + show.OneLine(c.Name) + ": " + what}
	if c.status == work.StatusProcessing || c.status == work.StatusCompleted {
		for _, fact := range []string{Counts(c.progress), Found(c.progress)} {
			if fact != "" {
				parts = append(parts, fact)
			}
		}
	}
	if c.status == work.StatusFailed && c.reason != "" {
		parts = append(parts, show.OneLine(c.reason))
	}
	fmt.Fprintln(l.out, strings.Join(parts, ", "))
}

// Silent is a display that shows nothing.
type Silent struct{}

// Update shows nothing.
func (Silent) Update(client.Update) {}

// Tick shows nothing.
func (Silent) Tick() {}

// Close shows nothing.
func (Silent) Close() {}
