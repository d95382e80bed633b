package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// figures are the numbers of a campaign.
type figures struct {
	Seed          uint64
	Jobs          int // rows
	Unsure        int // submissions whose answer was lost
	Completed     int
	Cancelled     int
	Quarantined   int
	Claims        int
	Repeated      int // attempts that went back to approved
	Pairs         int // of a fault and a job that ran under it: the bound of the repetitions
	Released      int
	StepsRepeated int
	Faults        map[faultKind]int
	Logs          logCounts
	Samples       int
	MostInUse     int
	Reclaim       percentiles // from the last heartbeat of a dead worker to the rescue of its job
	Takeover      percentiles // from the loss of a leader's process or session to the next term
	Took          time.Duration
	Histories     []string // of jobs that are named by violations
}

// percentiles are durations in order of size.
type percentiles []time.Duration

func (p percentiles) at(share float64) time.Duration {
	if len(p) == 0 {
		return 0
	}
	return p[min(len(p)-1, int(share*float64(len(p))))].Round(time.Millisecond)
}

// measure reads the figures from the database.
func measure(ctx context.Context, dsn string, o *outcome) (figures, error) {
	f := figures{Seed: o.config.Seed, Unsure: len(o.submitted.Unsure), Logs: o.logs, Samples: o.sampled.Taken, MostInUse: o.sampled.MostInUse, Faults: map[faultKind]int{}}
	for _, done := range o.faults {
		f.Faults[done.kind]++
	}
	for _, n := range o.witnessed {
		f.StepsRepeated += n - 1
	}
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return f, fmt.Errorf("read the figures: %w", err)
	}
	defer conn.Close(ctx) //nolint:errcheck // nothing is lost with it
	err = conn.QueryRow(ctx, `
		SELECT count(*), count(*) FILTER (WHERE status = 'completed'), count(*) FILTER (WHERE status = 'cancelled'), count(*) FILTER (WHERE status = 'failed')
		FROM kg_api.jobs`).Scan(&f.Jobs, &f.Completed, &f.Cancelled, &f.Quarantined)
	if err != nil {
		return f, fmt.Errorf("count the jobs: %w", err)
	}
	err = conn.QueryRow(ctx, `
		WITH claims AS (
			SELECT h.was, h."is", h.at, lag(h.at) OVER w AS claimed_at, h.retries - lag(h.retries) OVER w + h.crashes - lag(h.crashes) OVER w AS counted
			FROM campaign.history h WINDOW w AS (PARTITION BY h.job_id ORDER BY h.id))
		SELECT count(*), count(*) FILTER (WHERE c."is" = 'approved'), count(*) FILTER (WHERE c."is" = 'approved' AND c.counted = 0),
			coalesce(sum((SELECT count(*) FROM campaign.faults f WHERE f.began <= c.at AND f.ended >= c.claimed_at)), 0)::bigint
		FROM claims c WHERE c.was = 'processing'`).Scan(&f.Claims, &f.Repeated, &f.Released, &f.Pairs)
	if err != nil {
		return f, fmt.Errorf("count the claims: %w", err)
	}
	f.Reclaim, err = durations(ctx, conn, `
		SELECT extract(epoch FROM h.at - w.heartbeat_at)::float8
		FROM (SELECT h.*, lag(h.crashes) OVER (PARTITION BY h.job_id ORDER BY h.id) AS before FROM campaign.history h) h
		JOIN kg_api.workers w ON w.worker_id = h.worker
		WHERE h.was = 'processing' AND h.crashes > h.before ORDER BY 1`)
	if err != nil {
		return f, fmt.Errorf("measure the rescues: %w", err)
	}
	f.Takeover, err = durations(ctx, conn, `
		SELECT s.seconds FROM (
			SELECT extract(epoch FROM (SELECT min(t.at) FROM campaign.terms t WHERE t.at > f.began) - f.began)::float8 AS seconds
			FROM campaign.faults f
			WHERE (f.leader AND f.kind = $1) OR (f.kind = $2 AND f.role = 'kg-leader')) s
		WHERE s.seconds IS NOT NULL ORDER BY 1`, string(faultKill), string(faultTerminate))
	if err != nil {
		return f, fmt.Errorf("measure the takeovers: %w", err)
	}
	return f, nil
}

// durations runs a query whose rows are seconds, in order.
func durations(ctx context.Context, conn *pgx.Conn, sql string, args ...any) (percentiles, error) {
	rows, err := conn.Query(ctx, sql, args...)
	if err != nil {
		return nil, err
	}
	seconds, err := pgx.CollectRows(rows, pgx.RowTo[float64])
	p := make(percentiles, len(seconds))
	for i, s := range seconds {
		p[i] = time.Duration(s * float64(time.Second))
	}
	return p, err
}

// noteFaults stores the faults beside the history.
func noteFaults(ctx context.Context, dsn string, faults []injected) error {
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return fmt.Errorf("note the faults: %w", err)
	}
	defer conn.Close(ctx) //nolint:errcheck // nothing is lost with it
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

// write prints the summary.
func (f figures) write(out io.Writer, violations []violation) {
	faults := 0
	var kinds []string
	for _, kind := range slices.Sorted(maps.Keys(f.Faults)) {
		faults += f.Faults[kind]
		kinds = append(kinds, fmt.Sprintf("%s %d", kind, f.Faults[kind]))
	}
	fmt.Fprintf(out, "seed %d: %d jobs, %d faults in %s\n", f.Seed, f.Jobs, faults, f.Took.Round(time.Second))
	fmt.Fprintf(out, "  faults: %s\n", strings.Join(kinds, ", "))
	fmt.Fprintf(out, "  jobs: %d completed, %d cancelled, %d quarantined; %d submissions without an answer\n", f.Completed, f.Cancelled, f.Quarantined, f.Unsure)
	fmt.Fprintf(out, "  claims: %d, of which %d were repeated (bound %d, pairs of a fault and a job under it), %d of them released without counting\n", f.Claims, f.Repeated, f.Pairs, f.Released)
	fmt.Fprintf(out, "  steps done again by an unfenced target's count: %d\n", f.StepsRepeated)
	fmt.Fprintf(out, "  rescues %d, leases lost %d, stale writes refused %d, listeners connected again %d, terms of leaders %d\n",
		f.Logs.Rescues, f.Logs.LeasesLost, f.Logs.Stale, f.Logs.Relistens, f.Logs.Leaders)
	fmt.Fprintf(out, "  rescue after the last heartbeat: p50 %s, p99 %s; takeover after a killed leader: p50 %s, p99 %s\n",
		f.Reclaim.at(0.5), f.Reclaim.at(0.99), f.Takeover.at(0.5), f.Takeover.at(0.99))
	fmt.Fprintf(out, "  samples of the lanes: %d, most slots in use %d\n", f.Samples, f.MostInUse)
	for _, message := range slices.Sorted(maps.Keys(f.Logs.Errors)) {
		fmt.Fprintf(out, "  logged as an error %d times: %s\n", f.Logs.Errors[message], message)
	}
	fmt.Fprintf(out, "  lost %d, double %d, illegal %d, other violations %d\n", count(violations, "I01"),
		count(violations, "I02", "I04", "I05", "I06", "I07"), count(violations, "I03", "I20", "I21"),
		len(violations)-count(violations, "I01", "I02", "I03", "I04", "I05", "I06", "I07", "I20", "I21"))
	for _, v := range violations {
		fmt.Fprintf(out, "  VIOLATED %s %s\n", v.Invariant, v.Evidence)
	}
	for _, line := range f.Histories {
		fmt.Fprintf(out, "    %s\n", line)
	}
}

// add adds the figures of another campaign.
func (f *figures) add(o figures) {
	f.Jobs, f.Unsure, f.Completed, f.Cancelled, f.Quarantined = f.Jobs+o.Jobs, f.Unsure+o.Unsure, f.Completed+o.Completed, f.Cancelled+o.Cancelled, f.Quarantined+o.Quarantined
	f.Claims, f.Repeated, f.Pairs, f.Released, f.StepsRepeated = f.Claims+o.Claims, f.Repeated+o.Repeated, f.Pairs+o.Pairs, f.Released+o.Released, f.StepsRepeated+o.StepsRepeated
	for kind, n := range o.Faults {
		f.Faults[kind] += n
	}
	f.Logs.add(o.Logs)
	f.Samples, f.MostInUse, f.Took = f.Samples+o.Samples, max(f.MostInUse, o.MostInUse), f.Took+o.Took
	f.Reclaim, f.Takeover = append(f.Reclaim, o.Reclaim...), append(f.Takeover, o.Takeover...)
	slices.Sort(f.Reclaim)
	slices.Sort(f.Takeover)
	f.Histories = append(f.Histories, o.Histories...)
}

// count returns how many violations are of the given invariants.
func count(violations []violation, ids ...string) int {
	n := 0
	for _, v := range violations {
		if slices.Contains(ids, v.Invariant) {
			n++
		}
	}
	return n
}
