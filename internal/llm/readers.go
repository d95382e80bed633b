package llm

// DefaultReader returns the model of a provider that reads unless another one is chosen.
func DefaultReader(provider string) string {
	return map[string]string{OpenAI: "gpt-4.1-mini", Anthropic: "claude-haiku-4-5", Ollama: "llama3.1:8b"}[provider]
}
