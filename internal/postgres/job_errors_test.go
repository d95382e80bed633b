package postgres_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"pgregory.net/rapid"

	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/internal/pgtest"
	"github.com/kappagraph/kappa/work"
)

// volatile draws two values of what differs from one failure to the next.
var volatile = []func(t *rapid.T) (string, string){
	func(t *rapid.T) (string, string) {
		n := rapid.IntRange(0, 1_000_000_000)
		return fmt.Sprint(n.Draw(t, "n")), fmt.Sprint(n.Draw(t, "n"))
	},
	func(t *rapid.T) (string, string) {
		d := rapid.StringMatching(`[0-9]{1,4}(\.[0-9]{1,3})?(ms|s|m|h)|[0-9]{1,3}m[0-9]{1,2}s`)
		return d.Draw(t, "duration"), d.Draw(t, "duration")
	},
	func(t *rapid.T) (string, string) {
		id := rapid.StringMatching(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)
		return id.Draw(t, "uuid"), id.Draw(t, "uuid")
	},
	func(t *rapid.T) (string, string) {
		id := rapid.StringMatching(`job_[0-9a-f]{5}[0-9][0-9a-f]{6}`)
		return id.Draw(t, "job"), id.Draw(t, "job")
	},
	func(t *rapid.T) (string, string) {
		hex := rapid.StringMatching(`0x[0-9A-F]{1,8}|[0-9a-f]{6}[0-9][0-9a-f]{1,30}`)
		return hex.Draw(t, "hex"), hex.Draw(t, "hex")
	},
	func(t *rapid.T) (string, string) {
		at := rapid.StringMatching(`20[0-9]{2}-[01][0-9]-[0-3][0-9]([T ][0-2][0-9]:[0-5][0-9]:[0-5][0-9](\.[0-9]{1,9})?(Z|\+0[0-9]:00))?`)
		return at.Draw(t, "time"), at.Draw(t, "time")
	},
	func(t *rapid.T) (string, string) {
		path := rapid.StringMatching(`"(/[a-z0-9 ]{1,9}){1,4}"`)
		return path.Draw(t, "path"), path.Draw(t, "path")
	},
	func(t *rapid.T) (string, string) {
		path := rapid.StringMatching(`'(/[a-z0-9]{1,9}){1,4}'`)
		return path.Draw(t, "path"), path.Draw(t, "path")
	},
}

// TestErrorsFold folds errors: what differs by volatile parts alone is the same, what says
// something else is not, and what is folded stays as it is.
func TestErrorsFold(t *testing.T) {
	t.Parallel()
	conn, err := pgx.Connect(t.Context(), pgtest.NewDSN(t))
	must(t, err)
	defer conn.Close(t.Context())
	fold := func(texts ...string) (folded []string) {
		rows, err := conn.Query(t.Context(), "SELECT kg_api.fold_error(x) FROM unnest($1::text[]) WITH ORDINALITY AS x (x, n) ORDER BY n", texts)
		must(t, err)
		folded, err = pgx.CollectRows(rows, pgx.RowTo[string])
		must(t, err)
		return folded
	}
	for text, want := range map[string]string{
		`provider "openai" timed out after 30.5s`:                      "provider … timed out after #",
		"can't read '/var/lib/x7.pdf': 3 of 17 chunks":                 "can't read …: # of # chunks",
		"job_5b1c0de9a7f2 of 2026-01-31T08:00:00.123Z\n  at 10.0.0.7:": "job_# of # at #:",
		"Quarantined: its worker died 3 times while working on it":     "Quarantined: its worker died # times while working on it",
		"": "", "no such table": "no such table", "it's 'quoted' and bad": "it's 'quoted' and bad",
		strings.Repeat("word ", 500): strings.TrimSpace(strings.Repeat("word ", 40)),
	} {
		if got := fold(text)[0]; got != want {
			t.Errorf("%q is folded to %q, want %q", text, got, want)
		}
	}
	words := rapid.StringMatching(`( ?[a-zA-Z']{1,8}[:,.]?){1,4} `)
	rapid.Check(t, func(t *rapid.T) {
		var a, b strings.Builder
		for range rapid.IntRange(1, 4).Draw(t, "parts") {
			text := words.Draw(t, "words")
			x, y := rapid.SampledFrom(volatile).Draw(t, "kind")(t)
			a.WriteString(text + x + " ")
			b.WriteString(text + y + " ")
		}
		folded := fold(a.String(), b.String(), a.String()+"differently")
		if folded[0] != folded[1] {
			t.Fatalf("%q and %q differ:\n%q\n%q", a.String(), b.String(), folded[0], folded[1])
		}
		if folded[0] == folded[2] && len(folded[0]) < 150 {
			t.Fatalf("%q says something else than %q", a.String(), folded[2])
		}
	})
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`([a-z "'/\\.~0-9#:TZ-]|0x|job_|…|\n|12ms){0,60}`).Draw(t, "text")
		once := fold(text)[0]
		if again := fold(once)[0]; again != once {
			t.Fatalf("%q is folded to %q, and that to %q", text, once, again)
		}
	})
}

// TestJobErrors groups failures, for those who may see all and some, and goes from a group
// to its jobs.
func TestJobErrors(t *testing.T) {
	t.Parallel()
	s, dsn := newStore(t)
	execSQL(t, dsn, variedJobs)
	stored := readVaried(t, connect(t, dsn))
	for name, f := range map[string]work.JobFilter{
		"all": {}, "a type": {Type: "noop"}, "a queue": {Queue: "slow"}, "a user's": {Visible: &access.VisibleRows{Owner: 2001}},
		"nobody's": {Visible: &access.VisibleRows{}}, "none": {Statuses: []work.Status{work.StatusCompleted}},
	} {
		want := map[string]int{}
		total := 0
		f.Dead = true
		for _, j := range stored {
			if selects(f, j, j.created) && !(f.Statuses != nil) {
				want[j.jobType+" "+*j.errorKey]++
				total++
			}
		}
		found, err := s.Jobs().JobErrors(t.Context(), f)
		must(t, err)
		got := map[string]int{}
		for _, e := range found.Errors {
			got[e.Type+" "+e.ErrorKey] += int(e.Count)
			jobs, err := s.Jobs().Jobs(t.Context(), work.JobFilter{Dead: true, Type: e.Type, ErrorKey: e.ErrorKey, Queue: f.Queue, Visible: f.Visible, Limit: 500})
			must(t, err)
			if len(jobs) != int(e.Count) {
				t.Errorf("%s: %d jobs are listed of %+v", name, len(jobs), e)
			}
			at := slices.IndexFunc(jobs, func(j work.Job) bool { return j.ID == e.JobID })
			if at < 0 || *jobs[at].Error != e.Error || !jobs[at].CompletedAt.Equal(e.Last.Time) || e.First.After(e.Last.Time) {
				t.Errorf("%s: the example of %+v is not the last of its jobs", name, e)
			}
		}
		if fmt.Sprint(got) != fmt.Sprint(want) || int(found.Jobs) != total || found.More || found.Partial {
			t.Errorf("%s: %+v\n got %v\nwant %v", name, found, got, want)
		}
		if !slices.IsSortedFunc(found.Errors, func(a, b work.JobError) int { return int(b.Count - a.Count) }) {
			t.Errorf("%s: the most frequent is not first", name)
		}
	}
}

// TestEveryFailureHasItsKey has jobs fail in each way that there is: the key is that of the
// error, and no other job has one.
func TestEveryFailureHasItsKey(t *testing.T) {
	t.Parallel()
	s, dsn := newStore(t)
	register(t, s, workerA)
	for range 4 {
		submit(t, s, "polarity", func(j *work.NewJob) { j.MaxRetries = 0 })
	}
	claims := append(claim(t, s, workerA, 2), claim(t, s, workerA, 2)...)
	if len(claims) < 2 {
		t.Fatal(len(claims))
	}
	_, err := s.Claims().Finish(t.Context(), workerA, []work.Outcome{
		{Claim: claims[0], Status: work.StatusFailed, Error: "gave up after 3 tries"}, {Claim: claims[1], Status: work.StatusApproved, Error: "again in 5s"},
	})
	must(t, err)
	stuck := claim(t, s, workerA, 2)
	execSQL(t, dsn, "UPDATE kg_api.jobs SET progress_at = now() - interval '3 days' WHERE job_id = $1", stuck[0].JobID)
	if taken, err := s.Queue().RecoverStale(t.Context(), 0, 10); err != nil || len(taken) != 1 {
		t.Errorf("%d jobs were stale (%v)", len(taken), err)
	}
	if n := number(t, dsn, "SELECT count(*) FROM kg_api.jobs WHERE status = 'failed' AND error_key = 'gave up after # tries'"); n != 1 {
		t.Errorf("%d jobs have the key of what their handler said", n)
	}
	if n := number(t, dsn, "SELECT count(*) FROM kg_api.jobs WHERE (status = 'failed') <> (error_key IS NOT NULL)"); n != 0 {
		t.Errorf("%d jobs have a key that have not failed, or none", n)
	}
}

// TestEveryStatementThatFailsJobsFolds finds the statements after which a job may have failed:
// each sets the key.
func TestEveryStatementThatFailsJobsFolds(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../../queries/*.sql")
	must(t, err)
	fails := regexp.MustCompile(`(?s)UPDATE kg_api\.jobs j?\s*SET status = ('failed'|e\.becomes|CASE[^\n]*('failed'|e\.status))`)
	found := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		must(t, err)
		for _, statement := range strings.Split(string(text), "-- name: ")[1:] {
			if !fails.MatchString(statement) {
				continue
			}
			if found++; !strings.Contains(statement, "error_key = ") {
				name, _, _ := strings.Cut(statement, " ")
				t.Errorf("%s leaves a job that has failed without the key of its error", name)
			}
		}
	}
	if found != 5 {
		t.Errorf("%d statements were found, want 5", found)
	}
}
