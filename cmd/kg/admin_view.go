package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kappagraph/kappa"
)

// writeLaneChange says what changed.
func (a *app) writeLaneChange(change kappa.LaneChange) {
	name := oneLine(change.Lane.Name)
	if len(change.Changed) == 0 {
		fmt.Fprintf(a.out, "%s: nothing differs\n", name)
	}
	for _, setting := range slices.Sorted(maps.Keys(change.Changed)) {
		d := change.Changed[setting]
		fmt.Fprintf(a.out, "%s: %s %v → %v\n", name, oneLine(setting), d.Old, d.New)
	}
}

// writeLanes draws the lanes.
func (a *app) writeLanes(lanes []kappa.LaneUsage) {
	g := newGrid(column{name: "lane"}, column{name: "slots", right: true}, column{name: "queued", right: true}, column{name: "poll", right: true}, column{name: "stale", right: true}, column{name: "state"}, column{name: "job types", flex: true})
	for _, l := range lanes {
		g.add(l.Name, fmt.Sprintf("%d/%d", l.RunningJobs, l.MaxSlots), number(l.QueuedJobs), fmt.Sprintf("%d ms", l.PollIntervalMS),
			fmt.Sprintf("%d min", l.StaleTimeoutMinutes), laneState(l.Enabled), strings.Join(l.JobTypes, " "))
	}
	p := a.paint(a.out)
	a.writeGrid(g, func(_ int, cell string) string {
		if cell == laneState(false) {
			return p.yellow(cell)
		}
		return cell
	})
}

func laneState(enabled bool) string {
	if enabled {
		return "enabled"
	}
	return "disabled"
}

// writeWorkers shows what runs and what waits.
func (a *app) writeWorkers(s kappa.WorkerStatus, lanes []kappa.LaneUsage) {
	fmt.Fprintf(a.out, "%d of %s in use, %s queued\n\n", s.SlotsInUse, counted(s.TotalSlots, "slot"), counted(s.TotalQueued, "job"))
	a.writeLanes(lanes)
	if len(s.RunningJobs) > 0 {
		fmt.Fprintln(a.out)
		g := newGrid(column{name: "running"}, column{name: "type"}, column{name: "lane"}, column{name: "for", right: true}, column{name: "worker", flex: true})
		for _, j := range s.RunningJobs {
			since := ""
			if j.ClaimedAt != nil {
				since = age(j.ClaimedAt.Time)
			}
			g.add(j.JobID, j.JobType, orEmpty(j.Lane), since, orEmpty(j.ClaimedBy))
		}
		a.writeGrid(g, nil)
	}
	if len(s.QueuedByType) > 0 {
		fmt.Fprintln(a.out)
		g := newGrid(column{name: "queued", flex: true}, column{name: "jobs", right: true}, column{name: "oldest", right: true})
		for _, q := range s.QueuedByType {
			oldest := ""
			if q.Oldest != nil {
				oldest = age(q.Oldest.Time)
			}
			g.add(q.JobType, number(q.Count), oldest)
		}
		a.writeGrid(g, nil)
	}
	if len(s.Unclaimed) > 0 {
		a.note("No enabled lane claims: %s", oneLine(strings.Join(s.Unclaimed, ", ")))
	}
}
