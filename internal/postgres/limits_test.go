package postgres_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/internal/await"
	"github.com/kappagraph/kappa/internal/postgres"
	"github.com/kappagraph/kappa/work"
)

// limit sets a limit.
func limit(t *testing.T, s *postgres.DB, l work.LimitRequest) work.Limit {
	t.Helper()
	set, err := s.Lanes().SetLimit(t.Context(), l, "bob")
	must(t, err)
	return set
}

// rateOf is a limit of the starts of a type.
func rateOf(jobType string, perSecond float64) work.LimitRequest {
	l := limitOf(work.LimitType, jobType, 1)
	l.MaxRunning, l.PerSecond = nil, &perSecond
	return l
}

func withHost(host string) func(*work.NewJob) {
	return func(j *work.NewJob) { j.Data = json.RawMessage(fmt.Sprintf(`{"to": {"host": %q}}`, host)) }
}

// TestLimitsMeet has two lanes and a remote worker claim at once what three limits are about:
// at no moment more runs than each allows, nobody waits for somebody who waits for him, and all
// ends.
func TestLimitsMeet(t *testing.T) {
	t.Parallel()
	s, dsn := newAccounts(t)
	register(t, s, workerA)
	for lane, types := range limitedLanes {
		must(t, s.Lanes().AddLaneTypes(t.Context(), lane, types...))
		_, err := s.Lanes().UpdateLane(t.Context(), lane, work.LaneUpdate{MaxSlots: new(16)})
		must(t, err)
	}
	remote := remoteWorker(t, s, "a", workerB)
	limit(t, s, limitOf(work.LimitUser, "system", 3))
	limit(t, s, limitOf(work.LimitType, "", 2))
	limit(t, s, limitOf(work.LimitData, "", 2))
	const jobs = 90
	for i := range jobs {
		submit(t, s, []string{"one_type", "third_type", "exec"}[i%3], withHost([]string{"a.org", "b.org", "c.org"}[i/3%3]), func(j *work.NewJob) { j.Remote = j.Type == "exec" })
	}
	_, err := connect(t, dsn).Exec(t.Context(), `CREATE TABLE passed (what text);
		CREATE FUNCTION passes() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
			INSERT INTO passed SELECT 'user' WHERE (SELECT count(*) FROM kg_api.jobs WHERE status = 'processing') > 3;
			INSERT INTO passed SELECT 'type' FROM kg_api.jobs WHERE status = 'processing' GROUP BY job_type HAVING count(*) > 2;
			INSERT INTO passed SELECT 'host' FROM kg_api.jobs WHERE status = 'processing' GROUP BY data #>> '{to,host}' HAVING count(*) > 2;
			RETURN NULL; END $$;
		CREATE TRIGGER passes AFTER UPDATE ON kg_api.jobs EXECUTE FUNCTION passes()`)
	must(t, err)
	var ended atomic.Int64
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute) // which only a hang reaches
	defer cancel()
	together(9, func(i int) {
		lane := []string{"interactive", "maintenance"}[i%2]
		for ended.Load() < jobs && ctx.Err() == nil {
			if i%3 == 2 {
				claimed, err := s.Remote().Claim(ctx, remoteClaim(remote, 2, "*"))
				if err != nil {
					t.Error(err)
					return
				}
				for _, r := range claimed[0].Runs {
					if _, err := s.Remote().Finish(ctx, []work.RunOutcome{{RunKey: r.RunKey, Status: work.StatusCompleted}}); err != nil {
						t.Error(err)
					}
					ended.Add(1)
				}
				continue
			}
			batch, err := s.Claims().Claim(ctx, work.ClaimRequest{Lane: lane, Worker: workerA, Types: limitedLanes[lane], Most: 4})
			if err != nil {
				t.Error(err)
				return
			}
			for _, c := range batch.Claims {
				if _, err := s.Claims().Finish(ctx, workerA, []work.Outcome{completed(c)}); err != nil {
					t.Error(err)
				}
				ended.Add(1)
			}
		}
	})
	if n := ended.Load(); n != jobs {
		t.Errorf("%d of %d jobs have ended", n, jobs)
	}
	if n := number(t, dsn, "SELECT count(*) FROM passed"); n != 0 {
		t.Errorf("limits were passed %d times", n)
	}
}

// TestLimitMeetsClaims limits a type while its jobs are submitted and claimed: once the limit is
// there, no claim passes it, and what ran before counts.
func TestLimitMeetsClaims(t *testing.T) {
	t.Parallel()
	s, dsn := newStore(t)
	register(t, s, workerA)
	_, err := s.Lanes().UpdateLane(t.Context(), "interactive", work.LaneUpdate{MaxSlots: new(16)})
	must(t, err)
	for range 5 {
		var set work.Limit
		together(9, func(i int) {
			var err error
			switch {
			case i == 0:
				set, err = s.Lanes().SetLimit(t.Context(), limitOf(work.LimitType, "polarity", 2), "bob")
			case i%2 == 0:
				_, err = s.Claims().Claim(t.Context(), work.ClaimRequest{Lane: "interactive", Worker: workerA, Types: []string{"polarity"}, Most: 1})
			default:
				_, err = s.Jobs().SubmitJob(t.Context(), work.NewJob{Type: "polarity", Queue: work.DefaultQueue, AutoApprove: true, UserID: access.SystemUserID})
			}
			if err != nil {
				t.Error(err)
			}
		})
		ran := number(t, dsn, "SELECT count(*) FROM kg_api.jobs WHERE status = 'processing'")
		if got := len(claim(t, s, workerA, 10)); got > max(0, 2-ran) {
			t.Fatalf("%d run, and %d more were claimed, at most 2 may", ran, got)
		}
		_, err := s.Lanes().RemoveLimit(t.Context(), set.ID)
		must(t, err)
		if n := number(t, dsn, "SELECT count(*) FROM kg_api.jobs WHERE status = 'approved' AND NOT due OR limited IS NOT NULL OR held_by IS NOT NULL"); n != 0 {
			t.Fatalf("%d jobs are held by a limit that is gone", n)
		}
		execSQL(t, dsn, "DELETE FROM kg_api.jobs")
	}
}

// TestLimitOfStarts starts as many jobs as a rate allows, and wants no second of the database's
// clock to have more, however many claim.
func TestLimitOfStarts(t *testing.T) {
	t.Parallel()
	for rate, most := range map[float64]struct {
		starts int
		window time.Duration
	}{8: {8, time.Second}, 2.5: {2, 800 * time.Millisecond}, 0.8: {1, 1250 * time.Millisecond}} {
		t.Run(fmt.Sprint(rate), func(t *testing.T) {
			t.Parallel()
			s, dsn := newStore(t)
			register(t, s, workerA)
			_, err := s.Lanes().UpdateLane(t.Context(), "interactive", work.LaneUpdate{MaxSlots: new(16)})
			must(t, err)
			limit(t, s, rateOf("polarity", rate))
			jobs := 2*most.starts + 1
			for range jobs {
				submit(t, s, "polarity")
			}
			var started atomic.Int64
			together(3, func(int) {
				await.That(t, "all start", func() bool {
					batch, err := s.Claims().Claim(t.Context(), work.ClaimRequest{Lane: "interactive", Worker: workerA, Types: []string{"polarity"}, Most: 16})
					if err != nil {
						t.Error(err)
						return true
					}
					for _, c := range batch.Claims { // an end makes no room for starts
						if _, err := s.Claims().Finish(t.Context(), workerA, []work.Outcome{completed(c)}); err != nil {
							t.Error(err)
						}
					}
					return started.Add(int64(len(batch.Claims))) >= int64(jobs)
				})
			})
			rows, err := connect(t, dsn).Query(t.Context(), "SELECT claimed_at FROM kg_api.jobs ORDER BY claimed_at")
			must(t, err)
			var at []time.Time
			for rows.Next() {
				var a time.Time
				must(t, rows.Scan(&a))
				at = append(at, a)
			}
			must(t, rows.Err())
			for i := range at[most.starts:] {
				if d := at[i+most.starts].Sub(at[i]); d < most.window {
					t.Errorf("%d jobs started within %s, want %d at most in %s", most.starts+1, d, most.starts, most.window)
				}
			}
			if len(at) != jobs {
				t.Errorf("%d of %d jobs started", len(at), jobs)
			}
		})
	}
}

// TestLimitRound has the leader say when a limit allows another start, and wake who claims.
func TestLimitRound(t *testing.T) {
	t.Parallel()
	s, _ := newStore(t)
	register(t, s, workerA)
	limit(t, s, rateOf("polarity", 0.1))
	submit(t, s, "polarity")
	submit(t, s, "polarity")
	if got := claim(t, s, workerA, 2); len(got) != 1 {
		t.Fatalf("claimed %d, want 1", len(got))
	}
	swept, err := s.Queue().Sweep(t.Context(), 0, time.Minute, 10)
	must(t, err)
	if swept.Next <= 0 || swept.Next > 10*time.Second || !slices.Contains(swept.Waiting, "polarity") {
		t.Errorf("next in %s, %v wait, want within 10 s and polarity", swept.Next, swept.Waiting)
	}
}

// TestLimitTurns has a limit of one job let users take turns, and the higher priority go first
// though lower ones wait for longer.
func TestLimitTurns(t *testing.T) {
	t.Parallel()
	s, _ := newAccounts(t)
	register(t, s, workerA)
	limit(t, s, limitOf(work.LimitType, "polarity", 1))
	names := map[string]string{}
	add := func(name string, owner, priority int) {
		names[submit(t, s, "polarity", func(j *work.NewJob) { j.UserID, j.Priority = owner, priority }).ID] = name
	}
	for i := range 3 {
		add(fmt.Sprint("a", i), access.SystemUserID, 0)
	}
	add("b0", access.AdminUserID, 0)
	add("b1", access.AdminUserID, 0)
	var got []string
	var servedLast []int
	for range len(names) + 1 {
		batch, err := s.Claims().Claim(t.Context(), work.ClaimRequest{Lane: "interactive", Worker: workerA, Types: []string{"polarity"}, Most: 2, Served: servedLast})
		must(t, err)
		if len(batch.Claims) != 1 {
			t.Fatalf("claimed %d after %v, want 1", len(batch.Claims), got)
		}
		c := batch.Claims[0]
		got, servedLast = append(got, names[c.JobID]), append(slices.DeleteFunc(servedLast, func(id int) bool { return id == c.UserID }), c.UserID)
		if len(got) == 2 {
			add("high", access.SystemUserID, 5)
		}
		_, err = s.Claims().Finish(t.Context(), workerA, []work.Outcome{completed(c)})
		must(t, err)
	}
	if line := strings.Join(got, " "); line != "a0 b0 high b1 a1 a2" {
		t.Errorf("they ran as %s, want a0 b0 high b1 a1 a2", line)
	}
}

// TestLimitsExplain has a job that waits say for which limit, and the list find it.
func TestLimitsExplain(t *testing.T) {
	t.Parallel()
	s, dsn := newStore(t)
	register(t, s, workerA)
	set := limit(t, s, limitOf(work.LimitData, "", 1))
	first, second, third := submit(t, s, "polarity", withHost("a.org")), submit(t, s, "polarity", withHost("a.org")), submit(t, s, "polarity", withHost("b.org"))
	find := func(wait work.Wait) (found []string) {
		jobs, err := s.Jobs().Jobs(t.Context(), work.JobFilter{WaitsFor: wait, Sort: work.SortOldest, Limit: 10})
		must(t, err)
		for _, j := range jobs {
			found = append(found, j.ID)
		}
		return found
	}
	if got := find("limit"); len(got) != 0 {
		t.Errorf("%v wait for a limit of which nothing runs", got)
	}
	if got := claim(t, s, workerA, 1); len(got) != 1 || got[0].JobID != first.ID {
		t.Fatalf("claimed %v", ids(got))
	}
	if got := find("limit"); !slices.Equal(got, []string{second.ID}) {
		t.Errorf("%v wait for the limit, want %s", got, second.ID)
	}
	if got := find("slot"); !slices.Equal(got, []string{third.ID}) {
		t.Errorf("%v wait for a slot, want %s", got, third.ID)
	}
	if got := find("pause"); len(got) != 0 {
		t.Errorf("%v wait for a pause", got)
	}
	explain := func(j work.Job) work.JobWait {
		w, err := s.Jobs().WaitFacts(t.Context(), j)
		must(t, err)
		return w.Explain()
	}
	if e := explain(second); e.Code != work.WaitLimit || e.Position == nil || *e.Position != 1 || e.Until != nil ||
		!strings.Contains(e.Reason, "bob has limited jobs of each data.to.host to at most 1 at once, and 1 runs; set at ") || !strings.HasSuffix(e.Reason, " UTC: a test.") {
		t.Errorf("%+v", e)
	}
	if e := explain(third); e.Code == work.WaitLimit || e.Code == work.WaitTime {
		t.Errorf("%+v", e)
	}
	_, err := s.Lanes().ChangeLimit(t.Context(), set.ID, work.LimitUpdate{LimitNumbers: work.LimitNumbers{PerSecond: new(0.01)}, Reason: "slowly"}, "eve")
	must(t, err)
	execSQL(t, dsn, "INSERT INTO kg_api.limit_starts SELECT limited[1], ARRAY[clock_timestamp()], '{1}', clock_timestamp() + interval '100 s' FROM kg_api.jobs WHERE job_id = $1", second.ID)
	if e := explain(second); e.Code != work.WaitLimit || e.Until == nil || !strings.Contains(e.Reason, "eve has limited jobs of each data.to.host to at most 1 start in 100 seconds, and these are used up") {
		t.Errorf("%+v", e)
	}
	list, err := s.Lanes().Limits(t.Context())
	must(t, err)
	if len(list) != 1 || list[0].Running != 1 || list[0].Held != 2 || list[0].FullValues != 1 || list[0].Reason != "slowly" {
		t.Errorf("%+v", list)
	}
}

// TestLimitsRefused has what cannot be limited, changed or removed be refused.
func TestLimitsRefused(t *testing.T) {
	t.Parallel()
	s, _ := newStore(t)
	for name, c := range map[string]struct {
		err  func() error
		code kappa.Code
	}{
		"nobody": {func() error {
			_, err := s.Lanes().SetLimit(t.Context(), limitOf(work.LimitUser, "nobody", 1), "bob")
			return err
		}, kappa.CodeNotFound},
		"changed as none": {func() error {
			_, err := s.Lanes().ChangeLimit(t.Context(), 7, work.LimitUpdate{LimitNumbers: limitOf(work.LimitUser, "", 1).LimitNumbers, Reason: "r"}, "bob")
			return err
		}, kappa.CodeNotFound},
		"removed as none":  {func() error { _, err := s.Lanes().RemoveLimit(t.Context(), 7); return err }, kappa.CodeNotFound},
		"one that is huge": {func() error { _, err := s.Lanes().RemoveLimit(t.Context(), 1<<40); return err }, kappa.CodeNotFound},
	} {
		if err := c.err(); kappa.ErrorCode(err) != c.code {
			t.Errorf("%s: %v, want %s", name, err, c.code)
		}
	}
	for i := range work.MaxLimits {
		limit(t, s, limitOf(work.LimitType, fmt.Sprint("type_", i), 1))
	}
	if _, err := s.Lanes().SetLimit(t.Context(), limitOf(work.LimitQueue, "q", 1), "bob"); kappa.ErrorCode(err) != kappa.CodeConflict || !strings.Contains(err.Error(), "remove one first") {
		t.Errorf("one too many: %v", err)
	}
}

// TestLimitsAreCarriedThrough has a server die between a limit, or its end, and the jobs that are
// to know of it; the leader goes on. So it does for the limit of a user who is gone.
func TestLimitsAreCarriedThrough(t *testing.T) {
	t.Parallel()
	s, dsn := newStore(t)
	register(t, s, workerA)
	submit(t, s, "polarity")
	submit(t, s, "polarity")
	if got := claim(t, s, workerA, 1); len(got) != 1 {
		t.Fatalf("claimed %v", ids(got))
	}
	sweep := func() {
		t.Helper()
		_, err := s.Queue().Sweep(t.Context(), 0, time.Minute, 10)
		must(t, err)
	}
	execSQL(t, dsn, "INSERT INTO kg_api.limits (scope, max_running, reason, set_by) VALUES ('type', 1, 'r', 'bob')")
	sweep()
	if got := claim(t, s, workerA, 10); len(got) > 0 {
		t.Fatalf("claimed %v beside the one that runs", ids(got))
	}
	for _, end := range []string{"UPDATE kg_api.limits SET gone = true, applied = false, version = version + 1", "DELETE FROM kg_api.limits"} {
		execSQL(t, dsn, end)
		sweep()
		if n := number(t, dsn, "SELECT count(*) FROM kg_api.jobs WHERE status = 'approved' AND NOT due"); n != 0 {
			t.Fatalf("%d jobs are held after %s", n, end)
		}
		execSQL(t, dsn, "INSERT INTO kg_api.limits (scope, max_running, reason, set_by) VALUES ('type', 1, 'r', 'bob')")
		sweep()
	}
}
