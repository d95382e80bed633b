package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/cmd/kg/exit"
)

// leastInterval is the shortest time between two looks of a watch.
const leastInterval = 200 * time.Millisecond

// watchWorkers shows the workers again and again until ctx ends, which is no
// error. On a terminal each look replaces the last one; elsewhere each is a
// block of its own, with json an object and with jsonl a line. A server that is
// away is looked for again.
func (a *app) watchWorkers(ctx context.Context, c *client.Client, every time.Duration) error {
	live := liveText{out: a.out}
	next := time.NewTicker(every)
	defer next.Stop()
	for first := true; ; first = false {
		err := a.lookAtWorkers(ctx, c, &live, every)
		switch code, _ := exit.CodeOf(err); {
		case ctx.Err() != nil:
			return nil
		case err != nil && (first || code != exit.Unreachable):
			return err
		case err != nil:
			a.note("%s  %s", time.Now().Format(time.TimeOnly), oneLine(err.Error()))
			live.drawn = 0 // the note stays, and the next look comes below it
		}
		select {
		case <-ctx.Done():
			return nil
		case <-next.C:
		}
	}
}

// lookAtWorkers shows the workers once.
func (a *app) lookAtWorkers(ctx context.Context, c *client.Client, live *liveText, every time.Duration) error {
	status, lanes, err := a.workers(ctx, c)
	if err != nil {
		return err
	}
	if a.output != formatTable {
		return a.showAnswer("", nil)
	}
	var text bytes.Buffer
	on := a.canvas()
	on.out = &text
	fmt.Fprintf(&text, "%s  %s\n", on.paint.bold(time.Now().Format(time.TimeOnly)), on.paint.dim("every "+span(every)+"; Ctrl-C ends"))
	on.writeWorkers(status, lanes)
	if len(status.Unclaimed) > 0 {
		fmt.Fprintf(&text, "\n%s\n", unclaimed(status))
	}
	columns, height := a.size(a.out)
	if !isTerminal(a.out) || a.getenv("TERM") == "dumb" || columns < 2 || height < 3 {
		_, err = fmt.Fprintf(a.out, "%s\n", text.Bytes())
		return err
	}
	return live.show(text.String(), columns-1, height-1)
}

// liveText is a text on a terminal that is replaced by the next one.
type liveText struct {
	out   io.Writer
	drawn int // lines that the last one left above the cursor
}

// show replaces the last text, in at most so many columns and lines. All of it
// is one write, so that it does not flicker.
func (l *liveText) show(text string, columns, most int) error {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	if len(lines) > most {
		lines = append(lines[:most-1], fmt.Sprintf("… %d more lines", len(lines)-most+1))
	}
	var s strings.Builder
	if l.drawn > 0 {
		fmt.Fprintf(&s, "\x1b[%dA", l.drawn)
	}
	for _, line := range lines {
		s.WriteString("\r" + fit(line, columns) + "\x1b[K\n")
	}
	s.WriteString("\x1b[J") // what the last one had more
	l.drawn = len(lines)
	_, err := io.WriteString(l.out, s.String())
	return err
}
