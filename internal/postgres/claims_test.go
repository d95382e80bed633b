package postgres_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/postgres"
	"github.com/kappagraph/kappa/internal/postgres/db"
	"github.com/kappagraph/kappa/work"
)

func completed(c work.Claim) work.Outcome {
	return work.Outcome{Claim: c, Status: work.StatusCompleted, Result: []byte(`{"n":1}`)}
}

func TestClaim(t *testing.T) {
	t.Parallel()
	t.Run("takes the highest priority first, then the oldest, and no more than the free slots", func(t *testing.T) {
		t.Parallel()
		s, _ := newStore(t)
		register(t, s, workerA)
		low := submit(t, s, "polarity", func(j *work.NewJob) { j.Priority = -1 })
		first := submit(t, s, "polarity")
		second := submit(t, s, "polarity")
		high := submit(t, s, "polarity", func(j *work.NewJob) { j.Priority = 5 })
		claims := claim(t, s, workerA, 100) // the lane has 2 slots
		if len(claims) != 2 || claims[0].JobID != high.ID || claims[1].JobID != first.ID {
			t.Fatalf("claimed %v, want %s and %s", ids(claims), high.ID, first.ID)
		}
		if more := claim(t, s, workerA, 100); len(more) != 0 {
			t.Fatalf("claimed %v without a free slot", ids(more))
		}
		_, err := s.Claims().Finish(t.Context(), workerA, []work.Outcome{completed(claims[0]), completed(claims[1])})
		must(t, err)
		claims = claim(t, s, workerA, 100)
		if len(claims) != 2 || claims[0].JobID != second.ID || claims[1].JobID != low.ID {
			t.Fatalf("claimed %v, want %s and %s", ids(claims), second.ID, low.ID)
		}
		if claims[0].Attempt != 1 || claims[0].Token == 0 || claims[0].ClaimedAt.IsZero() {
			t.Errorf("the claim is incomplete: %+v", claims[0])
		}
	})

	t.Run("leaves alone what is not due, not of the lane, not workable here, or in a disabled lane", func(t *testing.T) {
		t.Parallel()
		s, _ := newStore(t)
		register(t, s, workerA)
		later := kappa.At(time.Now().Add(time.Hour))
		submit(t, s, "polarity", func(j *work.NewJob) { j.RunAt = &later })
		submit(t, s, "projection")
		submit(t, s, "ingest_image")
		if claims := claim(t, s, workerA, 10); len(claims) != 0 {
			t.Errorf("claimed %v", ids(claims))
		}
		submit(t, s, "polarity")
		off := false
		_, err := s.Lanes().UpdateLane(t.Context(), "interactive", work.LaneUpdate{Enabled: &off})
		must(t, err)
		if claims := claim(t, s, workerA, 10); len(claims) != 0 {
			t.Errorf("a disabled lane claimed %v", ids(claims))
		}
	})

	t.Run("keeps to the ceiling, whatever the row says", func(t *testing.T) {
		t.Parallel()
		s, dsn := newStore(t)
		register(t, s, workerA)
		_, err := connect(t, dsn).Exec(t.Context(), "UPDATE kg_api.worker_lanes SET max_slots = 40 WHERE name = 'interactive'")
		must(t, err)
		for range 5 {
			submit(t, s, "polarity")
		}
		for _, want := range []int{3, 0} {
			r := claimOf(workerA, "polarity")
			r.Most, r.Ceiling = 40, 3
			batch, err := s.Claims().Claim(t.Context(), r)
			must(t, err)
			if len(batch.Claims) != want {
				t.Errorf("claimed %d jobs, want %d: three run at most", len(batch.Claims), want)
			}
		}
	})

	t.Run("writes nothing when it finds nothing", func(t *testing.T) {
		t.Parallel()
		s, dsn := newStore(t)
		register(t, s, workerA)
		tx, err := connect(t, dsn).Begin(t.Context())
		must(t, err)
		writes := func() (wrote bool) {
			t.Helper()
			must(t, db.New(tx).LaneLock(t.Context(), "interactive"))
			_, err := tx.Exec(t.Context(), postgres.ClaimSQL, postgres.ClaimArgs(claimOf(workerA, "polarity"))...)
			must(t, err)
			must(t, tx.QueryRow(t.Context(), "SELECT pg_current_xact_id_if_assigned() IS NOT NULL").Scan(&wrote))
			return wrote
		}
		if writes() {
			t.Error("a claim of an empty queue has written")
		}
		submit(t, s, "polarity")
		if !writes() {
			t.Error("a claim of a job has written nothing: the test would not notice")
		}
	})

	t.Run("goes by the settings before a change that somebody has not committed", func(t *testing.T) {
		t.Parallel()
		s, dsn := newStore(t)
		register(t, s, workerA)
		tx, err := connect(t, dsn).Begin(t.Context())
		must(t, err)
		_, err = tx.Exec(t.Context(), "UPDATE kg_api.worker_lanes SET max_slots = 0 WHERE name = 'interactive'")
		must(t, err)
		job := submit(t, s, "polarity")
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		claims, err := s.Claims().Claim(ctx, claimOf(workerA, "polarity"))
		must(t, err)
		if len(claims.Claims) != 1 || claims.Claims[0].JobID != job.ID {
			t.Errorf("claimed %v, want %s", ids(claims.Claims), job.ID)
		}
	})

	t.Run("has ended when the settings have changed", func(t *testing.T) {
		t.Parallel()
		s, dsn := newStore(t)
		register(t, s, workerA)
		submit(t, s, "polarity")
		off := false
		_, err := whileOpen(t, dsn, func(tx pgx.Tx) error {
			if err := db.New(tx).LaneLock(t.Context(), "interactive"); err != nil {
				return err
			}
			_, err := tx.Exec(t.Context(), postgres.ClaimSQL, postgres.ClaimArgs(claimOf(workerA, "polarity"))...)
			return err
		}, func() (bool, error) {
			_, err := s.Lanes().UpdateLane(t.Context(), "interactive", work.LaneUpdate{Enabled: &off})
			return false, err // it has waited for the claim, or whileOpen would have failed
		})
		must(t, err)
		submit(t, s, "polarity")
		if claims := claim(t, s, workerA, 10); len(claims) != 0 {
			t.Errorf("a disabled lane claimed %v", ids(claims))
		}
	})

	t.Run("a job that somebody has locked does not hold up the next one in a lane of one slot", func(t *testing.T) {
		t.Parallel()
		s, dsn := newStore(t)
		register(t, s, workerA)
		execSQL(t, dsn, "UPDATE kg_api.worker_lanes SET max_slots = 1 WHERE name = 'interactive'")
		of := func(priority int) work.Job {
			return submit(t, s, "polarity", func(j *work.NewJob) { j.Priority = priority })
		}
		last, next, locked := of(0), of(1), of(2)
		tx, err := connect(t, dsn).Begin(t.Context())
		must(t, err)
		_, err = tx.Exec(t.Context(), "SELECT 1 FROM kg_api.jobs WHERE job_id = $1 FOR UPDATE", locked.ID)
		must(t, err)
		r := work.ClaimRequest{Lane: "interactive", Worker: workerA, Types: []string{"polarity"}, Most: 1, Spare: 10}
		for _, want := range []work.Job{next, last} {
			batch, err := s.Claims().Claim(t.Context(), r)
			must(t, err)
			claims := batch.Claims
			if len(claims) != 1 || claims[0].JobID != want.ID {
				t.Fatalf("claimed %v, want %s", ids(claims), want.ID)
			}
			_, err = s.Claims().Finish(t.Context(), workerA, []work.Outcome{completed(claims[0])})
			must(t, err)
		}
		must(t, tx.Rollback(t.Context()))
		if claims := claim(t, s, workerA, 1); len(claims) != 1 || claims[0].JobID != locked.ID {
			t.Errorf("claimed %v, want %s", ids(claims), locked.ID)
		}
	})

	t.Run("no job is claimed twice and no slot is exceeded, however many claim at once", func(t *testing.T) {
		t.Parallel()
		s, _ := newStore(t)
		register(t, s, workerA, workerB)
		slots := 5
		_, err := s.Lanes().UpdateLane(t.Context(), "interactive", work.LaneUpdate{MaxSlots: &slots})
		must(t, err)
		const jobs = 60
		for range jobs {
			submit(t, s, "polarity")
		}
		var mu sync.Mutex
		seen := map[string]int{}
		most := 0
		running := 0
		together(6, func(i int) {
			worker := []string{workerA, workerB}[i%2]
			for range 40 {
				batch, err := s.Claims().Claim(t.Context(), work.ClaimRequest{Lane: "interactive", Worker: worker, Types: []string{"polarity"}, Most: 3})
				if err != nil {
					t.Error(err)
					return
				}
				claims := batch.Claims
				mu.Lock()
				running += len(claims)
				most = max(most, running)
				for _, c := range claims {
					seen[c.JobID]++
				}
				mu.Unlock()
				outcomes := make([]work.Outcome, len(claims))
				for i, c := range claims {
					outcomes[i] = completed(c)
				}
				mu.Lock() // counted down before the slots are free, so that most is never too high
				running -= len(claims)
				mu.Unlock()
				if _, err := s.Claims().Finish(t.Context(), worker, outcomes); err != nil {
					t.Error(err)
				}
			}
		})
		if most > slots {
			t.Errorf("%d jobs ran at once in %d slots", most, slots)
		}
		if len(seen) != jobs {
			t.Errorf("%d jobs were claimed, want %d", len(seen), jobs)
		}
		for id, n := range seen {
			if n != 1 {
				t.Errorf("%s was claimed %d times", id, n)
			}
			checkHistory(t, s, id)
		}
	})
}

// TestQ01_StaleClaimWritesNothing takes a job away from its worker and lets the
// worker write all the same.
func TestQ01_StaleClaimWritesNothing(t *testing.T) {
	t.Parallel()
	s, dsn := newStore(t)
	register(t, s, workerA, workerB)
	job := submit(t, s, "polarity")
	old := claim(t, s, workerA, 1)[0]
	takeBack(t, s, dsn, workerA)
	if got := status(t, s, job.ID); got != work.StatusApproved {
		t.Fatalf("after the rescue the job is %s", got)
	}
	stale := func(t *testing.T, when string) {
		t.Helper()
		done, err := s.Claims().Finish(t.Context(), workerA, []work.Outcome{completed(old)})
		must(t, err)
		if len(done) != 0 {
			t.Errorf("%s: a stale completion was stored: %v", when, done)
		}
		err = s.Claims().Checkpoint(t.Context(), old, work.Checkpoint{State: []byte(`{"stale":true}`), Emit: true})
		if !errors.Is(err, kappa.ErrStale) {
			t.Errorf("%s: a stale checkpoint returned %v", when, err)
		}
		_, err = s.Documents().WriteChunk(t.Context(), old, chunkGraph(1, "stale concept"), byLabel{}, noCheckpoint)
		if !errors.Is(err, kappa.ErrStale) {
			t.Errorf("%s: a stale chunk returned %v", when, err)
		}
		if err := finishDocument(t, s, old, docID, "o"); !errors.Is(err, kappa.ErrStale) {
			t.Errorf("%s: a stale end of a document returned %v", when, err)
		}
		if _, err := s.Ingestions().IngestionDocument(t.Context(), old); !errors.Is(err, kappa.ErrStale) {
			t.Errorf("%s: a stale claim was given its document: %v", when, err)
		}
	}
	stale(t, "while the job waits")
	current := claim(t, s, workerB, 1)[0]
	if current.Token <= old.Token || current.Attempt != 2 {
		t.Errorf("second claim has token %d after %d, attempt %d", current.Token, old.Token, current.Attempt)
	}
	stale(t, "while another worker has it")
	_, err := s.Claims().Finish(t.Context(), workerB, []work.Outcome{completed(current)})
	must(t, err)
	stale(t, "after another worker has completed it")
	events := checkHistory(t, s, job.ID)
	if n := count(events, work.EventCompleted); n != 1 {
		t.Errorf("%d completions are recorded", n)
	}
}

func TestFinish(t *testing.T) {
	t.Parallel()
	t.Run("a retry goes back with a later time and is counted", func(t *testing.T) {
		t.Parallel()
		s, _ := newStore(t)
		register(t, s, workerA)
		job := submit(t, s, "polarity")
		c := claim(t, s, workerA, 1)[0]
		_, err := s.Claims().Finish(t.Context(), workerA, []work.Outcome{{Claim: c, Status: work.StatusApproved, Error: "busy", RunAt: 50 * time.Millisecond, CountRetry: true}})
		must(t, err)
		if more := claim(t, s, workerA, 1); len(more) != 0 {
			t.Fatal("claimed before its time")
		}
		got, err := s.Jobs().Job(t.Context(), job.ID)
		must(t, err)
		if got.Status != work.StatusApproved || got.Retries != 1 || got.Attempt != 1 {
			t.Errorf("after the retry: %s, %d retries, attempt %d", got.Status, got.Retries, got.Attempt)
		}
		if got.RunAt == nil || got.RunAt.Before(c.ClaimedAt) {
			t.Errorf("it waits until %v, want a time after the claim", got.RunAt)
		}
		for deadline := time.Now().Add(5 * time.Second); ; {
			if _, _, err := s.Queue().MakeDue(t.Context(), time.Second); err != nil {
				t.Fatal(err)
			}
			if again := claim(t, s, workerA, 1); len(again) == 1 {
				if again[0].Attempt != 2 {
					t.Errorf("attempt %d, want 2", again[0].Attempt)
				}
				break
			}
			if time.Now().After(deadline) {
				t.Fatal("the job never became due")
			}
		}
		checkHistory(t, s, job.ID)
	})

	t.Run("a release does not count the attempt", func(t *testing.T) {
		t.Parallel()
		s, _ := newStore(t)
		register(t, s, workerA)
		job := submit(t, s, "polarity")
		c := claim(t, s, workerA, 1)[0]
		_, err := s.Claims().Finish(t.Context(), workerA, []work.Outcome{{Claim: c, Status: work.StatusApproved}})
		must(t, err)
		again := claim(t, s, workerA, 1)
		if len(again) != 1 || again[0].Attempt != 1 || again[0].Retries != 0 || again[0].Token <= c.Token {
			t.Errorf("claimed again as %+v", again)
		}
		checkHistory(t, s, job.ID)
	})

	t.Run("an acknowledged cancel is never overtaken", func(t *testing.T) {
		t.Parallel()
		s, _ := newStore(t)
		register(t, s, workerA)
		for _, o := range []work.Outcome{
			{Status: work.StatusCompleted, Result: []byte(`{}`)},
			{Status: work.StatusApproved, CountRetry: true, RunAt: time.Hour},
			{Status: work.StatusCancelled},
		} {
			job := submit(t, s, "polarity")
			o.Claim = claim(t, s, workerA, 1)[0]
			running, err := s.Jobs().Cancel(t.Context(), job.ID)
			must(t, err)
			if !running {
				t.Error("the job was running")
			}
			_, err = s.Claims().Finish(t.Context(), workerA, []work.Outcome{o})
			must(t, err)
			if got := status(t, s, job.ID); got != work.StatusCancelled {
				t.Errorf("outcome %s after a cancel: the job is %s", o.Status, got)
			}
			checkHistory(t, s, job.ID)
		}
	})

	t.Run("many outcomes in one statement each end their own job", func(t *testing.T) {
		t.Parallel()
		s, _ := newStore(t)
		register(t, s, workerA)
		slots := 16
		_, err := s.Lanes().UpdateLane(t.Context(), "interactive", work.LaneUpdate{MaxSlots: &slots})
		must(t, err)
		for range 4 {
			submit(t, s, "polarity")
		}
		claims := claim(t, s, workerA, 16)
		outcomes := []work.Outcome{
			completed(claims[0]),
			{Claim: claims[1], Status: work.StatusFailed, Error: "broken"},
			{Claim: claims[2], Status: work.StatusApproved},
			{Claim: claims[3], Status: work.StatusCancelled},
		}
		_, err = s.Claims().Finish(t.Context(), workerA, outcomes)
		must(t, err)
		for _, o := range outcomes {
			if got := status(t, s, o.Claim.JobID); got != o.Status {
				t.Errorf("%s is %s, want %s", o.Claim.JobID, got, o.Status)
			}
			checkHistory(t, s, o.Claim.JobID)
		}
	})
}

// What a handler has from outside is stored as far as it can be: the job ends.
func TestErrorsOfAnyBytes(t *testing.T) {
	t.Parallel()
	s, _ := newStore(t)
	register(t, s, workerA)
	for _, err := range []error{errors.New("the provider says \x00"), errors.New("\xff"), errors.New(strings.Repeat("x", 1<<20))} {
		job := submit(t, s, "polarity")
		claimed := claim(t, s, workerA, 1)
		done, ferr := s.Claims().Finish(t.Context(), workerA, []work.Outcome{work.Conclude(t.Context(), claimed[0], nil, kappa.Permanent(err), 0.5)})
		if ferr != nil || done[job.ID] != work.StatusFailed {
			t.Errorf("%.20q: the job is %q, %v", err, done[job.ID], ferr)
		}
	}
}

func TestRescueNeedsTheTerm(t *testing.T) {
	t.Parallel()
	s, dsn := newStore(t)
	register(t, s, workerA)
	job := submit(t, s, "polarity")
	claim(t, s, workerA, 1)
	expire(t, dsn, workerA)
	taken, err := s.Queue().Rescue(t.Context(), 99, 10) // the term is 0
	must(t, err)
	if len(taken) != 0 || status(t, s, job.ID) != work.StatusProcessing {
		t.Errorf("a deposed leader rescued %v", taken)
	}
}

// TestRescueMeetsAnotherRescue has a live worker claim a job between the query of a
// rescue, which saw its dead worker, and its lock: the job stays where it is.
func TestRescueMeetsAnotherRescue(t *testing.T) {
	t.Parallel()
	s, dsn := newStore(t)
	register(t, s, workerA)
	job := submit(t, s, "polarity")
	claim(t, s, workerA, 1)
	takeBack := func(tx *pgx.Conn) map[string]work.Status {
		done := make(chan map[string]work.Status, 1)
		go func() {
			taken, err := s.Queue().Rescue(t.Context(), 0, 10)
			if err != nil {
				t.Error(err)
			}
			done <- taken
		}()
		awaitLock(t, dsn) // the query has its snapshot, and waits for the leader's row
		execSQL(t, dsn, `UPDATE kg_api.jobs SET claimed_by = $2, claim_token = nextval('kg_api.claim_tokens'), attempt = attempt + 1 WHERE job_id = $1`, job.ID, workerB)
		_, err := tx.Exec(t.Context(), "ROLLBACK")
		must(t, err)
		return <-done
	}
	expire(t, dsn, workerA)
	register(t, s, workerB)
	conn, err := pgx.Connect(t.Context(), dsn)
	must(t, err)
	defer conn.Close(t.Context())
	_, err = conn.Exec(t.Context(), "BEGIN; SELECT 1 FROM kg_api.leader FOR UPDATE")
	must(t, err)
	if taken := takeBack(conn); len(taken) != 0 || status(t, s, job.ID) != work.StatusProcessing {
		t.Errorf("a live worker's job was taken: %v", taken)
	}
}

func TestRecoverStale(t *testing.T) {
	t.Parallel()
	s, dsn := newStore(t)
	register(t, s, workerA)
	job := submit(t, s, "polarity", func(j *work.NewJob) { j.MaxRetries = 1 })
	for _, want := range []work.Status{work.StatusApproved, work.StatusFailed} {
		claim(t, s, workerA, 1)
		if taken, err := s.Queue().RecoverStale(t.Context(), 0, 10); err != nil || len(taken) != 0 {
			t.Fatalf("a job with fresh progress was taken: %v, %v", taken, err)
		}
		execSQL(t, dsn, "UPDATE kg_api.jobs SET progress_at = now() - interval '31 minutes' WHERE job_id = $1", job.ID)
		taken, err := s.Queue().RecoverStale(t.Context(), 0, 10)
		must(t, err)
		if taken[job.ID] != want {
			t.Errorf("the stale job became %s, want %s", taken[job.ID], want)
		}
	}
	checkHistory(t, s, job.ID)
}

// TestRecoverStaleOfARemovedLane takes the lane away from under a job that hangs.
func TestRecoverStaleOfARemovedLane(t *testing.T) {
	t.Parallel()
	s, dsn := newStore(t)
	register(t, s, workerA)
	job := submit(t, s, "polarity")
	claim(t, s, workerA, 1)
	execSQL(t, dsn, "DELETE FROM kg_api.worker_lanes WHERE name = 'interactive'")
	for _, c := range []struct {
		age  string
		want int
	}{{"23 hours", 0}, {"25 hours", 1}} { // as long as a lane may give it
		execSQL(t, dsn, "UPDATE kg_api.jobs SET progress_at = now() - $1::interval", c.age)
		if taken, err := s.Queue().RecoverStale(t.Context(), 0, 10); err != nil || len(taken) != c.want {
			t.Errorf("without progress for %s: taken %v, %v; want %d", c.age, taken, err, c.want)
		}
	}
	checkHistory(t, s, job.ID)
}

// takeBack lets a worker's lease end and rescues its jobs.
func takeBack(t *testing.T, s *postgres.DB, dsn, worker string) {
	t.Helper()
	expire(t, dsn, worker)
	taken, err := s.Queue().Rescue(t.Context(), 0, 10)
	must(t, err)
	if len(taken) == 0 {
		t.Fatal("nothing was rescued")
	}
}

// expire ends a worker's lease as a crash would.
func expire(t *testing.T, dsn, worker string) {
	t.Helper()
	execSQL(t, dsn, "UPDATE kg_api.workers SET state = 'dead', lease_until = now() - interval '1 second' WHERE worker_id = $1", worker)
}

func execSQL(t *testing.T, dsn, sql string, args ...any) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), dsn)
	must(t, err)
	defer conn.Close(t.Context())
	_, err = conn.Exec(t.Context(), sql, args...)
	must(t, err)
}

func ids(claims []work.Claim) []string {
	list := make([]string, len(claims))
	for i, c := range claims {
		list[i] = c.JobID
	}
	return list
}

func count(events []work.Event, kind work.EventKind) int {
	return len(slices.DeleteFunc(slices.Clone(events), func(e work.Event) bool { return e.Kind != kind }))
}
