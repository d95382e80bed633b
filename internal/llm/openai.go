package llm

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/kappagraph/kappa/corpus/models"
)

// DefaultOpenAIURL is where OpenAI's own API is.
const DefaultOpenAIURL = "https://api.openai.com/v1"

// How a server of OpenAI's API is asked for JSON, the strictest first. Not every
// compatible server knows all of them.
const (
	askSchema int32 = iota
	askObject
	askInWords
)

// openAI speaks the API of OpenAI: chat completions and embeddings.
type openAI struct {
	*transport
	own  bool         // it is OpenAI's own server
	mode atomic.Int32 // how JSON is asked for
}

// newOpenAI returns the API at base; key is for servers that ask for one.
func newOpenAI(base string, key keySource) *openAI {
	at, _ := url.Parse(base)
	return &openAI{
		transport: newTransport(OpenAI, base, http.Header{}, key.as("Authorization", "Bearer ")),
		own:       at != nil && strings.HasSuffix(at.Hostname(), "openai.com"),
	}
}

// openAIMessage is a message of the chat; Ollama and Anthropic have the same form, but
// for what Content is with an image.
type openAIMessage struct {
	Role    string   `json:"role"`
	Content any      `json:"content"`          // a string, or parts
	Images  []string `json:"images,omitempty"` // of Ollama, in base64
}

// openAIContent is a text, with the image that it is about.
func openAIContent(m message) any {
	if m.image == nil {
		return m.user
	}
	at := "data:" + string(m.image.kind) + ";base64," + m.image.base64()
	return []map[string]any{{"type": "text", "text": m.user}, {"type": "image_url", "image_url": map[string]string{"url": at}}}
}

type openAIRequest struct {
	Model         string          `json:"model"`
	Messages      []openAIMessage `json:"messages"`
	Stream        bool            `json:"stream"`
	StreamOptions map[string]bool `json:"stream_options"`
	MaxTokens     int             `json:"max_tokens,omitempty"`            // the name that compatible servers know
	MaxCompletion int             `json:"max_completion_tokens,omitempty"` // the name that OpenAI wants
	Format        any             `json:"response_format,omitempty"`
}

// openAIPart is an event of the stream of an answer, or a whole one.
type openAIPart struct {
	Choices []struct {
		Delta struct {
			Content string `json:"content"`
			Refusal string `json:"refusal"`
		} `json:"delta"`
		Message struct { // of a whole answer
			Content string `json:"content"`
			Refusal string `json:"refusal"`
		} `json:"message"`
		FinishReason string `json:"finish_reason"`
	} `json:"choices"`
	Usage *struct {
		Prompt     int `json:"prompt_tokens"`
		Completion int `json:"completion_tokens"`
	} `json:"usage"`
	Error json.RawMessage `json:"error"`
}

// chat implements wire. A server that refuses the way in which JSON is asked for is asked
// in the next one, from then on.
func (o *openAI) chat(ctx context.Context, m message) (answer, error) {
	for {
		mode := o.mode.Load()
		a, err := o.chatIn(ctx, m, mode)
		if f, ok := err.(*failure); ok && f.kind == failedRequest && m.schema != nil && mode < askInWords && aboutFormat(f.text) { //nolint:errorlint // chatIn wraps nothing
			o.mode.CompareAndSwap(mode, mode+1)
			continue
		}
		return a, err
	}
}

// aboutFormat reports whether a server complains of how JSON is asked for.
func aboutFormat(text string) bool {
	text = strings.ToLower(text)
	return slices.ContainsFunc([]string{"response_format", "json_schema", "output_config", "structured output", "schema"}, func(s string) bool { return strings.Contains(text, s) })
}

func (o *openAI) chatIn(ctx context.Context, m message, mode int32) (answer, error) {
	request := openAIRequest{
		Model: m.model, Stream: true, StreamOptions: map[string]bool{"include_usage": true},
		Messages: []openAIMessage{{Role: "system", Content: m.system}, {Role: "user", Content: openAIContent(m)}},
	}
	if o.own {
		request.MaxCompletion = m.most
	} else {
		request.MaxTokens = m.most
	}
	switch {
	case m.schema == nil:
	case mode == askSchema:
		request.Format = map[string]any{"type": "json_schema", "json_schema": map[string]any{"name": "extraction", "strict": true, "schema": m.schema}}
	case mode == askObject:
		request.Format = map[string]string{"type": "json_object"}
	}
	s := openAIStream{heard: m.heard}
	err := o.post(ctx, "/chat/completions", request, s.read)
	return s.answer(err)
}

// openAIStream collects the events of an answer.
type openAIStream struct {
	heard   *heard
	text    strings.Builder
	refusal strings.Builder
	finish  string
	usage   models.TokenUsage
	done    bool
	parts   int // that came
}

// read reads an answer, in whichever form it comes.
func (s *openAIStream) read(b *body) error {
	whole, err := b.whole()
	if err != nil {
		return err
	}
	if !whole {
		if err := eachEvent(b, func(data []byte) error { return s.take(b, data) }); err != nil {
			return err
		}
		return s.complete(b)
	}
	var all json.RawMessage
	if err := b.readWhole(&all); err != nil {
		return err
	}
	s.done = true
	if err := s.take(b, all); err != nil {
		return err
	}
	if s.finish == "" && s.text.Len() == 0 && s.refusal.Len() == 0 { // some other object
		return b.foreign()
	}
	return nil
}

// complete returns an error for a stream that ended too early, or was none.
func (s *openAIStream) complete(b *body) error {
	switch {
	case s.finish != "" || s.done:
		return nil
	case s.parts == 0:
		return b.foreign()
	}
	return b.cut()
}

func (s *openAIStream) take(b *body, data []byte) error {
	s.parts++
	if string(data) == "[DONE]" {
		s.done = true
		return nil
	}
	var part openAIPart
	if json.Unmarshal(data, &part) != nil {
		return b.foreign()
	}
	if len(part.Error) > 0 && string(part.Error) != "null" {
		return failed(failedProvider, "openai broke off its answer: %s", errorText(data))
	}
	for _, c := range part.Choices {
		for _, text := range []string{c.Delta.Content, c.Message.Content} {
			s.text.WriteString(text)
			s.heard.add(text)
		}
		s.refusal.WriteString(c.Delta.Refusal)
		s.refusal.WriteString(c.Message.Refusal)
		if c.FinishReason != "" {
			s.finish = c.FinishReason
		}
	}
	if part.Usage != nil {
		s.usage = models.TokenUsage{Input: part.Usage.Prompt, Output: part.Usage.Completion}
	}
	return nil
}

func (s *openAIStream) answer(err error) (answer, error) {
	switch {
	case err != nil:
		return answer{}, charged(err, s.usage)
	case s.finish == "content_filter", s.refusal.Len() > 0:
		return answer{}, charged(failed(failedAnswer, "the model refused to read the passage"), s.usage)
	}
	return answer{text: s.text.String(), usage: s.usage, cut: s.finish == "length"}, nil
}

// charged adds to a failure what was charged all the same.
func charged(err error, usage models.TokenUsage) error {
	if f, ok := err.(*failure); ok { //nolint:errorlint // post wraps nothing
		f.usage = f.usage.Add(usage)
	}
	return err
}

// embed implements wire.
func (o *openAI) embed(ctx context.Context, model string, texts []string) ([]models.Embedding, models.TokenUsage, error) {
	var out struct {
		Data []struct {
			Index     int              `json:"index"`
			Embedding models.Embedding `json:"embedding"`
		} `json:"data"`
		Usage struct {
			Prompt int `json:"prompt_tokens"`
		} `json:"usage"`
	}
	err := o.post(ctx, "/embeddings", map[string]any{"model": model, "input": texts, "encoding_format": "float"}, readJSON(&out))
	usage := models.TokenUsage{Input: out.Usage.Prompt}
	if err != nil {
		return nil, usage, err
	}
	vectors := make([]models.Embedding, len(texts))
	for _, d := range out.Data {
		if d.Index < 0 || d.Index >= len(vectors) || vectors[d.Index] != nil {
			return nil, usage, failed(failedAnswer, "openai numbered its embeddings wrongly")
		}
		vectors[d.Index] = d.Embedding
	}
	if len(out.Data) != len(texts) {
		return nil, usage, failed(failedAnswer, "openai returned %s", fmt.Sprintf("%d embeddings for %d texts", len(out.Data), len(texts)))
	}
	return vectors, usage, nil
}
