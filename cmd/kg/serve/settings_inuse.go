package serve

import (
	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/internal/llm"
	modelsettings "github.com/kappagraph/kappa/internal/models"
)

// modelsBegin is which models a server begins with: what its settings say, and the defaults
// where they do not. What a setting says is fixed.
func (s *Settings) modelsBegin() models.InUse {
	m := &s.Models
	return models.InUse{
		Slots: map[models.Slot]models.SlotInUse{
			models.SlotExtraction: {Provider: m.Extractor, Model: m.ExtractionModel, Fixed: s.fixed("provider", "KG_EXTRACTOR", "model", "KG_EXTRACTION_MODEL")},
			models.SlotEmbedding:  {Provider: m.Embedder, Model: m.EmbeddingModel, Fixed: s.fixed("provider", "KG_EMBEDDING_FILE", "provider", "KG_EMBEDDER", "model", "KG_EMBEDDING_MODEL")},
			models.SlotVision:     {Provider: s.Vision.Provider, Model: s.Vision.Model, Fixed: s.fixed("provider", "KG_VISION", "model", "KG_VISION_MODEL")},
		},
		Providers: map[string]models.ProviderInUse{
			llm.OpenAI: {
				URL: m.OpenAIURL, ProviderLimits: m.OpenAI,
				Fixed: s.fixed("url", "KG_OPENAI_BASE_URL", "max_calls", "KG_OPENAI_CALLS", "requests_per_minute", "KG_OPENAI_REQUESTS_PER_MINUTE", "tokens_per_minute", "KG_OPENAI_TOKENS_PER_MINUTE"),
			},
			llm.Anthropic: {
				URL: m.AnthropicURL, ProviderLimits: m.Anthropic,
				Fixed: s.fixed("url", "KG_ANTHROPIC_BASE_URL", "max_calls", "KG_ANTHROPIC_CALLS", "requests_per_minute", "KG_ANTHROPIC_REQUESTS_PER_MINUTE", "tokens_per_minute", "KG_ANTHROPIC_TOKENS_PER_MINUTE"),
			},
			llm.Ollama: {
				URL: m.OllamaURL, Context: m.OllamaContext, ProviderLimits: models.ProviderLimits{Calls: m.OllamaCalls},
				Fixed: s.fixed("url", "KG_OLLAMA_URL", "context", "KG_OLLAMA_CONTEXT", "max_calls", "KG_OLLAMA_CALLS"),
			},
		},
		MaxCalls: m.Calls, Fixed: s.fixed("max_calls", "KG_MODEL_CALLS"), Prices: []models.Price{},
	}
}

// fixed returns the members, of pairs of a member and its setting, whose setting was given.
func (s *Settings) fixed(pairs ...string) map[string]string {
	fixed := map[string]string{}
	for i := 0; i+1 < len(pairs); i += 2 {
		if s.given[pairs[i+1]] {
			fixed[pairs[i]] = pairs[i+1]
		}
	}
	return fixed
}

// modelRules are which models there are for this server.
func (s *Settings) modelRules() modelsettings.Rules {
	reads := []string{localModel, llm.OpenAI, llm.Anthropic, llm.Ollama}
	if s.remoteReads() {
		reads = append(reads, remoteModel)
	}
	embeds := []string{localModel, llm.OpenAI, llm.Ollama}
	if s.Models.EmbeddingFile != "" {
		embeds = append(embeds, fileModel)
	}
	return modelsettings.Rules{
		Providers: map[models.Slot][]string{
			models.SlotExtraction: reads,
			models.SlotEmbedding:  embeds,
			models.SlotVision:     {visionOfExtractor, visionOff, llm.OpenAI, llm.Anthropic, llm.Ollama},
		},
		BuiltIn:      []string{localModel, fileModel, remoteModel, visionOff, visionOfExtractor},
		KeyProviders: []string{llm.Anthropic, llm.OpenAI},
		NeedsKey: func(provider, url string) bool {
			return provider == llm.OpenAI && url == llm.DefaultOpenAIURL || provider == llm.Anthropic && url == llm.DefaultAnthropicURL
		},
		Default: defaultModel, Vision: describes,
		Priced: func(provider, model string) string {
			if _, ok := s.Models.filePrices()[provider][model]; ok {
				return "KG_MODEL_PRICES"
			}
			return ""
		},
	}
}

// defaultModel returns the model of a provider for a slot unless another one is chosen.
func defaultModel(slot models.Slot, provider string) string {
	switch slot {
	case models.SlotEmbedding:
		return defaultEmbeddingModels[provider]
	case models.SlotVision:
		return defaultVisionModels[provider]
	}
	return llm.DefaultReader(provider)
}

// describes returns who describes images: what was chosen, or the provider that reads if it
// sees; "" is nobody.
func describes(chosen, extraction string) string {
	if chosen == visionOfExtractor {
		chosen = extraction
	}
	if defaultVisionModels[chosen] == "" {
		return "" // the built-in rules see nothing
	}
	return chosen
}
