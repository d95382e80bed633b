package llm

import (
	"context"
	"errors"
	"maps"
	"strings"
	"testing"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/internal/llm/llmtest"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/tracing"
)

// recorder keeps the spans of one test, which begins them one after the other.
type recorder struct{ spans []*recorded }

// recorded is a span that a recorder keeps.
type recorded struct {
	tracing.Beginning

	texts   map[tracing.Key]string
	numbers map[tracing.Key]float64
	err     error
	ended   int
}

func (r *recorder) Begin(b tracing.Beginning) tracing.Recording {
	s := &recorded{Beginning: b, texts: map[tracing.Key]string{}, numbers: map[tracing.Key]float64{}}
	r.spans = append(r.spans, s)
	return s
}

func (s *recorded) Name(operation, target string)        { s.Operation, s.Target = operation, target }
func (s *recorded) String(key tracing.Key, value string) { s.texts[key] = value }
func (s *recorded) Int(key tracing.Key, value int64)     { s.numbers[key] = float64(value) }
func (s *recorded) Float(key tracing.Key, value float64) { s.numbers[key] = value }
func (s *recorded) End(err error)                        { s.err = err; s.ended++ }
func (s *recorded) Sampled() bool                        { return true }
func (s *recorded) Traceparent() string                  { return "parent" }
func (s *recorded) IDs() (trace, span string)            { return "", "" }

// priced returns a provider whose model-1 has a price, and whose calls are recorded.
func priced(t *testing.T, name string, s *llmtest.Server) *Provider {
	t.Helper()
	p := providers(t, s)[name]
	p.prices = Prices{}.Set(name, "model-1", Price{Input: 1000, Output: 5000})
	return p
}

// onlySpan returns the one span of a call.
func onlySpan(t *testing.T, r *recorder) *recorded {
	t.Helper()
	if len(r.spans) != 2 || r.spans[1].ended != 1 {
		t.Fatalf("%d spans began, want the test's and the call's, which has ended", len(r.spans))
	}
	return r.spans[1]
}

// TestSpanOfACall has calls recorded: what they are, who answers, and what they use and cost.
func TestSpanOfACall(t *testing.T) {
	for _, name := range []string{OpenAI, Anthropic, Ollama} {
		for _, operation := range []string{tracing.OperationChat, tracing.OperationEmbeddings} {
			if name == Anthropic && operation == tracing.OperationEmbeddings {
				continue // it has none
			}
			t.Run(name+" "+operation, func(t *testing.T) {
				r := &recorder{}
				p := priced(t, name, newServer(t, nil))
				ctx, span := tracing.Begin(t.Context(), r, tracing.Beginning{})
				var usage models.TokenUsage
				p.governor = counting{&usage}
				var err error
				if operation == tracing.OperationChat {
					_, err = NewExtractor(p, "model-1").Extract(ctx, knowledge.Passage{Text: "Ada wrote to Babbage."})
				} else {
					_, err = NewEmbedder(p, "model-1").Embed(ctx, []string{"Ada"})
				}
				span.End(nil)
				if err != nil {
					t.Fatal(err)
				}
				s := onlySpan(t, r)
				if s.Kind != tracing.Client || s.Operation != operation || s.Target != "model-1" || s.Parent != "parent" || s.err != nil {
					t.Errorf("the span is %+v", s)
				}
				if want := map[tracing.Key]string{tracing.ModelOperation: operation, tracing.ModelProvider: name, tracing.ModelRequested: "model-1"}; !maps.Equal(s.texts, want) {
					t.Errorf("it says %v, want %v", s.texts, want)
				}
				want := map[tracing.Key]float64{
					tracing.ModelInput: float64(usage.Input), tracing.ModelOutput: float64(usage.Output), tracing.ModelCost: p.model("model-1").CostOf(usage),
				}
				if !maps.Equal(s.numbers, want) || usage.Input == 0 || want[tracing.ModelCost] <= 0 {
					t.Errorf("it says %v, want %v", s.numbers, want)
				}
			})
		}
	}
}

// counting makes calls at once, and adds up what they have used.
type counting struct{ usage *models.TokenUsage }

// TestSpanOfAFailedCall has calls fail: the span has the kind of the failure, what was charged
// all the same, and nothing that the provider said.
func TestSpanOfAFailedCall(t *testing.T) {
	for name, tt := range map[string]struct {
		reply llmtest.Reply
		code  kappa.Code
		says  string
	}{
		"it limits our calls": {llmtest.Reply{Status: 429, Error: "you said: Ada wrote"}, kappa.CodeUnavailable, "openai answered 429"},
		"it refuses":          {llmtest.Reply{Status: 400, Error: "you said: Ada wrote"}, kappa.CodeUpstream, "openai answered 400"},
	} {
		t.Run(name, func(t *testing.T) {
			r := &recorder{}
			p := priced(t, OpenAI, newServer(t, func(llmtest.Call) llmtest.Reply { return tt.reply }))
			ctx, span := tracing.Begin(t.Context(), r, tracing.Beginning{})
			_, err := NewExtractor(p, "model-1").Extract(ctx, knowledge.Passage{Text: "Ada wrote to Babbage."})
			span.End(nil)
			if err == nil {
				t.Fatal("the call has not failed")
			}
			s := onlySpan(t, r)
			if kappa.ErrorCode(s.err) != tt.code || kappa.ErrorMessage(s.err) != tt.says || strings.Contains(s.err.Error(), "Ada") {
				t.Errorf("it ended with %v, want %q of kind %q", s.err, tt.says, tt.code)
			}
			if _, ok := errors.AsType[*failure](s.err); ok || s.texts[tracing.ModelProvider] != OpenAI {
				t.Errorf("the span is %+v", s)
			}
		})
	}
}

func (c counting) Call(ctx context.Context, _ models.Call, request func(ctx context.Context) (models.CallResult, error)) error {
	r, err := request(ctx)
	*c.usage = c.usage.Add(r.Usage)
	return err
}
