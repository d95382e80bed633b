// Package top is kg top: the lanes, the jobs and their rates on a whole terminal, live from one
// stream of the server.
package top

import (
	"context"
	"errors"
	"io"
	"iter"
	"os"
	"os/signal"
	"syscall"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/kappagraph/kappa/api"
	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/cmd/kg/show"
	"github.com/kappagraph/kappa/work"
)

// Server is what is shown, and acted on.
type Server interface {
	Overview(ctx context.Context) iter.Seq2[client.News, error]
	Wait(ctx context.Context, jobID string) (work.JobWait, error)
	Cancel(ctx context.Context, jobID string) (api.JobReply, error)
}

// Config is what kg top needs.
type Config struct {
	Server Server
	Name   string // of the server, as it is shown
	In     io.Reader
	Screen show.Screen
	Order  string // by which jobs are sorted at first, one of Orders
	Filter string // words of the jobs that are shown at first; "" shows all
}

// Run shows a server until the user leaves, or ctx or the process is ended, none of which is an
// error. It returns why the server cannot be shown. The terminal is left as it was.
func Run(ctx context.Context, cfg Config) error {
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGHUP) // the terminal was closed
	defer stop()
	screen := newScreen(ctx, cfg)
	program := tea.NewProgram(screen, tea.WithInput(cfg.In), tea.WithOutput(cfg.Screen.Writer), tea.WithoutSignalHandler())
	ended := context.AfterFunc(ctx, program.Quit)
	defer ended()
	follow, cancel := context.WithCancel(ctx)
	defer cancel()
	go listen(follow, cfg.Server, program.Send)
	if _, err := program.Run(); err != nil && !errors.Is(err, os.ErrClosed) {
		return err
	}
	return screen.failure
}

// batchEvery is how often news are shown at most.
const batchEvery = 100 * time.Millisecond

// Messages of the program.
type (
	newsMsg   []client.News // in their order
	endedMsg  struct{ err error }
	secondMsg time.Time
	waitMsg   struct {
		wait work.JobWait
		err  error
	}
	cancelledMsg struct {
		jobID string
		err   error
	}
)

// listen sends the news of a server, several at once where many come, until ctx or they end.
func listen(ctx context.Context, s Server, send func(tea.Msg)) {
	news := make(chan client.News)
	var failure error
	go func() {
		defer close(news)
		for n, err := range s.Overview(ctx) {
			if err != nil {
				failure = err
				return
			}
			select {
			case news <- n:
			case <-ctx.Done():
				return
			}
		}
	}()
	due := time.NewTicker(batchEvery)
	defer due.Stop()
	var batch newsMsg
	for {
		select {
		case n, more := <-news:
			if !more {
				send(batch)
				if ctx.Err() == nil {
					send(endedMsg{failure})
				}
				return
			}
			batch = append(batch, n)
		case <-due.C:
			if len(batch) > 0 {
				send(batch)
				batch = nil
			}
		}
	}
}
