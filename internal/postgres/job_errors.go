package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/work"
)

// errorRow is the jobs of one type that have failed by one error, and what there is beside.
type errorRow struct {
	Type, Key    string
	Jobs         int64
	First, Last  time.Time
	Total        int64 // of all errors
	Errors       int64
	JobID, Error string
}

// allErrors groups all that has failed, or what has of a type, by the index that is there
// for it; the newest of each group is its example.
const allErrors = `SELECT g.job_type, coalesce(g.error_key, ''), g.jobs, g.first, g.last, g.total, g.errors, coalesce(e.job_id, ''), coalesce(e.error, '')
FROM (
    SELECT j.job_type, j.error_key, count(*) AS jobs, min(j.completed_at) AS first, max(j.completed_at) AS last,
        (sum(count(*)) OVER ())::bigint AS total, count(*) OVER () AS errors
    FROM kg_api.jobs j WHERE j.status = 'failed' AND ($1::text = '' OR j.job_type = $1)
    GROUP BY j.job_type, j.error_key ORDER BY 3 DESC, 1, 2 LIMIT $2
) g LEFT JOIN LATERAL (
    SELECT x.job_id, x.error FROM kg_api.jobs x
    WHERE x.status = 'failed' AND x.job_type = g.job_type AND x.error_key = g.error_key
    ORDER BY x.completed_at DESC LIMIT 1
) e ON true ORDER BY g.jobs DESC, g.job_type, g.error_key`

// JobErrors returns by which errors the jobs have failed that f selects, the most frequent
// first: all of them when f selects by their type alone and they may all be seen, and of the
// last some tens of thousands otherwise.
func (s JobStore) JobErrors(ctx context.Context, f work.JobFilter) (found work.JobErrors, err error) {
	f.Dead = true
	if len(f.CanBe()) == 0 {
		return found, nil
	}
	sql, args := allErrors, []any{f.Type, work.MaxJobErrors}
	if all := (work.JobFilter{Dead: true, Type: f.Type}); f.Visible != nil || all.Fingerprint() != f.Fingerprint() {
		most := int(mostScanned)
		_, failed, err := s.countJobs(ctx, sourcesOf(f), most)
		if err != nil {
			return found, err
		}
		found.Partial = failed > mostScanned
		search := newJobSearch(f)
		sql = search.errors(most)
		args = search.args
	}
	rows, err := s.jobs.Query(ctx, sql, args...)
	if err != nil {
		return found, translate(err, "group errors")
	}
	groups, err := pgx.CollectRows(rows, pgx.RowToStructByPos[errorRow])
	if err != nil {
		return found, translate(err, "group errors")
	}
	for _, g := range groups {
		found.Jobs, found.More = g.Total, g.Errors > int64(len(groups))
		found.Errors = append(found.Errors, work.JobError{
			Type: g.Type, ErrorKey: g.Key, Count: g.Jobs, First: kappa.At(g.First), Last: kappa.At(g.Last), JobID: g.JobID, Error: g.Error,
		})
	}
	return found, nil
}
