package serve

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/internal/llm"
	modelsettings "github.com/kappagraph/kappa/internal/models"
)

// What reads passages, or embeds, without the API of a provider.
const (
	localModel  = "local"
	remoteModel = "remote"
	fileModel   = "file"
)

// modelSettings are which models read and embed, and how their providers are reached.
type modelSettings struct {
	Extractor       string // localModel, remoteModel or a provider
	ExtractionModel string // "": the provider's default
	Embedder        string // localModel, fileModel or a provider
	EmbeddingModel  string
	EmbeddingFile   string // of fileModel

	OpenAIURL, AnthropicURL, OllamaURL string
	OllamaContext                      int
	OpenAIKey, AnthropicKey            secret
	PricesFile                         string
	Budget                             string // of a job, as corpus.ParseBudget reads it

	Calls             int // to all providers together, at once
	OpenAI, Anthropic models.ProviderLimits
	OllamaCalls       int
	Patience          time.Duration // with a provider that does not answer
}

// secret is a value that is given itself or in a file. It is never shown.
type secret struct{ value, file string }

// String implements fmt.Stringer, and hides the value from whoever prints settings.
func (secret) String() string { return "[secret]" }

// GoString implements fmt.GoStringer.
func (secret) GoString() string { return "[secret]" }

// read returns the value, from the file when it is in one.
func (s secret) read() (string, error) {
	if s.value != "" || s.file == "" {
		return strings.TrimSpace(s.value), nil
	}
	text, err := os.ReadFile(s.file)
	if err != nil {
		return "", err
	}
	return strings.TrimSpace(string(text)), nil
}

// defaultEmbeddingModels embed unless others are chosen.
var defaultEmbeddingModels = map[string]string{llm.OpenAI: "text-embedding-3-small", llm.Ollama: "nomic-embed-text"}

// table returns the settings of models.
func (m *modelSettings) table() []setting {
	return []setting{
		oneOf("KG_EXTRACTOR", []string{localModel, llm.OpenAI, llm.Anthropic, llm.Ollama, remoteModel}, "what reads documents: the built-in rules, or a model of a provider", &m.Extractor),
		text("KG_EXTRACTION_MODEL", "", "", "the model that reads documents", &m.ExtractionModel).without("the provider's, see docs/models.md"),
		oneOf("KG_EMBEDDER", []string{localModel, fileModel, llm.OpenAI, llm.Ollama}, "what embeds concepts: the built-in one, a file, or a model of a provider", &m.Embedder),
		text("KG_EMBEDDING_FILE", "", "", "folder or model.safetensors of a static embedding, which embeds concepts unless KG_EMBEDDER says otherwise", &m.EmbeddingFile),
		text("KG_EMBEDDING_MODEL", "", "", "the model that embeds concepts", &m.EmbeddingModel).without("the provider's, see docs/models.md"),
		text("KG_OPENAI_BASE_URL", llm.DefaultOpenAIURL, "", "where OpenAI's API is, or that of a compatible server", &m.OpenAIURL),
		text("OPENAI_API_KEY", "", "", "the key for OpenAI", &m.OpenAIKey.value).hidden(),
		text("KG_OPENAI_API_KEY_FILE", "", "", "file with the key for OpenAI", &m.OpenAIKey.file),
		text("KG_ANTHROPIC_BASE_URL", llm.DefaultAnthropicURL, "", "where Anthropic's API is", &m.AnthropicURL),
		text("ANTHROPIC_API_KEY", "", "", "the key for Anthropic", &m.AnthropicKey.value).hidden(),
		text("KG_ANTHROPIC_API_KEY_FILE", "", "", "file with the key for Anthropic", &m.AnthropicKey.file),
		text("KG_OLLAMA_URL", llm.DefaultOllamaURL, "", "where Ollama is", &m.OllamaURL),
		number("KG_OLLAMA_CONTEXT", llm.DefaultOllamaContext, 2048, 1<<20, "longest context that Ollama is asked for, in tokens", &m.OllamaContext),
		text("KG_MODEL_PRICES", "", "", "JSON file with prices of models, over the built-in ones", &m.PricesFile),
		text("KG_JOB_BUDGET", "", "", "what a document's job may spend on models unless its submission says: 2.50 are US dollars, 50000tokens tokens, with a comma both", &m.Budget).without("no limit"),
		number("KG_MODEL_CALLS", models.DefaultMaxCalls, 1, 1000, "calls to all providers at once, of all servers together", &m.Calls),
		seconds("KG_PROVIDER_PATIENCE", int(llm.DefaultProviderPatience/time.Second), 1, 86400, "how long a job waits for a provider before that is said as a warning, in seconds", &m.Patience),
		number("KG_OPENAI_CALLS", 8, 1, 1000, "calls to OpenAI at once, of all servers together", &m.OpenAI.Calls),
		number("KG_ANTHROPIC_CALLS", 4, 1, 1000, "calls to Anthropic at once, of all servers together", &m.Anthropic.Calls),
		number("KG_OLLAMA_CALLS", 1, 1, 1000, "calls to Ollama at once, of all servers together", &m.OllamaCalls),
		number("KG_OPENAI_REQUESTS_PER_MINUTE", 0, 0, 1_000_000, "calls to OpenAI in a minute; 0 sets no limit", &m.OpenAI.RequestsPerMinute),
		number("KG_OPENAI_TOKENS_PER_MINUTE", 0, 0, 1_000_000_000, "tokens to and from OpenAI in a minute; 0 sets no limit", &m.OpenAI.TokensPerMinute),
		number("KG_ANTHROPIC_REQUESTS_PER_MINUTE", 0, 0, 1_000_000, "calls to Anthropic in a minute; 0 sets no limit", &m.Anthropic.RequestsPerMinute),
		number("KG_ANTHROPIC_TOKENS_PER_MINUTE", 0, 0, 1_000_000_000, "tokens to and from Anthropic in a minute; 0 sets no limit", &m.Anthropic.TokensPerMinute),
	}
}

// chooseFile has the file embed, where there is one and nothing else was chosen.
func (m *modelSettings) chooseFile(given map[string]bool) {
	if m.EmbeddingFile != "" && !given["KG_EMBEDDER"] {
		m.Embedder = fileModel
	}
}

// check returns what is wrong with settings that their own rules allow.
func (m *modelSettings) check() (broken []error) {
	if m.Embedder == fileModel && m.EmbeddingFile == "" {
		broken = append(broken, errors.New("KG_EMBEDDING_FILE: must be set, since KG_EMBEDDER is file"))
	}
	if _, err := os.Stat(m.EmbeddingFile); m.EmbeddingFile != "" && err != nil {
		broken = append(broken, fmt.Errorf("KG_EMBEDDING_FILE: must be a folder with model.safetensors and tokenizer.json: %w", err))
	}
	for _, u := range []struct{ name, value string }{
		{"KG_OPENAI_BASE_URL", m.OpenAIURL}, {"KG_ANTHROPIC_BASE_URL", m.AnthropicURL}, {"KG_OLLAMA_URL", m.OllamaURL},
	} {
		at, err := url.Parse(u.value)
		if err != nil || at.Host == "" || at.Scheme != "http" && at.Scheme != "https" || at.User != nil || at.RawQuery != "" {
			broken = append(broken, fmt.Errorf("%s: must be http://… or https://… without a user, a password or a query; the value is not shown, as it may hold a secret", u.name))
		}
	}
	for _, k := range []struct {
		provider, name, file string
		key                  secret
	}{
		{llm.OpenAI, "OPENAI_API_KEY", "KG_OPENAI_API_KEY_FILE", m.OpenAIKey},
		{llm.Anthropic, "ANTHROPIC_API_KEY", "KG_ANTHROPIC_API_KEY_FILE", m.AnthropicKey},
	} {
		if !m.uses(k.provider) {
			continue
		}
		value, err := k.key.read()
		switch {
		case err != nil:
			broken = append(broken, fmt.Errorf("%s: must be a file that can be read: %w", k.file, err))
		case strings.ContainsFunc(value, func(r rune) bool { return r <= ' ' || r > '~' }):
			broken = append(broken, fmt.Errorf("%s: must be one line of letters, digits and signs; it is not shown", k.name))
		}
	}
	if _, err := corpus.ParseBudget(m.Budget); m.Budget != "" && err != nil {
		broken = append(broken, fmt.Errorf("KG_JOB_BUDGET: %w, got %q", err, m.Budget))
	}
	if _, err := m.prices(); err != nil {
		broken = append(broken, fmt.Errorf("KG_MODEL_PRICES: %w", err))
	}
	return broken
}

// uses reports whether a provider reads or embeds.
func (m *modelSettings) uses(provider string) bool {
	return m.Extractor == provider || m.Embedder == provider
}

// prices returns the prices of models: those of the file, then those that were set, then
// the built-in ones.
func (m *modelSettings) prices(set ...models.Price) (llm.Prices, error) {
	prices := llm.BuiltinPrices()
	for _, p := range set {
		prices = prices.Set(p.Provider, p.Model, llm.Price{Input: p.Input, Output: p.Output})
	}
	if m.PricesFile == "" {
		return prices, nil
	}
	file, err := os.ReadFile(m.PricesFile)
	if err != nil {
		return nil, fmt.Errorf("must be a file that can be read: %w", err)
	}
	return prices.With(file)
}

// filePrices returns the prices of the file alone.
func (m *modelSettings) filePrices() llm.Prices {
	file, err := os.ReadFile(m.PricesFile)
	if err != nil {
		return nil // it was read at the start
	}
	prices, err := llm.Prices{}.With(file)
	if err != nil {
		return nil
	}
	return prices
}

// budget returns what a job may spend whose submission does not say; nil sets no limit.
func (m *modelSettings) budget() *corpus.Budget {
	b, err := corpus.ParseBudget(m.Budget)
	if m.Budget == "" || err != nil || !b.Limited() {
		return nil
	}
	return &b
}

// keys returns the keys of providers that the environment has. A file that cannot be read
// was refused at the start.
func (m *modelSettings) keys() map[string]modelsettings.EnvironmentKey {
	keys := map[string]modelsettings.EnvironmentKey{}
	for provider, k := range map[string]struct {
		key        secret
		name, file string
	}{
		llm.OpenAI:    {m.OpenAIKey, "OPENAI_API_KEY", "KG_OPENAI_API_KEY_FILE"},
		llm.Anthropic: {m.AnthropicKey, "ANTHROPIC_API_KEY", "KG_ANTHROPIC_API_KEY_FILE"},
	} {
		value, err := k.key.read()
		if err != nil || value == "" {
			continue
		}
		setting := k.name
		if k.key.value == "" {
			setting = k.file
		}
		keys[provider] = modelsettings.EnvironmentKey{Value: value, Setting: setting}
	}
	return keys
}
