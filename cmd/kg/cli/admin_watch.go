package cli

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/cmd/kg/exit"
	"github.com/kappagraph/kappa/cmd/kg/show"
)

// leastInterval is the shortest time between two updates of a watch.
const leastInterval = 200 * time.Millisecond

// watchWorkers shows the workers again and again until ctx ends, which is no
// error. On a terminal each update replaces the last one; elsewhere each is a
// block of its own, with json an object and with jsonl a line. A server that is
// away is tried again.
func (a *App) watchWorkers(ctx context.Context, c *client.Client, every time.Duration) error {
	live := show.Live{Out: a.out}
	next := time.NewTicker(every)
	defer next.Stop()
	for first := true; ; first = false {
		err := a.showWorkers(ctx, c, &live, every)
		switch code, _ := exit.CodeOf(err); {
		case ctx.Err() != nil:
			return nil
		case err != nil && (first || code != exit.Unreachable):
			return err
		case err != nil:
			a.note("%s  %s", time.Now().Format(time.TimeOnly), show.OneLine(err.Error()))
			live.Keep() // with the note; the next update comes below it
		}
		select {
		case <-ctx.Done():
			return nil
		case <-next.C:
		}
	}
}

// showWorkers shows the workers once.
func (a *App) showWorkers(ctx context.Context, c *client.Client, live *show.Live, every time.Duration) error {
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
	fmt.Fprintf(&text, "%s  %s\n", on.paint.Bold(time.Now().Format(time.TimeOnly)), on.paint.Dim("every "+show.Span(every)+"; Ctrl-C ends"))
	on.writeWorkers(status, lanes)
	if len(status.Unclaimed) > 0 {
		fmt.Fprintf(&text, "\n%s\n", unclaimed(status))
	}
	columns, height := a.Out().Size()
	if !a.Out().Live() || columns < 2 || height < 3 {
		_, err = fmt.Fprintf(a.out, "%s\n", text.Bytes())
		return err
	}
	return live.Show(text.String(), columns-1, height-1)
}
