package main

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// thaw is how long after it was continued a process that had been stopped may
// need to notice that its leases have ended.
const thaw = time.Second

// frozen holds for a step that was done by a server shortly after it had been
// stopped: a zombie, which cannot know yet. Its writes are refused (I06, I17).
const frozen = `EXISTS (SELECT 1 FROM campaign.faults f
	WHERE f.kind IN ('pause', 'stall') AND c.by_server = 'kg_server' || f.server AND f.began <= s.at AND f.ended + $1::interval >= s.at)`

// i16NoHandlerPastItsFence wants each step that the witness saw to be done under
// a lease, except by zombies. The fence is before the end of the lease by a
// margin; the margin is left to the machine, which may be busy.
func i16NoHandlerPastItsFence(ctx context.Context, conn *pgx.Conn, _ *outcome) ([]string, error) {
	return lines(ctx, conn, `
		SELECT s.job_id || ': step ' || s.step || ' under token ' || s.token || ' was done ' || coalesce(s.at - l.until || ' after the end of its lease', 'without a lease')
		FROM campaign.steps s
		JOIN campaign.history c ON c.job_id = s.job_id AND c.token = s.token AND c."is" = 'processing'
		CROSS JOIN LATERAL (SELECT max(l.until) AS until FROM campaign.leases l WHERE l.worker = c.worker AND l.at <= s.at) l
		WHERE (l.until IS NULL OR s.at > l.until) AND NOT `+frozen, thaw)
}

// i17FencedBeforeTheNext wants the steps of a claim to be done before the next
// claim of the job, except by zombies, and recorded before it without exception.
func i17FencedBeforeTheNext(ctx context.Context, conn *pgx.Conn, _ *outcome) ([]string, error) {
	return lines(ctx, conn, `
		SELECT s.job_id || ': step ' || s.step || ' under token ' || s.token || ' was done ' || s.at - n.at || ' after token ' || n.token || ' was claimed'
		FROM campaign.steps s
		JOIN campaign.history c ON c.job_id = s.job_id AND c.token = s.token AND c."is" = 'processing'
		CROSS JOIN LATERAL (SELECT n.token, n.at FROM campaign.history n
			WHERE n.job_id = s.job_id AND n."is" = 'processing' AND n.token > s.token ORDER BY n.token LIMIT 1) n
		WHERE s.at > n.at AND NOT `+frozen+`
		UNION ALL
		SELECT e.job_id || ': step ' || e.step || ' was recorded under token ' || e.claim_token || ' after token ' || n.token || ' was claimed'
		FROM kg_api.job_effects e JOIN campaign.history n ON n.job_id = e.job_id AND n."is" = 'processing' AND n.token > e.claim_token AND n.at < e.at`, thaw)
}

// noteSteps stores what the witness received beside the history.
func noteSteps(ctx context.Context, dsn string, steps []witnessedStep) error {
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return fmt.Errorf("note the steps: %w", err)
	}
	defer conn.Close(ctx)
	_, err = conn.CopyFrom(ctx, pgx.Identifier{"campaign", "steps"}, []string{"job_id", "step", "token", "at"},
		pgx.CopyFromSlice(len(steps), func(i int) ([]any, error) {
			s := steps[i]
			return []any{s.job, s.step, s.token, s.at}, nil
		}))
	if err != nil {
		return fmt.Errorf("note the steps: %w", err)
	}
	return nil
}
