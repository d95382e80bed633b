package follow

import (
	"fmt"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/cmd/kg/show"
	"github.com/kappagraph/kappa/work"
)

// The widths of a line of bars, in columns; the name gets the rest.
const (
	percentWidth = 5
	countsWidth  = 14
	foundWidth   = 14
	leastBar     = 8
	mostBar      = 24
	leastName    = 14
)

// bars is a display that keeps a line with a bar for each job on a terminal.
type bars struct {
	paint   show.Paint
	size    func() (columns, lines int)
	courses []*course
	byID    map[string]*course

	dirty bool // something changed since the last drawing
	live  show.Live
}

func (b *bars) Update(u client.Update) {
	b.byID[u.JobID].take(u)
	b.dirty = true
}

func (b *bars) Tick() {
	if b.dirty {
		b.draw()
	}
}

func (b *bars) Close() { b.draw() }

// draw replaces the last drawing. What cannot be written is noticed when the
// command ends.
func (b *bars) draw() {
	columns, height := b.size()
	lines := b.lines(columns-1, height-1)
	_ = b.live.Show(strings.Join(lines, "\n"), columns-1, max(height-1, len(lines)))
	b.dirty = false
}

// lines returns the lines to draw: one for each job, or, when they do not fit,
// those that are at work and the sum of the others.
func (b *bars) lines(width, most int) []string {
	shown := b.courses
	var sum string
	if len(shown) > most {
		ended := 0
		for _, c := range b.courses {
			if c.status.Terminal() {
				ended++
			}
		}
		sum = show.Cut(fmt.Sprintf("%d of %d jobs have ended", ended, len(b.courses)), width)
		shown = slices.DeleteFunc(slices.Clone(shown), func(c *course) bool {
			return c.status.Terminal() && c.status != work.StatusFailed
		})
		shown = shown[:min(len(shown), max(most-1, 1))]
	}
	var lines []string
	for _, c := range shown {
		lines = append(lines, b.line(c, width))
	}
	if sum != "" {
		lines = append(lines, sum)
	}
	return lines
}

// line draws one job in width columns.
func (b *bars) line(c *course, width int) string {
	facts := percentWidth + countsWidth + foundWidth + 4*2
	bar := min(max(width-facts-max(b.longestName(), leastName), leastBar), mostBar)
	name := min(max(width-facts-bar, leastName), max(b.longestName(), leastName))
	line := show.Pad(show.OneLine(c.Name), name) + "  "
	switch c.status {
	case work.StatusProcessing, work.StatusCompleted:
		percent := c.progress.Percent
		if c.status == work.StatusCompleted {
			percent = 100
		}
		line += b.bar(percent, bar, c.status == work.StatusCompleted) + "  " + fmt.Sprintf("%3d %%", percent)
		if c.note != "" && c.status == work.StatusProcessing {
			line += "  " + b.paint.Yellow(show.OneLine(c.note))
			break
		}
		line += "  " + show.Pad(Counts(c.progress), countsWidth) + "  " + Found(c.progress)
	case work.StatusFailed:
		line += b.paint.Red("failed") + "  " + show.Cut(show.OneLine(c.reason), max(width-name-10, leastName))
	case work.StatusCancelled:
		line += b.paint.Yellow("cancelled")
	default:
		line += b.paint.Dim(strings.ReplaceAll(string(c.status), "_", " "))
		if c.note != "" {
			line += "  " + b.paint.Yellow(show.OneLine(c.note))
		}
	}
	return show.Fit(line, width)
}

// longestName returns the width of the longest name.
func (b *bars) longestName() int {
	longest := 0
	for _, c := range b.courses {
		longest = max(longest, text.StringWidth(show.OneLine(c.Name)))
	}
	return longest
}

// bar draws a bar of width columns.
func (b *bars) bar(percent, width int, done bool) string {
	full := min(max((percent*width+50)/100, 0), width)
	colour := b.paint.Cyan
	if done {
		colour = b.paint.Green
	}
	return colour(strings.Repeat("━", full)) + b.paint.Dim(strings.Repeat("─", width-full))
}
