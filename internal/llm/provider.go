package llm

import (
	"context"
	"errors"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/tracing"
)

// Config says how a provider is reached.
type Config struct {
	Name string // OpenAI, Anthropic or Ollama
	URL  string // of the API; "" is the provider's own
	Key  string // "" for servers that ask for none
	// KeyNow returns the key in place of Key, and is asked at each call: it may change
	// meanwhile. Its error has a call wait as if the provider were away.
	KeyNow  func() (string, error)
	Context int // tokens, of Ollama; 0 is DefaultOllamaContext
	// Governor says when calls may be made; nil makes them at once.
	Governor governor
	// Prices are those of the models; nil knows none.
	Prices Prices
}

// governor says when a call may be made, and learns what became of it.
type governor interface {
	// Call waits until the call may be made, makes it, and makes it again after the
	// provider failed, see models.CallResult. It returns the error of request, or one that
	// Postponed knows when the provider is away for longer than it waits, or that of ctx.
	Call(ctx context.Context, c models.Call, request func(ctx context.Context) (models.CallResult, error)) error
}

// Provider is the API of a provider, through which models are called. It is safe for
// concurrent use.
type Provider struct {
	name     string
	wire     wire
	governor governor
	prices   Prices
}

// NewProvider returns the provider of that name, or nil when there is none. It connects
// to nothing.
func NewProvider(cfg Config) *Provider {
	key := keySource(cfg.KeyNow)
	if key == nil {
		key = func() (string, error) { return cfg.Key, nil }
	}
	p := &Provider{name: cfg.Name, governor: cfg.Governor, prices: cfg.Prices}
	or := func(value, other string) string {
		if value == "" {
			return other
		}
		return value
	}
	switch cfg.Name {
	case OpenAI:
		p.wire = newOpenAI(or(cfg.URL, DefaultOpenAIURL), key)
	case Anthropic:
		p.wire = newAnthropic(or(cfg.URL, DefaultAnthropicURL), key)
	case Ollama:
		size := cfg.Context
		if size == 0 {
			size = DefaultOllamaContext
		}
		p.wire = newOllama(or(cfg.URL, DefaultOllamaURL), size)
	default:
		return nil
	}
	if p.governor == nil {
		p.governor = ungoverned{}
	}
	return p
}

// Name returns the provider's name.
func (p *Provider) Name() string { return p.name }

// model describes one of the provider's models.
func (p *Provider) model(name string) models.Model {
	m := models.Model{Name: p.name + "/" + name, Provider: p.name}
	price := p.prices.Of(p.name, name)
	m.PricePerMillion, m.OutputPrice = price.Input, price.Output
	return m
}

// chat has a model answer, as the governor allows.
func (p *Provider) chat(ctx context.Context, purpose models.Purpose, m message) (a answer, err error) {
	model := p.model(m.model)
	err = p.call(ctx, models.Call{Model: model.Name, Purpose: purpose, Tokens: m.prompt + m.most/2}, model, func(ctx context.Context) (usage models.TokenUsage, err error) {
		ctx, span := p.startSpan(ctx, tracing.OperationChat, m.model)
		a, err = p.wire.chat(ctx, m)
		p.endSpan(ctx, span, model, a.usage, err)
		if f, ok := errors.AsType[*failure](err); ok && m.heard.final() {
			f.kind = failedAnswer // which is of this call alone
		}
		return a.usage, err
	})
	return a, err
}

// embed embeds texts, as the governor allows.
func (p *Provider) embed(ctx context.Context, purpose models.Purpose, name string, texts []string) (vectors []models.Embedding, err error) {
	model := p.model(name)
	tokens := 0
	for _, t := range texts {
		tokens += len(t)/4 + 1
	}
	err = p.call(ctx, models.Call{Model: model.Name, Purpose: purpose, Tokens: tokens}, model, func(ctx context.Context) (usage models.TokenUsage, err error) {
		ctx, span := p.startSpan(ctx, tracing.OperationEmbeddings, name)
		vectors, usage, err = p.wire.embed(ctx, name, texts)
		if usage.Input == 0 && err == nil {
			usage.Input = tokens // servers that do not count
		}
		p.endSpan(ctx, span, model, usage, err)
		return usage, err
	})
	return vectors, err
}

// startSpan begins the span of one call.
func (p *Provider) startSpan(ctx context.Context, operation, model string) (context.Context, *tracing.Span) {
	ctx, span := tracing.Start(ctx, tracing.Client, operation, model)
	span.String(tracing.ModelOperation, operation)
	span.String(tracing.ModelProvider, p.name)
	span.String(tracing.ModelRequested, model)
	return ctx, span
}

// endSpan says what a call has used and cost, and how it ended. What a provider says of a failure
// may quote the passage, so that only its kind is said.
func (p *Provider) endSpan(ctx context.Context, span *tracing.Span, model models.Model, usage models.TokenUsage, err error) {
	if span == nil {
		return
	}
	f, failed := errors.AsType[*failure](err)
	if failed {
		usage = usage.Add(f.usage)
	}
	span.Int(tracing.ModelInput, int64(usage.Input))
	span.Int(tracing.ModelOutput, int64(usage.Output))
	span.Float(tracing.ModelCost, costOf(model, usage, err))
	if failed && ctx.Err() == nil {
		err = &kappa.Error{Code: kappa.ErrorCode(asError(ctx, p.name, err)), Message: f.summary(p.name)}
	}
	span.End(err)
}

// costOf returns what a call has cost that used so much and ended with err.
func costOf(model models.Model, usage models.TokenUsage, err error) float64 {
	if err != nil {
		return model.CostOf(usage)
	}
	return model.CostOf(usage) + model.CallPrice
}

// call makes a call through the governor, and has it learn what it used and cost.
func (p *Provider) call(ctx context.Context, c models.Call, model models.Model, do func(ctx context.Context) (models.TokenUsage, error)) error {
	c.Provider, c.JobID = p.name, models.JobOf(ctx)
	err := p.governor.Call(ctx, c, func(ctx context.Context) (models.CallResult, error) {
		began := time.Now()
		usage, err := do(ctx)
		r := models.CallResult{Usage: usage, Took: time.Since(began), Failed: err != nil}
		if f, ok := errors.AsType[*failure](err); ok {
			r.Usage = r.Usage.Add(f.usage)
			if f.kind == failedProvider {
				r.Outage = &models.Outage{Reason: f.text, After: f.after}
			}
		}
		r.Cost = costOf(model, r.Usage, err)
		return r, err
	})
	if err == nil {
		return nil
	}
	return asError(ctx, p.name, err)
}

// ungoverned makes every call at once.
type ungoverned struct{}

func (ungoverned) Call(ctx context.Context, _ models.Call, request func(ctx context.Context) (models.CallResult, error)) error {
	_, err := request(ctx)
	return err
}
