package postgres_test

import (
	"bytes"
	"maps"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/postgres"
	"github.com/kappagraph/kappa/internal/postgres/db"
	"github.com/kappagraph/kappa/work"
)

// keptTexts counts the rows of what was read of documents.
func keptTexts(t *testing.T, dsn string) int {
	t.Helper()
	return number(t, dsn, "SELECT count(*)::int FROM kg_api.kept_texts")
}

func TestKeptTexts(t *testing.T) {
	t.Parallel()
	t.Run("one reader's parts, and no others", func(t *testing.T) {
		t.Parallel()
		s, dsn := newStore(t)
		jobs := pendingOf(t, s, access.SystemUserID, 2)
		texts, other := s.Ingestions().Texts(jobs[0]), s.Ingestions().Texts(jobs[1])
		wantKept := func(k corpus.KeptParts, reader string, want map[int][]byte) {
			t.Helper()
			got, err := k.Parts(t.Context(), reader)
			must(t, err)
			if !maps.EqualFunc(got, want, bytes.Equal) {
				t.Errorf("%s has kept %v, want %v", reader, got, want)
			}
		}
		wantKept(texts, "one", nil)
		must(t, texts.Keep(t.Context(), "one", map[int][]byte{0: []byte("text")}))
		must(t, texts.Keep(t.Context(), "pages", map[int][]byte{7: {0, 255}, 2: {}}))
		wantKept(texts, "one", map[int][]byte{0: []byte("text")})
		wantKept(texts, "pages", map[int][]byte{7: {0, 255}, 2: {}})
		wantKept(texts, "two", nil)
		wantKept(other, "one", nil)
		must(t, texts.Keep(t.Context(), "two", map[int][]byte{0: []byte("newer")})) // in its place
		wantKept(texts, "one", nil)
		wantKept(texts, "two", map[int][]byte{0: []byte("newer")})
		if n := keptTexts(t, dsn); n != 3 {
			t.Errorf("%d rows, want 3", n)
		}
	})
	t.Run("no more than a row may hold", func(t *testing.T) {
		t.Parallel()
		s, dsn := newStore(t)
		texts := s.Ingestions().Texts(pendingOf(t, s, access.SystemUserID, 1)[0])
		const most = 8 << 20
		if err := texts.Keep(t.Context(), "one", map[int][]byte{0: make([]byte, most+1)}); err == nil {
			t.Error("kept more")
		}
		must(t, texts.Keep(t.Context(), "one", map[int][]byte{0: make([]byte, most)}))
		if n := keptTexts(t, dsn); n != 1 {
			t.Errorf("%d rows, want 1", n)
		}
	})
}

// TestKeptTextsGo ends a job in each of the ways that there are: nothing that was read of its
// document is left, and nothing is kept any more.
func TestKeptTextsGo(t *testing.T) {
	t.Parallel()
	analysed := func(t *testing.T, s *postgres.DB, id string, approve bool) {
		must(t, s.Ingestions().Analyzed(t.Context(), work.AnalysisClaim{JobID: id}, corpus.Analysis{}, approve))
	}
	running := func(t *testing.T, s *postgres.DB, id string) work.Claim {
		analysed(t, s, id, true)
		register(t, s, workerA)
		return claim(t, s, workerA, 1)[0]
	}
	finish := func(status work.Status) func(t *testing.T, s *postgres.DB, dsn, id string) {
		return func(t *testing.T, s *postgres.DB, _, id string) {
			_, err := s.Claims().Finish(t.Context(), workerA, []work.Outcome{{Claim: running(t, s, id), Status: status, Result: []byte(`{}`), Error: "no"}})
			must(t, err)
		}
	}
	for name, end := range map[string]func(t *testing.T, s *postgres.DB, dsn, id string){
		"completed": finish(work.StatusCompleted),
		"failed":    finish(work.StatusFailed),
		"cancelled while it runs": func(t *testing.T, s *postgres.DB, _, id string) {
			c := running(t, s, id)
			_, err := s.Jobs().Cancel(t.Context(), id)
			must(t, err)
			_, err = s.Claims().Finish(t.Context(), workerA, []work.Outcome{{Claim: c, Status: work.StatusCancelled, Result: []byte(`{}`)}})
			must(t, err)
		},
		"not analysed": func(t *testing.T, s *postgres.DB, _, id string) {
			must(t, s.Ingestions().AnalysisFailed(t.Context(), work.AnalysisClaim{JobID: id}, "no"))
		},
		"cancelled before it is analysed": func(t *testing.T, s *postgres.DB, _, id string) {
			_, err := s.Jobs().Cancel(t.Context(), id)
			must(t, err)
		},
		"rejected": func(t *testing.T, s *postgres.DB, _, id string) {
			analysed(t, s, id, false)
			_, err := s.Jobs().Cancel(t.Context(), id)
			must(t, err)
		},
		"expired": func(t *testing.T, s *postgres.DB, dsn, id string) {
			analysed(t, s, id, false)
			execSQL(t, dsn, "UPDATE kg_api.jobs SET expires_at = now() - interval '1 second' WHERE job_id = $1", id)
			if n, err := s.Queue().ExpireJobs(t.Context()); err != nil || n != 1 {
				t.Fatalf("%d jobs have expired, %v", n, err)
			}
		},
		"stale once too often": func(t *testing.T, s *postgres.DB, dsn, id string) {
			running(t, s, id)
			execSQL(t, dsn, "UPDATE kg_api.jobs SET progress_at = now() - interval '25 hours', max_retries = 0 WHERE job_id = $1", id)
			_, err := s.Queue().RecoverStale(t.Context(), 0, 10)
			must(t, err)
		},
		"crashed once too often": func(t *testing.T, s *postgres.DB, dsn, id string) {
			running(t, s, id)
			execSQL(t, dsn, "UPDATE kg_api.jobs SET crash_count = 100, crash_since = now() WHERE job_id = $1", id)
			takeBack(t, s, dsn, workerA)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, dsn := newStore(t)
			jobs := pendingOf(t, s, access.SystemUserID, 1)
			texts := s.Ingestions().Texts(jobs[0])
			must(t, texts.Keep(t.Context(), "one", map[int][]byte{0: []byte("text"), 3: []byte("page")}))
			end(t, s, dsn, jobs[0])
			if now := status(t, s, jobs[0]); !now.Terminal() {
				t.Fatalf("the job is %s", now)
			}
			if n := keptTexts(t, dsn); n != 0 {
				t.Errorf("%d rows are left", n)
			}
			must(t, texts.Keep(t.Context(), "one", map[int][]byte{0: []byte("late")}))
			if n := keptTexts(t, dsn); n != 0 {
				t.Errorf("%d rows were kept of a job that is over", n)
			}
		})
	}
	t.Run("but an attempt that is over, a pause and a rescue leave them", func(t *testing.T) {
		t.Parallel()
		s, dsn := newStore(t)
		id := pendingOf(t, s, access.SystemUserID, 1)[0]
		must(t, s.Ingestions().Texts(id).Keep(t.Context(), "one", map[int][]byte{0: []byte("text")}))
		c := running(t, s, id)
		for _, status := range []work.Status{work.StatusApproved, work.StatusApproved} {
			_, err := s.Claims().Finish(t.Context(), workerA, []work.Outcome{{Claim: c, Status: status, Error: "later"}})
			must(t, err)
			c = claim(t, s, workerA, 1)[0]
		}
		takeBack(t, s, dsn, workerA)
		if n := keptTexts(t, dsn); n != 1 {
			t.Errorf("%d rows, want 1", n)
		}
	})
	t.Run("and so does a job that is deleted", func(t *testing.T) {
		t.Parallel()
		s, dsn := newStore(t)
		id := pendingOf(t, s, access.SystemUserID, 1)[0]
		must(t, s.Ingestions().Texts(id).Keep(t.Context(), "one", map[int][]byte{0: []byte("text")}))
		execSQL(t, dsn, "DELETE FROM kg_api.jobs WHERE job_id = $1", id)
		if n := keptTexts(t, dsn); n != 0 {
			t.Errorf("%d rows are left", n)
		}
	})
}

// TestKeptTextsMeetTheEnd keeps what was read while the end of the job is not yet committed, and
// ends a job while what was read is not: nothing is left of either.
func TestKeptTextsMeetTheEnd(t *testing.T) {
	t.Parallel()
	t.Run("the end first", func(t *testing.T) {
		t.Parallel()
		s, dsn := newStore(t)
		id := pendingOf(t, s, access.SystemUserID, 1)[0]
		_, err := whileOpen(t, dsn, func(tx pgx.Tx) error {
			_, err := db.New(tx).JobAnalysisFailed(t.Context(), id, nil, "no")
			return err
		}, func() (bool, error) {
			return false, s.Ingestions().Texts(id).Keep(t.Context(), "one", map[int][]byte{0: []byte("text")})
		})
		must(t, err)
		if n := keptTexts(t, dsn); n != 0 {
			t.Errorf("%d rows are left", n)
		}
	})
	t.Run("the text first", func(t *testing.T) {
		t.Parallel()
		s, dsn := newStore(t)
		id := pendingOf(t, s, access.SystemUserID, 1)[0]
		_, err := whileOpen(t, dsn, func(tx pgx.Tx) error {
			return db.New(tx).TextsKeep(t.Context(), db.TextsKeepParams{JobID: id, Reader: "one", Parts: []int32{0}, Bodies: [][]byte{[]byte("text")}})
		}, func() (bool, error) {
			_, err := s.Jobs().Cancel(t.Context(), id)
			return false, err
		})
		must(t, err)
		if n := keptTexts(t, dsn); n != 0 || status(t, s, id) != work.StatusCancelled {
			t.Errorf("%d rows are left of a job that is %s", n, status(t, s, id))
		}
	})
}
