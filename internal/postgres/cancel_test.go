package postgres_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/postgres"
	"github.com/kappagraph/kappa/internal/postgres/db"
	"github.com/kappagraph/kappa/knowledge/vocabulary"
	"github.com/kappagraph/kappa/work"
)

// TestQ14_CancelMeetsAnotherChange cancels a job while another transaction, not
// yet committed, changes its status: the cancel waits, and then acts on what it
// finds.
func TestQ14_CancelMeetsAnotherChange(t *testing.T) {
	t.Parallel()
	t.Run("a claim: the job is asked to stop", func(t *testing.T) {
		t.Parallel()
		s, dsn := newStore(t)
		register(t, s, workerA)
		job := submit(t, s, "polarity")
		running, err := whileOpen(t, dsn, func(tx pgx.Tx) error {
			r := work.ClaimRequest{Lane: "interactive", Worker: workerA, Types: []string{"polarity"}, Most: 1}
			_, err := tx.Exec(t.Context(), postgres.ClaimSQL, postgres.ClaimArgs(r)...)
			return err
		}, func() (bool, error) { return s.Jobs().Cancel(t.Context(), job.ID) })
		must(t, err)
		got, err := s.Jobs().Job(t.Context(), job.ID)
		must(t, err)
		if !running || got.Status != work.StatusProcessing || !got.CancelRequested {
			t.Errorf("running %v; the job is %s, asked to stop %v", running, got.Status, got.CancelRequested)
		}
	})
	t.Run("a release: the job is cancelled", func(t *testing.T) {
		t.Parallel()
		s, dsn := newStore(t)
		register(t, s, workerA)
		submit(t, s, "polarity")
		c := claim(t, s, workerA, 1)[0]
		running, err := whileOpen(t, dsn, func(tx pgx.Tx) error {
			_, err := db.New(tx).JobFinish(t.Context(), db.JobFinishParams{
				Worker: workerA, JobIds: []string{c.JobID}, Tokens: []int64{c.Token}, Statuses: []string{"approved"},
				Results: []string{""}, Errors: []string{""}, DelaysMs: []int64{0}, Retries: []int32{0},
			})
			return err
		}, func() (bool, error) { return s.Jobs().Cancel(t.Context(), c.JobID) })
		must(t, err)
		if got := status(t, s, c.JobID); running || got != work.StatusCancelled {
			t.Errorf("running %v; the job is %s", running, got)
		}
		checkHistory(t, s, c.JobID)
	})
	t.Run("a completion: the job is over", func(t *testing.T) {
		t.Parallel()
		s, dsn := newStore(t)
		register(t, s, workerA)
		submit(t, s, "polarity")
		c := claim(t, s, workerA, 1)[0]
		_, err := whileOpen(t, dsn, func(tx pgx.Tx) error {
			_, err := db.New(tx).JobFinish(t.Context(), db.JobFinishParams{
				Worker: workerA, JobIds: []string{c.JobID}, Tokens: []int64{c.Token}, Statuses: []string{"completed"},
				Results: []string{"{}"}, Errors: []string{""}, DelaysMs: []int64{0}, Retries: []int32{0},
			})
			return err
		}, func() (bool, error) { return s.Jobs().Cancel(t.Context(), c.JobID) })
		if got := status(t, s, c.JobID); kappa.ErrorCode(err) != kappa.CodeConflict || got != work.StatusCompleted {
			t.Errorf("%v; the job is %s", err, got)
		}
		checkHistory(t, s, c.JobID)
	})
}

// TestQ14_CancelMeetsTheGraphLock cancels a job whose worker waits for the lock of the
// graph, which a restore may hold for minutes: the cancel does not wait for it.
func TestQ14_CancelMeetsTheGraphLock(t *testing.T) {
	t.Parallel()
	for name, write := range map[string]func(s *postgres.DB, c work.Claim) error{
		"a chunk": func(s *postgres.DB, c work.Claim) error {
			_, err := s.Documents().WriteChunk(t.Context(), c, chunkGraph(1, "lease"), byLabel{}, noCheckpoint)
			return err
		},
		"the end of a document": func(s *postgres.DB, c work.Claim) error {
			_, err := finish(t, s, c, corpus.Finishing{Document: corpus.Document{ID: docID, Ontology: "o"}})
			return err
		},
		"a merge of types": func(s *postgres.DB, c work.Claim) error {
			_, err := s.Vocabulary().MergeTypes(t.Context(), vocabulary.NewMerge{Source: "MELTS", Target: "CAUSES", By: "eve"}, &c, func(int) work.Checkpoint { return work.Checkpoint{} })
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, dsn := newStore(t)
			register(t, s, workerA)
			c := ingestion(t, s, workerA, false)
			conn, err := pgx.Connect(t.Context(), dsn)
			must(t, err)
			defer conn.Close(t.Context())
			tx, err := conn.Begin(t.Context())
			must(t, err)
			must(t, db.New(tx).GraphLock(t.Context()))
			written := make(chan error, 1)
			go func() { written <- write(s, c) }()
			awaitLock(t, dsn)
			asked, err := s.Jobs().Cancel(t.Context(), c.JobID)
			must(t, tx.Rollback(t.Context()))
			if err != nil || !asked {
				t.Errorf("the job was asked to stop %v: %v", asked, err)
			}
			if err := <-written; !errors.Is(err, kappa.ErrCancelled) {
				t.Errorf("what waited for the lock ended with %v", err)
			}
		})
	}
}

// TestQ14_CancelledReleaseCountsTheAttempt releases a job that was asked to
// stop: it ends cancelled, so nothing is handed back.
func TestQ14_CancelledReleaseCountsTheAttempt(t *testing.T) {
	t.Parallel()
	s, _ := newStore(t)
	register(t, s, workerA)
	submit(t, s, "polarity")
	c := claim(t, s, workerA, 1)[0]
	_, err := s.Jobs().Cancel(t.Context(), c.JobID)
	must(t, err)
	_, err = s.Claims().Finish(t.Context(), workerA, []work.Outcome{{Claim: c, Status: work.StatusApproved}})
	must(t, err)
	job, err := s.Jobs().Job(t.Context(), c.JobID)
	must(t, err)
	if job.Status != work.StatusCancelled || job.Attempt != 1 {
		t.Errorf("the job is %s after %d attempts, want cancelled after 1", job.Status, job.Attempt)
	}
}

// whileOpen makes a change in a transaction, starts the call, commits when the
// call waits for the change, and returns what the call did.
func whileOpen(t *testing.T, dsn string, change func(tx pgx.Tx) error, call func() (bool, error)) (bool, error) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), dsn)
	must(t, err)
	defer conn.Close(t.Context())
	tx, err := conn.Begin(t.Context())
	must(t, err)
	must(t, change(tx))
	type answer struct {
		running bool
		err     error
	}
	answered := make(chan answer, 1)
	go func() {
		running, err := call()
		answered <- answer{running, err}
	}()
	awaitLock(t, dsn)
	must(t, tx.Commit(t.Context()))
	a := <-answered
	return a.running, a.err
}

// awaitLock waits until a session of the database waits for a lock.
func awaitLock(t *testing.T, dsn string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	conn, err := pgx.Connect(ctx, dsn)
	must(t, err)
	defer conn.Close(t.Context())
	for {
		var waiting bool
		must(t, conn.QueryRow(ctx, "SELECT EXISTS (SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock')").Scan(&waiting))
		if waiting {
			return
		}
	}
}
