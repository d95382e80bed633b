package serve

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/internal/extract"
	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/internal/ingest"
	"github.com/kappagraph/kappa/internal/llm"
	"github.com/kappagraph/kappa/internal/remote"
	"github.com/kappagraph/kappa/internal/static"
)

// modelSet is what reads and embeds text at a moment. It does not change: another choice is
// another set. Whoever works on a document keeps the one that it began with; only the keys
// and the limits of its providers are always those of now.
type modelSet struct {
	in        models.InUse
	extractor extract.Extractor
	previews  extract.Extractor // nil when a preview would cost something
	embedder  models.Embedder
	describer ingest.Describer         // of images; nil without one
	answerer  *llm.Answerer            // of questions; nil without one
	providers map[string]*llm.Provider // that are used, by name
	prices    llm.Prices
}

// builtinReaders are what reads without a provider. They are the same in every set.
type builtinReaders struct {
	extractor, previews extract.Extractor
	remote              *remote.Extractor // nil unless workers elsewhere can read
	file                *static.Model     // nil without a file that embeds
}

// newModelSet returns what reads and embeds as in says. It calls no model.
func (s *server) newModelSet(ctx context.Context, in models.InUse) (*modelSet, error) {
	set := &modelSet{in: in, providers: map[string]*llm.Provider{}}
	var err error
	if set.prices, err = s.settings.Models.prices(in.Prices...); err != nil {
		return nil, fmt.Errorf("KG_MODEL_PRICES: %w", err)
	}
	for _, name := range []string{llm.OpenAI, llm.Anthropic, llm.Ollama} {
		if !in.Uses(name) {
			continue
		}
		if err := s.models.store.EnsureProvider(ctx, name); err != nil {
			return nil, err
		}
		set.providers[name] = llm.NewProvider(llm.Config{
			Name: name, URL: in.Providers[name].URL, Context: in.Providers[name].Context, Prices: set.prices, Governor: s.models.governor,
			KeyNow: func() (string, error) { return s.models.service.Key(name) },
		})
	}
	reads := in.Slots[models.SlotExtraction]
	builtin := &s.models.builtin
	switch p := set.providers[reads.Provider]; {
	case p != nil:
		reader := llm.NewExtractor(p, reads.Model)
		reader.Limit(reads.MaxTokens)
		set.extractor, set.answerer = reader, llm.NewAnswerer(p, reads.Model)
	case reads.Provider == remoteModel && builtin.remote != nil:
		set.extractor = builtin.remote
	default:
		set.extractor, set.previews = builtin.extractor, builtin.previews
	}
	switch embeds := in.Slots[models.SlotEmbedding]; {
	case set.providers[embeds.Provider] != nil:
		set.embedder = llm.NewEmbedder(set.providers[embeds.Provider], embeds.Model)
	case embeds.Provider == fileModel && builtin.file != nil:
		set.embedder = builtin.file
	default:
		set.embedder = extract.BuiltinEmbedder()
	}
	if sees := in.Slots[models.SlotVision]; set.providers[sees.Provider] != nil {
		set.describer = llm.NewDescriber(set.providers[sees.Provider], sees.Model)
	}
	return set, nil
}

// ahead returns how many chunks of a document are read at once in parallel mode; 0 leaves
// it to the handler.
func (m *modelSet) ahead() int {
	if _, ok := m.extractor.(*remote.Extractor); ok {
		return remoteAhead
	}
	if m.extractor.Model().Local {
		return 0
	}
	return modelAhead
}

// fansOut reports whether each chunk is read elsewhere.
func (m *modelSet) fansOut() bool {
	_, ok := m.extractor.(*remote.Extractor)
	return ok
}

// currentEmbedder is the embedder that is used now.
type currentEmbedder struct{ now *atomic.Pointer[modelSet] }

// Now returns it; see models.PinnedEmbedder.
func (e currentEmbedder) Now() models.Embedder { return e.now.Load().embedder }

// Embed implements models.Embedder.
func (e currentEmbedder) Embed(ctx context.Context, texts []string) ([]models.Embedding, error) {
	return e.Now().Embed(ctx, texts) //nolint:wrapcheck // it is the other one's
}

// Model describes the model that embeds now.
func (e currentEmbedder) Model() models.Model { return e.Now().Model() }

// answers returns the model that answers questions: the one that reads documents.
func (m *modelSet) answers() http.AnswerModel {
	if m.answerer == nil {
		return http.AnswerModel{}
	}
	return http.AnswerModel{Offer: m.answerer.Offer, Answer: m.answerer.Answer}
}
