package top

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/kappagraph/kappa/cmd/kg/show"
	"github.com/kappagraph/kappa/work"
)

const help = `↑ ↓ k j     choose a job; page up and down, home and end go further
enter       open the chosen job: what it is, how far, why it waits
c           cancel the chosen job, after a question
s           sort by status, oldest, progress, type or owner
/           show the jobs only whose line has these words; esc shows all
q, ctrl+c   leave`

// lines returns what is shown, at most as many as the terminal has.
func (s *screen) lines() []string {
	lines := append(s.head(), "")
	if !s.board.begun && s.mode != modeHelp {
		return s.filled(append(lines, s.paint.Dim("Connecting …")))
	}
	if s.mode == modeHelp {
		return s.filled(append(lines, strings.Split(help, "\n")...))
	}
	if lanes := s.laneLines(); len(lanes) > 0 {
		lines = append(append(lines, lanes...), "")
	}
	if s.mode == modeOpen {
		if r := s.settle(); r != nil {
			return s.filled(append(lines, s.open(r)...))
		}
		s.mode = modeList // it is no more
	}
	return s.filled(append(lines, s.jobLines(s.height-len(lines)-1)...))
}

// filled returns lines with the keys in the last one of the terminal.
func (s *screen) filled(lines []string) []string {
	lines = lines[:min(len(lines), max(0, s.height-1))]
	for len(lines) < s.height-1 {
		lines = append(lines, "")
	}
	return append(lines, s.foot())
}

// head says what is shown, and how quickly jobs end.
func (s *screen) head() []string {
	now := s.now()
	state := s.paint.Green("live")
	if s.board.lost != nil {
		state = s.paint.Red("lost: " + show.Cut(show.OneLine(s.board.lost.Error()), s.width/2) + "; trying again") //nolint:mnd // half a line
	}
	title := fmt.Sprintf("%s  %s  %s  %s", s.paint.Bold("kg top"), show.OneLine(s.name), now.Format(time.TimeOnly), state)
	failed := fmt.Sprintf("%.1f failed", s.board.failed.perSecond(now))
	if s.board.failed.perSecond(now) > 0 {
		failed = s.paint.Red(failed)
	}
	const least, bars = 100, 30
	seconds := bars
	if s.width < least {
		seconds = bars / 2 //nolint:mnd // half of them
	}
	rates := fmt.Sprintf("jobs a second: %.1f started, %.1f ended, %s  %s", s.board.started.perSecond(now), s.board.ended.perSecond(now), failed,
		s.paint.Cyan(show.Sparkline(s.board.ended.last(now, seconds))))
	return []string{title, rates}
}

// drawn returns the lines of a grid.
func (s *screen) drawn(g *show.Grid, mark func(column int, cell string) string) []string {
	var b bytes.Buffer
	g.Write(&b, s.width, s.paint, mark)
	return strings.Split(strings.TrimRight(b.String(), "\n"), "\n")
}

// laneLines shows the lanes, to who may see them.
func (s *screen) laneLines() []string {
	lanes := s.board.sortedLanes()
	if len(lanes) == 0 {
		return nil
	}
	shown, idle := s.fewer(lanes)
	g := show.NewGrid(show.Column{Name: "lane"}, show.Column{Name: "slots"}, show.Column{Name: "running", Right: true}, show.Column{Name: "queued", Right: true}, show.Column{Name: "oldest", Right: true}, show.Column{Name: "job types", Flex: true})
	for _, l := range shown {
		oldest := ""
		if l.OldestWait != nil {
			oldest = show.Span(time.Duration(*l.OldestWait * float64(time.Second)))
		}
		types := strings.Join(l.JobTypes, " ")
		if !l.Enabled {
			types = disabled
		}
		g.Add(l.Name, s.bar(l.RunningJobs, l.MaxSlots), fmt.Sprintf("%d/%d", l.RunningJobs, l.MaxSlots), show.Number(l.QueuedJobs), oldest, types)
	}
	lines := s.drawn(g, func(_ int, cell string) string {
		if cell == disabled {
			return s.paint.Yellow(cell)
		}
		return cell
	})
	if idle > 0 {
		lines = append(lines, s.paint.Dim(fmt.Sprintf("and %s with nothing to do", show.Counted(idle, "lane"))))
	}
	return lines
}

// fewer leaves out the lanes that have nothing to do where all would take more than a third of the
// terminal, and says how many they are.
func (s *screen) fewer(lanes []work.LaneUsage) (shown []work.LaneUsage, idle int) {
	const third = 3
	if len(lanes) <= s.height/third {
		return lanes, 0
	}
	shown = slices.DeleteFunc(slices.Clone(lanes), func(l work.LaneUsage) bool { return l.RunningJobs == 0 && l.QueuedJobs == 0 })
	return shown, len(lanes) - len(shown)
}

const disabled = "(disabled)"

// bar shows how many of some are taken.
func (s *screen) bar(n, of int) string {
	const wide, narrow, columns = 12, 4, 90
	width := wide
	if s.width < columns {
		width = narrow
	}
	if of <= 0 {
		return strings.Repeat("░", width)
	}
	full := min(width, (n*width+of-1)/of)
	return strings.Repeat("█", full) + strings.Repeat("░", width-full)
}

// jobLines shows the jobs, in at most so many lines, with the chosen one among them.
func (s *screen) jobLines(most int) []string {
	list := s.board.list(s.order, s.filter)
	title := fmt.Sprintf("%s of %s, by %s", s.paint.Bold(show.Number(len(list))), show.Counted(len(s.board.jobs), "job"), s.order)
	if s.board.truncated {
		title += "; there are more than are shown"
	}
	if s.filter != "" || s.mode == modeFilter {
		title += ", with: " + s.paint.Cyan(s.filter)
	}
	if len(list) == 0 {
		none := "No job runs or waits."
		if s.filter != "" {
			none = "No job has these words; esc shows all."
		}
		return []string{title, s.paint.Dim(none)}
	}
	at := max(0, slices.IndexFunc(list, func(r *row) bool { return r.ID == s.chosen }))
	const heads = 2
	room := max(1, most-heads)
	from := min(max(0, at-room/2), max(0, len(list)-room)) //nolint:mnd // the chosen one in the middle
	part := list[from:min(len(list), from+room)]
	g := show.NewGrid(show.Column{Name: " job"}, show.Column{Name: "type"}, show.Column{Name: "status"}, show.Column{Name: "progress"}, show.Column{Right: true}, show.Column{Name: "for", Right: true}, show.Column{Name: "owner"}, show.Column{Name: "what", Flex: true})
	for _, r := range part {
		progress, percent := "", ""
		if p := r.percent(); p >= 0 {
			progress, percent = s.bar(p, 100), fmt.Sprintf("%d %%", p) //nolint:mnd // percent
		}
		g.Add(r.ID, r.Type, string(r.Status), progress, percent, show.Age(r.since), r.owner(), r.what())
	}
	lines := s.drawn(g, nil)
	for i, r := range part {
		mark := "  "
		if from+i == at {
			mark = "▶ "
		}
		lines[i+1] = mark + s.coloured(r.Status, lines[i+1])
	}
	lines[0] = " " + lines[0]
	return append([]string{title}, lines...)
}

// coloured shows a line as fits a status.
func (s *screen) coloured(status work.Status, line string) string {
	switch status {
	case work.StatusFailed:
		return s.paint.Red(line)
	case work.StatusCompleted:
		return s.paint.Green(line)
	case work.StatusCancelled:
		return s.paint.Dim(line)
	case work.StatusAwaitingApproval:
		return s.paint.Yellow(line)
	}
	return line
}

// open shows all that is known of a job.
func (s *screen) open(r *row) []string {
	var lines []string
	add := func(name, value string) {
		if value = show.OneLine(value); value != "" {
			wrapped := show.Wrap(value, max(1, s.width-1), s.paint.Bold(show.Pad(name, 10)), strings.Repeat(" ", 10)) //nolint:mnd // the width of the names
			lines = append(lines, strings.Split(wrapped, "\n")...)
		}
	}
	add("job", r.ID+", "+r.Type)
	add("status", string(r.Status)+" for "+show.Age(r.since))
	add("owner", r.owner())
	add("about", r.what())
	add("ontology", orNone(r.Ontology))
	add("queue", fmt.Sprintf("%s, priority %d", r.Queue, r.Priority))
	add("lane", orNone(r.Lane))
	if r.Attempt > 0 {
		add("attempt", fmt.Sprintf("%d; %d of %d retries", r.Attempt, r.Retries, r.MaxRetries))
	}
	if p := r.Progress; p != nil {
		add("progress", fmt.Sprintf("%s %d %%  %s %s", s.bar(p.Percent, 100), p.Percent, p.Stage, p.Message)) //nolint:mnd // percent
		for _, c := range p.Counters {
			add("", fmt.Sprintf("%s %s", c.Name, show.Number(c.Value)))
		}
	}
	add("error", r.reason)
	if r.reason == "" {
		add("error", orNone(r.Error))
	}
	if w := s.wait; w != nil && w.Status == r.Status {
		add("why", w.Reason)
		add("remedy", w.Remedy)
	}
	return lines
}

func orNone(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// foot says what keys do, or asks.
func (s *screen) foot() string {
	switch {
	case s.mode == modeCancel:
		if r := s.board.jobs[s.chosen]; r != nil {
			return s.paint.Yellow(fmt.Sprintf("Cancel %s (%s)? y: yes, any other key: no", r.ID, show.OneLine(strings.TrimSpace(r.Type+" "+r.what()))))
		}
	case s.mode == modeFilter:
		return s.paint.Dim("words of a line; enter: keep, esc: show all")
	case s.mode == modeHelp:
		return s.paint.Dim("any key: back")
	case s.said != "":
		return s.paint.Yellow(s.said)
	case s.mode == modeOpen:
		return s.paint.Dim("esc back  ↑↓ another  c cancel  q quit")
	}
	return s.paint.Dim("↑↓ choose  enter open  c cancel  s sort  / filter  ? help  q quit")
}
