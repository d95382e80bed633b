package llm

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"net/http"
	"slices"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus/models"
)

// Rerank is the name of the provider that orders passages: a server with a route /rerank, as
// Cohere, Jina, Voyage, Hugging Face's text-embeddings-inference behind a proxy, vLLM and
// llama.cpp have it.
const Rerank = "rerank"

// RerankerConfig says how a reranker is reached.
type RerankerConfig struct {
	URL      string // of the API, without /rerank
	Model    string
	Key      string        // "" for servers that ask for none
	Price    float64       // US dollars for a call
	Timeout  time.Duration // of a call, the wait for its turn included
	Governor governor      // nil makes calls at once
}

// Reranker has a model order texts. It is safe for concurrent use.
type Reranker struct {
	cfg      RerankerConfig
	provider *Provider
	api      *transport
}

// NewReranker returns a reranker. It connects to nothing.
func NewReranker(cfg RerankerConfig) *Reranker {
	p := &Provider{name: Rerank, governor: cfg.Governor}
	if p.governor == nil {
		p.governor = ungoverned{}
	}
	key := keySource(func() (string, error) { return cfg.Key, nil })
	return &Reranker{cfg: cfg, provider: p, api: newTransport(Rerank, cfg.URL, http.Header{}, key.as("Authorization", "Bearer "))}
}

// Model returns what the model is called.
func (r *Reranker) Model() string { return Rerank + "/" + r.cfg.Model }

// rerankRequest is a request of Cohere's API.
type rerankRequest struct {
	Model     string   `json:"model"`
	Query     string   `json:"query"`
	Documents []string `json:"documents"`
	TopN      int      `json:"top_n"`
}

// rerankAnswer is its answer. What a server leaves out is nil.
type rerankAnswer struct {
	Results []struct {
		Index *int     `json:"index"`
		Score *float64 `json:"relevance_score"`
	} `json:"results"`
}

// Order returns the places of the texts that answer a question, the most relevant first, each at
// most once, and what the call cost in US dollars. A server may leave texts out. It returns a
// kappa.CodeUpstream Error for an answer that cannot be used, and a kappa.CodeUnavailable Error
// when the server fails, or takes longer than the timeout.
func (r *Reranker) Order(ctx context.Context, question string, texts []string) (places []int, cost float64, err error) {
	limited, cancel := context.WithTimeoutCause(ctx, r.cfg.Timeout, errSlow)
	defer cancel()
	tokens := len(question) / 4
	for _, t := range texts {
		tokens += len(t)/4 + 1
	}
	model := models.Model{Name: r.Model(), Provider: Rerank, CallPrice: r.cfg.Price}
	err = r.provider.call(limited, models.Call{Model: model.Name, Purpose: models.ForRerank, Tokens: tokens}, model, func(ctx context.Context) (models.TokenUsage, error) {
		var a rerankAnswer
		err := r.api.post(ctx, "/rerank", rerankRequest{Model: r.cfg.Model, Query: question, Documents: texts, TopN: len(texts)}, readJSON(&a))
		if err == nil {
			cost = model.CallPrice
			places, err = a.places(len(texts))
		}
		return models.TokenUsage{}, err
	})
	if err != nil && ctx.Err() == nil && limited.Err() != nil {
		err = kappa.NewError(kappa.CodeUnavailable, fmt.Sprintf("%s took longer than %s", Rerank, r.cfg.Timeout))
	}
	return places, cost, err
}

// places checks an answer, and returns the places of the texts in its order.
func (a *rerankAnswer) places(texts int) ([]int, error) {
	type scored struct {
		place int
		score float64
	}
	var all []scored
	seen := make([]bool, texts)
	for _, one := range a.Results {
		switch {
		case one.Index == nil || one.Score == nil:
			return nil, failed(failedAnswer, "%s answered a result without index or relevance_score", Rerank)
		case *one.Index < 0 || *one.Index >= texts:
			return nil, failed(failedAnswer, "%s answered the index %d of %d texts", Rerank, *one.Index, texts)
		case seen[*one.Index]:
			return nil, failed(failedAnswer, "%s answered the index %d twice", Rerank, *one.Index)
		case math.IsNaN(*one.Score) || math.IsInf(*one.Score, 0):
			return nil, failed(failedAnswer, "%s answered a relevance_score that is no number", Rerank)
		}
		seen[*one.Index] = true
		all = append(all, scored{*one.Index, *one.Score})
	}
	if len(all) == 0 {
		return nil, failed(failedAnswer, "%s answered no results", Rerank)
	}
	slices.SortStableFunc(all, func(a, b scored) int { return -cmp.Compare(a.score, b.score) })
	places := make([]int, len(all))
	for i, s := range all {
		places[i] = s.place
	}
	return places, nil
}
