package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/cmd/kg/exit"
	"github.com/kappagraph/kappa/cmd/kg/follow"
	"github.com/kappagraph/kappa/cmd/kg/show"
	"github.com/kappagraph/kappa/work"
)

// longestWait is how long a server may ask a command to wait that has more to submit.
const longestWait = 5 * time.Minute

// submit sends a document, and again as often as the server asks to wait: as long as many
// documents of the user wait for their analysis, it takes no more.
func (s *submission) submit(ctx context.Context, d client.Document) (client.Submitted, error) {
	for waited := false; ; waited = true {
		done, err := s.client.Documents.Submit(ctx, d)
		var refused *client.Error
		if !errors.As(err, &refused) || refused.Problem.Code != kappa.CodeRateLimited {
			return done, err //nolint:wrapcheck // the caller says what failed
		}
		wait := refused.Problem.RetryAfter
		if wait <= 0 || wait > longestWait {
			return done, err //nolint:wrapcheck // likewise
		}
		if !waited {
			s.app.note("%s waits: %s", show.OneLine(d.Filename), show.OneLine(refused.Error()))
		}
		if kappa.Sleep(ctx, wait); ctx.Err() != nil {
			return done, context.Cause(ctx)
		}
	}
}

// one submits one document and says what became of it.
func (s *submission) one(ctx context.Context, d client.Document) error {
	done, err := s.submit(ctx, d)
	if err != nil {
		return fmt.Errorf("submit %s: %w", d.Filename, err)
	}
	s.answers = append(s.answers, s.app.answers.answer())
	s.took(done, d.Filename)
	return nil
}

// took notes a document that the server has taken in, and says so.
func (s *submission) took(done client.Submitted, name string) {
	hidden := done.JobID == "" // a job of somebody else ingests the document
	if !hidden && (!done.Duplicate || !done.Status.Terminal()) {
		s.jobs = append(s.jobs, follow.Job{ID: done.JobID, Name: name})
	}
	if done.Duplicate && done.Status == work.StatusAwaitingApproval && !s.flags.noApprove {
		s.unapproved = append(s.unapproved, done.JobID)
		if !s.flags.wait { // which says so when it ends
			s.app.note("%s awaits approval: kg jobs approve %s", show.OneLine(name), done.JobID)
		}
	}
	if s.app.output == formatTable {
		what := "submitted"
		if done.Duplicate {
			what = "known already"
		}
		id := done.JobID
		if hidden {
			id = "-"
		}
		fmt.Fprintf(s.app.out, "%s  %s  %s\n", id, what, show.OneLine(name))
		if hidden {
			s.app.note("%s", show.OneLine(done.Message))
		}
		if n := done.EarlierVersions; n > 0 {
			s.app.note("%s of %s in the ontology, which somebody else has ingested", staying(n), show.OneLine(name))
		}
	}
}

// staying says that earlier versions of a file stay.
func staying(n int) string {
	if n == 1 {
		return "an earlier version stays"
	}
	return show.Counted(n, "earlier version") + " stay"
}

// finish follows the jobs when that was asked for, and shows the results.
func (s *submission) finish(ctx context.Context) error {
	if s.app.output != formatTable && !s.flags.wait {
		return s.app.showAnswers(s.answers)
	}
	switch {
	case len(s.jobs) == 0:
	case s.flags.wait:
		return s.wait(ctx)
	case s.flags.noApprove && len(s.jobs) > 1:
		return s.price(ctx)
	case s.flags.noApprove:
		s.app.note("Approve with: kg jobs approve %s", s.jobs[0].ID)
	default:
		s.app.note("Watch with: kg jobs watch %s", s.jobs[0].ID)
	}
	if s.app.output != formatTable {
		return s.app.showAnswers(s.answers)
	}
	return nil
}

// wait follows the jobs to their end, or until they await approval when they
// are not approved by themselves, and shows what they are then.
func (s *submission) wait(ctx context.Context) error {
	outcomes, err := s.follow(ctx)
	if err != nil {
		return s.app.interrupted(err, s.jobs)
	}
	return s.app.conclude(ctx, s.client, s.jobs, outcomes)
}

// follow follows the jobs as wait does.
func (s *submission) follow(ctx context.Context) ([]follow.Outcome, error) {
	f := follow.New(s.client, follow.NewDisplay(s.app.screen(s.app.err), s.jobs))
	if s.app.output == formatJSONL {
		f.Observe = s.app.writeEvent
	}
	f.Stop = func(u client.Update) bool {
		return u.Paused() || u.Status() == work.StatusAwaitingApproval && (s.flags.noApprove || slices.Contains(s.unapproved, u.JobID))
	}
	return f.Run(ctx, s.jobs)
}

// interrupted says that the jobs go on when somebody stops watching.
func (a *App) interrupted(err error, jobs []follow.Job) error {
	if !errors.Is(err, context.Canceled) {
		return err
	}
	id := jobs[0].ID
	if len(jobs) == 1 {
		a.note("\nStopped watching; job %s goes on.", id)
	} else {
		a.note("\nStopped watching; the %d jobs go on.", len(jobs))
	}
	a.note("  watch again:  kg jobs watch %s\n  cancel it:    kg jobs cancel %s", id, id)
	return &exit.Error{Code: exit.Interrupted}
}
