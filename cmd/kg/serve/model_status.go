package serve

import (
	"context"

	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/internal/llm"
)

// modelStatus is what operators see of the models.
type modelStatus struct{ *server }

// Status returns how the providers are, of all processes together.
func (m modelStatus) Status(ctx context.Context) ([]models.ProviderStatus, error) {
	list, err := m.models.store.ProviderStatus(ctx, m.settings.Models.Patience)
	slots := m.models.now().in.Slots
	for i := range list {
		for slot, to := range map[models.Slot]*string{models.SlotExtraction: &list[i].Extraction, models.SlotEmbedding: &list[i].Embedding, models.SlotVision: &list[i].Images} {
			if slots[slot].Provider == list[i].Name {
				*to = slots[slot].Model
			}
		}
	}
	return list, err
}

// Check makes a small real call of every model that is used. A provider that answers is
// not throttled any more, unless it failed meanwhile, or has asked for a rest.
func (m modelStatus) Check(ctx context.Context) (checks []models.ProviderCheck) {
	set, began := m.models.now(), m.db.Now()
	for _, slot := range models.Slots() {
		is := set.in.Slots[slot]
		p := set.providers[is.Provider]
		if p == nil {
			continue
		}
		check := map[models.Slot]func(context.Context, string) models.ProviderCheck{
			models.SlotExtraction: p.CheckReading, models.SlotEmbedding: p.CheckEmbedding, models.SlotVision: p.CheckDescribing,
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
func (m modelStatus) Extraction() models.ExtractionConfig {
	set := m.models.now()
	model, is := set.extractor.Model(), set.in.Slots[models.SlotExtraction]
	c := models.ExtractionConfig{
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
func (m modelStatus) Embedding(ctx context.Context) (models.EmbeddingConfig, error) {
	set := m.models.now()
	model, is := set.embedder.Model(), set.in.Slots[models.SlotEmbedding]
	c := models.EmbeddingConfig{Provider: is.Provider, Model: model.Name, Local: model.Local, Input: model.PricePerMillion, ConfigID: is.ConfigID}
	space, err := m.db.Embeddings().Space(ctx)
	c.EmbeddingSpace, c.Matches = space, space.GraphModel == model.Name && !space.Reembedding
	if c.Matches {
		c.Dimensions = space.GraphDimensions
	}
	return c, err
}
