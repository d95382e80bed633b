package serve

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/cmd/kg/exit"
	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/internal/extract"
	"github.com/kappagraph/kappa/internal/http/telemetry"
	"github.com/kappagraph/kappa/internal/lanes"
	"github.com/kappagraph/kappa/internal/llm"
	modelsettings "github.com/kappagraph/kappa/internal/models"
	"github.com/kappagraph/kappa/internal/postgres"
	"github.com/kappagraph/kappa/internal/remote"
	"github.com/kappagraph/kappa/internal/secrets"
	"github.com/kappagraph/kappa/internal/static"
	"github.com/kappagraph/kappa/work"
)

// models are what reads and embeds text, and what says which.
type modelPart struct {
	set      atomic.Pointer[modelSet]
	service  *modelsettings.Service
	vault    *secrets.Vault
	builtin  builtinReaders
	embedder currentEmbedder
	governor *llm.Governor
	store    postgres.ProviderStore
	use      *telemetry.ModelUse
}

// now returns what reads and embeds now.
func (m *modelPart) now() *modelSet { return m.set.Load() }

// embeddingModel returns the name of the model that embeds now.
func (m *modelPart) embeddingModel() string { return m.embedder.Model().Name }

// modelAhead is how many chunks of a document wait for a model at once. How many calls
// really run, the governor decides.
const modelAhead = 32

// previewMemory is how many bytes of readings that previews made are kept for the jobs that
// read the same after their approval: about a thousand chunks.
const previewMemory = 32 << 20

// tryLimit is how long a model may take that is tried before it is taken.
const tryLimit = 30 * time.Second

// chooseModels connects what reads and embeds. It calls no model.
func (s *server) chooseModels(ctx context.Context) error {
	m, chosen := &s.models, &s.settings.Models
	m.embedder = currentEmbedder{&m.set}
	m.vault = secrets.Open(s.settings.secretsFile())
	m.use = telemetry.NewModelUse()
	store := s.db.Models()
	m.service = modelsettings.New(modelsettings.Config{
		Settings: store, Profiles: store, Keys: store, Vault: m.vault,
		Begin: s.settings.modelsBegin(), Environment: chosen.keys(), Rules: s.settings.modelRules(),
		Trials: modelsettings.Trials{Try: s.tryModel, EmbeddingName: s.embeddingName},
		Graph:  modelsettings.Graph{Space: s.db.Embeddings().Space, Reembed: s.submitReembed},
		Apply:  s.applyModels, Log: s.log,
	})
	m.store = s.db.ProvidersLimited(func() models.Limits { return s.settings.Rerank.limited(m.service.InUse().Limits()) }, postgres.CallLease).Telling(m.use.Counted)
	m.governor = llm.NewGovernor(llm.GovernorConfig{Store: m.store, Holder: lanes.NewID(), NewID: lanes.NewID, Retry: lanes.Retrying(s.log), Budget: s.db.Jobs().CheckBudget, Log: s.log})
	builtin, err := extract.Builtin()
	if err != nil {
		return err
	}
	if s.settings.remoteReads() { // outlines of whole documents are made here
		m.builtin.remote = s.remoteExtractor(remote.ExtractorConfig{Outlines: builtin})
	}
	m.builtin.extractor, m.builtin.previews = extract.Remember(builtin, previewMemory)
	if chosen.EmbeddingFile != "" {
		if m.builtin.file, err = static.Open(chosen.EmbeddingFile); err != nil {
			return exit.Usage("settings of kg serve:\n  KG_EMBEDDING_FILE: %w", err)
		}
	}
	if err := errors.Join(m.service.Load(ctx), s.ensureReranker(ctx)); err != nil {
		return err
	}
	return s.checkKeys()
}

// checkKeys refuses to start when the environment chooses a provider that takes no call
// without a key, and there is none: what is stored cannot be read says so at its calls.
func (s *server) checkKeys() error {
	in, rules := s.models.service.InUse(), s.settings.modelRules()
	for _, slot := range models.Slots() {
		is := in.Slots[slot]
		if is.Fixed["provider"] == "" || !rules.NeedsKey(is.Provider, in.Providers[is.Provider].URL) {
			continue
		}
		if key, err := s.models.service.Key(is.Provider); err != nil || key != "" {
			continue
		}
		setting := map[string]string{llm.OpenAI: "OPENAI_API_KEY: must be set, or KG_OPENAI_API_KEY_FILE", llm.Anthropic: "ANTHROPIC_API_KEY: must be set, or KG_ANTHROPIC_API_KEY_FILE"}[is.Provider]
		return exit.Usage("settings of kg serve:\n  %s, since %s reads, embeds or describes images; or store a key (kg admin models keys set %s) while %s is not set", setting, is.Provider, is.Provider, is.Fixed["provider"])
	}
	return nil
}

// applyModels has the server use what in says from now on. Documents that are being read
// are read to their end by the models that they began with.
func (s *server) applyModels(ctx context.Context, in models.InUse) error {
	set, err := s.newModelSet(ctx, in)
	if err != nil {
		return err
	}
	for _, is := range in.Slots {
		if _, ok := in.Providers[is.Provider]; ok && is.Model != "" {
			s.models.use.Begin(is.Provider, is.Model)
		}
	}
	before := s.models.set.Swap(set)
	if before == nil {
		return s.beginSpace(ctx, set.embedder.Model().Name)
	}
	for slot, is := range in.Slots {
		if was := before.in.Slots[slot]; was.Provider != is.Provider || was.Model != is.Model {
			s.log.InfoContext(ctx, "another model is used", "slot", slot, "provider", is.Provider, "model", is.Model, "config", is.ConfigID)
		}
	}
	if model := set.embedder.Model().Name; model != before.embedder.Model().Name {
		s.graphChanged()
		return s.beginSpace(ctx, model)
	}
	return nil
}

// tryModel makes a call of a model that need not be in use. It is made past the limits, to
// say whether the model answers now, and counted as others are.
func (s *server) tryModel(ctx context.Context, r modelsettings.Reach) models.ProviderCheck {
	ctx, cancel := context.WithTimeout(ctx, tryLimit)
	defer cancel()
	in := s.models.now()
	p := llm.NewProvider(llm.Config{Name: r.Provider, URL: r.URL, Context: in.in.Providers[r.Provider].Context, Prices: in.prices, KeyNow: r.Key})
	var check models.ProviderCheck
	switch r.Slot {
	case models.SlotEmbedding:
		check = p.CheckEmbedding(ctx, r.Model)
	case models.SlotVision:
		check = p.CheckDescribing(ctx, r.Model)
	default:
		check = p.CheckReading(ctx, r.Model)
	}
	s.countCheck(ctx, check)
	return check
}

// countCheck counts what a call cost that was made to see whether a model answers.
func (s *server) countCheck(ctx context.Context, c models.ProviderCheck) {
	ctx = context.WithoutCancel(ctx)
	call := models.Call{Provider: c.Provider, Model: c.Provider + "/" + c.Model, Purpose: c.Purpose}
	result := models.CallResult{Usage: c.Usage, Cost: c.Cost, Failed: !c.OK, Took: time.Duration(c.Seconds * float64(time.Second))}
	if err := s.models.store.CountCall(ctx, call, result); err != nil {
		s.log.WarnContext(ctx, "what a check of a model cost is not counted", "provider", c.Provider, "err", err)
	}
}

// embeddingName returns what the embeddings of a model are known by.
func (s *server) embeddingName(provider, model string) string {
	switch {
	case provider == localModel:
		return extract.BuiltinEmbedder().Model().Name
	case provider == fileModel && s.models.builtin.file != nil:
		return s.models.builtin.file.Model().Name
	}
	return provider + "/" + model
}

// submitReembed submits the job that embeds the graph with the model of now, in the name of
// whoever has chosen that.
func (s *server) submitReembed(ctx context.Context) (string, error) {
	actor, _ := access.ActorOf(ctx)
	job, err := s.db.Jobs().SubmitJob(ctx, work.NewJob{
		Type: models.TypeReembed, Queue: work.DefaultQueue, AutoApprove: true, MaxRetries: work.DefaultMaxRetries, UserID: actor.UserID,
	})
	return job.ID, err
}

// beginSpace makes the model that embeds that of a graph without embeddings, and warns
// when the graph has those of another one.
func (s *server) beginSpace(ctx context.Context, model string) error {
	space, err := s.db.Embeddings().BeginSpace(ctx, model)
	if err == nil && (space.GraphModel != model || space.Reembedding) {
		s.log.WarnContext(ctx, "the graph is embedded with another model; documents wait until a job of the type reembed has changed that: kg admin embeddings reembed",
			"graph", space.GraphModel, "model", model, "reembedding", space.Reembedding)
	}
	return err
}
