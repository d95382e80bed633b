package cli

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/kappagraph/kappa/cmd/kg/show"
	"github.com/kappagraph/kappa/work"
)

// writeLaneChange says what changed.
func (a *App) writeLaneChange(change work.LaneChange) {
	name := show.OneLine(change.Lane.Name)
	if len(change.Changed) == 0 {
		fmt.Fprintf(a.out, "%s: nothing differs\n", name)
	}
	for _, setting := range slices.Sorted(maps.Keys(change.Changed)) {
		d := change.Changed[setting]
		fmt.Fprintf(a.out, "%s: %s %v → %v\n", name, show.OneLine(setting), d.Old, d.New)
	}
}

// canvas is where tables are drawn.
type canvas struct {
	out   io.Writer
	paint show.Paint
	width int // in columns; 0 is unlimited
}

// canvas returns standard output as a canvas.
func (a *App) canvas() canvas {
	width, _ := a.Out().Size()
	return canvas{out: a.out, paint: a.paint(a.out), width: width}
}

// draw draws g; mark colours a cell and may be nil.
func (c canvas) draw(g *show.Grid, mark func(column int, cell string) string) {
	g.Write(c.out, c.width, c.paint, mark)
}

// writeGrid draws g on standard output.
func (a *App) writeGrid(g *show.Grid, mark func(column int, cell string) string) {
	a.canvas().draw(g, mark)
}

// writeLanes draws the lanes.
func (c canvas) writeLanes(lanes []work.LaneUsage) {
	g := show.NewGrid(show.Column{Name: "lane"}, show.Column{Name: "slots", Right: true}, show.Column{Name: "queued", Right: true}, show.Column{Name: "poll", Right: true}, show.Column{Name: "stale", Right: true}, show.Column{Name: "state"}, show.Column{Name: "job types", Flex: true})
	for _, l := range lanes {
		g.Add(l.Name, fmt.Sprintf("%d/%d", l.RunningJobs, l.MaxSlots), show.Number(l.QueuedJobs), fmt.Sprintf("%d ms", l.PollIntervalMS),
			fmt.Sprintf("%d min", l.StaleTimeoutMinutes), laneState(l.Enabled), strings.Join(l.JobTypes, " "))
	}
	c.draw(g, func(_ int, cell string) string {
		if cell == laneState(false) {
			return c.paint.Yellow(cell)
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
func (c canvas) writeWorkers(s work.WorkerStatus, lanes []work.LaneUsage) {
	fmt.Fprintf(c.out, "%d of %s in use, %s queued\n\n", s.SlotsInUse, show.Counted(s.TotalSlots, "slot"), show.Counted(s.TotalQueued, "job"))
	c.writeLanes(lanes)
	c.writeProcesses(s.Processes)
	if len(s.RunningJobs) > 0 {
		fmt.Fprintln(c.out)
		g := show.NewGrid(show.Column{Name: "running"}, show.Column{Name: "type"}, show.Column{Name: "lane"}, show.Column{Name: "for", Right: true}, show.Column{Name: "heartbeat", Right: true}, show.Column{Name: "worker", Flex: true})
		for _, j := range s.RunningJobs {
			since, heartbeat := "", ""
			if j.ClaimedAt != nil {
				since = show.Age(j.ClaimedAt.Time)
			}
			if j.HeartbeatAge != nil {
				heartbeat = fmt.Sprintf("%.1f s ago", *j.HeartbeatAge)
			}
			g.Add(j.JobID, j.JobType, orEmpty(j.Lane), since, heartbeat, orEmpty(j.ClaimedBy))
		}
		c.draw(g, nil)
	}
	if len(s.QueuedByType) > 0 {
		fmt.Fprintln(c.out)
		g := show.NewGrid(show.Column{Name: "queued", Flex: true}, show.Column{Name: "jobs", Right: true}, show.Column{Name: "oldest", Right: true})
		for _, q := range s.QueuedByType {
			oldest := ""
			if q.Oldest != nil {
				oldest = show.Age(q.Oldest.Time)
			}
			g.Add(q.JobType, show.Number(q.Count), oldest)
		}
		c.draw(g, nil)
	}
}

// writeProcesses lists the servers and the remote workers.
func (c canvas) writeProcesses(list []work.WorkerProcess) {
	if len(list) == 0 {
		return
	}
	fmt.Fprintln(c.out)
	g := show.NewGrid(show.Column{Name: "worker", Flex: true}, show.Column{Name: "kind"}, show.Column{Name: "version"}, show.Column{Name: "up", Right: true}, show.Column{Name: "runs", Right: true}, show.Column{Name: "state"})
	for _, p := range list {
		up, runs, state := "", show.Number(p.Running), p.State
		if p.StartedAt != nil {
			up = show.Age(p.StartedAt.Time)
		}
		if p.Kind == work.WorkerRemote {
			runs += "/" + show.Number(p.Capacity)
		}
		if p.LeadsSince != nil {
			state = "leads since " + show.When(p.LeadsSince)
		}
		g.Add(p.Name, p.Kind, p.Version, up, runs, state)
	}
	c.draw(g, nil)
}

// unclaimed says which job types have work that no lane claims.
func unclaimed(s work.WorkerStatus) string {
	return "No enabled lane claims: " + show.OneLine(strings.Join(s.Unclaimed, ", "))
}
