package models

// ExtractionConfig is what reads documents on a server.
type ExtractionConfig struct {
	Provider  string  `json:"provider" doc:"local, openai, anthropic or ollama"`
	Model     string  `json:"model"`
	Local     bool    `json:"local" doc:"It runs in the server"`
	MaxCalls  int     `json:"max_calls,omitempty" doc:"At once, in all processes; none for local"`
	Input     float64 `json:"input_usd_per_million_tokens"`
	Output    float64 `json:"output_usd_per_million_tokens"`
	Supported bool    `json:"supports_json_schema" doc:"The form of its answers is enforced by the provider"`

	ConfigID  int  `json:"config_id" doc:"Of the stored model; 0: the environment of the server or a default says"`
	JSONMode  bool `json:"supports_json_mode" doc:"The same as supports_json_schema"`
	Vision    bool `json:"supports_vision" doc:"Pictures are described on this server"`
	MaxTokens int  `json:"max_tokens" doc:"Of an answer; 0: no limit"`

	Concurrent int    `json:"max_concurrent_requests,omitempty" doc:"The same as max_calls"`
	BaseURL    string `json:"base_url,omitempty" doc:"Where the provider is reached"`
}

// EmbeddingConfig is what embeds concepts on a server, and what the graph was embedded
// with.
type EmbeddingConfig struct {
	Provider   string  `json:"provider"`
	Model      string  `json:"model"`
	Local      bool    `json:"local"`
	Dimensions int     `json:"dimensions,omitempty" doc:"Left out before the first embedding"`
	Input      float64 `json:"input_usd_per_million_tokens"`
	ConfigID   int     `json:"config_id" doc:"Of the stored model; 0: the environment of the server or a default says"`
	EmbeddingSpace
	Matches bool `json:"matches" doc:"The graph is embedded with this model; otherwise documents wait for the job reembed"`
}

// EmbeddingSpace is the model that made the embeddings of the graph. Those of two models
// cannot be compared, so there is one.
type EmbeddingSpace struct {
	GraphModel      string `json:"graph_model,omitempty" doc:"The model of the embeddings in the graph; left out before the first"`
	GraphDimensions int    `json:"graph_dimensions,omitempty"`
	Reembedding     bool   `json:"reembedding" doc:"A job changes the embeddings to graph_model"`
}

// OutdatedConcept is a concept whose embedding another model made than the graph's.
type OutdatedConcept struct {
	ID   int
	Text string // that is embedded
}

// TypeReembed is the job type that embeds every concept anew.
const TypeReembed = "reembed"
