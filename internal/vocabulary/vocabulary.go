package vocabulary

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/knowledge/vocabulary"
)

// Config is what a Vocabulary needs.
type Config struct {
	Store    Store
	Embedder models.Embedder  // of the model whose embeddings the graph holds
	Heard    func() bool      // reports whether wake-ups arrive; nil is never
	Now      func() time.Time // the database's clock
	Log      *slog.Logger     // nil logs nothing
}

// Store keeps what is measured.
type Store interface {
	vectors
	statuses
	words
	unused
}

// vectors keeps the embeddings of types.
type vectors interface {
	TypeVectors(ctx context.Context, model string) ([]vocabulary.TypeVector, error)
	StoreTypeVectors(ctx context.Context, model string, types []vocabulary.TypeVector) error
	VocabularyPending(ctx context.Context, model string) (types, measurement bool, err error)
}

// statuses keeps the statuses of types.
type statuses interface {
	VocabularyTypes(ctx context.Context, counts bool) ([]vocabulary.Type, []vocabulary.TypeEpistemic, error)
	VocabularyMeasurement(ctx context.Context) (m vocabulary.Measurement, ok bool, err error)
	SampleVocabulary(ctx context.Context, size int) (vocabulary.Sample, error)
	StoreMeasurement(ctx context.Context, m vocabulary.Measurement, types []vocabulary.MeasuredType) error
}

// Vocabulary measures relationship types. Its methods may be called from many
// goroutines.
type Vocabulary struct {
	cfg  Config
	wake kappa.Waker
}

// New returns a Vocabulary; Run keeps it fresh.
func New(cfg Config) *Vocabulary {
	kappa.Require(cfg, "Heard", "Log")
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	return &Vocabulary{cfg: cfg, wake: kappa.NewWaker()}
}

// Model returns the name of the model whose embeddings of types are compared.
func (v *Vocabulary) Model() string { return v.cfg.Embedder.Model().Name }

// Wake has Run check at once whether there is something to measure.
func (v *Vocabulary) Wake() { v.wake.Wake() }

// Status says how large the vocabulary is, and whether it should be merged.
func (v *Vocabulary) Status(ctx context.Context) (vocabulary.Status, error) {
	types, _, err := v.cfg.Store.VocabularyTypes(ctx, false)
	if err != nil {
		return vocabulary.Status{}, err
	}
	var words []vocabulary.RelationshipType
	for _, t := range types {
		if t.Active {
			words = append(words, t.RelationshipType)
		}
	}
	settings, err := v.cfg.Store.VocabularySettings(ctx)
	return settings.Limits().Status(words), err
}

// Types returns every relationship type with the number of its edges, by name, those among
// them that were merged into others.
func (v *Vocabulary) Types(ctx context.Context) ([]vocabulary.Type, error) {
	types, _, err := v.cfg.Store.VocabularyTypes(ctx, true)
	for i, t := range types {
		if text := vocabulary.TextOf(t.Name); t.Builtin {
			types[i].Description = &text
		}
	}
	return types, err
}

// Statuses returns the epistemic status of every type, by name, and when they were
// measured; At is nil when they never were. A status other than "" selects.
func (v *Vocabulary) Statuses(ctx context.Context, status string) ([]vocabulary.TypeEpistemic, *vocabulary.Measurement, error) {
	_, list, err := v.cfg.Store.VocabularyTypes(ctx, false)
	if err != nil {
		return nil, nil, err
	}
	if status != "" {
		list = slices.DeleteFunc(list, func(t vocabulary.TypeEpistemic) bool { return t.Status != status })
	}
	m, ok, err := v.cfg.Store.VocabularyMeasurement(ctx)
	if err != nil || !ok {
		return list, nil, err
	}
	return list, &m, nil
}

// StatusOf returns the epistemic status of one type, in whatever case, or a
// CodeNotFound Error.
func (v *Vocabulary) StatusOf(ctx context.Context, name string) (vocabulary.TypeEpistemic, *vocabulary.Measurement, error) {
	list, m, err := v.Statuses(ctx, "")
	if err != nil {
		return vocabulary.TypeEpistemic{}, nil, err
	}
	for _, t := range list {
		if t.Type == strings.ToUpper(name) {
			return t, m, nil
		}
	}
	return vocabulary.TypeEpistemic{}, nil, kappa.NewError(kappa.CodeNotFound, "Relationship type '"+name+"' not found")
}
