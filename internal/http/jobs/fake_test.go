package jobs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/internal/http/apitest"
	"github.com/kappagraph/kappa/work"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fake keeps jobs in memory, and what was asked for.
type fake struct {
	jobs   map[string]work.Job
	err    error          // what everything fails with, if set
	added  []work.NewJob  // submitted
	by     string         // who approved the last one
	budget *corpus.Budget // that it was given then
	did    []string       // what operators had done, in words
	filter work.JobFilter // of the last list
	page   work.JobPage   // beside the jobs
	errors work.JobErrors

	retried *work.JobLink  // of every job
	act     work.JobAct    // the last one
	report  work.ActReport // what becomes of every act
	next    string         // cursor of outcomes
}

// newFake returns a fake with the known job in a status.
func newFake(status work.Status) *fake {
	return &fake{jobs: map[string]work.Job{apitest.KnownJob: apitest.Job(status)}}
}

// types are noop, sleep, which takes ms, one of its own priority that is not tried
// again, and ingestion.
func types(t testing.TB) *work.JobTypes {
	t.Helper()
	handle := func(context.Context, work.Claim) (json.RawMessage, error) { return nil, nil }
	list, err := work.NewJobTypes(
		work.JobType{Name: work.TypeNoop, Lane: "l", Retryable: true, Handler: handle},
		work.JobType{Name: work.TypeSleep, Lane: "l", Retryable: true, Resumable: true, Handler: handle, Check: func(data json.RawMessage) error {
			if strings.Contains(string(data), "long") {
				return kappa.Invalid(kappa.FieldError{In: "body", Name: "data.ms", Rule: "must be a whole number"})
			}
			return nil
		}},
		work.JobType{Name: "once", Lane: "l", Priority: 7, Handler: handle},
		work.JobType{Name: "ingestion", Lane: "l", NeedsDocument: true, Retryable: true, Handler: handle},
	)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func newServer(t testing.TB, f *fake) *http.Server {
	t.Helper()
	s, _ := newServerAs(t, f)
	return s
}

func newServerAs(t testing.TB, f *fake) (*http.Server, *apitest.Accounts) {
	t.Helper()
	accounts := apitest.NewAccounts()
	return apitest.ServeWith(t, http.Config{Auth: accounts}, New(Config{Jobs: f, Operator: f, Actor: f, Types: types(t), MaxLaneSlots: 16})), accounts
}

func (f *fake) operate(format string, values ...any) error {
	f.did = append(f.did, fmt.Sprintf(format, values...))
	return f.err
}

func (f *fake) Job(_ context.Context, id string) (work.Job, error) {
	if f.err != nil {
		return work.Job{}, f.err
	}
	if !apitest.JobID.MatchString(id) {
		return work.Job{}, errors.New("asked for what is no job id")
	}
	j, ok := f.jobs[id]
	if !ok {
		return work.Job{}, kappa.NewError(kappa.CodeNotFound, "Job not found: "+id)
	}
	return j, nil
}

// JobPage does not filter by user: what it returns too much must be dropped.
func (f *fake) JobPage(_ context.Context, filter work.JobFilter) (work.JobPage, error) {
	f.filter = filter
	page := f.page
	for _, j := range f.jobs {
		if filter.Statuses == nil || slices.Contains(filter.Statuses, j.Status) {
			page.Jobs = append(page.Jobs, j)
		}
	}
	return page, f.err
}

func (f *fake) JobErrors(_ context.Context, filter work.JobFilter) (work.JobErrors, error) {
	f.filter = filter
	return f.errors, f.err
}

func (f *fake) RetriedAs(context.Context, string) (*work.JobLink, error) { return f.retried, f.err }

func (f *fake) Act(_ context.Context, a work.JobAct) (work.ActReport, error) {
	f.act = a
	return f.report, f.operate("act %s", a.Act)
}

func (f *fake) Preview(_ context.Context, a work.JobAct) (work.ActReport, error) {
	f.act = a
	return f.report, f.err
}

func (f *fake) ActFigures(context.Context, string) (work.ActFigures, error) {
	return f.report.ActFigures, f.err
}

func (f *fake) ActOutcomes(_ context.Context, _ string, _ work.OutcomeKind, cursor string, _ int) ([]work.ActOutcome, string, error) {
	return f.report.Outcomes, f.next, f.err
}

func (f *fake) Attempts(_ context.Context, job work.Job) (work.JobAttempts, error) {
	return work.JobAttempts{JobID: job.ID, Status: job.Status}, f.err
}

func (f *fake) WaitFacts(_ context.Context, job work.Job) (work.WaitFacts, error) {
	return work.WaitFacts{Job: job, Due: true}, f.err
}

func (f *fake) SubmitJob(_ context.Context, j work.NewJob) (work.Job, error) {
	f.added = append(f.added, j)
	out := apitest.Job(work.StatusAwaitingApproval)
	if j.AutoApprove {
		out.Status = work.StatusApproved
	}
	return out, f.err
}

func (f *fake) ApproveWithin(ctx context.Context, id, by string, budget *corpus.Budget) error {
	f.budget = budget
	j, err := f.Job(ctx, id)
	if err != nil {
		return err
	}
	if j.Status != work.StatusAwaitingApproval {
		return kappa.NewError(kappa.CodeConflict, "Job not awaiting approval (status: "+string(j.Status)+")")
	}
	f.by = by
	return nil
}

func (f *fake) Cancel(ctx context.Context, id string) (bool, error) {
	j, err := f.Job(ctx, id)
	if err != nil {
		return false, err
	}
	if j.Status.Terminal() {
		return false, kappa.NewError(kappa.CodeConflict, "Cannot cancel job in status: "+string(j.Status))
	}
	return j.Status == work.StatusProcessing, nil
}

func (f *fake) CancelRunning(ctx context.Context, id string) error {
	j, err := f.Job(ctx, id)
	if err != nil {
		return err
	}
	if j.Status != work.StatusProcessing {
		return kappa.NewError(kappa.CodeConflict, "Job not running (status: "+string(j.Status)+"). Use DELETE /jobs/"+id+" for queued jobs.")
	}
	return f.operate("cancel running %s", id)
}

func (f *fake) Reprioritize(ctx context.Context, id string, priority int) (int, int, error) {
	j, err := f.Job(ctx, id)
	if err != nil {
		return 0, 0, err
	}
	if j.Status != work.StatusApproved {
		return 0, 0, kappa.NewError(kappa.CodeConflict, "Can only reprioritize approved jobs (status: "+string(j.Status)+")")
	}
	return j.Priority, priority, f.operate("reprioritize %s %d", id, priority)
}

func (f *fake) Purge(ctx context.Context, id string, force bool) error {
	j, err := f.Job(ctx, id)
	if err != nil {
		return err
	}
	if j.Status == work.StatusProcessing && !force {
		return kappa.NewError(kappa.CodeConflict, "Cannot delete job in status: processing. Use force=true to override.")
	}
	return f.operate("purge %s force %v", id, force)
}

func (f *fake) BulkDelete(_ context.Context, sel work.JobSelection, dryRun bool) (work.JobDeletion, error) {
	err := f.operate("delete %+v dry %v", sel, dryRun)
	d := work.JobDeletion{Count: 3, Running: 1}
	if dryRun && sel.Type != "none" {
		d.Jobs = []work.DeletedJob{{JobID: apitest.KnownJob, JobType: "noop", Status: work.StatusFailed, CreatedAt: apitest.Job(work.StatusFailed).CreatedAt}}
	}
	return d, err
}

func (f *fake) RetryJob(ctx context.Context, r work.Retry) (work.Job, error) {
	j, err := f.Job(ctx, r.JobID)
	if err != nil {
		return j, err
	}
	if j.Status != work.StatusFailed && j.Status != work.StatusCancelled {
		return j, kappa.NewError(kappa.CodeConflict, "Can only retry failed or cancelled jobs (status: "+string(j.Status)+")")
	}
	return work.Job{ID: "job_00000000000a", Status: work.StatusApproved}, f.operate("retry %s by %d%s", r.JobID, r.UserID, r.Key)
}

// strict is a fake that nothing reaches that breaks a rule.
type strict struct {
	*fake
	apitest.Fuzzer
}

func newStrict(t testing.TB) *strict {
	s := &strict{fake: newFake(work.StatusFailed)}
	s.Begin(t, New(Config{Jobs: s, Operator: s, Actor: s, Types: types(t)}))
	return s
}

func (s *strict) SubmitJob(ctx context.Context, j work.NewJob) (work.Job, error) {
	s.Allow(slices.Contains([]string{work.TypeNoop, work.TypeSleep, "once"}, j.Type) && apitest.Sentence(j.Queue, 100) && apitest.Within(j.Priority, -100, 100) &&
		apitest.Within(j.MaxRetries, 0, 100) && len(j.Data) <= 65536 && (j.Data == nil || json.Valid(j.Data)) && s.KeyAsSent(j.Key), j)
	return s.fake.SubmitJob(ctx, j)
}

func (s *strict) RetryJob(ctx context.Context, r work.Retry) (work.Job, error) {
	s.Allow(s.KeyAsSent(r.Key), r)
	return s.fake.RetryJob(ctx, r)
}

func (s *strict) JobPage(_ context.Context, f work.JobFilter) (work.JobPage, error) {
	s.Allow(apitest.Within(f.Limit, 1, 500) && apitest.Within(f.Offset, 0, 1_000_000) && slices.IndexFunc(f.Statuses, func(s work.Status) bool { return !slices.Contains(work.Statuses(), s) }) < 0 &&
		apitest.SentenceOrNone(f.Ontology, 200) && apitest.SentenceOrNone(f.Type, 100) && apitest.SentenceOrNone(f.User, 100) && (f.Parent == "" || kappa.IsJobID(f.Parent)) &&
		apitest.SentenceOrNone(f.Error, 200) && apitest.SentenceOrNone(f.File, 200) && apitest.SentenceOrNone(f.Lane, 200) && apitest.SentenceOrNone(f.Queue, 200) && len(f.CanBe()) > 0, f)
	return work.JobPage{}, nil
}

func (s *strict) JobErrors(ctx context.Context, f work.JobFilter) (work.JobErrors, error) {
	_, err := s.JobPage(ctx, f)
	return work.JobErrors{}, err
}

// Act wants a valid act: one that is not would be done to more than was asked for.
func (s *strict) Act(ctx context.Context, a work.JobAct) (work.ActReport, error) {
	s.Allow(slices.Contains(work.Acts(), a.Act) && (a.Priority == nil || apitest.Within(*a.Priority, -100, 100)) && len(a.Filter.IDs) <= work.MaxActedAtOnce &&
		!slices.ContainsFunc(a.Filter.IDs, func(id string) bool { return !kappa.IsJobID(id) }), a)
	return s.fake.Act(ctx, a)
}

func (s *strict) Preview(ctx context.Context, a work.JobAct) (work.ActReport, error) {
	return s.Act(ctx, a)
}

func (s *strict) ActOutcomes(ctx context.Context, id string, kind work.OutcomeKind, cursor string, limit int) ([]work.ActOutcome, string, error) {
	s.Allow(apitest.Within(limit, 1, 500), limit)
	return s.fake.ActOutcomes(ctx, id, kind, cursor, limit)
}

// BulkDelete wants each word of the query understood: one that is lost would
// delete more than was asked for.
func (s *strict) BulkDelete(ctx context.Context, sel work.JobSelection, dryRun bool) (work.JobDeletion, error) {
	words, err := url.ParseQuery(s.Request.Query)
	ok := err == nil && apitest.SentenceOrNone(sel.Type, 100) && (dryRun || yes(words.Get("confirm"))) && dryRun == yes(words.Get("dry_run")) &&
		words.Has("status") == (sel.Status != "") && words.Has("older_than") == (sel.OlderThan != 0) && words.Get("job_type") == sel.Type &&
		sel.System == yes(words.Get("system")) && slices.Contains([]time.Duration{0, time.Hour, 24 * time.Hour, 168 * time.Hour, 720 * time.Hour}, sel.OlderThan)
	for name, values := range words {
		ok = ok && len(values) == 1 && values[0] != "" && slices.Contains([]string{"confirm", "dry_run", "status", "system", "older_than", "job_type"}, name)
	}
	s.Allow(ok, sel)
	return s.fake.BulkDelete(ctx, sel, dryRun)
}

func yes(word string) bool {
	return slices.Contains([]string{"true", "1", "yes", "on"}, strings.ToLower(word))
}

func (s *strict) Reprioritize(ctx context.Context, id string, priority int) (int, int, error) {
	s.Allow(apitest.Within(priority, -100, 100), priority)
	return s.fake.Reprioritize(ctx, id, priority)
}
