package main

import (
	"context"
	"fmt"
	"regexp"
	"slices"

	"github.com/jackc/pgx/v5"
)

// maxHistories is how many jobs are shown in full.
const maxHistories = 5

// histories shows what happened to the first jobs that violations name, with
// the events beside the changes and the faults between them.
func histories(ctx context.Context, dsn string, violations []violation) ([]string, error) {
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return nil, fmt.Errorf("read the histories: %w", err)
	}
	defer conn.Close(ctx)
	found, err := lines(ctx, conn, `
		WITH span AS (SELECT h.job_id, min(h.at) AS since, max(h.at) AS until FROM campaign.history h WHERE h.job_id = ANY ($1) GROUP BY h.job_id)
		SELECT concat_ws(' ', s.job_id, to_char(t.at, 'HH24:MI:SS.US'), t.what) FROM span s CROSS JOIN LATERAL (
			SELECT h.at, format('status %s → %s, token %s, worker %s, attempt %s, retries %s, crashes %s', h.was, h."is", h.token, h.worker, h.attempt, h.retries, h.crashes) AS what
			FROM campaign.history h WHERE h.job_id = s.job_id
			UNION ALL SELECT e.at, format('event %s %s %s', e.seq, e.kind, e.payload) FROM kg_api.job_history e WHERE e.job_id = s.job_id
			UNION ALL SELECT e.at, format('effect %s under token %s', e.step, e.claim_token) FROM kg_api.job_effects e WHERE e.job_id = s.job_id
			UNION ALL SELECT f.began, format('fault %s of server %s %s until %s', f.kind, f.server, f.role, to_char(f.ended, 'HH24:MI:SS.US'))
			FROM campaign.faults f WHERE f.began <= s.until AND f.ended >= s.since) t
		ORDER BY s.job_id, t.at`, named(violations))
	if err != nil {
		return nil, fmt.Errorf("read the histories: %w", err)
	}
	return found, nil
}

// named returns the first jobs that violations name.
func named(violations []violation) []string {
	pattern := regexp.MustCompile(`job_[0-9a-f]{12}`)
	var ids []string
	for _, v := range violations {
		for _, id := range pattern.FindAllString(v.Evidence, -1) {
			if len(ids) < maxHistories && !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
		}
	}
	return ids
}
