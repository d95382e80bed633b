package postgres

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/postgres/db"
	"github.com/kappagraph/kappa/work"
)

// actPart is how many jobs are acted on in one transaction. It is less in tests.
var actPart = 500

// Act acts on the jobs that a selects: on up to work.MaxActedAtOnce at once, in one
// transaction, and on more by a job, which goes on where it was when its server dies. It is
// recorded as one act. It returns a CodeConflict Error, having changed nothing, when other
// jobs are selected than were expected or the request was carried out before, and a
// CodeInvalid Error for more than work.MaxActed.
func (s JobStore) Act(ctx context.Context, a work.JobAct) (report work.ActReport, err error) {
	ids, denied, err := s.fewSelected(ctx, a)
	if err != nil {
		return report, err
	}
	if len(ids) > work.MaxActedAtOnce {
		return s.actByJob(ctx, a)
	}
	report.Selected, report.Denied = int64(len(ids)), int64(len(denied))
	if err := a.CheckExpected(report.Selected); err != nil {
		return report, err
	}
	asked := ids
	if len(a.Filter.IDs) > 0 { // what may not be seen is told of as what does not exist
		asked = slices.Compact(slices.Sorted(slices.Values(a.Filter.IDs)))
	}
	err = pgx.BeginFunc(ctx, s.jobs, func(tx pgx.Tx) error {
		report.Outcomes, report.Done, report.Refused = nil, 0, 0
		act := newActor(tx, a)
		if err := beginSubmission(ctx, act.q); err != nil {
			return err
		}
		outcomes, err := act.on(ctx, ids, denied)
		if err != nil {
			return err
		}
		report.Outcomes = withUnseen(asked, outcomes)
		report.Done, report.Refused = countOutcomes(report.Outcomes)
		return record(ctx, act.q, manyAct(a, report, asked))
	})
	if err != nil {
		return report, translate(err, string(a.Act)+" jobs")
	}
	s.tell(a, report.Outcomes)
	return report, nil
}

// Preview says how many jobs a selects, and shows the first of them. It changes nothing.
func (s JobStore) Preview(ctx context.Context, a work.JobAct) (report work.ActReport, err error) {
	if len(a.Filter.CanBe()) == 0 {
		return report, nil
	}
	search := newJobSearch(a.Filter)
	sql := search.countedActed(a.May, work.MaxActed)
	err = s.jobs.QueryRow(ctx, sql, search.args...).Scan(&report.Selected, &report.Denied)
	if err != nil {
		return report, translate(err, "count the jobs to "+string(a.Act))
	}
	if err := checkActed(report.Selected); err != nil {
		return report, err
	}
	f := a.Filter
	f.Limit, f.Full = work.ActPreview, true
	page, err := s.JobPage(ctx, f)
	report.Jobs = page.Jobs
	return report, err
}

// checkActed returns a CodeInvalid Error for more jobs than an act takes.
func checkActed(selected int64) error {
	if selected > work.MaxActed {
		return kappa.Invalid(kappa.FieldError{In: "body", Name: "filter", Rule: fmt.Sprintf("selects more than %d jobs; narrow it, as by submitted_from and submitted_to", work.MaxActed)})
	}
	return nil
}

// fewSelected returns the ids of the selected jobs and those that are denied, in order; of
// more than are acted on at once, one more than that.
func (s JobStore) fewSelected(ctx context.Context, a work.JobAct) (ids, denied []string, err error) {
	if len(a.Filter.CanBe()) == 0 {
		return nil, nil, nil
	}
	search := newJobSearch(a.Filter)
	sql := search.acted(a.May, work.MaxActedAtOnce)
	rows, err := s.jobs.Query(ctx, sql, search.args...)
	if err != nil {
		return nil, nil, translate(err, "select jobs")
	}
	var id string
	var permitted bool
	_, err = pgx.ForEachRow(rows, []any{&id, &permitted}, func() error {
		ids = append(ids, id)
		if !permitted {
			denied = append(denied, id)
		}
		return nil
	})
	slices.Sort(ids)
	return ids, denied, translate(err, "select jobs")
}

// withUnseen adds to outcomes those of the jobs that were asked for and not found.
func withUnseen(asked []string, outcomes []work.ActOutcome) []work.ActOutcome {
	all := make([]work.ActOutcome, len(asked))
	for i, id := range asked {
		all[i] = work.ActOutcome{JobID: id, Outcome: work.OutcomeRefused, Reason: kappa.ErrorMessage(notFound("Job not found: %s", id))}
		if at := slices.IndexFunc(outcomes, func(o work.ActOutcome) bool { return o.JobID == id }); at >= 0 {
			all[i] = outcomes[at]
		}
	}
	return all
}

func countOutcomes(outcomes []work.ActOutcome) (done, refused int64) {
	for _, o := range outcomes {
		if o.Outcome == work.OutcomeDone {
			done++
		} else {
			refused++
		}
	}
	return done, refused
}

// actVerbs are the acts as they are recorded, where they are recorded under other names.
var actVerbs = map[work.Act]string{work.ActDelete: "purge", work.ActPriority: "reprioritize", work.ActRunNow: "run_now", work.ActMove: "move"}

// manyAct is what is recorded of an act on many jobs: as one, whatever their number.
func manyAct(a work.JobAct, report work.ActReport, ids []string) act {
	verb := actVerbs[a.Act]
	if verb == "" {
		verb = string(a.Act)
	}
	before, after := map[string]any{}, map[string]any{"selected": report.Selected, "options": a.ActOptions}
	if words := a.Filter.Words(); len(words) > 0 {
		before["filter"] = words
	}
	if report.JobID != "" {
		after["by_job"] = report.JobID
	} else {
		before["job_ids"] = ids
		after["done"], after["refused"] = report.Done, report.Refused
	}
	return act{action: "job." + verb, object: "jobs", id: report.JobID, before: before, after: after}
}

// actByJob submits the job that acts on what is selected, which is stored with it: it acts on
// these very jobs, whenever it comes to each.
func (s JobStore) actByJob(ctx context.Context, a work.JobAct) (report work.ActReport, err error) {
	data, err := json.Marshal(a)
	if err != nil {
		return report, fmt.Errorf("encode an act: %w", err)
	}
	p := db.JobInsertParams{
		JobType: work.TypeJobAction, Status: string(work.StatusApproved), Queue: work.DefaultQueue, Priority: work.MaxPriority, UserID: int32(a.UserID),
		ApprovedBy: new(work.ApprovedByAuto), ApprovalExpires: work.ApprovalExpires, MaxRetries: work.DefaultMaxRetries, Data: data,
	}
	key := ""
	if k, ok := work.SubmissionKeyOf(ctx); ok {
		key, p.Key, p.Fingerprint = k.Key, &k.Key, k.Fingerprint
	}
	err = withNewID(func() error {
		return pgx.BeginFunc(ctx, s.jobs, func(tx pgx.Tx) (err error) {
			if report.JobID, err = insertJob(ctx, db.New(tx), p); err != nil {
				return err
			}
			if report.ActFigures, report.Denied, err = s.storeParts(ctx, tx, a, report.JobID); err != nil {
				return err
			}
			return record(ctx, db.New(tx), manyAct(a, report, nil))
		})
	})
	if isNoRows(err) { // the key was used for this already
		job, err := s.submittedBefore(ctx, a.UserID, key, p.Fingerprint, errCarriedOut())
		if err != nil {
			return report, err
		}
		report.JobID = job.ID
		report.ActFigures, report.Denied, err = s.actFigures(ctx, s.q(), job.ID)
		return report, err
	}
	if err != nil {
		return report, translate(err, "store an act on jobs")
	}
	s.committed(report.JobID)
	return report, nil
}

// storeParts stores the jobs that a selects as the parts of an act.
func (s JobStore) storeParts(ctx context.Context, tx pgx.Tx, a work.JobAct, id string) (figures work.ActFigures, denied int64, err error) {
	search := newJobSearch(a.Filter)
	sql := search.storedParts(a.May, id, actPart, work.MaxActed)
	if _, err := tx.Exec(ctx, sql, search.args...); err != nil {
		return figures, 0, err
	}
	if figures, denied, err = s.actFigures(ctx, db.New(tx), id); err != nil {
		return figures, denied, err
	}
	if err := checkActed(figures.Selected); err != nil {
		return figures, denied, err
	}
	return figures, denied, a.CheckExpected(figures.Selected)
}

func (s JobStore) actFigures(ctx context.Context, q *db.Queries, id string) (work.ActFigures, int64, error) {
	r, err := q.ActionFigures(ctx, id)
	return work.ActFigures{Selected: r.Selected, Done: r.Done, Refused: r.Refused}, r.Denied, translate(err, "read how far an act is")
}
