package serve

import (
	"context"
	"log/slog"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/postgres"
)

const (
	clockEvery  = time.Minute
	clockWithin = 2 * time.Second
	clockWrong  = 5 * time.Second // off by more is worth a line in the log
)

// clockWatch compares the clocks of this machine and of the database.
type clockWatch struct {
	db  *postgres.DB
	log *slog.Logger
}

// run reads the database's clock from time to time, because clocks drift and
// another server may take over. It says when this machine's is wrong, or right
// again.
func (c clockWatch) run(ctx context.Context) error {
	wrong := false
	return kappa.Loop{Name: "comparing clocks", Every: clockEvery, Log: c.log}.Run(ctx, func(ctx context.Context) error {
		readCtx, cancel := context.WithTimeout(ctx, clockWithin)
		defer cancel()
		ahead, err := c.db.ReadClock(readCtx)
		if err == nil && wrong != (ahead.Abs() > clockWrong) {
			wrong = !wrong
			c.say(ctx, wrong, ahead)
		}
		return nil // that the database is away is for others to say
	})
}

func (c clockWatch) say(ctx context.Context, wrong bool, ahead time.Duration) {
	if !wrong {
		c.log.InfoContext(ctx, "the clocks of this machine and of the database agree again")
		return
	}
	c.log.WarnContext(ctx, "the clocks of this machine and of the database differ; Kappa goes by the database's, what else reads this machine's log may not",
		"database_ahead", ahead.Round(time.Millisecond))
}
