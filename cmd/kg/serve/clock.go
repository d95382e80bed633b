package serve

import (
	"context"
	"time"
)

const (
	clockEvery  = time.Minute
	clockWithin = 2 * time.Second
	clockWrong  = 5 * time.Second // off by more is worth a line in the log
)

// clock reads the database's clock from time to time, because clocks drift and
// another server may take over. It says when this machine's is wrong, or right
// again.
func (s *server) clock(ctx context.Context) error {
	tick := time.NewTicker(clockEvery)
	defer tick.Stop()
	wrong := false
	for {
		readCtx, cancel := context.WithTimeout(ctx, clockWithin)
		ahead, err := s.db.ReadClock(readCtx)
		cancel()
		if err == nil && wrong != (ahead.Abs() > clockWrong) {
			wrong = !wrong
			s.sayClock(ctx, wrong, ahead)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

func (s *server) sayClock(ctx context.Context, wrong bool, ahead time.Duration) {
	if !wrong {
		s.log.InfoContext(ctx, "the clocks of this machine and of the database agree again")
		return
	}
	s.log.WarnContext(ctx, "the clocks of this machine and of the database differ; Kappa goes by the database's, what else reads this machine's log may not",
		"database_ahead", ahead.Round(time.Millisecond))
}
