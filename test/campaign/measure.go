package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kappagraph/kappa/work"
)

// measure reads the figures from the database.
func measure(ctx context.Context, dsn string, o *outcome) (figures, error) {
	f := figures{Seed: o.config.Seed, Rounds: 1, Unsure: len(o.submitted.Unsure), Logs: o.logs, Samples: o.sampled.Taken, MostInUse: o.sampled.MostInUse, Faults: map[faultKind]int{}, Usage: o.usage}
	if o.config.lanes() == "all" {
		f.OnAll = 1
	}
	for _, done := range o.faults {
		f.Faults[done.kind]++
	}
	for _, n := range countSteps(o.steps) {
		f.StepsRepeated += n - 1
	}
	f.Places = countPlaces(o.faults)
	f.Rights = countRights(o.visited)
	_, f.Refused = countShown(o.visited)
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return f, fmt.Errorf("read the figures: %w", err)
	}
	defer conn.Close(ctx)
	if f.Extents, err = extents(ctx, conn, o); err != nil {
		return f, err
	}
	err = conn.QueryRow(ctx, `
		SELECT count(*), count(*) FILTER (WHERE status = 'completed'), count(*) FILTER (WHERE status = 'cancelled'), count(*) FILTER (WHERE status = 'failed'),
			(SELECT count(*) FROM kg_api.schedule_runs r WHERE r.skip_reason IS NOT NULL),
			(SELECT count(DISTINCT h.worker) FROM campaign.history h WHERE h."is" = 'processing')
		FROM kg_api.jobs`).Scan(&f.Jobs, &f.Completed, &f.Cancelled, &f.Quarantined, &f.Skips, &f.Workers)
	if err != nil {
		return f, fmt.Errorf("count the jobs: %w", err)
	}
	err = conn.QueryRow(ctx, `
		WITH claims AS (
			SELECT h.was, h."is", h.at, h.error, lag(h.at) OVER w AS claimed_at,
				h.retries - lag(h.retries) OVER w + h.crashes - lag(h.crashes) OVER w AS counted
			FROM campaign.history h WINDOW w AS (PARTITION BY h.job_id ORDER BY h.id))
		SELECT count(*), count(*) FILTER (WHERE c."is" = 'approved'), count(*) FILTER (WHERE c."is" = 'approved' AND c.counted = 0),
			count(*) FILTER (WHERE c."is" = 'approved' AND c.error = 'worker lost beside a suspect: not counted'),
			(SELECT count(*) FROM campaign.history s WHERE s."is" = 'processing' AND s.crashes >= $1 - 1),
			coalesce(sum((SELECT count(*) FROM campaign.faults f WHERE f.began <= c.at AND f.ended >= c.claimed_at)), 0)::bigint
		FROM claims c WHERE c.was = 'processing'`, work.QuarantineCrashes).Scan(&f.Claims, &f.Repeated, &f.Released, &f.Spared, &f.Suspects, &f.Pairs)
	f.Released -= f.Spared
	if err != nil {
		return f, fmt.Errorf("count the claims: %w", err)
	}
	f.Exit = slices.Sorted(slices.Values(o.exits))
	if f.Shown, err = shownAfter(ctx, conn, o); err != nil {
		return f, fmt.Errorf("measure the ends of rights: %w", err)
	}
	return f, f.durations.measure(ctx, conn)
}

// takeovers are the ends of leaders by the hand of the campaign, with the time
// until the next term.
const takeovers = `
	SELECT f.kind, t.at - f.began AS took, NOT EXISTS (SELECT 1 FROM campaign.faults o
		WHERE o.began <= t.at AND o.ended >= f.began AND (o.kind, o.began) <> (f.kind, f.began) AND o.kind NOT IN ('slots', 'disable', 'cut')) AS alone
	FROM campaign.faults f
	CROSS JOIN LATERAL (SELECT min(t.at) AS at FROM campaign.terms t WHERE t.at > f.began) t
	WHERE t.at IS NOT NULL AND ((f.leader AND f.kind = 'kill') OR (f.kind = 'terminate' AND f.role = 'kg-leader'))`

// measure reads how long the product took.
func (d *durations) measure(ctx context.Context, conn *pgx.Conn) error {
	for _, m := range []struct {
		name string
		into *percentiles
		sql  string // one interval a row
	}{
		{"rescues", &d.Reclaim, `
			SELECT h.at - w.heartbeat_at
			FROM (SELECT h.*, lag(h.crashes) OVER (PARTITION BY h.job_id ORDER BY h.id) AS before FROM campaign.history h) h
			JOIN kg_api.workers w ON w.worker_id = h.worker
			WHERE h.was = 'processing' AND h.crashes > h.before`},
		{"takeovers", &d.Killed, `SELECT took FROM (` + takeovers + `) t WHERE kind = 'kill'`},
		{"takeovers", &d.Terminated, `SELECT took FROM (` + takeovers + `) t WHERE kind = 'terminate'`},
		{"takeovers", &d.Alone, `SELECT took FROM (` + takeovers + `) t WHERE alone`},
		{"cancels", &d.Cancel, `
			SELECT h.at - c.at FROM campaign.cancels c
			JOIN campaign.history h ON h.job_id = c.job_id AND h.was = 'processing' AND h."is" = 'cancelled'
			WHERE campaign.calm(h.by_server, c.at, h.at)`},
		{"restarts", &d.Resume, `
			SELECT h.at - f.ended FROM campaign.faults f
			CROSS JOIN LATERAL (SELECT min(h.at) AS at FROM campaign.history h WHERE h."is" = 'processing' AND h.at > f.ended) h
			WHERE f.kind = 'restart' AND h.at IS NOT NULL`},
	} {
		rows, err := conn.Query(ctx, `SELECT extract(epoch FROM i.took)::float8 FROM (`+m.sql+`) AS i (took) ORDER BY 1`)
		if err != nil {
			return fmt.Errorf("measure the %s: %w", m.name, err)
		}
		seconds, err := pgx.CollectRows(rows, pgx.RowTo[float64])
		if err != nil {
			return fmt.Errorf("measure the %s: %w", m.name, err)
		}
		for _, s := range seconds {
			*m.into = append(*m.into, time.Duration(s*float64(time.Second)))
		}
	}
	return nil
}

// noteFaults stores the faults beside the history.
func noteFaults(ctx context.Context, dsn string, faults []injected) error {
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return fmt.Errorf("note the faults: %w", err)
	}
	defer conn.Close(ctx)
	_, err = conn.CopyFrom(ctx, pgx.Identifier{"campaign", "faults"}, []string{"kind", "role", "server", "leader", "began", "ended"},
		pgx.CopyFromSlice(len(faults), func(i int) ([]any, error) {
			f := faults[i]
			return []any{string(f.kind), f.role, f.target, f.leader, f.began, f.ended}, nil
		}))
	if err != nil {
		return fmt.Errorf("note the faults: %w", err)
	}
	return nil
}
