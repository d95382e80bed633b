package postgres_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/postgres"
	"github.com/kappagraph/kappa/work"
)

// pendingOf submits documents of a user, and returns their jobs.
func pendingOf(t *testing.T, s *postgres.DB, user, n int) []string {
	t.Helper()
	var list []string
	for i := range n {
		submitted, err := s.Ingestions().SubmitIngestion(t.Context(), documentOf(user, i), ingestionJob(user))
		must(t, err)
		list = append(list, submitted.JobID)
	}
	return list
}

func documentOf(user, n int) work.Submission {
	body := fmt.Appendf(nil, "document %d of user %d", n, user)
	return work.Submission{
		Body: body, ContentType: corpus.ContentPlain, ContentHash: corpus.ContentHash(body), Ontology: "o", Filename: "test.txt",
		ProcessingMode: work.ModeSerial, UserID: user,
	}
}

func claimAnalyses(t *testing.T, s *postgres.DB, server string, most int, without ...int) []work.PendingJob {
	t.Helper()
	jobs, _, err := s.Ingestions().ClaimAnalyses(t.Context(), work.AnalysisRequest{Server: server, Lease: time.Minute, Most: most, Without: without})
	must(t, err)
	return jobs
}

func owners(jobs []work.PendingJob) (list []int) {
	for _, j := range jobs {
		list = append(list, j.Owner)
	}
	return list
}

// moreUsers makes two users besides the administrator.
func moreUsers(t *testing.T, dsn string) (users [2]int) {
	t.Helper()
	for i := range users {
		users[i] = number(t, dsn, fmt.Sprintf("INSERT INTO kg_api.users (username, password_hash, role) VALUES ('user%d', 'x', 'contributor') RETURNING id", i))
	}
	return users
}

func TestClaimAnalyses(t *testing.T) {
	t.Parallel()
	t.Run("owners take turns, and who has used much comes last, on all servers", func(t *testing.T) {
		t.Parallel()
		s, dsn := newStore(t)
		users := moreUsers(t, dsn)
		pendingOf(t, s, users[0], 10)
		pendingOf(t, s, users[1], 2)
		if jobs, more, err := s.Ingestions().ClaimAnalyses(t.Context(), work.AnalysisRequest{Server: workerA, Lease: -time.Second, Most: 50, Without: []int{users[0]}}); err != nil || more || len(jobs) != 2 {
			t.Errorf("claimed %v, and there are more: %v, %v", owners(jobs), more, err)
		}
		if jobs, more, err := s.Ingestions().ClaimAnalyses(t.Context(), work.AnalysisRequest{Server: workerA, Lease: -time.Second, Most: 50}); err != nil || !more || len(jobs) >= 12 {
			t.Errorf("claimed %v, and there are more: %v, %v", owners(jobs), more, err)
		}
		if got := owners(claimAnalyses(t, s, workerA, 2)); !slices.Equal(got, []int{users[0], users[1]}) {
			t.Errorf("claimed documents of %v, want one of each", got)
		}
		must(t, s.Ingestions().AnalysisUsed(t.Context(), []work.AnalysisUse{{Owner: users[0], Documents: 1, Took: 5 * time.Second}}))
		jobs := claimAnalyses(t, s, workerB, 50)
		if got := owners(jobs); !slices.Equal(got, []int{users[1], users[0]}) {
			t.Errorf("claimed documents of %v, want what is left of the other one, and one of who used 5 s", got)
		}
		if used := jobs[1].Used; used < 4*time.Second || used > 5*time.Second {
			t.Errorf("the owner has used %v", used)
		}
		if got := claimAnalyses(t, s, workerB, 50, users[0]); len(got) != 0 {
			t.Errorf("claimed %v of an owner that is left out", owners(got))
		}
	})
	t.Run("a document is claimed by one server, until its lease ends", func(t *testing.T) {
		t.Parallel()
		s, dsn := newStore(t)
		for _, user := range moreUsers(t, dsn) {
			pendingOf(t, s, user, 20)
		}
		var group sync.WaitGroup
		var mu sync.Mutex
		claimed := map[string]int{}
		for _, server := range []string{workerA, workerB} {
			group.Go(func() {
				for range 20 {
					for _, j := range claimAnalyses(t, s, server, 3) {
						mu.Lock()
						claimed[j.JobID]++
						mu.Unlock()
					}
				}
			})
		}
		group.Wait()
		for id, n := range claimed {
			if n != 1 {
				t.Errorf("%s was claimed %d times", id, n)
			}
		}
		if len(claimed) != 40 {
			t.Errorf("%d documents were claimed, want 40", len(claimed))
		}
		execSQL(t, dsn, "UPDATE kg_api.analyses SET lease_until = clock_timestamp()")
		taken := 0
		for range 40 {
			taken += len(claimAnalyses(t, s, workerB, 50))
		}
		if taken != 40 {
			t.Errorf("%d of 40 documents were taken over", taken)
		}
	})
	t.Run("what a server says of a document that another one has claimed changes nothing", func(t *testing.T) {
		t.Parallel()
		s, dsn := newStore(t)
		id := pendingOf(t, s, access.SystemUserID, 1)[0]
		claimAnalyses(t, s, workerA, 1)
		execSQL(t, dsn, "UPDATE kg_api.analyses SET lease_until = clock_timestamp()")
		claimAnalyses(t, s, workerB, 1)
		old, current := work.AnalysisClaim{JobID: id, Server: workerA}, work.AnalysisClaim{JobID: id, Server: workerB}
		must(t, s.Ingestions().AnalysisFailed(t.Context(), old, "too late"))
		must(t, s.Ingestions().AnalysisLate(t.Context(), old))
		must(t, s.Ingestions().RetryAnalysis(t.Context(), old, 7, time.Hour))
		must(t, s.Ingestions().ReleaseAnalyses(t.Context(), workerA, []string{id}))
		job, err := s.Jobs().Job(t.Context(), id)
		must(t, err)
		if late, _ := s.Ingestions().ClaimLateAnalysis(t.Context(), work.LateRequest{Server: workerA, Lease: time.Minute}); job.Status != work.StatusPending || len(late) != 0 || len(claimAnalyses(t, s, workerA, 1)) != 0 {
			t.Errorf("the job is %s", job.Status)
		}
		must(t, s.Ingestions().Analyzed(t.Context(), current, corpus.Analysis{Warnings: []string{}}, true))
		if job, err = s.Jobs().Job(t.Context(), id); err != nil || job.Status != work.StatusApproved || rowsOf(t, dsn, "analyses") != 0 {
			t.Errorf("the job is %s, %v; %d claims", job.Status, err, rowsOf(t, dsn, "analyses"))
		}
	})
	t.Run("a late one is claimed as such, and what nobody waits for is swept", func(t *testing.T) {
		t.Parallel()
		s, dsn := newStore(t)
		id := pendingOf(t, s, access.SystemUserID, 1)[0]
		claimAnalyses(t, s, workerA, 1)
		must(t, s.Ingestions().RetryAnalysis(t.Context(), work.AnalysisClaim{JobID: id, Server: workerA}, 3, 0))
		if jobs := claimAnalyses(t, s, workerA, 1); len(jobs) != 1 || jobs[0].Tries != 3 {
			t.Errorf("claimed %+v, want it with 3 tries", jobs)
		}
		must(t, s.Ingestions().AnalysisLate(t.Context(), work.AnalysisClaim{JobID: id, Server: workerA}))
		if jobs := claimAnalyses(t, s, workerB, 1); len(jobs) != 0 {
			t.Errorf("claimed %+v among those that are not late", jobs)
		}
		for since, want := range map[time.Duration]int{time.Minute: 0, 0: 1} {
			jobs, err := s.Ingestions().ClaimLateAnalysis(t.Context(), work.LateRequest{Server: workerB, Lease: time.Minute, Since: since})
			if err != nil || len(jobs) != want || want == 1 && !jobs[0].Late {
				t.Errorf("after %v: claimed %+v, %v", since, jobs, err)
			}
		}
		execSQL(t, dsn, "UPDATE kg_api.analyses SET lease_until = clock_timestamp() - interval '2 minutes'")
		must(t, s.Ingestions().SweepAnalyses(t.Context()))
		if rowsOf(t, dsn, "analyses") != 1 {
			t.Error("what is known of a pending job was swept")
		}
		must(t, s.Ingestions().AnalysisFailed(t.Context(), work.AnalysisClaim{JobID: id, Server: workerB}, "broken"))
		execSQL(t, dsn, "INSERT INTO kg_api.analyses (job_id, server, lease_until) VALUES ($1, $2, '-infinity')", id, workerA)
		must(t, s.Ingestions().SweepAnalyses(t.Context()))
		if rowsOf(t, dsn, "analyses") != 0 {
			t.Error("the claim of a job that has ended is still there")
		}
	})
}

func TestMostWaiting(t *testing.T) {
	t.Parallel()
	s, dsn := newStore(t)
	pendingOf(t, s, access.SystemUserID, 2)
	jobs, contents := rowsOf(t, dsn, "jobs"), rowsOf(t, dsn, "contents")
	submit := func(n, most int) (work.Submitted, error) {
		sub := documentOf(access.SystemUserID, n)
		sub.MostWaiting = most
		return s.Ingestions().SubmitIngestion(t.Context(), sub, ingestionJob(access.SystemUserID))
	}
	_, err := submit(2, 2)
	if kappa.ErrorCode(err) != kappa.CodeRateLimited || !strings.HasPrefix(kappa.ErrorMessage(err), "2 documents of yours wait for their analysis, and no more may; nothing was stored.") {
		t.Errorf("got %v", err)
	}
	if rowsOf(t, dsn, "jobs") != jobs || rowsOf(t, dsn, "contents") != contents {
		t.Error("something of it was stored")
	}
	if again, err := submit(1, 2); err != nil || !again.Duplicate {
		t.Errorf("what is there already: %+v, %v", again, err)
	}
	if added, err := submit(2, 3); err != nil || added.Waiting != 2 {
		t.Errorf("the third of three: %+v, %v", added, err)
	}
}
