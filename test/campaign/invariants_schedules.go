package main

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/kappagraph/kappa/work"
)

// i19EachInstantAnswered wants an answer to each instant that a schedule
// promised, but the one that is still to come, and to each full minute. An
// instant that the ticker brought forward is promised again afterwards.
func i19EachInstantAnswered(ctx context.Context, conn *pgx.Conn, _ *outcome) ([]string, error) {
	return lines(ctx, conn, `
		WITH expected AS (
			SELECT i.schedule_id, i.due_at FROM campaign.instants i
			UNION
			SELECT s.schedule_id, m.due_at FROM kg_api.scheduled_jobs s
			CROSS JOIN LATERAL (SELECT min(i.due_at) AS first FROM campaign.instants i WHERE i.schedule_id = s.schedule_id) f
			CROSS JOIN LATERAL generate_series(date_trunc('minute', f.first + interval '59.999999 seconds'), s.next_run_at, interval '1 minute') AS m (due_at)
		)
		SELECT 'schedule ' || s.name || ': the instant ' || e.due_at || ' has no answer'
		FROM expected e JOIN kg_api.scheduled_jobs s ON s.schedule_id = e.schedule_id
		WHERE e.due_at < s.next_run_at AND NOT EXISTS (
			SELECT 1 FROM kg_api.schedule_runs r WHERE r.schedule_id = e.schedule_id AND r.scheduled_for = e.due_at)`)
}

// i19AnsweredOnce wants one answer to an instant, one job for an answer, and an
// answer for each job that the clock submitted.
func i19AnsweredOnce(ctx context.Context, conn *pgx.Conn, _ *outcome) ([]string, error) {
	return lines(ctx, conn, `
		SELECT 'schedule ' || r.schedule_id || ': the instant ' || r.scheduled_for || ' has ' || count(*) || ' answers'
		FROM kg_api.schedule_runs r GROUP BY r.schedule_id, r.scheduled_for HAVING count(*) > 1
		UNION ALL
		SELECT r.job_id || ' answers ' || count(*) || ' instants' FROM kg_api.schedule_runs r WHERE r.job_id IS NOT NULL GROUP BY r.job_id HAVING count(*) > 1
		UNION ALL
		SELECT r.job_id || ' answers an instant and does not exist' FROM kg_api.schedule_runs r
		WHERE r.job_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM kg_api.jobs j WHERE j.job_id = r.job_id)
		UNION ALL
		SELECT j.job_id || ' was submitted by the clock for no instant' FROM kg_api.jobs j
		WHERE j.approved_by = $1 AND NOT EXISTS (SELECT 1 FROM kg_api.schedule_runs r WHERE r.job_id = j.job_id)`, work.ApprovedBySystem)
}

// i19SkipsHaveTheirReason wants a schedule to be skipped because of its
// condition, or because the instant was missed, and for no other reason.
func i19SkipsHaveTheirReason(ctx context.Context, conn *pgx.Conn, _ *outcome) ([]string, error) {
	return lines(ctx, conn, `
		SELECT 'schedule ' || s.name || ': the instant ' || r.scheduled_for || coalesce(' was skipped: ' || r.skip_reason, ' was not skipped')
		FROM kg_api.schedule_runs r JOIN kg_api.scheduled_jobs s ON s.schedule_id = r.schedule_id
		WHERE CASE WHEN r.skip_reason IS NULL THEN s.condition IS NOT NULL
			ELSE r.skip_reason NOT LIKE 'missed:%' AND (s.condition IS NULL OR r.skip_reason NOT LIKE '%' || s.condition || '%') END`)
}
