package postgres_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"pgregory.net/rapid"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/internal/pgtest"
	"github.com/kappagraph/kappa/internal/postgres"
	"github.com/kappagraph/kappa/work"
)

// storedJob is a job as a naive filter sees it.
type storedJob struct {
	id, jobType, status, queue                                 string
	lane, ontology, filename, errText, errorKey, parent, owner *string
	worker                                                     *string
	user, attempt, priority, crashes                           int
	due                                                        bool
	created, runAt                                             time.Time
	started, completed                                         *time.Time
	data                                                       map[string]any
	waits                                                      []string
}

// variedJobs stores jobs of every kind, among them some of the same moment.
const variedJobs = `
	INSERT INTO kg_api.users (id, username, password_hash, role) OVERRIDING SYSTEM VALUE
	SELECT n, 'user ' || n, 'x', 'contributor' FROM generate_series(2000, 2002) n;
	INSERT INTO kg_api.jobs (job_id, job_type, status, user_id, priority, queue, lane, attempt, created_at, run_at, due, started_at, completed_at,
		approved_at, approved_by, claimed_at, claim_token, claimed_by, error, error_key, filename, ontology, data, crash_count, parent_id)
	SELECT 'job_' || lpad(to_hex((n * 7919) % 65536), 12, '0'), (ARRAY['noop', 'sleep', 'polarity'])[1 + n % 3], s.status, 2000 + n % 3, (n % 5 - 2) * 10,
		(ARRAY['default', 'slow'])[1 + n % 2], CASE WHEN started THEN (ARRAY['interactive', 'maintenance'])[1 + n / 2 % 2] END, CASE WHEN started THEN 1 + n % 4 ELSE 0 END,
		b.base - (n / 4) * interval '10 minutes', CASE WHEN due THEN b.base - interval '30 days' ELSE b.base + (n % 3 - 1) * interval '1 hour' END, due,
		CASE WHEN started THEN b.base - (n / 4) * interval '10 minutes' + interval '1 minute' END, CASE WHEN ended THEN b.base - (n / 4) * interval '10 minutes' + n % 7 * interval '10 minutes' END,
		CASE WHEN s.status NOT IN ('pending', 'awaiting_approval') THEN b.base END, 'test', CASE WHEN started THEN b.base END, CASE WHEN started THEN n END,
		CASE WHEN started THEN ('00000000-0000-0000-0000-00000000000' || n % 4)::uuid END,
		e.error, CASE WHEN s.status = 'failed' THEN kg_api.fold_error(e.error) END,
		CASE WHEN n % 3 = 0 THEN 'Report ' || n % 10 || '.PDF' END, CASE WHEN n % 2 = 0 THEN 'notes' WHEN n % 5 = 0 THEN 'letters' END,
		CASE WHEN n % 4 <> 0 THEN jsonb_build_object('url', 'https://example.org/' || n % 6, 'deep', jsonb_build_object('n', n % 3)) END,
		CASE WHEN s.status = 'failed' THEN n % 5 ELSE 0 END, CASE WHEN n % 9 = 0 THEN 'job_aaaaaaaaaaaa' END
	FROM generate_series(1, 300) n
	CROSS JOIN (SELECT date_trunc('milliseconds', now()) AS base) b
	CROSS JOIN LATERAL (SELECT (ARRAY['pending', 'awaiting_approval', 'approved', 'processing', 'completed', 'failed', 'cancelled'])[1 + n * 5 % 7 ] AS status) s
	CROSS JOIN LATERAL (SELECT s.status IN ('processing', 'completed', 'failed', 'cancelled') AS started, s.status IN ('completed', 'failed', 'cancelled') AS ended,
		s.status <> 'approved' OR n % 2 = 0 AS due) f
	CROSS JOIN LATERAL (SELECT CASE WHEN s.status = 'failed' THEN 'call ' || n % 4 || ' Timed out after ' || n || ' s'
		WHEN s.status = 'awaiting_approval' AND n % 2 = 0 THEN 'Paused: budget of ' || n % 3 END AS error) e;
	INSERT INTO kg_api.provider_waits (job_id, provider, reason, until)
	SELECT job_id, (ARRAY['openai', 'ollama'])[1 + user_id % 2], 'busy', now() FROM kg_api.jobs WHERE status IN ('approved', 'processing') AND priority > 0`

// readVaried reads the jobs that are stored, newest first.
func readVaried(t *testing.T, conn *pgx.Conn) []storedJob {
	t.Helper()
	rows, err := conn.Query(t.Context(), `SELECT j.job_id, j.job_type, j.status, j.queue, j.lane, j.ontology, j.filename, j.error, j.error_key, j.parent_id, u.username, j.claimed_by::text,
		j.user_id, j.attempt, j.priority, j.crash_count, j.due, j.created_at, j.run_at, j.started_at, j.completed_at, j.data,
		ARRAY(SELECT w.provider FROM kg_api.provider_waits w WHERE w.job_id = j.job_id)
		FROM kg_api.jobs j JOIN kg_api.users u ON u.id = j.user_id`)
	must(t, err)
	list, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (j storedJob, err error) {
		var data []byte
		err = row.Scan(&j.id, &j.jobType, &j.status, &j.queue, &j.lane, &j.ontology, &j.filename, &j.errText, &j.errorKey, &j.parent, &j.owner, &j.worker,
			&j.user, &j.attempt, &j.priority, &j.crashes, &j.due, &j.created, &j.runAt, &j.started, &j.completed, &data, &j.waits)
		if err == nil && data != nil {
			err = json.Unmarshal(data, &j.data)
		}
		return j, err
	})
	must(t, err)
	slices.SortFunc(list, func(a, b storedJob) int { return cmp.Or(b.created.Compare(a.created), cmp.Compare(b.id, a.id)) })
	return list
}

func is(text *string, want string) bool { return want == "" || text != nil && *text == want }

func has(text *string, part string) bool {
	return part == "" || text != nil && strings.Contains(strings.ToLower(*text), strings.ToLower(part))
}

func in(at *time.Time, p work.Period, now time.Time) bool {
	if p.Any() {
		return true
	}
	moment := func(m work.Moment) time.Time {
		if m.Ago != 0 {
			return now.Add(-m.Ago)
		}
		return m.At.Time
	}
	return at != nil && (p.From.IsZero() || !at.Before(moment(p.From))) && (p.To.IsZero() || at.Before(moment(p.To)))
}

// selects is what each word of a filter means, said once more and naively.
func selects(f work.JobFilter, j storedJob, now time.Time) bool {
	status := work.Status(j.status)
	quarantined := status == work.StatusFailed && j.crashes >= work.QuarantineCrashes
	paused := status == work.StatusAwaitingApproval && j.errText != nil
	ok := (f.Statuses == nil || slices.Contains(f.Statuses, status)) && is(j.ontology, f.Ontology) && is(&j.jobType, f.Type) && is(j.lane, f.Lane) && is(&j.queue, f.Queue) &&
		(f.User == "" || strings.EqualFold(*j.owner, f.User) || fmt.Sprint(j.user) == f.User) && is(j.worker, f.Worker) && is(j.parent, f.Parent) &&
		f.Priority.Has(j.priority) && f.Attempt.Has(j.attempt) && in(&j.created, f.Submitted, now) && in(j.started, f.Started, now) && in(j.completed, f.Ended, now) &&
		has(j.errText, f.Error) && has(j.filename, f.File) && is(j.errorKey, f.ErrorKey) && (!f.Dead || status == work.StatusFailed) &&
		(f.Quarantined == nil || *f.Quarantined == quarantined) && (f.Paused == nil || *f.Paused == paused)
	switch f.WaitsFor.Kind() {
	case work.WaitTime:
		ok = ok && status == work.StatusApproved && !j.due && j.runAt.After(now)
	case work.WaitSlot:
		ok = ok && status == work.StatusApproved && (j.due || !j.runAt.After(now))
	case work.WaitLimit:
		ok = false // nothing is limited
	case work.WaitBudget:
		ok = ok && paused
	case work.WaitApproval:
		ok = ok && status == work.StatusAwaitingApproval && !paused
	case work.WaitProvider:
		ok = ok && len(j.waits) > 0 && (f.WaitsFor.Provider() == "" || slices.Contains(j.waits, f.WaitsFor.Provider()))
	}
	for _, d := range f.Data {
		value := any(j.data)
		for name := range strings.SplitSeq(d.Name, ".") {
			object, _ := value.(map[string]any)
			value = object[name]
		}
		ok = ok && value != nil && fmt.Sprint(value) == d.Value
	}
	if v := f.Visible; v != nil && ok {
		row := access.Row{Owner: j.user, ID: j.id, Type: j.jobType}
		if j.ontology != nil {
			row.Ontology = *j.ontology
		}
		ok = v.Owner == j.user || v.Has(row)
	}
	return ok
}

// drawWords are words of filters, each with values that select some.
var drawWords = map[string][]string{
	"status": {"failed", "completed", "processing", "failed,cancelled", "approved,completed", "running,queued,pending"}, "ontology": {"notes", "letters", "none"},
	"job_type": {"noop", "sleep"}, "lane": {"interactive", "maintenance"}, "queue": {"slow"}, "client_id": {"USER 2001", "2002", "nobody"},
	"worker": {"00000000-0000-0000-0000-000000000001"}, "parent": {"job_aaaaaaaaaaaa"}, "priority": {"10", "0..", "..-10", ">0", "<=0", "-10..10"},
	"attempt": {"0", ">1", "2..3"}, "age": {">5h", "<3h", ">2h,<8h"}, "started_from": {"6h"}, "started_to": {"2h", "2020-01-01"}, "ended_from": {"3h"}, "ended_to": {"1h"},
	"error": {"timed OUT", "budget of 1"}, "error_key": {"call # Timed out after # s"}, "file": {"report 3", "pdf"},
	"data.url": {"https://example.org/1"}, "data": {"deep.n=2"}, "quarantined": {"true", "false"}, "paused": {"true", "false"}, "dead": {"true"},
	"waits_for": {"time", "limit", "slot", "budget", "approval", "provider", "provider:openai"},
}

// listedBy turns all pages of a list over, and returns its ids.
func listedBy(t interface {
	Fatalf(format string, values ...any)
}, list func(work.JobFilter) (work.JobPage, error), f work.JobFilter,
) (ids []string) {
	for range 1000 {
		page, err := list(f)
		if err != nil {
			t.Fatalf("%v: %v", f.Words(), err)
		}
		if len(page.Jobs) > f.Limit {
			t.Fatalf("%v: a page of %d jobs", f.Words(), len(page.Jobs))
		}
		for _, j := range page.Jobs {
			ids = append(ids, j.ID)
		}
		if f.Cursor = page.Next; f.Cursor == "" {
			return ids
		}
	}
	t.Fatalf("%v: the list does not end", f.Words())
	return nil
}

// sortVaried puts jobs that are newest first in the order of a list.
func sortVaried(list []storedJob, by work.JobSort) {
	key := func(j storedJob) int64 {
		switch {
		case by == work.SortPriority:
			return int64(j.priority)
		case by == work.SortStarted && j.started != nil:
			return j.started.UnixMicro()
		case by == work.SortEnded && j.completed != nil:
			return j.completed.UnixMicro()
		}
		return -1
	}
	if by == work.SortOldest {
		slices.Reverse(list)
		return
	}
	slices.SortStableFunc(list, func(a, b storedJob) int { return cmp.Compare(key(b), key(a)) })
}

// TestJobFilters lists jobs by each filter alone and by random ones together, for those who may
// see all and some, in every order, with pages that look at few jobs: always what a naive
// filter finds, counted the same.
func TestJobFilters(t *testing.T) { // alone: pages look at few jobs meanwhile
	checkJobFilters(t, 30)
}

func TestJobFilters_Slow(t *testing.T) { // alone, as well
	pgtest.SlowTier(t)
	checkJobFilters(t, allExamples)
}

func checkJobFilters(t *testing.T, examples int) {
	t.Helper()
	defer postgres.ScanAtMost(40)()
	s, dsn := newStore(t)
	execSQL(t, dsn, variedJobs)
	stored := readVaried(t, connect(t, dsn))
	list := func(f work.JobFilter) (work.JobPage, error) { return s.Jobs().JobPage(t.Context(), f) }
	check := func(t interface {
		Fatalf(format string, values ...any)
		Errorf(format string, values ...any)
	}, f work.JobFilter,
	) int {
		now := time.Now()
		var matching []storedJob
		for _, j := range stored {
			if selects(f, j, now) {
				matching = append(matching, j)
			}
		}
		sortVaried(matching, f.Sort)
		var want []string
		for _, j := range matching {
			want = append(want, j.id)
		}
		if got := listedBy(t, list, f); !slices.Equal(got, want) {
			t.Fatalf("%v for %+v:\n got %v\nwant %v", f.Words(), f.Visible, got, want)
		}
		f.Count = work.CountExact
		if page, err := list(f); err != nil || len(f.CanBe()) > 0 && (page.Total == nil || page.Total.Jobs != int64(len(want)) || page.Total.Is != "exact") {
			t.Errorf("%v: counted %+v, want %d (%v)", f.Words(), page.Total, len(want), err)
		}
		return len(want)
	}
	for word, values := range drawWords {
		some := 0
		for _, value := range values {
			f, err := work.ParseJobFilter(map[string][]string{word: {value}})
			must(t, err)
			f.Limit = 7
			must(t, f.Validate())
			n := check(t, f)
			if n == len(stored) {
				t.Errorf("%s=%s selects all", word, value)
			}
			some += n
		}
		if some == 0 {
			t.Errorf("no value of %s selects any", word)
		}
	}
	views := []*access.VisibleRows{
		nil, nil,
		{Owner: 2001},
		{Owner: 2000, RowSet: access.RowSet{IDs: []string{stored[3].id, stored[50].id}}},
		{RowSet: access.RowSet{Filters: []access.RowFilter{{"ontology": "notes", "job_type": "noop"}, {"job_type": "sleep"}}}},
		{RowSet: access.RowSet{Filters: []access.RowFilter{{"color": "red"}}}},
		{},
	}
	checkSome(t, examples, func(t *rapid.T) {
		words := map[string][]string{}
		for range rapid.IntRange(0, 4).Draw(t, "how many") {
			word := rapid.SampledFrom(slices.Sorted(mapsKeys(drawWords))).Draw(t, "word")
			words[word] = []string{rapid.SampledFrom(drawWords[word]).Draw(t, "value")}
		}
		f, err := work.ParseJobFilter(words)
		if err != nil {
			t.Fatalf("%v: %v", words, err)
		}
		f.Limit = rapid.SampledFrom([]int{1, 7, 50, 500}).Draw(t, "limit")
		f.Visible = rapid.SampledFrom(views).Draw(t, "view")
		f.Sort = rapid.SampledFrom([]work.JobSort{"", work.SortOldest, work.SortNewest}).Draw(t, "indexed")
		if f.Visible == nil {
			f.Sort = rapid.SampledFrom(append(work.JobSorts(), "")).Draw(t, "sort")
		}
		check(t, f)
		again, err := work.ParseJobFilter(f.Words())
		again.Visible = f.Visible
		if err != nil || again.Words().Encode() != f.Words().Encode() || again.Fingerprint() != f.Fingerprint() {
			t.Fatalf("%v is read again as %v (%v)", f.Words(), again.Words(), err)
		}
	})
}

func mapsKeys[V any](m map[string]V) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// TestJobListWhileJobsChange turns pages over while jobs are claimed, ended and added: what
// does not change comes exactly once, in both orders.
func TestJobListWhileJobsChange(t *testing.T) {
	defer postgres.ScanAtMost(9)()
	for _, by := range []work.JobSort{work.SortNewest, work.SortOldest} {
		s, _ := newStore(t)
		register(t, s, workerA)
		var still []string
		for i := range 60 {
			j := submit(t, s, []string{"polarity", "noop"}[i%2])
			if i%2 == 1 {
				still = append(still, j.ID)
			}
		}
		counts := map[string]int{}
		f := work.JobFilter{Limit: 4, Sort: by}
		for {
			page, err := s.Jobs().JobPage(t.Context(), f)
			must(t, err)
			for _, j := range page.Jobs {
				counts[j.ID]++
			}
			if f.Cursor = page.Next; f.Cursor == "" {
				break
			}
			for _, c := range claim(t, s, workerA, 2) {
				if c.JobID > "job_8" {
					_, err := s.Claims().Finish(t.Context(), workerA, []work.Outcome{{Claim: c, Status: work.StatusCompleted}})
					must(t, err)
				}
			}
			if len(counts) < 30 {
				submit(t, s, "sleep")
			}
		}
		for _, id := range still {
			if counts[id] != 1 {
				t.Errorf("%s: job %s, which does not change, came %d times", by, id, counts[id])
			}
		}
		for id, n := range counts {
			if n != 1 {
				t.Errorf("%s: job %s came %d times", by, id, n)
			}
		}
	}
}

// TestJobListOfOneMoment turns over the pages of jobs that all have the same time, more than a
// page looks at.
func TestJobListOfOneMoment(t *testing.T) {
	defer postgres.ScanAtMost(5)()
	s, dsn := newStore(t)
	execSQL(t, dsn, `INSERT INTO kg_api.jobs (job_id, job_type, status, user_id, queue) SELECT 'job_' || lpad(to_hex(n), 12, '0'), 'noop', 'pending', 1,
		CASE WHEN n % 4 = 0 THEN 'slow' ELSE 'default' END FROM generate_series(1, 40) n`)
	execSQL(t, dsn, `UPDATE kg_api.jobs SET created_at = '2026-01-01'`)
	for _, by := range []work.JobSort{work.SortNewest, work.SortOldest} {
		got := listedBy(t, func(f work.JobFilter) (work.JobPage, error) { return s.Jobs().JobPage(t.Context(), f) }, work.JobFilter{Queue: "slow", Limit: 3, Sort: by})
		if slices.Sort(got); len(slices.Compact(got)) != 10 {
			t.Errorf("%s: %d jobs, want 10", by, len(got))
		}
	}
}

// TestJobCursorNamesNoForeignJob looks for one's own jobs among those of others: the cursors
// of pages that find none name no job.
func TestJobCursorNamesNoForeignJob(t *testing.T) {
	defer postgres.ScanAtMost(10)()
	s, _ := newAccounts(t)
	var own string
	for i := range 35 {
		j := submit(t, s, "noop", func(n *work.NewJob) { n.UserID = access.AdminUserID })
		if i == 0 {
			own = j.ID
		}
	}
	f := work.JobFilter{Limit: 5, Visible: &access.VisibleRows{RowSet: access.RowSet{IDs: []string{own}}}}
	pages := 0
	for ; pages < 20; pages++ {
		page, err := s.Jobs().JobPage(t.Context(), f)
		must(t, err)
		if f.Cursor = page.Next; f.Cursor == "" {
			break
		}
		if at, ok := kappa.ParseCursor(kappa.ListJobs, f.Cursor, kappa.JobKeys); !ok || at.ID != "" {
			t.Errorf("the cursor %+v names a job", at)
		}
	}
	if pages < 3 {
		t.Errorf("only %d pages were looked at", pages)
	}
	f.Cursor, f.Sort = "", work.SortPriority
	if _, err := s.Jobs().JobPage(t.Context(), f); kappa.ErrorCode(err) != kappa.CodeInvalid {
		t.Errorf("an order that counts the jobs of others: %v", err)
	}
}

// TestFullJobPage: a page that has to be full is, wherever its jobs stand.
func TestFullJobPage(t *testing.T) { // alone: pages look at few jobs meanwhile
	defer postgres.ScanAtMost(10)()
	s, _ := newStore(t)
	first := submit(t, s, "sleep")
	for range 30 {
		submit(t, s, "noop")
	}
	for _, full := range []bool{true, false} {
		page, err := s.Jobs().JobPage(t.Context(), work.JobFilter{Type: "sleep", Limit: 5, Full: full})
		must(t, err)
		if found := len(page.Jobs) == 1 && page.Jobs[0].ID == first.ID; found != full || (page.Next == "") != full {
			t.Errorf("full %t: %d jobs, and %q comes next", full, len(page.Jobs), page.Next)
		}
	}
}

// TestJobErrorsOfMany groups more failures than are looked at by a filter that no index has:
// those that were submitted last, and it says so.
func TestJobErrorsOfMany(t *testing.T) {
	defer postgres.ScanAtMost(10)()
	s, dsn := newStore(t)
	execSQL(t, dsn, variedJobs)
	all, err := s.Jobs().JobErrors(t.Context(), work.JobFilter{})
	must(t, err)
	some, err := s.Jobs().JobErrors(t.Context(), work.JobFilter{Queue: "slow"})
	must(t, err)
	if all.Partial || all.Jobs < 40 || !some.Partial || some.Jobs > 10 || some.Jobs == 0 {
		t.Errorf("%d of all (partial: %t), %d of one queue (partial: %t)", all.Jobs, all.Partial, some.Jobs, some.Partial)
	}
}
