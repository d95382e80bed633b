package vocabulary

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/vocabulary"
	"github.com/kappagraph/kappa/work"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// memory keeps a vocabulary, and counts what is done with it.
type memory struct {
	mu       sync.Mutex // the clock of a test orders nothing for the detector of races
	types    []vocabulary.TypeVector
	stored   int // types that were stored
	samples  int
	asked    int // for what is pending
	epoch    int64
	measured vocabulary.Measurement
	statuses []vocabulary.MeasuredType

	gone, merged, sorted []string
	unused               []string
	taken                string // a type that somebody merges meanwhile
	checkpoints          []work.Checkpoint
	proposed, refused    []vocabulary.Review
}

func newMemory(names ...string) *memory {
	m := &memory{epoch: 1}
	for i, name := range names {
		m.types = append(m.types, vocabulary.TypeVector{ID: i, Name: name})
	}
	return m
}

func (m *memory) TypeVectors(context.Context, string) ([]vocabulary.TypeVector, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.types), nil
}

func (m *memory) StoreTypeVectors(_ context.Context, _ string, types []vocabulary.TypeVector) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, t := range types {
		m.stored++
		old := m.types[t.ID]
		if t.Embedding == nil {
			t.Embedding = old.Embedding
		}
		m.types[t.ID] = t
	}
	return nil
}

func (m *memory) VocabularyPending(context.Context, string) (types, measurement bool, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.asked++
	return slices.ContainsFunc(m.types, func(t vocabulary.TypeVector) bool { return t.Embedding == nil }), m.measured.Epoch != m.epoch, nil
}

func (m *memory) VocabularyTypes(context.Context, bool) ([]vocabulary.Type, []vocabulary.TypeEpistemic, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var types []vocabulary.Type
	var statuses []vocabulary.TypeEpistemic
	for _, t := range m.types {
		types = append(types, vocabulary.Type{RelationshipType: vocabulary.RelationshipType{Name: t.Name, Builtin: t.Name != "HELD_BY"}, Active: true})
		statuses = append(statuses, vocabulary.TypeEpistemic{Type: t.Name, Status: knowledge.StatusInsufficientData})
	}
	return types, statuses, nil
}

func (m *memory) VocabularyMeasurement(context.Context) (vocabulary.Measurement, bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.measured, m.measured.Epoch != 0, nil
}

func (m *memory) SampleVocabulary(_ context.Context, size int) (vocabulary.Sample, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.samples++
	return vocabulary.Sample{
		Epoch: m.epoch, Groundings: map[int]float64{1: 0.9, 2: 1, 3: 0.8},
		Types: []vocabulary.TypeSample{
			{ID: 0, Name: "SUPPORTS", Sampled: size, Total: 500, Targets: []int{1, 2, 3}},
			{ID: 1, Name: "CONTRADICTS", Sampled: 2, Total: 2, Targets: []int{1, 4}}, // 4 is gone
		},
	}, nil
}

func (m *memory) StoreMeasurement(_ context.Context, at vocabulary.Measurement, types []vocabulary.MeasuredType) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.measured, m.statuses = at, types
	return nil
}

func (m *memory) sampled() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.samples
}

func (m *memory) checks() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.asked
}

func (m *memory) embedded(number int) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.types[number].Embedding != nil
}

// byWords embeds words that agree and words that disagree in opposite directions.
type byWords struct {
	calls atomic.Int64
	fails atomic.Pointer[error] // nil: it answers
}

func (e *byWords) Model() models.Model { return models.Model{Name: "words"} }

func (e *byWords) Embed(_ context.Context, texts []string) ([]models.Embedding, error) {
	e.calls.Add(1)
	if err := e.fails.Load(); err != nil {
		return nil, *err
	}
	list := make([]models.Embedding, len(texts))
	for i, text := range texts {
		switch {
		case strings.Contains(text, "affirms"):
			list[i] = models.Embedding{0.6, 0.8}
		case strings.Contains(text, "denies"):
			list[i] = models.Embedding{-0.6, 0.8}
		default:
			list[i] = models.Embedding{0, 1}
		}
	}
	return list, nil
}

func newVocabulary(m *memory) (*Vocabulary, *byWords) {
	e := &byWords{}
	return New(Config{Store: m, Embedder: e, Now: time.Now}), e
}

func TestEmbed(t *testing.T) {
	m := newMemory("SUPPORTS", "CONTRADICTS", "PART_OF")
	v, e := newVocabulary(m)
	n, err := v.Embed(t.Context())
	if err != nil || n != 3 {
		t.Fatalf("embedded %d, %v, want 3", n, err)
	}
	if p := []float64{*m.types[0].Projection, *m.types[1].Projection, *m.types[2].Projection}; p[0] < 0.59 || p[1] > -0.59 || p[2] != 0 {
		t.Errorf("projections %v, want 0.6, -0.6, 0", p)
	}
	t.Run("what is fresh is left as it is", func(t *testing.T) {
		m.stored = 0
		if n, err := v.Embed(t.Context()); n != 0 || err != nil || m.stored != 0 || e.calls.Load() != 1 {
			t.Errorf("embedded %d, stored %d, called the model %d times, %v", n, m.stored, e.calls.Load(), err)
		}
	})
	t.Run("a type that is worded otherwise is embedded anew, alone", func(t *testing.T) {
		m.stored, m.types[2].Text = 0, "as before"
		if n, err := v.Embed(t.Context()); n != 1 || err != nil || m.stored != 1 || m.types[2].Text != vocabulary.TextOf("PART_OF") {
			t.Errorf("embedded %d, stored %d, %+v, %v", n, m.stored, m.types[2], err)
		}
	})
	t.Run("a new pole turns the axis for all", func(t *testing.T) {
		m.types = append(m.types, vocabulary.TypeVector{ID: 3, Name: "ENABLES"}, vocabulary.TypeVector{ID: 4, Name: "PREVENTS"})
		m.types[3].Embedding, m.types[3].Text = models.Embedding{0, 1}, vocabulary.TextOf("ENABLES")
		m.types[4].Embedding, m.types[4].Text = models.Embedding{0, -1}, vocabulary.TextOf("PREVENTS")
		if _, err := v.Embed(t.Context()); err != nil || *m.types[2].Projection <= 0 || m.types[0].Embedding == nil {
			t.Errorf("PART_OF projects to %v, %v, want above 0", *m.types[2].Projection, err)
		}
	})
}

func TestMeasure(t *testing.T) {
	m := newMemory("SUPPORTS", "CONTRADICTS")
	v, _ := newVocabulary(m)
	found, err := v.Measure(t.Context(), 50, false)
	if err != nil || len(found.Types) != 2 || found.Stored != 0 || m.statuses != nil {
		t.Fatalf("%+v, %v, stored %v", found, err, m.statuses)
	}
	supports, contradicts := found.Types[0], found.Types[1]
	if supports.Status != knowledge.StatusWellGrounded || *supports.Stats.Avg != 0.9 || supports.Stats.Sampled != 50 || supports.Stats.Total != 500 {
		t.Errorf("SUPPORTS: %+v", supports)
	}
	if contradicts.Status != knowledge.StatusInsufficientData || contradicts.Stats.Concepts != 1 {
		t.Errorf("CONTRADICTS: %+v, want one concept measured", contradicts)
	}
	if found, err = v.Measure(t.Context(), 50, true); err != nil || found.Stored != 2 || len(m.statuses) != 2 || m.measured.Epoch != 1 {
		t.Errorf("%+v, %v, stored %v", found, err, m.statuses)
	}
}

// TestMeasureEach has a measurement end between two types.
func TestMeasureEach(t *testing.T) {
	m := newMemory("SUPPORTS", "CONTRADICTS")
	v, _ := newVocabulary(m)
	var seen [][2]int
	each := func(done, of int) error {
		if seen = append(seen, [2]int{done, of}); done == 1 {
			return kappa.ErrCancelled
		}
		return nil
	}
	if _, err := v.MeasureEach(t.Context(), 50, true, each); !errors.Is(err, kappa.ErrCancelled) || len(m.statuses) != 0 {
		t.Errorf("got %v, and %d statuses are stored", err, len(m.statuses))
	}
	if want := [][2]int{{0, 2}, {1, 2}}; !slices.Equal(seen, want) {
		t.Errorf("told %v, want %v", seen, want)
	}
}

// TestRunWithARefusal has the model refuse for an hour while the graph changes all the time:
// it is asked ever less, and not before the time that it named. It is asked again when that
// is over.
func TestRunWithARefusal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemory("SUPPORTS")
		v, e := newVocabulary(m)
		refusal := errors.New("it refuses the key")
		e.fails.Store(&refusal)
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- v.Run(ctx) }()
		change := func(d time.Duration) {
			for end := time.Now().Add(d); time.Now().Before(end); time.Sleep(time.Second) {
				v.Wake()
			}
			synctest.Wait()
		}
		change(time.Hour)
		if n := e.calls.Load(); n < 40 || n > 90 {
			t.Errorf("it was asked %d times in an hour", n)
		}
		before := e.calls.Load()
		long := kappa.Postpone(refusal, 30*time.Minute)
		e.fails.Store(&long)
		change(30 * time.Minute)
		if n := e.calls.Load() - before; n > 2 {
			t.Errorf("it was asked %d times within the half hour that it named", n)
		}
		e.fails.Store(nil)
		change(31 * time.Minute)
		if !m.embedded(0) {
			t.Error("it is never asked again")
		}
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}

func TestRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemory("SUPPORTS", "CONTRADICTS")
		v, e := newVocabulary(m)
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- v.Run(ctx) }()
		synctest.Wait()
		if e.calls.Load() != 1 || m.sampled() != 1 {
			t.Errorf("at the start: %d calls of the model, %d samples, want one each", e.calls.Load(), m.sampled())
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if e.calls.Load() != 1 || m.sampled() != 1 {
			t.Errorf("nothing has changed: %d calls of the model, %d samples", e.calls.Load(), m.sampled())
		}
		m.mu.Lock()
		m.epoch, m.types = 2, append(m.types, vocabulary.TypeVector{ID: 2, Name: "HELD_BY"})
		m.mu.Unlock()
		v.Wake()
		synctest.Wait()
		if e.calls.Load() != 2 || m.sampled() != 2 || !m.embedded(2) {
			t.Errorf("after a change: %d calls of the model, %d samples", e.calls.Load(), m.sampled())
		}
		m.mu.Lock()
		m.epoch = 3
		m.mu.Unlock()
		v.Wake()
		synctest.Wait()
		if m.sampled() != 2 {
			t.Errorf("measured again at once: %d samples", m.sampled())
		}
		time.Sleep(leastRest + checkEvery)
		synctest.Wait()
		if m.sampled() != 3 {
			t.Errorf("%d samples after the rest, want 3", m.sampled())
		}
		asked := m.checks()
		for range 1000 { // a graph that changes a thousand times in a second
			v.Wake()
			time.Sleep(time.Millisecond)
		}
		synctest.Wait()
		if n := m.checks() - asked; n < 5 || n > 11 {
			t.Errorf("asked %d times within a second, want about 10", n)
		}
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}

func TestStatuses(t *testing.T) {
	m := newMemory("CAUSES", "HELD_BY")
	v, _ := newVocabulary(m)
	list, at, err := v.Statuses(t.Context(), "")
	if err != nil || len(list) != 2 || at != nil {
		t.Errorf("%v, %v, %v", list, at, err)
	}
	if list, _, err := v.Statuses(t.Context(), knowledge.StatusContradicted); err != nil || len(list) != 0 {
		t.Errorf("none is contradicted: %v, %v", list, err)
	}
	if one, _, err := v.StatusOf(t.Context(), "causes"); err != nil || one.Type != "CAUSES" {
		t.Errorf("%v, %v", one, err)
	}
	if _, _, err := v.StatusOf(t.Context(), "NO_SUCH"); kappa.ErrorCode(err) != kappa.CodeNotFound {
		t.Errorf("an unknown type: %v", err)
	}
	types, err := v.Types(t.Context())
	if err != nil || *types[0].Description != vocabulary.TextOf("CAUSES") || types[1].Description != nil {
		t.Errorf("%+v, %v", types, err)
	}
	if s, err := v.Status(t.Context()); err != nil || s.Size != 2 || s.Custom != 1 {
		t.Errorf("%+v, %v", s, err)
	}
}
