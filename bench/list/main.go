// Command list measures the list of jobs with a million of them: how long a page takes for each
// filter, in each order, how long it takes to find jobs that no index finds, and to group what
// has failed. The store and the private cluster are on this machine.
package main

import (
	"context"
	"flag"
	"fmt"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kappagraph/kappa/bench/serving"
	"github.com/kappagraph/kappa/internal/postgres"
	"github.com/kappagraph/kappa/work"
)

// What is demanded of a page.
const (
	indexed = 20 * time.Millisecond  // p95 of what an index finds
	most    = 500 * time.Millisecond // of any
)

// fullPage asks for a page that has to be full, as a client that knows no cursors gets it: what no
// index finds is then looked for among all jobs.
const fullPage = "full page: "

// lists are what is asked for; those that an index serves must be quick.
var lists = []struct {
	query   string
	indexed bool
}{
	{"", true},
	{"sort=oldest", true},
	{"status=failed", true},
	{"status=awaiting_approval", true},
	{"status=approved", true},
	{"status=processing", true},
	{"status=failed,cancelled&age=>1h", true},
	{"dead=true&job_type=sleep", true},
	{"job_type=noop", true},
	{"client_id=1", true},
	{"lane=interactive", true},
	{"waits_for=slot", true},
	{"paused=true", false},
	{"quarantined=true", false},
	{"submitted_from=2026-01-03&submitted_to=2026-01-04&status=cancelled", true},
	{"parent=job_aaaaaaaaaaaa", true},
	{"job_type=rare", false},
	{fullPage + "job_type=rare", false},
	{"queue=nobody", false},
	{"error=no such text", false},
	{"file=thesis", false},
	{"data.url=x", false},
	{"priority=>50", false},
	{"status=failed&error=timed out after 77 s", false},
	{"status=awaiting_approval&sort=priority", false},
	{"status=processing&sort=started", false},
	{"count=exact", false},
	{"status=failed&count=exact", false},
	{"job_type=noop&count=estimated", false},
	{"job_type=noop&count=exact", false},
}

func main() {
	jobs := flag.Int("jobs", 1_000_000, "how many jobs there are")
	times := flag.Int("times", 40, "how often each page is read")
	strict := flag.Bool("strict", false, "fail when a demand is missed")
	flag.Parse()
	os.Exit(serving.Main(*strict, func(ctx context.Context) (missed int, err error) { return run(ctx, *jobs, *times) }))
}

func run(ctx context.Context, jobs, times int) (missed int, err error) {
	cluster, err := serving.StartCluster(ctx)
	if err != nil {
		return 0, err
	}
	defer cluster.Close(ctx)
	dsn, err := cluster.Migrate(ctx)
	if err != nil {
		return 0, err
	}
	if err := fill(ctx, dsn, jobs); err != nil {
		return 0, err
	}
	db, err := postgres.Open(ctx, postgres.Config{DSN: dsn, JobConns: 4, GraphConns: 2, AuthConns: 2, AcquireTimeout: 10 * time.Second})
	if err != nil {
		return 0, err
	}
	defer db.Close()
	fmt.Printf("list: a page of 50 among %d jobs, each read %d times\n\n%-64s %10s %10s %6s\n", jobs, times, "filter", "p50", "p95", "jobs")
	for _, l := range lists {
		query, full := strings.CutPrefix(l.query, fullPage)
		words, err := url.ParseQuery(query)
		if err != nil {
			return missed, err
		}
		f, err := work.ParseJobFilter(words)
		if err != nil {
			return missed, err
		}
		f.Limit, f.Full = 50, full
		found := 0
		took, err := measure(times, func() error {
			page, err := db.Jobs().JobPage(ctx, f)
			found = len(page.Jobs)
			return err
		})
		if err != nil {
			return missed, fmt.Errorf("%q: %w", l.query, err)
		}
		missed += report(l.query, took, found, l.indexed)
	}
	for _, query := range []string{"", "queue=slow"} {
		words, _ := url.ParseQuery(query)
		f, err := work.ParseJobFilter(words)
		if err != nil {
			return missed, err
		}
		groups := 0
		took, err := measure(times/4, func() error {
			found, err := db.Jobs().JobErrors(ctx, f)
			groups = len(found.Errors)
			return err
		})
		if err != nil {
			return missed, err
		}
		missed += report("errors "+query, took, groups, false)
	}
	return missed, whole(ctx, db)
}

// report prints how long something took, and returns how many demands it misses.
func report(query string, took []time.Duration, found int, quick bool) (missed int) {
	p50, p95 := took[len(took)/2], took[len(took)*95/100]
	fmt.Printf("%-64s %7.1f ms %7.1f ms %6d\n", query, float64(p50.Microseconds())/1000, float64(p95.Microseconds())/1000, found)
	if quick && p95 > indexed || p95 > most {
		fmt.Println("  too slow")
		return 1
	}
	return 0
}

// measure returns how long calls took, in order of that, after two that are not counted.
func measure(times int, call func() error) (took []time.Duration, err error) {
	for i := range times + 2 {
		since := time.Now()
		if err := call(); err != nil {
			return nil, err
		}
		if i >= 2 {
			took = append(took, time.Since(since))
		}
	}
	slices.Sort(took)
	return took, nil
}

// whole finds twelve jobs that no index finds, page by page through all.
func whole(ctx context.Context, db *postgres.DB) error {
	f, err := work.ParseJobFilter(map[string][]string{"file": {"needle"}})
	if err != nil {
		return err
	}
	f.Limit = 50
	pages, found, longest, begun := 0, 0, time.Duration(0), time.Now()
	for {
		since := time.Now()
		page, err := db.Jobs().JobPage(ctx, f)
		if err != nil {
			return err
		}
		longest = max(longest, time.Since(since))
		pages, found = pages+1, found+len(page.Jobs)
		if f.Cursor = page.Next; f.Cursor == "" {
			break
		}
	}
	fmt.Printf("\n%d jobs that no index finds: %d pages, %.2f s, the longest page %.0f ms\n", found, pages, time.Since(begun).Seconds(), float64(longest.Milliseconds()))
	return nil
}

// fill stores jobs: most are over, some in every other status, and a tenth has failed.
func fill(ctx context.Context, dsn string, jobs int) error {
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	since := time.Now()
	_, err = conn.Exec(ctx, `
		INSERT INTO kg_api.jobs (job_id, job_type, status, user_id, priority, queue, lane, attempt, created_at, started_at, completed_at, approved_at, approved_by,
			claimed_at, claim_token, claimed_by, error, error_key, filename, data, crash_count, end_seq)
		SELECT 'job_' || lpad(to_hex(n::bigint * 2654435761 % 281474976710656), 12, '0'), (ARRAY['noop', 'sleep', 'polarity'])[1 + n % 3], s.status, 1, (n % 5) * 10 - 20,
			(ARRAY['default', 'slow'])[1 + n % 2], 'interactive', 1 + n % 3, t.at, t.at + interval '1 second', CASE WHEN ended THEN t.at + interval '2 seconds' END, t.at, 'bench',
			t.at, n, '00000000-0000-0000-0000-000000000001', e.error, CASE WHEN s.status = 'failed' THEN kg_api.fold_error(e.error) END,
			CASE WHEN n % 83333 = 5 THEN 'needle.pdf' WHEN n % 2 = 0 THEN 'report-' || n || '.pdf' END, jsonb_build_object('n', n, 'text', repeat('word ', 20)),
			CASE WHEN s.status = 'failed' AND n % 1000 = 9 THEN 3 ELSE 0 END, 5
		FROM generate_series(1, $1::int) n
		CROSS JOIN LATERAL (SELECT timestamptz '2026-01-01' + n * interval '1 second' AS at) t
		CROSS JOIN LATERAL (SELECT CASE WHEN n % 10 = 9 THEN 'failed' WHEN n % 50 = 7 THEN 'cancelled' WHEN n % 5000 = 1 THEN 'awaiting_approval' WHEN n % 5000 = 2 THEN 'approved'
			WHEN n % 50000 = 3 THEN 'processing' ELSE 'completed' END AS status) s
		CROSS JOIN LATERAL (SELECT s.status IN ('completed', 'failed', 'cancelled') AS ended,
			CASE WHEN s.status = 'failed' THEN (ARRAY['timed out after ', 'no such document: ', 'the model answered '])[1 + n / 10 % 3] || n || ' s'
				WHEN s.status = 'awaiting_approval' AND n % 2 = 0 THEN 'Paused: the budget is spent' END AS error) e`, jobs)
	if err != nil {
		return err
	}
	_, err = conn.Exec(ctx, `WITH gone AS (DELETE FROM kg_api.job_changes RETURNING status, change)
		INSERT INTO kg_api.job_counts AS c (status, jobs) SELECT status, sum(change) FROM gone GROUP BY status
		ON CONFLICT (status) DO UPDATE SET jobs = c.jobs + excluded.jobs`) // as the leader does after a while
	if err != nil {
		return err
	}
	if _, err = conn.Exec(ctx, "VACUUM ANALYZE kg_api.job_changes"); err != nil {
		return err
	}
	if _, err = conn.Exec(ctx, "VACUUM ANALYZE kg_api.jobs"); err != nil {
		return err
	}
	fmt.Printf("%d jobs stored in %.0f s\n", jobs, time.Since(since).Seconds())
	return nil
}
