package demo

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/cmd/kg/follow"
	"github.com/kappagraph/kappa/cmd/kg/show"
	"github.com/kappagraph/kappa/work"
)

// firstChunks records when the first news of a chunk of each job arrived.
type firstChunks struct {
	watched chan struct{} // closed when every job is watched
	missing map[string]bool
	at      map[string]time.Time
}

func newFirstChunks(jobs []follow.Job) *firstChunks {
	f := &firstChunks{watched: make(chan struct{}), missing: map[string]bool{}, at: map[string]time.Time{}}
	for _, j := range jobs {
		f.missing[j.ID] = true
	}
	return f
}

// observe sees the updates of the jobs.
func (f *firstChunks) observe(u client.Update) {
	if f.missing[u.JobID] {
		delete(f.missing, u.JobID)
		if len(f.missing) == 0 {
			close(f.watched)
		}
	}
	if u.Progress != nil && f.at[u.JobID].IsZero() && work.ReadIngestionProgress(u.Progress.Counters).ChunksProcessed > 0 {
		f.at[u.JobID] = u.At
	}
}

// dispatch is how long approved jobs waited to be read.
type dispatch struct {
	free  []time.Duration // jobs that found a free slot: since their approval
	freed []time.Duration // the others: since a slot became free for them
	chunk []time.Duration // the former: from approval to the news of the first chunk
}

// measure compares the jobs' times with the number of slots. The jobs that
// started first found their slots free; each later one waited for the end of
// another.
func measure(jobs []work.Job, slots int, firstChunk map[string]time.Time) dispatch {
	var d dispatch
	started := slices.Clone(jobs)
	started = slices.DeleteFunc(started, func(j work.Job) bool {
		return j.ApprovedAt == nil || j.StartedAt == nil || j.CompletedAt == nil
	})
	slices.SortFunc(started, func(a, b work.Job) int { return a.StartedAt.Compare(b.StartedAt.Time) })
	var ends []time.Time
	for _, j := range started {
		ends = append(ends, j.CompletedAt.Time)
	}
	slices.SortFunc(ends, time.Time.Compare)
	for i, j := range started {
		if i < slots {
			d.free = append(d.free, j.StartedAt.Sub(j.ApprovedAt.Time))
			if at, ok := firstChunk[j.ID]; ok {
				d.chunk = append(d.chunk, at.Sub(j.ApprovedAt.Time))
			}
			continue
		}
		ready := ends[i-slots]
		if ready.Before(j.ApprovedAt.Time) {
			ready = j.ApprovedAt.Time
		}
		d.freed = append(d.freed, max(0, j.StartedAt.Sub(ready)))
	}
	return d
}

// writeLatencies says how quickly approved jobs were read.
func (d *demo) writeLatencies(ctx context.Context, times *firstChunks) error {
	lanes, err := d.client.Workers.Lanes(ctx)
	if err != nil {
		return fmt.Errorf("read the lanes: %w", err)
	}
	var jobs []work.Job
	lane := ""
	for _, doc := range d.documents {
		jobs = append(jobs, doc.job)
		if doc.job.Lane != nil {
			lane = *doc.job.Lane
		}
	}
	i := slices.IndexFunc(lanes, func(l work.LaneUsage) bool { return l.Name == lane })
	if i < 0 {
		return nil
	}
	for _, line := range measure(jobs, lanes[i].MaxSlots, times.at).describe(lanes[i].Lane) {
		d.say("  %s", line)
	}
	return nil
}

// describe says it in lines, and compares it with the lane's poll interval.
func (m dispatch) describe(lane work.Lane) []string {
	if len(m.free) == 0 {
		return nil
	}
	woken := "the approval's notification woke it"
	if slices.Max(m.free) >= lane.Poll()/2 {
		woken = "no notification woke it"
	}
	lines := []string{
		show.Pad("approval → being read", 28) + middle(m.free) + " (" + show.Counted(len(m.free), "job") + " with a free slot)",
	}
	if len(m.chunk) > 0 {
		lines = append(lines, show.Pad("approval → first chunk done", 28)+middle(m.chunk)+", as heard here")
	}
	if len(m.freed) > 0 {
		lines = append(lines, show.Pad("slot free → next job read", 28)+middle(m.freed))
	}
	return append(lines, fmt.Sprintf("The lane %s polls every %d ms only: %s.", show.OneLine(lane.Name), lane.PollIntervalMS, woken))
}

// middle shows the median and the largest of some durations.
func middle(all []time.Duration) string {
	sorted := slices.Sorted(slices.Values(all))
	if len(sorted) == 1 {
		return show.Span(sorted[0])
	}
	return fmt.Sprintf("%s median, %s at most", show.Span(sorted[(len(sorted)-1)/2]), show.Span(sorted[len(sorted)-1]))
}
