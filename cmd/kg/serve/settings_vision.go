package serve

import "github.com/kappagraph/kappa/internal/llm"

// What describes images, besides the providers.
const (
	visionOfExtractor = "extractor"
	visionOff         = "off"
)

// defaultVisionModels are the models that describe images unless others are chosen.
var defaultVisionModels = map[string]string{llm.OpenAI: "gpt-4.1-mini", llm.Anthropic: "claude-haiku-4-5", llm.Ollama: "llama3.2-vision:11b"}

// visionSettings are which model describes images.
type visionSettings struct {
	Provider string // visionOfExtractor, visionOff or a provider
	Model    string // "": the provider's default
}

// table returns the settings of images.
func (v *visionSettings) table() []setting {
	return []setting{
		oneOf("KG_VISION", []string{visionOfExtractor, visionOff, llm.OpenAI, llm.Anthropic, llm.Ollama}, "what describes images: the provider that reads documents, if there is one, or another", &v.Provider),
		text("KG_VISION_MODEL", "", "", "the model that describes images", &v.Model).without("the provider's, see docs/models.md"),
	}
}
