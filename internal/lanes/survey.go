package lanes

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/kappagraph/kappa/work"
)

// surveyTimeout is for the one query; a lane that gets no answer claims instead.
const surveyTimeout = time.Second

// survey polls for all idle lanes of a process with one query, in place of a claim by
// each of them. A lane whose last claim found nothing claims again when it is woken, or
// when an answer says that jobs of its types wait. No lane goes without an answer for
// longer than its poll interval and its jitter, so a job whose notification was lost
// waits no longer than it would without the survey. The leader's sweep answers too.
type survey struct {
	query func(ctx context.Context) (types []string, err error)
	log   *slog.Logger

	mu     sync.Mutex // guards what follows
	asked  time.Time  // when the last query began that was answered
	failed time.Time  // when the last query ended that was not
	found  []string   // types that waited then
}

// quiet returns for how long a lane need not claim, and 0 when it is to claim now: jobs
// of its types wait, or nobody knows. A nil survey knows nothing.
func (s *survey) quiet(ctx context.Context, lane *work.Lane) time.Duration {
	if s == nil {
		return 0
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	most := lane.Poll() * 11 / 10 // as long as between two claims
	if time.Since(s.asked) >= most && !s.ask(ctx) {
		return 0
	}
	if slices.ContainsFunc(lane.JobTypes, func(t string) bool { return slices.Contains(s.found, t) }) {
		return 0
	}
	return max(time.Until(s.asked.Add(most)), time.Millisecond)
}

// answered takes an answer that somebody else has asked for.
func (s *survey) answered(began time.Time, types []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if began.After(s.asked) {
		s.asked, s.found = began, types
	}
}

// ask reports whether the query was answered. After one that was not, the other lanes
// do not wait for the next.
func (s *survey) ask(ctx context.Context) bool {
	if time.Since(s.failed) < surveyTimeout {
		return false
	}
	callCtx, cancel := context.WithTimeout(ctx, surveyTimeout)
	defer cancel()
	began := time.Now()
	found, err := s.query(callCtx)
	if err != nil {
		s.failed = time.Now()
		if ctx.Err() == nil {
			s.log.DebugContext(ctx, "polling for all lanes failed; each claims for itself", "err", err)
		}
		return false
	}
	s.asked, s.found = began, found
	return true
}
