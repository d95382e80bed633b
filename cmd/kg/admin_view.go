package main

import (
	"fmt"
	"io"
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

// canvas is where tables are drawn.
type canvas struct {
	out   io.Writer
	paint paint
	width int // in columns; 0 is unlimited
}

// canvas returns standard output as a canvas.
func (a *app) canvas() canvas {
	width, _ := a.size(a.out)
	return canvas{out: a.out, paint: a.paint(a.out), width: width}
}

// draw draws g; mark colours a cell and may be nil.
func (c canvas) draw(g *grid, mark func(column int, cell string) string) {
	g.write(c.out, c.width, c.paint, mark)
}

// writeLanes draws the lanes.
func (c canvas) writeLanes(lanes []kappa.LaneUsage) {
	g := newGrid(column{name: "lane"}, column{name: "slots", right: true}, column{name: "queued", right: true}, column{name: "poll", right: true}, column{name: "stale", right: true}, column{name: "state"}, column{name: "job types", flex: true})
	for _, l := range lanes {
		g.add(l.Name, fmt.Sprintf("%d/%d", l.RunningJobs, l.MaxSlots), number(l.QueuedJobs), fmt.Sprintf("%d ms", l.PollIntervalMS),
			fmt.Sprintf("%d min", l.StaleTimeoutMinutes), laneState(l.Enabled), strings.Join(l.JobTypes, " "))
	}
	c.draw(g, func(_ int, cell string) string {
		if cell == laneState(false) {
			return c.paint.yellow(cell)
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
func (c canvas) writeWorkers(s kappa.WorkerStatus, lanes []kappa.LaneUsage) {
	fmt.Fprintf(c.out, "%d of %s in use, %s queued\n\n", s.SlotsInUse, counted(s.TotalSlots, "slot"), counted(s.TotalQueued, "job"))
	c.writeLanes(lanes)
	if len(s.RunningJobs) > 0 {
		fmt.Fprintln(c.out)
		g := newGrid(column{name: "running"}, column{name: "type"}, column{name: "lane"}, column{name: "for", right: true}, column{name: "heartbeat", right: true}, column{name: "worker", flex: true})
		for _, j := range s.RunningJobs {
			since, heartbeat := "", ""
			if j.ClaimedAt != nil {
				since = age(j.ClaimedAt.Time)
			}
			if j.HeartbeatAge != nil {
				heartbeat = fmt.Sprintf("%.1f s ago", *j.HeartbeatAge)
			}
			g.add(j.JobID, j.JobType, orEmpty(j.Lane), since, heartbeat, orEmpty(j.ClaimedBy))
		}
		c.draw(g, nil)
	}
	if len(s.QueuedByType) > 0 {
		fmt.Fprintln(c.out)
		g := newGrid(column{name: "queued", flex: true}, column{name: "jobs", right: true}, column{name: "oldest", right: true})
		for _, q := range s.QueuedByType {
			oldest := ""
			if q.Oldest != nil {
				oldest = age(q.Oldest.Time)
			}
			g.add(q.JobType, number(q.Count), oldest)
		}
		c.draw(g, nil)
	}
}

// unclaimed says which job types have work that no lane claims.
func unclaimed(s kappa.WorkerStatus) string {
	return "No enabled lane claims: " + oneLine(strings.Join(s.Unclaimed, ", "))
}
