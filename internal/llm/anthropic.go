package llm

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"sync/atomic"

	"github.com/kappagraph/kappa/corpus/models"
)

// DefaultAnthropicURL is where Anthropic's API is.
const DefaultAnthropicURL = "https://api.anthropic.com"

// anthropicVersion is the version of the API that is spoken.
const anthropicVersion = "2023-06-01"

// anthropic speaks the API of Anthropic: messages.
type anthropic struct {
	*transport
	inWords atomic.Bool // the model takes no schema
}

func newAnthropic(base string, key keySource) *anthropic {
	header := http.Header{}
	header.Set("Anthropic-Version", anthropicVersion)
	return &anthropic{transport: newTransport(Anthropic, base, header, key.as("X-Api-Key", ""))}
}

type anthropicRequest struct {
	Model     string          `json:"model"`
	System    string          `json:"system,omitempty"`
	Messages  []openAIMessage `json:"messages"`
	MaxTokens int             `json:"max_tokens"`
	Stream    bool            `json:"stream"`
	Output    any             `json:"output_config,omitempty"`
}

// anthropicContent is a text, with the image that it is about.
func anthropicContent(m message) any {
	if m.image == nil {
		return m.user
	}
	source := map[string]string{"type": "base64", "media_type": string(m.image.kind), "data": m.image.base64()}
	return []map[string]any{{"type": "image", "source": source}, {"type": "text", "text": m.user}}
}

// anthropicUsage are the tokens of an answer; those that come from or go to a cache are
// apart.
type anthropicUsage struct {
	Input         int `json:"input_tokens"`
	CacheCreation int `json:"cache_creation_input_tokens"`
	CacheRead     int `json:"cache_read_input_tokens"`
	Output        int `json:"output_tokens"`
}

// anthropicEvent is an event of the stream of an answer, or a whole one.
type anthropicEvent struct {
	Type    string `json:"type"`
	Message struct {
		Usage anthropicUsage `json:"usage"`
	} `json:"message"`
	Delta struct {
		Type       string `json:"type"`
		Text       string `json:"text"`
		StopReason string `json:"stop_reason"`
	} `json:"delta"`
	Usage anthropicUsage `json:"usage"`
	// Of a whole answer.
	Content []struct {
		Text string `json:"text"`
	} `json:"content"`
	StopReason string `json:"stop_reason"`
}

// chat implements wire. A model that takes no schema is asked in words, from then on.
func (a *anthropic) chat(ctx context.Context, m message) (answer, error) {
	for {
		inWords := a.inWords.Load()
		got, err := a.chatIn(ctx, m, inWords)
		if f, ok := err.(*failure); ok && f.kind == failedRequest && m.schema != nil && !inWords && aboutFormat(f.text) { //nolint:errorlint // chatIn wraps nothing
			a.inWords.Store(true)
			continue
		}
		return got, err
	}
}

func (a *anthropic) chatIn(ctx context.Context, m message, inWords bool) (answer, error) {
	request := anthropicRequest{
		Model: m.model, System: m.system, MaxTokens: m.most, Stream: true,
		Messages: []openAIMessage{{Role: "user", Content: anthropicContent(m)}},
	}
	if m.schema != nil && !inWords {
		request.Output = map[string]any{"format": map[string]any{"type": "json_schema", "schema": m.schema}}
	}
	s := anthropicStream{heard: m.heard}
	err := a.post(ctx, "/v1/messages", request, s.read)
	return s.answer(err)
}

// anthropicStream collects the events of an answer.
type anthropicStream struct {
	heard *heard
	text  strings.Builder
	stop  string
	usage models.TokenUsage
	done  bool
	parts int // that came
}

// read reads an answer, in whichever form it comes.
func (s *anthropicStream) read(b *body) error {
	whole, err := b.whole()
	if err != nil {
		return err
	}
	if whole {
		var all json.RawMessage
		if err := b.readWhole(&all); err != nil {
			return err
		}
		err = s.take(b, all)
	} else {
		err = eachEvent(b, func(data []byte) error { return s.take(b, data) })
	}
	switch {
	case err != nil || s.done:
		return err
	case whole || s.parts == 0:
		return b.foreign()
	}
	return b.cut()
}

func (s *anthropicStream) take(b *body, data []byte) error {
	s.parts++
	var e anthropicEvent
	if json.Unmarshal(data, &e) != nil {
		return b.foreign()
	}
	switch e.Type {
	case "message": // a whole answer
		for _, c := range e.Content {
			s.text.WriteString(c.Text)
			s.heard.add(c.Text)
		}
		s.stop, s.done = e.StopReason, true
		s.usage = models.TokenUsage{Input: e.Usage.Input + e.Usage.CacheCreation + e.Usage.CacheRead, Output: e.Usage.Output}
	case "message_start":
		u := e.Message.Usage
		s.usage = models.TokenUsage{Input: u.Input + u.CacheCreation + u.CacheRead, Output: u.Output}
	case "content_block_delta":
		s.text.WriteString(e.Delta.Text) // of thinking there is none
		s.heard.add(e.Delta.Text)
	case "message_delta":
		if e.Delta.StopReason != "" {
			s.stop = e.Delta.StopReason
		}
		s.usage.Output = max(s.usage.Output, e.Usage.Output) // a running total
	case "message_stop":
		s.done = true
	case "error":
		return failed(failedProvider, "anthropic broke off its answer: %s", errorText(data))
	}
	return nil
}

func (s *anthropicStream) answer(err error) (answer, error) {
	switch {
	case err != nil:
		return answer{}, charged(err, s.usage)
	case s.stop == "refusal":
		return answer{}, charged(failed(failedAnswer, "the model refused to read the passage"), s.usage)
	}
	return answer{text: s.text.String(), usage: s.usage, cut: s.stop == "max_tokens" || s.stop == "model_context_window_exceeded"}, nil
}

// embed implements wire: Anthropic has no embeddings.
func (*anthropic) embed(context.Context, string, []string) ([]models.Embedding, models.TokenUsage, error) {
	return nil, models.TokenUsage{}, failed(failedRequest, "anthropic has no embeddings")
}
