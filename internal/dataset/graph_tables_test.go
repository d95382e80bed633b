//go:build unix

package dataset

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus/datasets"
	"github.com/kappagraph/kappa/internal/await"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// atlas is a graph whose tables look like Parquet files from outside.
type atlas struct {
	mu      sync.Mutex
	mark    questions.TablesMark
	written []string // the ontologies of each set that was begun
	ended   []error  // how the writing of each ended
	err     error
	hold    chan struct{} // the writing waits until it is closed; nil = it does not
}

func (a *atlas) TablesMark(_ context.Context, ontologies []string, _ *int64) (questions.TablesMark, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if slices.Contains(ontologies, "no such") {
		return questions.TablesMark{}, kappa.NewError(kappa.CodeNotFound, "Ontology 'no such' does not exist")
	}
	return a.mark, nil
}

func (a *atlas) Tables(ctx context.Context, ontologies []string, create func(questions.GraphTable) (io.Writer, error)) (questions.TablesMark, error) {
	a.mu.Lock()
	a.written = append(a.written, strings.Join(ontologies, "+"))
	hold := a.hold
	a.mu.Unlock()
	mark, err := a.write(ctx, hold, create)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.ended = append(a.ended, err)
	return mark, err
}

func (a *atlas) write(ctx context.Context, hold chan struct{}, create func(questions.GraphTable) (io.Writer, error)) (questions.TablesMark, error) {
	a.mu.Lock()
	mark, err := a.mark, a.err
	a.mu.Unlock()
	for i, t := range questions.GraphTables() {
		w, err := create(t)
		if err != nil {
			return mark, err
		}
		if _, err := io.WriteString(w, parquetFile); err != nil {
			return mark, err
		}
		if i > 0 || hold == nil {
			continue
		}
		select {
		case <-hold:
		case <-ctx.Done():
			return mark, context.Cause(ctx)
		}
	}
	return mark, err
}

func (a *atlas) set(change func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	change()
}

// began returns how many sets were begun.
func (a *atlas) began() (n int) {
	a.set(func() { n = len(a.written) })
	return n
}

// endings returns how the writing of those has ended that have.
func (a *atlas) endings() (all []error) {
	a.set(func() { all = slices.Clone(a.ended) })
	return all
}

// askTables asks how many tables the worker can read.
func askTables(ctx context.Context, s *Service, ontologies ...string) (tables, epoch int64, err error) {
	result, err := s.QueryGraph(ctx, datasets.GraphQuery{SQL: "paths", Limit: 5, Ontologies: ontologies})
	if err != nil {
		return 0, 0, err
	}
	defer result.Close()
	return result.TotalRows, result.graph.Epoch, nil
}

func wantTables(t *testing.T, s *Service, epoch int64, ontologies ...string) {
	t.Helper()
	if tables, of, err := askTables(t.Context(), s, ontologies...); err != nil || tables != 4 || of != epoch {
		t.Errorf("the worker can read %d tables, of epoch %d, want 4 of %d: %v", tables, of, epoch, err)
	}
}

// newAtlas returns a service that is asked of an atlas.
func newAtlas(t *testing.T) (*Service, *atlas) {
	t.Helper()
	a := &atlas{mark: questions.TablesMark{Epoch: 1, Names: "n"}}
	s, _ := newService(t, web{}, func(c *ServiceConfig) { c.Graph = a })
	t.Cleanup(s.graph.running.Wait)
	return s, a
}

func TestGraphTablesAreWrittenOnceAnEpoch(t *testing.T) {
	s, a := newAtlas(t)
	wantTables(t, s, 1)
	wantTables(t, s, 1)
	wantTables(t, s, 1, "b", "a", "b")
	wantTables(t, s, 1, "a", "b")
	if got := strings.Join(a.written, " "); got != " a+b" {
		t.Errorf("the tables of %q were written", got)
	}
	disk := s.cfg.Files.Used()
	a.set(func() { a.mark.Epoch = 2 })
	wantTables(t, s, 2)
	if a.began() != 3 || s.cfg.Files.Used() >= disk {
		t.Errorf("%d were written; %d bytes are on the disk, %d before: the old ones stay", a.began(), s.cfg.Files.Used(), disk)
	}
	a.set(func() { a.mark.Names = "renamed" })
	wantTables(t, s, 2)
	if a.began() != 4 {
		t.Error("an ontology that was renamed is called as it was")
	}
	t.Run("what the graph has left behind goes though nobody asks", func(t *testing.T) {
		a.set(func() { a.mark.Epoch = 3 })
		if s.graph.sweep(t.Context()); s.cfg.Files.Used() != 0 {
			t.Errorf("%d bytes are left", s.cfg.Files.Used())
		}
	})
	t.Run("what the quota took is written again", func(t *testing.T) {
		wantTables(t, s, 3)
		s.cfg.Files.Drop(fileName("", a.mark, questions.TableEvidence))
		wantTables(t, s, 3)
		if a.began() != 6 {
			t.Errorf("%d were written", a.began())
		}
	})
}

func TestGraphTablesAreSharedWhileTheyAreWritten(t *testing.T) {
	s, a := newAtlas(t)
	a.hold = make(chan struct{})
	var all sync.WaitGroup
	for range 5 {
		all.Go(func() { wantTables(t, s, 1) })
	}
	await.That(t, "all to wait for one", func() bool { return waiting(s) == 5 })
	close(a.hold)
	all.Wait()
	if a.began() != 1 {
		t.Errorf("the tables were written %d times", a.began())
	}
}

// waiting counts who waits for tables.
func waiting(s *Service) (n int) {
	s.graph.mu.Lock()
	defer s.graph.mu.Unlock()
	for _, b := range s.graph.builds {
		n += b.waiting
	}
	return n
}

func TestGraphTablesNobodyWaitsFor(t *testing.T) {
	s, a := newAtlas(t)
	a.hold = make(chan struct{})
	first, leave := context.WithCancel(t.Context())
	second, leaveToo := context.WithCancel(t.Context())
	var all sync.WaitGroup
	for _, ctx := range []context.Context{first, second} {
		all.Go(func() {
			if _, _, err := askTables(ctx, s); !errors.Is(err, context.Canceled) {
				t.Errorf("an asker who left got %v", err)
			}
		})
	}
	await.That(t, "both to wait", func() bool { return waiting(s) == 2 })
	leave()
	await.That(t, "one to be gone", func() bool { return waiting(s) == 1 })
	if n := len(a.endings()); n != 0 {
		t.Error("it ended while somebody waited")
	}
	leaveToo()
	all.Wait()
	s.graph.running.Wait()
	if got := a.endings(); len(got) != 1 || !errors.Is(got[0], errLeft) {
		t.Errorf("it ended with %v", got)
	}
	if s.cfg.Files.Used() != 0 {
		t.Errorf("%d bytes are left", s.cfg.Files.Used())
	}
	close(a.hold)
	wantTables(t, s, 1)
}

func TestGraphTablesThatFail(t *testing.T) {
	s, a := newAtlas(t)
	for name, c := range map[string]struct {
		err  error
		code kappa.Code
	}{
		"an error of ours":       {errors.New("secret"), kappa.CodeInternal},
		"a database that is off": {kappa.NewError(kappa.CodeUnavailable, "no database"), kappa.CodeUnavailable},
		"no room":                {&datasets.Error{Type: datasets.ErrMemory, Message: "no room"}, kappa.CodeInsufficient},
	} {
		a.set(func() { a.err = c.err })
		_, _, err := askTables(t.Context(), s)
		if kappa.ErrorCode(err) != c.code || strings.Contains(kappa.ErrorMessage(err), "secret") || s.cfg.Files.Used() != 0 {
			t.Errorf("%s: %v; %d bytes are left", name, err, s.cfg.Files.Used())
		}
	}
	a.set(func() { a.err = nil })
	if _, _, err := askTables(t.Context(), s, "no such"); kappa.ErrorCode(err) != kappa.CodeNotFound {
		t.Errorf("an unknown ontology: %v", err)
	}
	if _, err := s.QueryGraph(t.Context(), datasets.GraphQuery{SQL: "paths", Limit: 1001}); kappa.ErrorCode(err) != kappa.CodeInvalid {
		t.Errorf("a limit: %v", err)
	}
	wantTables(t, s, 1)
	a.set(func() { a.mark.Epoch, a.hold = 2, make(chan struct{}) })
	short, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, _, err := askTables(short, s)
	if late, ok := errors.AsType[*datasets.Error](err); !ok || late.Type != datasets.ErrTimeout || !strings.Contains(late.Message, "within an ontology") {
		t.Errorf("late: %v", err)
	}
}

// TestGraphTablesStop: when the server stops, what is being written ends.
func TestGraphTablesStop(t *testing.T) {
	s, a := newAtlas(t)
	a.hold = make(chan struct{})
	ctx, stop := context.WithCancel(t.Context())
	var all sync.WaitGroup
	all.Go(func() { s.Run(ctx) })
	all.Go(func() {
		if _, _, err := askTables(t.Context(), s); err == nil {
			t.Error("it was answered")
		}
	})
	await.That(t, "somebody to wait", func() bool { return a.began() == 1 })
	stop()
	all.Wait()
}
