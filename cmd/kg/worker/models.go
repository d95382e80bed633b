package worker

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/kappagraph/kappa/internal/extract"
	"github.com/kappagraph/kappa/internal/llm"
	"github.com/kappagraph/kappa/internal/worker"
)

// localReader is the extractor that needs no model.
const localReader = "local"

// reader returns the handler that reads chunks, with the settings that a server has for
// its own extractor.
func (o *options) reader() (worker.Handler, error) {
	name := cmp.Or(o.extractor, o.env("KG_EXTRACTOR"), localReader)
	if name == localReader {
		if o.model != "" || o.modelURL != "" {
			return nil, errors.New("--model, --model-url: the extractor local has no model; choose another --extractor")
		}
		reader, err := extract.Builtin()
		if err != nil {
			return nil, err
		}
		return worker.Extract(reader), nil
	}
	cfg, err := o.provider(name)
	if err != nil {
		return nil, err
	}
	cfg.Prices = llm.BuiltinPrices()
	model := cmp.Or(o.model, o.env("KG_EXTRACTION_MODEL"), llm.DefaultReader(name))
	return worker.Extract(llm.NewExtractor(llm.NewProvider(cfg), model)), nil
}

// provider returns how a provider is reached.
func (o *options) provider(name string) (llm.Config, error) {
	cfg := llm.Config{Name: name}
	var err error
	switch name {
	case llm.OpenAI:
		cfg.URL = cmp.Or(o.modelURL, o.env("KG_OPENAI_BASE_URL"), llm.DefaultOpenAIURL)
		cfg.Key, err = o.key("OPENAI_API_KEY", "KG_OPENAI_API_KEY_FILE", cfg.URL == llm.DefaultOpenAIURL)
	case llm.Anthropic:
		cfg.URL = cmp.Or(o.modelURL, o.env("KG_ANTHROPIC_BASE_URL"), llm.DefaultAnthropicURL)
		cfg.Key, err = o.key("ANTHROPIC_API_KEY", "KG_ANTHROPIC_API_KEY_FILE", cfg.URL == llm.DefaultAnthropicURL)
	case llm.Ollama:
		cfg.URL = cmp.Or(o.modelURL, o.env("KG_OLLAMA_URL"), llm.DefaultOllamaURL)
		if text := o.env("KG_OLLAMA_CONTEXT"); text != "" {
			if cfg.Context, err = strconv.Atoi(text); err != nil || cfg.Context < 2048 || cfg.Context > 1<<20 {
				err = fmt.Errorf("KG_OLLAMA_CONTEXT: must be a number from 2048 to %d, got %q", 1<<20, text)
			}
		}
	default:
		err = fmt.Errorf("--extractor: must be local, openai, anthropic or ollama, got %q", name)
	}
	if err == nil && !strings.HasPrefix(cfg.URL, "http://") && !strings.HasPrefix(cfg.URL, "https://") {
		err = errors.New("--model-url: must be http://… or https://…")
	}
	return cfg, err
}

// key reads a key from the environment or a file. It is never shown.
func (o *options) key(name, file string, needed bool) (string, error) {
	key := o.env(name)
	if path := o.env(file); key == "" && path != "" {
		text, err := os.ReadFile(path)
		if err != nil {
			return "", fmt.Errorf("%s: must be a file that can be read: %w", file, err)
		}
		key = string(text)
	}
	if key = strings.TrimSpace(key); key == "" && needed {
		return "", fmt.Errorf("%s: must be set, or %s", name, file)
	}
	return key, nil
}
