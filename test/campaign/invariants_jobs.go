package main

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/kappagraph/kappa/work"
)

func i01NoLostJob(ctx context.Context, conn *pgx.Conn, o *outcome) ([]string, error) {
	ids := make([]string, 0, len(o.submitted.Accepted))
	for id := range o.submitted.Accepted {
		ids = append(ids, id)
	}
	return lines(ctx, conn, `
		SELECT a.job_id || ' is ' || coalesce(j.status, 'gone')
		FROM unnest($1::text[]) AS a (job_id) LEFT JOIN kg_api.jobs j ON j.job_id = a.job_id
		WHERE j.status IS NULL OR j.status NOT IN ('completed', 'failed', 'cancelled')
		UNION ALL
		SELECT j.job_id || ' is ' || j.status FROM kg_api.jobs j
		WHERE j.status NOT IN ('completed', 'failed', 'cancelled') AND j.job_id <> ALL ($1)`, ids)
}

func i01NoOtherFailure(ctx context.Context, conn *pgx.Conn, _ *outcome) ([]string, error) {
	return lines(ctx, conn, `
		SELECT j.job_id || ' failed: ' || coalesce(j.error, 'without a reason') FROM kg_api.jobs j
		WHERE j.status = 'failed' AND (j.crash_count < $1 OR j.error NOT LIKE 'Quarantined:%' OR j.error IS NULL)`, work.QuarantineCrashes)
}

// i02NoInventedJob compares the numbers that the workload gave its jobs. Those
// that answer an instant of a schedule have none; see I19.
func i02NoInventedJob(ctx context.Context, conn *pgx.Conn, o *outcome) ([]string, error) {
	rows, err := conn.Query(ctx, `
		SELECT j.job_id, coalesce((j.data->>'n')::int, -1) FROM kg_api.jobs j
		WHERE NOT EXISTS (SELECT 1 FROM kg_api.schedule_runs r WHERE r.job_id = j.job_id)`)
	if err != nil {
		return nil, err
	}
	var found []string
	seen := map[int]string{}
	var id string
	var n int
	_, err = pgx.ForEachRow(rows, []any{&id, &n}, func() error {
		accepted, known := o.submitted.Accepted[id]
		switch other, double := seen[n]; {
		case double:
			found = append(found, fmt.Sprintf("number %d is %s and %s", n, other, id))
		case known && accepted != n:
			found = append(found, fmt.Sprintf("%s is number %d, submitted as %d", id, n, accepted))
		case !known && !o.submitted.Unsure[n]:
			found = append(found, fmt.Sprintf("%s, number %d, was never submitted", id, n))
		}
		seen[n] = id
		return nil
	})
	return found, err
}

func i03LegalSteps(ctx context.Context, conn *pgx.Conn, _ *outcome) ([]string, error) {
	legal := []string{"→awaiting_approval", "→approved", "→pending"}
	for _, from := range work.Statuses() {
		for _, to := range work.Statuses() {
			if from.CanBecome(to) {
				legal = append(legal, string(from)+"→"+string(to))
			}
		}
	}
	return lines(ctx, conn, `
		SELECT h.job_id || ': ' || coalesce(h.was, '') || '→' || h."is" || ' with token ' || coalesce(h.token::text, 'none')
		FROM campaign.history h WHERE coalesce(h.was, '') || '→' || h."is" <> ALL ($1)`, legal)
}

func i03Continuous(ctx context.Context, conn *pgx.Conn, _ *outcome) ([]string, error) {
	return lines(ctx, conn, `
		SELECT s.job_id || ': was ' || coalesce(s.before, 'new') || ', then left ' || coalesce(s.was, 'nothing')
		FROM (SELECT h.job_id, h.was, lag(h."is") OVER (PARTITION BY h.job_id ORDER BY h.id) AS before FROM campaign.history h) s
		WHERE s.was IS DISTINCT FROM s.before
		UNION ALL
		SELECT j.job_id || ' is ' || j.status || ', its history ends in ' || coalesce(l."is", 'nothing')
		FROM kg_api.jobs j LEFT JOIN LATERAL (
			SELECT h."is" FROM campaign.history h WHERE h.job_id = j.job_id ORDER BY h.id DESC LIMIT 1) l ON true
		WHERE l."is" IS DISTINCT FROM j.status`)
}

func i11CancelHolds(ctx context.Context, conn *pgx.Conn, o *outcome) ([]string, error) {
	ids := make([]string, 0, len(o.submitted.Cancelled))
	for id := range o.submitted.Cancelled {
		ids = append(ids, id)
	}
	return lines(ctx, conn, `
		SELECT j.job_id || ' is ' || j.status FROM kg_api.jobs j
		WHERE j.job_id = ANY ($1) AND j.status NOT IN ('cancelled', 'failed')`, ids)
}

func i20Events(ctx context.Context, conn *pgx.Conn, _ *outcome) ([]string, error) {
	return lines(ctx, conn, `
		SELECT j.job_id || ': event_seq ' || j.event_seq || ', ' || coalesce(e.n, 0) || ' events from ' || coalesce(e.least, 0) || ' to ' || coalesce(e.most, 0)
		FROM kg_api.jobs j LEFT JOIN (
			SELECT job_id, count(*) AS n, min(seq) AS least, max(seq) AS most FROM kg_api.job_history GROUP BY job_id) e ON e.job_id = j.job_id
		WHERE (e.n, e.least, e.most) IS DISTINCT FROM (j.event_seq, 1::bigint, j.event_seq)
		UNION ALL
		SELECT s.job_id || ': event ' || s.seq || ' is older than the one before'
		FROM (SELECT e.job_id, e.seq, e.at, lag(e.at) OVER (PARTITION BY e.job_id ORDER BY e.seq) AS before FROM kg_api.job_history e) s
		WHERE s.at < s.before`)
}

func i21Replay(ctx context.Context, conn *pgx.Conn, _ *outcome) ([]string, error) {
	return lines(ctx, conn, `
		SELECT j.job_id || ' is ' || j.status || ', its last status event says ' || coalesce(l.status, 'nothing')
		FROM kg_api.jobs j LEFT JOIN LATERAL (
			SELECT e.payload->>'status' AS status FROM kg_api.job_history e
			WHERE e.job_id = j.job_id AND e.kind = 'status' ORDER BY e.seq DESC LIMIT 1) l ON true
		WHERE l.status IS DISTINCT FROM j.status
		UNION ALL
		SELECT s.job_id || ': event ' || s.seq || ' says it follows ' || coalesce(s.previous, 'nothing') || ', the job was ' || coalesce(s.before, 'new')
		FROM (SELECT e.job_id, e.seq, e.payload->>'previous' AS previous,
				lag(e.payload->>'status') OVER (PARTITION BY e.job_id ORDER BY e.seq) AS before
			FROM kg_api.job_history e WHERE e.kind = 'status') s
		WHERE s.previous IS DISTINCT FROM s.before`)
}

// i21Changes holds the status events, whether they have rows or are shown by the
// job's row, against the changes that a trigger noted when they were made.
func i21Changes(ctx context.Context, conn *pgx.Conn, _ *outcome) ([]string, error) {
	return lines(ctx, conn, `
		SELECT coalesce(h.job_id, e.job_id) || ': change ' || coalesce(h.n, e.n) || ' was to ' || coalesce(h."is", 'nothing') || ' by ' || coalesce(h.worker::text, 'nobody')
			|| ', retries ' || coalesce(h.retries, 0) || ', its event says ' || coalesce(e.payload::text, 'nothing')
		FROM (SELECT c.*, row_number() OVER (PARTITION BY c.job_id ORDER BY c.id) AS n FROM campaign.history c) h
		FULL JOIN (SELECT v.job_id, v.payload, row_number() OVER (PARTITION BY v.job_id ORDER BY v.seq) AS n
			FROM kg_api.job_history v WHERE v.kind = 'status') e ON e.job_id = h.job_id AND e.n = h.n
		WHERE h."is" IS DISTINCT FROM e.payload->>'status'
			OR (h."is" = 'processing' AND (h.worker::text, h.retries::text) IS DISTINCT FROM (e.payload->>'claimed_by', e.payload->>'retries'))`)
}

func i21OneEnd(ctx context.Context, conn *pgx.Conn, _ *outcome) ([]string, error) {
	return lines(ctx, conn, `
		SELECT j.job_id || ' is ' || j.status || ' with ' || coalesce(e.n, 0) || ' terminal events, the last at ' || coalesce(e.last, 0) || ' of ' || j.event_seq
		FROM kg_api.jobs j LEFT JOIN (
			SELECT job_id, count(*) AS n, max(seq) AS last, max(kind) AS kind FROM kg_api.job_history
			WHERE kind IN ('completed', 'failed', 'cancelled') GROUP BY job_id) e ON e.job_id = j.job_id
		WHERE (e.n, e.last, e.kind) IS DISTINCT FROM (1::bigint, j.event_seq, j.status)`)
}
