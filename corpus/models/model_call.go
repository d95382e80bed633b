package models

import (
	"context"
	"time"
)

// TokenUsage is how many tokens a call of a model has used.
type TokenUsage struct {
	Input  int `json:"input_tokens"`  // that were sent to it
	Output int `json:"output_tokens"` // that it answered with
}

// Add returns the sum of u and o.
func (u TokenUsage) Add(o TokenUsage) TokenUsage {
	return TokenUsage{u.Input + o.Input, u.Output + o.Output}
}

// Total returns all tokens.
func (u TokenUsage) Total() int { return u.Input + u.Output }

// Purpose says what a model is called for.
type Purpose string

// The purposes.
const (
	ForExtraction Purpose = "extraction"
	ForEmbedding  Purpose = "embedding"
	ForImage      Purpose = "image"
	ForAnswer     Purpose = "answer"
	ForRerank     Purpose = "rerank"
	ForCheck      Purpose = "check"
)

// Call is a call to the API of a provider, before it is made.
type Call struct {
	Provider string
	Model    string
	Purpose  Purpose
	JobID    string // that it is made for; "" for none
	Tokens   int    // about as many as it will use, for limits by the minute
	// Key is a UUID of this call alone: queueing it again finds the same one. "" is none.
	Key string
}

// CallResult is what became of a call.
type CallResult struct {
	Usage  TokenUsage
	Cost   float64       // US dollars
	Took   time.Duration // from the permission to its end
	Failed bool          // no answer that could be used
	// Outage is set when the provider failed rather than the call: nobody is to call it
	// for a while.
	Outage *Outage
	// Cut says that we ended the call before it was answered, as when its job is
	// cancelled: it says nothing about the provider.
	Cut bool
}

// Outage is why a provider is not called for a while.
type Outage struct {
	Reason string        // for people; names no secret
	After  time.Duration // that the provider asked for; 0: it did not say
}

// Spending is what the calls to models have cost a job, over all its attempts, those
// that failed included.
type Spending struct {
	Extraction TokenUsage
	Embedding  TokenUsage
	// US dollars, not rounded.
	ExtractionCost float64
	EmbeddingCost  float64
	Calls          int
	Seconds        float64 // that calls took, all together; they overlap
}

// Cost returns the whole cost in US dollars.
func (s Spending) Cost() float64 { return s.ExtractionCost + s.EmbeddingCost }

type jobKey struct{}

// WithJob returns a context for what is done for a job, so that calls to models are
// counted for it.
func WithJob(ctx context.Context, jobID string) context.Context {
	return context.WithValue(ctx, jobKey{}, jobID)
}

// JobOf returns the job that ctx is for, "" for none.
func JobOf(ctx context.Context) string {
	id, _ := ctx.Value(jobKey{}).(string)
	return id
}
