package serve

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/extract"
	libraryapi "github.com/kappagraph/kappa/internal/http/library"
	"github.com/kappagraph/kappa/internal/ingest"
	"github.com/kappagraph/kappa/internal/lanes"
	"github.com/kappagraph/kappa/internal/llm"
	"github.com/kappagraph/kappa/internal/postgres"
	"github.com/kappagraph/kappa/internal/remote"
)

// models are what reads and embeds text.
type models struct {
	extractor extract.Extractor
	previews  extract.Extractor // nil when a preview would cost something
	embedder  kappa.Embedder
	describer ingest.Describer         // of images; nil without one
	answerer  *llm.Answerer            // of questions; nil without one
	providers map[string]*llm.Provider // that are used, by name
	governor  *llm.Governor
	store     postgres.ProviderStore
}

// modelAhead is how many chunks of a document wait for a model at once. How many calls
// really run, the governor decides.
const modelAhead = 32

// ahead returns how many chunks of a document are read at once in parallel mode; 0 leaves
// it to the handler.
func (m models) ahead() int {
	if _, ok := m.extractor.(*remote.Extractor); ok {
		return remoteAhead
	}
	if m.extractor.Model().Local {
		return 0
	}
	return modelAhead
}

// answers returns the model that answers questions: the one that reads documents.
func (m models) answers() libraryapi.Model {
	if m.answerer == nil {
		return libraryapi.Model{}
	}
	return libraryapi.Model{Offer: m.answerer.Offer, Answer: m.answerer.Answer}
}

// chooseModels connects what reads and embeds. It calls no model.
func (s *server) chooseModels(ctx context.Context) (err error) {
	chosen := &s.settings.Models
	s.models.providers = map[string]*llm.Provider{}
	s.models.store = s.db.Providers(chosen.limits(), postgres.CallLease)
	s.models.governor = llm.NewGovernor(llm.GovernorConfig{Store: s.models.store, Holder: lanes.NewID(), NewID: lanes.NewID, Retry: lanes.Retrying(s.log), Budget: s.db.Jobs().CheckBudget, Log: s.log})
	for _, name := range []string{llm.OpenAI, llm.Anthropic, llm.Ollama} {
		if !chosen.uses(name) && s.settings.Vision.provider(chosen.Extractor) != name {
			continue
		}
		cfg, err := chosen.provider(name)
		if err != nil {
			return fmt.Errorf("settings of the provider %s: %w", name, err)
		}
		if err := s.models.store.EnsureProvider(ctx, name); err != nil {
			return err
		}
		cfg.Governor = s.models.governor
		s.models.providers[name] = llm.NewProvider(cfg)
	}
	if err := s.chooseReader(); err != nil {
		return err
	}
	if p := s.models.providers[chosen.Embedder]; p != nil {
		s.models.embedder = llm.NewEmbedder(p, chosen.embeddingModel())
	} else {
		s.models.embedder = extract.BuiltinEmbedder()
	}
	vision := &s.settings.Vision
	if name := vision.provider(chosen.Extractor); name != "" {
		s.models.describer = llm.NewDescriber(s.models.providers[name], vision.model(name))
	}
	return s.beginSpace(ctx)
}

// previewMemory is how many bytes of readings that previews made are kept for the jobs that
// read the same after their approval: about a thousand chunks.
const previewMemory = 32 << 20

// chooseReader chooses what reads documents. Outlines of whole documents are made here
// also when workers elsewhere read the chunks.
func (s *server) chooseReader() error {
	chosen := &s.settings.Models
	if p := s.models.providers[chosen.Extractor]; p != nil {
		s.models.extractor = llm.NewExtractor(p, chosen.extractionModel())
		s.models.answerer = llm.NewAnswerer(p, chosen.extractionModel())
		return nil
	}
	builtin, err := extract.Builtin()
	if err != nil {
		return err
	}
	if chosen.Extractor == remoteModel {
		s.models.extractor, err = s.remoteExtractor(remote.ExtractorConfig{Outlines: builtin})
		return err
	}
	s.models.extractor, s.models.previews = extract.Remember(builtin, previewMemory)
	return nil
}

// beginSpace makes the model that embeds that of a graph without embeddings, and warns
// when the graph has those of another one.
func (s *server) beginSpace(ctx context.Context) error {
	model := s.models.embedder.Model().Name
	space, err := s.db.Embeddings().BeginSpace(ctx, model)
	if err == nil && (space.GraphModel != model || space.Reembedding) {
		s.log.WarnContext(ctx, "the graph is embedded with another model; documents wait until a job of the type reembed has changed that: kg admin embeddings reembed",
			"graph", space.GraphModel, "model", model, "reembedding", space.Reembedding)
	}
	return err
}

// otherModelWait is how long a document waits for the graph to be embedded with the
// server's model, before it sees about that again.
const otherModelWait = 10 * time.Second

// gated has a job type wait while the graph is embedded with another model than that of
// this server, or only in part: nothing could be compared.
func (s *server) gated(t kappa.JobType) kappa.JobType {
	work, model := t.Handler, s.models.embedder.Model().Name
	t.Handler = func(ctx context.Context, c kappa.Claim) (json.RawMessage, error) {
		space, err := s.db.Embeddings().BeginSpace(ctx, model)
		if err != nil {
			return nil, err
		}
		if space.GraphModel != model || space.Reembedding {
			return nil, kappa.Postpone(kappa.NewError(kappa.CodeConflict, fmt.Sprintf(
				"waits until the graph is embedded with %s: it is with %s, or in part; see kg admin embeddings", model, space.GraphModel)), otherModelWait)
		}
		return work(ctx, c)
	}
	return t
}

// knownConcepts returns what looks up the concepts that a model is shown with a chunk; nil
// for the built-in extractor, which asks for none.
func (s *server) knownConcepts(retry kappa.Retrying) func(ctx context.Context, names []string) ([]kappa.KnownConcept, error) {
	if s.models.extractor.Model().Local {
		return nil
	}
	return func(ctx context.Context, names []string) (known []kappa.KnownConcept, err error) {
		err = retry(ctx, "look up known concepts", func(ctx context.Context) error {
			known, err = s.db.Estimates().ConceptsNamed(ctx, names)
			return err
		})
		return known, err
	}
}

// typeNames returns the relationship types that jobs know of.
func (s *server) typeNames(retry kappa.Retrying) func(ctx context.Context) (kappa.TypeNames, error) {
	return func(ctx context.Context) (names kappa.TypeNames, err error) {
		err = retry(ctx, "read the relationship types", func(ctx context.Context) error {
			names, err = s.db.Vocabulary().TypeNames(ctx)
			return err
		})
		return names, err
	}
}

// keptReadings returns what keeps readings of jobs that pause; nil for the built-in
// extractor, which reads a chunk again for nothing.
func (s *server) keptReadings() keptReadings {
	if s.models.extractor.Model().Local {
		return nil
	}
	return s.db.Documents()
}

// keptReadings are what a job goes on with after a pause; see ingest.HandlerConfig.
type keptReadings interface {
	KeepReading(ctx context.Context, claim kappa.Claim, text, reader string, reading []byte) error
	KeptReading(ctx context.Context, jobID, text, reader string) ([]byte, error)
}

// estimating adds to an analyst what its estimates are made from.
func (s *server) estimating(cfg ingest.AnalystConfig) ingest.AnalystConfig {
	cfg.Band = s.db.Estimates()
	if reader, ok := s.models.extractor.(*llm.Extractor); ok {
		cfg.Counter = reader
	} else if s.models.previews != nil {
		cfg.Preview = &ingest.Previewer{Extractor: s.models.previews, Known: s.db.Estimates().KnownTerms}
	}
	return cfg
}

// modelStatus is what operators see of the models.
type modelStatus struct{ *server }

// Status returns how the providers are, of all processes together.
func (m modelStatus) Status(ctx context.Context) ([]kappa.ProviderStatus, error) {
	list, err := m.models.store.ProviderStatus(ctx, m.settings.Models.Patience)
	chosen := &m.settings.Models
	for i := range list {
		if list[i].Name == chosen.Extractor {
			list[i].Extraction = chosen.extractionModel()
		}
		if list[i].Name == chosen.Embedder {
			list[i].Embedding = chosen.embeddingModel()
		}
		if name := list[i].Name; name == m.settings.Vision.provider(chosen.Extractor) {
			list[i].Images = m.settings.Vision.model(name)
		}
	}
	return list, err
}

// Check makes a small real call of every model that is used. A provider that answers is
// not throttled any more, unless it failed meanwhile, or has asked for a rest.
func (m modelStatus) Check(ctx context.Context) (checks []kappa.ProviderCheck) {
	chosen, began := &m.settings.Models, m.db.Now()
	if p := m.models.providers[chosen.Extractor]; p != nil {
		checks = append(checks, p.CheckReading(ctx, chosen.extractionModel()))
	}
	if p := m.models.providers[chosen.Embedder]; p != nil {
		checks = append(checks, p.CheckEmbedding(ctx, chosen.embeddingModel()))
	}
	if name := m.settings.Vision.provider(chosen.Extractor); m.models.providers[name] != nil {
		checks = append(checks, m.models.providers[name].CheckDescribing(ctx, m.settings.Vision.model(name)))
	}
	for _, c := range checks {
		if !c.OK {
			continue
		}
		if err := m.models.store.Checked(ctx, c.Provider, began); err != nil {
			m.log.WarnContext(ctx, "a provider answers, and is throttled on", "provider", c.Provider, "err", err)
		}
	}
	return checks
}

// Extraction returns what reads documents.
func (m modelStatus) Extraction() kappa.ExtractionConfig {
	model, chosen := m.models.extractor.Model(), &m.settings.Models
	c := kappa.ExtractionConfig{Provider: chosen.Extractor, Model: model.Name, Local: model.Local, Input: model.PricePerMillion, Output: model.OutputPrice}
	c.Vision = m.settings.Vision.provider(chosen.Extractor) != ""
	if !model.Local {
		c.Model, c.MaxCalls, c.Supported = chosen.extractionModel(), chosen.limits().Providers[chosen.Extractor].Calls, true
		c.JSONMode, c.MaxTokens = c.Supported, llm.MaxAnswerTokens
	}
	return c
}

// Embedding returns what embeds, and what the graph was embedded with.
func (m modelStatus) Embedding(ctx context.Context) (kappa.EmbeddingConfig, error) {
	model := m.models.embedder.Model()
	c := kappa.EmbeddingConfig{Provider: m.settings.Models.Embedder, Model: model.Name, Local: model.Local, Input: model.PricePerMillion}
	space, err := m.db.Embeddings().Space(ctx)
	c.EmbeddingSpace, c.Matches = space, space.GraphModel == model.Name && !space.Reembedding
	if c.Matches {
		c.Dimensions = space.GraphDimensions
	}
	return c, err
}
