package postgres_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/kappagraph/kappa/internal/pgtest"
	"github.com/kappagraph/kappa/internal/postgres"
	"github.com/kappagraph/kappa/work"
)

// turnsLab claims as a server does that remembers who was served.
type turnsLab struct {
	t      *testing.T
	s      *postgres.DB
	dsn    string
	w      work.RemoteConnection
	served []int
	from   int
}

// newTurnsLab returns a lab in a database with owners 2001 to 2400, with settings for its
// plans, and statistics that say that nothing waits.
func newTurnsLab(t *testing.T, settings ...string) *turnsLab {
	t.Helper()
	_, dsn := newStore(t)
	conn := connect(t, dsn)
	for _, set := range settings {
		_, err := conn.Exec(t.Context(), "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET "+set+"', current_database()); END $$")
		must(t, err)
	}
	addJobs(t, conn, 0, 500, "'exec'", "0")
	_, err := conn.Exec(t.Context(), `UPDATE kg_api.jobs SET status = 'completed', completed_at = now(); ANALYZE kg_api.jobs;
		INSERT INTO kg_api.users (id, username, role) SELECT n, 'owner' || n, 'contributor' FROM generate_series(2001, 2400) n`)
	must(t, err)
	s, err := postgres.Open(t.Context(), postgres.Config{DSN: dsn, JobConns: 4, GraphConns: 2, AuthConns: 2, AcquireTimeout: connectLimit})
	must(t, err)
	t.Cleanup(s.Close)
	return &turnsLab{t: t, s: s, dsn: dsn, w: remoteWorker(t, s, "turns", workerA)}
}

func (l *turnsLab) submit(owner, jobs, priority int, queue string) {
	l.t.Helper()
	for range jobs {
		submit(l.t, l.s, "exec", remote(queue, priority), func(j *work.NewJob) { j.UserID = owner })
	}
}

// claim claims, with nothing to spare.
func (l *turnsLab) claim(demand int, types []string, queues ...string) []work.RemoteRun {
	l.t.Helper()
	r := remoteClaim(l.w, demand, queues...)
	r.Types, r.Spare, r.Served, r.From = types, 0, l.served, l.from
	claimed, err := l.s.Remote().Claim(l.t.Context(), r)
	must(l.t, err)
	l.from = max(0, claimed[0].Reached-1)
	for _, run := range claimed[0].Runs {
		l.served = append(slices.DeleteFunc(l.served, func(o int) bool { return o == run.Owner }), run.Owner)
	}
	return claimed[0].Runs
}

// end has runs end, so that what runs does not say whose turn it is.
func (l *turnsLab) end(runs []work.RemoteRun) {
	l.t.Helper()
	for _, r := range runs {
		_, err := l.s.Remote().Finish(l.t.Context(), []work.RunOutcome{{RunKey: r.RunKey, Seq: 1, Status: work.StatusCompleted}})
		must(l.t, err)
	}
}

// TestRemoteOwnersTakeTurns has somebody submit many jobs for remote workers, and others few
// after that: within a priority they take turns, by what they have running and by who was
// served last, under each plan and with statistics that say that nothing waits. A higher
// priority goes first whoever has it. Plans of other planners are tried with one list of
// queues, and in the slow tier with all.
func TestRemoteOwnersTakeTurns(t *testing.T) {
	t.Parallel()
	takeTurns(t, "manual *")
}

func TestRemoteOwnersTakeTurns_Slow(t *testing.T) {
	pgtest.SlowTier(t)
	t.Parallel()
	takeTurns(t, listsOfQueues...)
}

var listsOfQueues = []string{"manual", "*", "manual *", "nosuch *"}

func takeTurns(t *testing.T, underEachPlan ...string) {
	t.Helper()
	for name, settings := range map[string][]string{
		"as planned":               {},
		"without nested loops":     {"enable_nestloop = off"},
		"without scans of indexes": {"enable_indexscan = off", "enable_indexonlyscan = off", "enable_bitmapscan = off"},
		"without scans of tables":  {"enable_seqscan = off", "enable_tidscan = off"},
	} {
		lists := underEachPlan
		if len(settings) == 0 {
			lists = listsOfQueues
		}
		for _, queues := range lists {
			t.Run(name+", "+queues, func(t *testing.T) {
				t.Parallel()
				l := newTurnsLab(t, settings...)
				claim := func(demand int) []work.RemoteRun {
					return l.claim(demand, []string{"exec"}, strings.Fields(queues)...)
				}
				l.submit(2050, 60, 0, "manual")
				l.end(claim(5))
				l.submit(2001, 12, 0, "manual")
				l.submit(2099, 12, 0, "manual")
				wantShares := func(when string, runs []work.RemoteRun) {
					t.Helper()
					counts := map[int]int{}
					for _, r := range runs {
						counts[r.Owner]++
					}
					if n := len(runs) / 3; counts[2001] != n || counts[2050] != n || counts[2099] != n {
						t.Errorf("%s: the owners got %v", when, counts)
					}
				}
				var ended, held []work.RemoteRun
				for range 9 {
					runs := claim(1)
					l.end(runs)
					ended = append(ended, runs...)
				}
				wantShares("one after the other", ended)
				for range 6 {
					held = append(held, claim(1)...)
				}
				wantShares("with what runs", held)
				wantShares("at once", claim(9))
				l.submit(2050, 1, 5, "manual")
				if runs := claim(1); len(runs) != 1 || runs[0].Priority != 5 {
					t.Errorf("a job of higher priority waits behind %+v", runs)
				}
			})
		}
	}
}

// TestRemoteOwnersAreAllFound has more owners wait than a claim goes to, one of them with
// many jobs: all are served within a little more claims than there are owners.
func TestRemoteOwnersAreAllFound(t *testing.T) {
	t.Parallel()
	for _, queue := range []string{"manual", "*"} {
		t.Run(queue, func(t *testing.T) {
			t.Parallel()
			l := newTurnsLab(t)
			_, err := connect(t, l.dsn).Exec(t.Context(), `
				INSERT INTO kg_api.jobs (job_id, job_type, status, user_id, approved_at, approved_by, remote, queue)
				SELECT 'job_f' || lpad(to_hex(n), 11, '0'), 'exec', 'approved', CASE WHEN n < 60 THEN 2400 ELSE 2010 + (n - 60) / 2 END, now(), 'test', true, 'manual'
				FROM generate_series(0, 459) n`) // 60 of one owner, and two of each of 200 others
			must(t, err)
			counts := map[int]int{}
			for range 230 {
				runs := l.claim(1, []string{"exec"}, queue)
				counts[runs[0].Owner]++
				l.end(runs)
			}
			if len(counts) != 201 || counts[2400] > 10 {
				missing := slices.DeleteFunc(slices.Collect(maps.Keys(counts)), func(o int) bool { return counts[o] < 2 })
				t.Errorf("of 201 owners %d were served; twice %v", len(counts), missing)
			}
		})
	}
}

// TestRemoteTurns compares claims of random backlogs of several owners with the law: the
// places of queues and the priorities come in order, the jobs of an owner too, and whoever is
// served has no more running than another one who waits in the same place and priority.
func TestRemoteTurns(t *testing.T) {
	t.Parallel()
	checkRemoteTurns(t, 10)
}

func TestRemoteTurns_Slow(t *testing.T) {
	pgtest.SlowTier(t)
	t.Parallel()
	checkRemoteTurns(t, 25)
}

func checkRemoteTurns(t *testing.T, rounds int) {
	t.Helper()
	l := newTurnsLab(t)
	random := rand.New(rand.NewPCG(17, 5))
	types, queues := []string{"exec", "extract_chunk"}, []string{"manual", "fast_lane", "bulk"}
	for round := range rounds {
		var waiting []work.Job
		for range 1 + random.IntN(30) {
			waiting = append(waiting, submit(t, l.s, types[random.IntN(2)], remote(queues[random.IntN(3)], random.IntN(2)), func(j *work.NewJob) { j.UserID = 2001 + random.IntN(4) }))
		}
		list := [][]string{{"*"}, {"manual", "*"}, {"bulk", "manual", "fast_lane"}}[random.IntN(3)]
		running := map[int]int{}
		var all []work.RemoteRun
		for len(waiting) > 0 {
			runs := l.claim(1+random.IntN(5), types, list...)
			if len(runs) == 0 {
				t.Fatalf("round %d: %d jobs wait, and nothing is claimed", round, len(waiting))
			}
			for _, r := range runs {
				if wrong := wrongTurn(r, waiting, list, running); wrong != "" {
					t.Fatalf("round %d, %v: %s", round, list, wrong)
				}
				running[r.Owner]++
				waiting = slices.DeleteFunc(waiting, func(j work.Job) bool { return j.ID == r.JobID })
			}
			all = append(all, runs...)
		}
		l.end(all)
	}
}

// wrongTurn says why a run was not next; "" when it was.
func wrongTurn(r work.RemoteRun, waiting []work.Job, queues []string, running map[int]int) string {
	class := func(j work.Job) int { // less is first
		place := slices.Index(queues, j.Queue)
		if place < 0 {
			place = len(queues)
		}
		return 10*place - j.Priority
	}
	at := slices.IndexFunc(waiting, func(j work.Job) bool { return j.ID == r.JobID })
	if at < 0 {
		return "job " + r.JobID + " does not wait"
	}
	for i, j := range waiting {
		switch own := class(waiting[at]); {
		case class(j) < own:
			return fmt.Sprintf("%s of %s was to come before %s of %s", j.ID, j.Queue, r.JobID, r.Queue)
		case class(j) > own:
		case j.UserID == r.Owner && i < at:
			return fmt.Sprintf("%s is younger than %s of the same owner", r.JobID, j.ID)
		case running[j.UserID] < running[r.Owner]:
			return fmt.Sprintf("%d has %d running and is served, %d has %d", r.Owner, running[r.Owner], j.UserID, running[j.UserID])
		}
	}
	return ""
}
