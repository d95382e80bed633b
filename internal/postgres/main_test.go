package postgres_test

import (
	"context"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/internal/pgtest"
	"github.com/kappagraph/kappa/internal/postgres"
	"github.com/kappagraph/kappa/knowledge/vocabulary"
	"github.com/kappagraph/kappa/work"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }

// withVocabulary is a database with the vocabulary that a server has stored at its start.
var withVocabulary = pgtest.NewTemplate(func(ctx context.Context, dsn string) error {
	store, err := postgres.Open(ctx, postgres.Config{DSN: dsn, AcquireTimeout: connectLimit})
	if err != nil {
		return err
	}
	defer store.Close()
	return store.Documents().EnsureVocabulary(ctx, vocabulary.BuiltinTypes())
})

// newStore opens a Store on a database of its own, and returns its address.
func newStore(t *testing.T) (*postgres.DB, string) {
	t.Helper()
	dsn := withVocabulary.NewDSN(t)
	store, err := postgres.Open(t.Context(), postgres.Config{DSN: dsn, JobConns: 8, GraphConns: 4, AuthConns: 2, AcquireTimeout: connectLimit})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(store.Close)
	return store, dsn
}

const (
	workerA = "00000000-0000-4000-8000-00000000000a"
	workerB = "00000000-0000-4000-8000-00000000000b"
	lease   = 15 * time.Second
	// connectLimit is for a connection: a busy machine is no failure.
	connectLimit = 20 * time.Second
)

// register makes workers live.
func register(t *testing.T, s *postgres.DB, ids ...string) {
	t.Helper()
	for _, id := range ids {
		must(t, s.Workers().Register(t.Context(), work.Worker{ID: id, Hostname: "test", PID: 1}, "test", lease))
	}
}

// submit stores an approved job of the type.
func submit(t *testing.T, s *postgres.DB, jobType string, change ...func(*work.NewJob)) work.Job {
	t.Helper()
	j := work.NewJob{Type: jobType, Queue: work.DefaultQueue, AutoApprove: true, MaxRetries: 3, UserID: access.SystemUserID}
	for _, c := range change {
		c(&j)
	}
	job, err := s.Jobs().SubmitJob(t.Context(), j)
	must(t, err)
	return job
}

// claim takes jobs of the interactive lane's own types.
func claim(t *testing.T, s *postgres.DB, worker string, most int) []work.Claim {
	t.Helper()
	batch, err := s.Claims().Claim(t.Context(), work.ClaimRequest{Lane: "interactive", Worker: worker, Types: []string{"polarity", "ingestion"}, Most: most})
	must(t, err)
	return batch.Claims
}

// status returns where a job stands.
func status(t *testing.T, s *postgres.DB, id string) work.Status {
	t.Helper()
	job, err := s.Jobs().Job(t.Context(), id)
	must(t, err)
	return job.Status
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// checkHistory fails unless the events of a job are numbered 1, 2, 3 …, follow
// the rules of its life, and end where the job stands (I20, I21).
func checkHistory(t *testing.T, s *postgres.DB, id string) []work.Event {
	t.Helper()
	job, err := s.Jobs().Job(t.Context(), id)
	must(t, err)
	events, err := s.Events().EventsAfter(t.Context(), id, 0, 10_000)
	must(t, err)
	if int64(len(events)) != job.EventSeq {
		t.Errorf("%s: %d events, event_seq %d", id, len(events), job.EventSeq)
	}
	var last work.Status
	for i, e := range events {
		if e.Seq != int64(i+1) {
			t.Errorf("%s: event %d has number %d", id, i+1, e.Seq)
		}
		if e.Kind.Terminal() && i != len(events)-1 {
			t.Errorf("%s: event %d follows the terminal %s", id, i+2, e.Kind)
		}
		if e.Kind != work.EventStatus {
			continue
		}
		change, err := e.StatusChange()
		must(t, err)
		if last != "" && !last.CanBecome(change.Status) {
			t.Errorf("%s: illegal step from %s to %s", id, last, change.Status)
		}
		if last != "" && (change.Previous == nil || *change.Previous != last) {
			t.Errorf("%s: event %d says it follows %v, but the job was %s", id, e.Seq, change.Previous, last)
		}
		last = change.Status
	}
	if last != job.Status {
		t.Errorf("%s: the history ends in %s, the job is %s", id, last, job.Status)
	}
	if terminal := len(events) > 0 && events[len(events)-1].Kind.Terminal(); terminal != job.Status.Terminal() {
		t.Errorf("%s: is %s, but its history ends with %s", id, job.Status, events[len(events)-1].Kind)
	}
	return events
}

// together runs f n times at once.
func together(n int, f func(i int)) {
	var group sync.WaitGroup
	start := make(chan struct{})
	for i := range n {
		group.Go(func() {
			<-start
			f(i)
		})
	}
	close(start)
	group.Wait()
}

// connect opens a connection until the test ends.
func connect(t *testing.T, dsn string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), dsn)
	must(t, err)
	t.Cleanup(func() { _ = conn.Close(context.WithoutCancel(t.Context())) })
	return conn
}
