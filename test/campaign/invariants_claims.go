package main

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kappagraph/kappa/work"
)

// afterFault is how long after its end a fault may still cost a job its
// attempt: a lease that ends later, or a retry on a connection that nobody had
// used since.
const afterFault = 10 * time.Second

func i04ClaimsEndOnce(ctx context.Context, conn *pgx.Conn, _ *outcome) ([]string, error) {
	return lines(ctx, conn, `
		SELECT c.job_id || ': token ' || c.token || ' was claimed ' || c.claims || ' times and ended ' || c.ends || ' times'
		FROM (SELECT h.job_id, h.token, h.worker, count(*) FILTER (WHERE h."is" = 'processing') AS claims,
				count(*) FILTER (WHERE h.was = 'processing') AS ends
			FROM campaign.history h WHERE 'processing' IN (h.was, h."is") GROUP BY 1, 2, 3) c
		WHERE (c.claims, c.ends) <> (1, 1)`)
}

func i05TokensIncrease(ctx context.Context, conn *pgx.Conn, _ *outcome) ([]string, error) {
	return lines(ctx, conn, `
		SELECT c.job_id || ': token ' || c.token || ' came after ' || c.before
		FROM (SELECT h.job_id, h.token, lag(h.token) OVER (PARTITION BY h.job_id ORDER BY h.id) AS before
			FROM campaign.history h WHERE h."is" = 'processing') c
		WHERE c.token <= c.before`)
}

func i05PairsAreUnique(ctx context.Context, conn *pgx.Conn, _ *outcome) ([]string, error) {
	return lines(ctx, conn, `
		SELECT 'token ' || h.token || ' of worker ' || h.worker || ' was given ' || count(*) || ' times'
		FROM campaign.history h WHERE h."is" = 'processing' GROUP BY h.token, h.worker HAVING count(*) > 1`)
}

func i06NoStaleEffect(ctx context.Context, conn *pgx.Conn, _ *outcome) ([]string, error) {
	return lines(ctx, conn, `SELECT s.job_id || ': step ' || s.step || ' under token ' || s.token FROM campaign.stale_effects s`)
}

// endsOfClaims are the ends of claims, who had made them, and whether a suspect of
// the same worker was taken back by the same rescue and counted. $1 is the number
// of crashes that quarantines.
const endsOfClaims = `
	SELECT e.*, bool_or(e.crashes > e.before AND e.crashes >= $1) OVER (PARTITION BY e.tx, e.worker) AS beside_suspect
	FROM (SELECT h.*, lag(h.by_server) OVER w AS claimer, lag(h.crashes) OVER w AS before
		FROM campaign.history h WINDOW w AS (PARTITION BY h.job_id ORDER BY h.id)) e
	WHERE e.was = 'processing'`

// i06EndedByItsServer knows a rescue by the crash that it counts, or by the
// suspect that it counts instead.
func i06EndedByItsServer(ctx context.Context, conn *pgx.Conn, _ *outcome) ([]string, error) {
	return lines(ctx, conn, `
		SELECT c.job_id || ': token ' || c.token || ' was claimed by ' || c.claimer || ' and ended as ' || c."is" || ' by ' || c.by_server
		FROM (`+endsOfClaims+`) c WHERE c.crashes = c.before AND NOT c.beside_suspect AND c.by_server <> c.claimer`, work.QuarantineCrashes)
}

func i07EffectsEqualSteps(ctx context.Context, conn *pgx.Conn, _ *outcome) ([]string, error) {
	return lines(ctx, conn, `
		SELECT j.job_id || ' declared ' || (j.data->>'steps') || ' steps and recorded ' || coalesce(l.steps, 'none')
		FROM kg_api.jobs j LEFT JOIN (
			SELECT e.job_id, string_agg(e.step, ',' ORDER BY e.step::int) AS steps FROM kg_api.job_effects e GROUP BY e.job_id) l ON l.job_id = j.job_id
		WHERE j.job_type = $1 AND j.status = 'completed' AND l.steps IS DISTINCT FROM (
			SELECT string_agg(n::text, ',' ORDER BY n) FROM generate_series(1, (j.data->>'steps')::int) n)`, work.TypeEffect)
}

// i07Witnessed compares the ledger with what the witness has counted.
func i07Witnessed(ctx context.Context, conn *pgx.Conn, o *outcome) ([]string, error) {
	rows, err := conn.Query(ctx, `
		SELECT e.job_id, e.step, (SELECT count(*) FROM campaign.history h WHERE h.job_id = e.job_id AND h."is" = 'processing')::int
		FROM kg_api.job_effects e`)
	if err != nil {
		return nil, err
	}
	witnessed := countSteps(o.steps)
	var found []string
	var s stepOfJob
	var claims int
	_, err = pgx.ForEachRow(rows, []any{&s.job, &s.step, &claims}, func() error {
		if n := witnessed[s]; n < 1 || n > claims {
			found = append(found, fmt.Sprintf("%s: step %s was witnessed %d times, the job was claimed %d times", s.job, s.step, n, claims))
		}
		return nil
	})
	return found, err
}

func i08EffectsOfClaims(ctx context.Context, conn *pgx.Conn, _ *outcome) ([]string, error) {
	return lines(ctx, conn, `
		SELECT e.job_id || ': step ' || e.step || ' has token ' || e.claim_token || ', which no claim of the job has'
		FROM kg_api.job_effects e
		WHERE NOT EXISTS (SELECT 1 FROM campaign.history h
			WHERE h.job_id = e.job_id AND h."is" = 'processing' AND h.token = e.claim_token)
		UNION ALL
		SELECT s.job_id || ': step ' || s.step || ' has an older token than the step before'
		FROM (SELECT e.job_id, e.step, e.claim_token, lag(e.claim_token) OVER (PARTITION BY e.job_id ORDER BY e.step::int) AS before
			FROM kg_api.job_effects e) s
		WHERE s.claim_token < s.before`)
}

func i09Attempts(ctx context.Context, conn *pgx.Conn, _ *outcome) ([]string, error) {
	return lines(ctx, conn, `
		SELECT s.job_id || ': ' || s.was || '→' || s."is" || ' took the attempts from ' || s.attempts_before || ' to ' || s.attempt
		FROM (SELECT h.*, lag(h.attempt) OVER w AS attempts_before, lag(h.retries) OVER w AS retries_before, lag(h.crashes) OVER w AS crashes_before
			FROM campaign.history h WINDOW w AS (PARTITION BY h.job_id ORDER BY h.id)) s
		WHERE s.was IS NOT NULL AND s.attempt <> s.attempts_before + CASE
			WHEN s."is" = 'processing' THEN 1
			WHEN s.was = 'processing' AND s."is" = 'approved' AND s.retries = s.retries_before AND s.crashes = s.crashes_before THEN -1
			ELSE 0 END`)
}

// i09Blame holds what a lost worker's jobs were counted against each other.
func i09Blame(ctx context.Context, conn *pgx.Conn, _ *outcome) ([]string, error) {
	return lines(ctx, conn, `
		SELECT c.job_id || ': token ' || c.token || CASE WHEN c.beside_suspect THEN ' was counted beside a suspect' ELSE ' was not counted, and no suspect was' END
		FROM (`+endsOfClaims+`) c
		WHERE (c.beside_suspect AND c.crashes > c.before AND c.crashes < $1) OR (NOT c.beside_suspect AND c.error = 'worker lost beside a suspect: not counted')`, work.QuarantineCrashes)
}

// i09SuspectsAlone goes by the order in which claims were made and ended: who goes
// next is only chosen when the end of the one before is committed.
func i09SuspectsAlone(ctx context.Context, conn *pgx.Conn, _ *outcome) ([]string, error) {
	return lines(ctx, conn, `
		SELECT s.job_id || ': token ' || s.token || ' ran as a suspect beside another one'
		FROM (SELECT c.*, max(c.ends) OVER (ORDER BY c.id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS busy
			FROM (SELECT h.*, coalesce(lead(h.id) OVER (PARTITION BY h.job_id ORDER BY h.id), 9223372036854775807) AS ends FROM campaign.history h) c
			WHERE c."is" = 'processing' AND c.crashes >= $1 - 1) s
		WHERE s.busy > s.id`, work.QuarantineCrashes)
}

func i09Limits(ctx context.Context, conn *pgx.Conn, _ *outcome) ([]string, error) {
	return lines(ctx, conn, `
		SELECT j.job_id || ': ' || j.crash_count || ' crashes, ' || j.retries || ' of ' || j.max_retries || ' retries, status ' || j.status
		FROM kg_api.jobs j
		WHERE j.crash_count > $1 OR j.retries > j.max_retries OR (j.crash_count >= $1 AND j.status NOT IN ('failed', 'cancelled'))`, work.QuarantineCrashes)
}

// i10Explained wants a fault for each attempt that had to be repeated: one that
// took place while the attempt ran, or shortly before. Without faults nothing
// may be repeated. Where the machine stood still, a server may have handed jobs back.
func i10Explained(ctx context.Context, conn *pgx.Conn, o *outcome) ([]string, error) {
	began, ended := make([]time.Time, len(o.sampled.stalls)), make([]time.Time, len(o.sampled.stalls))
	for i, s := range o.sampled.stalls {
		began[i], ended[i] = s.began, s.ended
	}
	return lines(ctx, conn, `
		SELECT c.job_id || ': token ' || c.token || ' went back to approved without a fault'
		FROM (SELECT h.job_id, h.token, h.was, h."is", h.at, lag(h.at) OVER w AS claimed_at,
				h.attempt, lag(h.attempt) OVER w AS attempt_before
			FROM campaign.history h WINDOW w AS (PARTITION BY h.job_id ORDER BY h.id)) c
		WHERE c.was = 'processing' AND c."is" = 'approved' AND NOT EXISTS (
			SELECT 1 FROM campaign.faults f
			WHERE f.began <= c.at AND f.ended + $1::interval >= c.claimed_at)
			AND NOT (c.attempt < c.attempt_before AND EXISTS (
				SELECT 1 FROM unnest($2::timestamptz[], $3::timestamptz[]) AS s (began, ended)
				WHERE s.began <= c.at AND s.ended + $1 >= c.claimed_at))`, afterFault, began, ended)
}

func i18TermsIncrease(ctx context.Context, conn *pgx.Conn, _ *outcome) ([]string, error) {
	return lines(ctx, conn, `
		SELECT 'term ' || t.term || ' came after ' || t.before
		FROM (SELECT t.term, lag(t.term) OVER (ORDER BY t.id) AS before FROM campaign.terms t) t
		WHERE t.term <= t.before`)
}
