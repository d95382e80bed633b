package serve

import (
	"context"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/llm"
)

// modelStatus is what operators see of the models.
type modelStatus struct{ *server }

// Status returns how the providers are, of all processes together.
func (m modelStatus) Status(ctx context.Context) ([]kappa.ProviderStatus, error) {
	list, err := m.models.store.ProviderStatus(ctx, m.settings.Models.Patience)
	slots := m.models.now().in.Slots
	for i := range list {
		for slot, to := range map[kappa.ModelSlot]*string{kappa.SlotExtraction: &list[i].Extraction, kappa.SlotEmbedding: &list[i].Embedding, kappa.SlotVision: &list[i].Images} {
			if slots[slot].Provider == list[i].Name {
				*to = slots[slot].Model
			}
		}
	}
	return list, err
}

// Check makes a small real call of every model that is used. A provider that answers is
// not throttled any more, unless it failed meanwhile, or has asked for a rest.
func (m modelStatus) Check(ctx context.Context) (checks []kappa.ProviderCheck) {
	set, began := m.models.now(), m.db.Now()
	for _, slot := range kappa.ModelSlots() {
		is := set.in.Slots[slot]
		p := set.providers[is.Provider]
		if p == nil {
			continue
		}
		check := map[kappa.ModelSlot]func(context.Context, string) kappa.ProviderCheck{
			kappa.SlotExtraction: p.CheckReading, kappa.SlotEmbedding: p.CheckEmbedding, kappa.SlotVision: p.CheckDescribing,
		}[slot]
		checks = append(checks, check(ctx, is.Model))
	}
	for _, c := range checks {
		m.countCheck(ctx, c)
		if !c.OK {
			continue
		}
		if err := m.models.store.Checked(ctx, c.Provider, began); err != nil {
			m.log.WarnContext(ctx, "a provider answers, and is throttled on", "provider", c.Provider, "err", err)
		}
	}
	return checks
}

// MaxCalls returns how many calls to all providers run at once.
func (m modelStatus) MaxCalls() int { return m.models.now().in.MaxCalls }

// Extraction returns what reads documents.
func (m modelStatus) Extraction() kappa.ExtractionConfig {
	set := m.models.now()
	model, is := set.extractor.Model(), set.in.Slots[kappa.SlotExtraction]
	c := kappa.ExtractionConfig{
		Provider: is.Provider, Model: model.Name, Local: model.Local, Input: model.PricePerMillion, Output: model.OutputPrice,
		ConfigID: is.ConfigID, Vision: set.describer != nil, BaseURL: set.in.Providers[is.Provider].URL,
	}
	if !model.Local {
		c.Model, c.MaxCalls, c.Supported = is.Model, set.in.Providers[is.Provider].Calls, true
		c.JSONMode, c.Concurrent = c.Supported, c.MaxCalls
	}
	if reader, ok := set.extractor.(*llm.Extractor); ok {
		c.MaxTokens = reader.MaxTokens()
	}
	return c
}

// Embedding returns what embeds, and what the graph was embedded with.
func (m modelStatus) Embedding(ctx context.Context) (kappa.EmbeddingConfig, error) {
	set := m.models.now()
	model, is := set.embedder.Model(), set.in.Slots[kappa.SlotEmbedding]
	c := kappa.EmbeddingConfig{Provider: is.Provider, Model: model.Name, Local: model.Local, Input: model.PricePerMillion, ConfigID: is.ConfigID}
	space, err := m.db.Embeddings().Space(ctx)
	c.EmbeddingSpace, c.Matches = space, space.GraphModel == model.Name && !space.Reembedding
	if c.Matches {
		c.Dimensions = space.GraphDimensions
	}
	return c, err
}
