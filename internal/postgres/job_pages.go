package postgres

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/postgres/db"
	"github.com/kappagraph/kappa/work"
)

// foundJob is a row of a page: a job that matches, or the last one that was looked at.
type foundJob struct {
	Found bool
	N     int64
	Key   int64 // that the list is sorted by before the time
	db.KgApiShownJob
}

// Jobs returns the jobs that f selects: all of a page, however long they are looked for.
func (s JobStore) Jobs(ctx context.Context, f work.JobFilter) ([]work.Job, error) {
	f.Full = true
	page, err := s.JobPage(ctx, f)
	return page.Jobs, err
}

// JobPage returns a page of the jobs that f selects. One that no index finds is looked for
// among some tens of thousands; with an offset, or when it has to be full, among all. It returns a CodeInvalid Error for
// an order that would have too many jobs put in it.
func (s JobStore) JobPage(ctx context.Context, f work.JobFilter) (page work.JobPage, err error) {
	if len(f.CanBe()) == 0 {
		return page, nil
	}
	after, ok := kappa.ParseCursor(kappa.ListJobs, f.Cursor, f.Sort.Keys())
	if !ok {
		return page, kappa.Invalid(kappa.FieldError{In: "query", Name: "cursor", Rule: "must be the next_cursor of a page of this list"})
	}
	if !f.Sort.Indexed() {
		if err := s.checkSort(ctx, f); err != nil {
			return page, err
		}
	}
	found, next, err := s.scan(ctx, f, after)
	if err != nil {
		return page, err
	}
	if page.Jobs, err = s.shown(ctx, found); err != nil {
		return page, err
	}
	if !next.IsZero() {
		next.Of = f.Fingerprint()
		page.Next = next.String()
	}
	if f.Count != "" {
		page.Total, err = s.jobTotal(ctx, f)
	}
	return page, err
}

// shown returns the jobs of a page.
func (s JobStore) shown(ctx context.Context, found []foundJob) ([]work.Job, error) {
	jobs := make([]work.Job, len(found))
	for i, row := range found {
		var err error
		if jobs[i], err = toJob(row.KgApiShownJob); err != nil {
			return nil, err
		}
	}
	return jobs, s.addModels(ctx, jobs)
}

// scan returns the next jobs after a place, and from where to go on; zero is the end of the
// list.
func (s JobStore) scan(ctx context.Context, f work.JobFilter, after kappa.Cursor) ([]foundJob, kappa.Cursor, error) {
	search, most := newJobSearch(f), f.Limit
	read := search.page
	if !f.Sort.Indexed() {
		read = search.sorted
	}
	sql := read(after, most+1)
	rows, err := s.jobs.Query(ctx, sql, search.args...)
	if err != nil {
		return nil, after, translate(err, "list jobs")
	}
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[foundJob])
	if err != nil {
		return nil, after, translate(err, "list jobs")
	}
	if end := slices.IndexFunc(found, func(r foundJob) bool { return r.N == search.scanned }); end >= 0 && end < most {
		found, next := cut(found[:end+1], f.Sort, after)
		return found, next, nil
	}
	if len(found) > most {
		return found[:most], found[most-1].place(f.Sort), nil
	}
	return found, kappa.Cursor{}, nil
}

// place returns where a row stands in a list.
func (r foundJob) place(sort work.JobSort) kappa.Cursor {
	at := kappa.Cursor{List: kappa.ListJobs, Keys: []int64{r.CreatedAt.UnixMicro()}, ID: r.JobID}
	if !sort.Indexed() {
		at.Keys = []int64{r.Key, r.CreatedAt.UnixMicro()}
	}
	return at
}

// cut ends a page at the last job that was looked at in a source, which is the last of rows. The cursor
// names no job, since the viewer may not see this one: the next page begins with those of the
// same moment, which this one leaves out. Only where there are more of one moment than are
// looked at does it name the job.
func cut(rows []foundJob, sort work.JobSort, after kappa.Cursor) ([]foundJob, kappa.Cursor) {
	last := rows[len(rows)-1]
	next := kappa.Cursor{List: kappa.ListJobs, Keys: []int64{last.CreatedAt.UnixMicro()}}
	if sort != work.SortOldest {
		next.Keys[0]++
	}
	if after.Key(0, -1) == next.Keys[0] && after.ID == "" || after.ID != "" && after.Keys[0] == last.CreatedAt.UnixMicro() {
		return slices.DeleteFunc(rows, func(r foundJob) bool { return !r.Found }), last.place(sort)
	}
	return slices.DeleteFunc(rows, func(r foundJob) bool { return !r.Found || r.CreatedAt.Equal(last.CreatedAt) }), next
}

// checkSort returns a CodeInvalid Error for an order that no index has, where more jobs would be
// put in it than can be in time. Who may not see all jobs would learn from it how many there
// are, and gets it always.
func (s JobStore) checkSort(ctx context.Context, f work.JobFilter) error {
	refused := func(rule string) error {
		return kappa.Invalid(kappa.FieldError{In: "query", Name: "sort", Rule: rule})
	}
	if f.Visible != nil {
		return refused("must be newest or oldest for those who may not see all jobs")
	}
	_, all, err := s.countJobs(ctx, sourcesOf(f), mostSorted)
	if err != nil {
		return err
	}
	if all > mostSorted {
		return refused(fmt.Sprintf("must be newest or oldest for more than %d jobs: %s would read them all. Narrow the list by status, dead, parent, age, submitted_from or submitted_to", mostSorted, f.Sort))
	}
	return nil
}

// sourcesOf returns the filter of all jobs among which those of f are looked for: what an index
// tells.
func sourcesOf(f work.JobFilter) work.JobFilter {
	return work.JobFilter{Statuses: f.CanBe(), Submitted: f.Submitted, Parent: f.Parent, WaitsFor: f.WaitsFor}
}

// jobTotal counts what f selects, wherever its page is.
func (s JobStore) jobTotal(ctx context.Context, f work.JobFilter) (*work.JobTotal, error) {
	if plain := (work.JobFilter{Statuses: f.Statuses, Sort: f.Sort}); f.Visible == nil && plain.Fingerprint() == f.Fingerprint() {
		return s.countStatuses(ctx, f)
	}
	if f.Visible == nil && f.Count == work.CountEstimated {
		search := newJobSearch(f)
		var plan []struct {
			Plan struct {
				Rows float64 `json:"Plan Rows"`
			} `json:"Plan"`
		}
		var raw []byte
		sql := search.estimated()
		err := s.jobs.QueryRow(ctx, sql, search.args...).Scan(&raw)
		if err != nil {
			return nil, translate(err, "estimate how many jobs there are")
		}
		if err := json.Unmarshal(raw, &plan); err != nil || len(plan) != 1 {
			return nil, fmt.Errorf("read the estimate of jobs: %w", err)
		}
		return &work.JobTotal{Jobs: int64(math.Round(plan[0].Plan.Rows)), Is: string(work.CountEstimated)}, nil
	}
	total := &work.JobTotal{Is: string(work.CountExact)}
	matching, all, err := s.countJobs(ctx, f, mostTold)
	if all > mostTold {
		total.Is = "at_least"
	}
	total.Jobs = matching
	return total, err
}

// countJobs counts the jobs that match, and those among which they are looked for, up to one
// more than most.
func (s JobStore) countJobs(ctx context.Context, f work.JobFilter, most int) (matching, all int64, err error) {
	search := newJobSearch(f)
	sql := search.counted(most)
	err = s.jobs.QueryRow(ctx, sql, search.args...).Scan(&matching, &all)
	return matching, all, translate(err, "count jobs")
}

// countStatuses counts the jobs of statuses, which is known.
func (s JobStore) countStatuses(ctx context.Context, f work.JobFilter) (*work.JobTotal, error) {
	rows, err := s.q().JobCounts(ctx)
	if err != nil {
		return nil, translate(err, "count jobs")
	}
	total := &work.JobTotal{Is: string(work.CountExact)}
	for _, r := range rows {
		if slices.Contains(f.CanBe(), work.Status(r.Status)) {
			total.Jobs += r.Jobs
		}
	}
	return total, nil
}
