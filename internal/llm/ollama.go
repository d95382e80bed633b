package llm

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"

	"github.com/kappagraph/kappa/corpus/models"
)

// Defaults for Ollama.
const (
	DefaultOllamaURL     = "http://127.0.0.1:11434"
	DefaultOllamaContext = 16384 // tokens
	leastOllamaContext   = 4096
)

// ollama speaks the native API of Ollama, in which the length of the context can be set.
type ollama struct {
	*transport
	context int // tokens at most
}

func newOllama(base string, context int) *ollama {
	return &ollama{transport: newTransport(Ollama, base, http.Header{}, signature{}), context: context}
}

type ollamaRequest struct {
	Model    string          `json:"model"`
	Messages []openAIMessage `json:"messages"`
	Stream   bool            `json:"stream"`
	Format   json.RawMessage `json:"format,omitempty"`
	Options  ollamaOptions   `json:"options"`
	// Newer versions then refuse what is too long, older ones cut it; see cut.
	Truncate bool `json:"truncate"`
	Shift    bool `json:"shift"`
}

type ollamaOptions struct {
	NumCtx      int     `json:"num_ctx"`
	NumPredict  int     `json:"num_predict"`
	Temperature float64 `json:"temperature"`
}

// ollamaPart is a line of an answer.
type ollamaPart struct {
	Message struct {
		Content string `json:"content"`
	} `json:"message"`
	Done        bool   `json:"done"`
	DoneReason  string `json:"done_reason"`
	PromptCount int    `json:"prompt_eval_count"`
	AnswerCount int    `json:"eval_count"`
	Error       string `json:"error"`
}

// numCtx returns the length of the context for a message, in steps, since Ollama loads
// the model anew for each other one; ok is false when it would be longer than allowed.
// Models count tokens differently: it has a quarter to spare.
func (o *ollama) numCtx(m message) (n int, ok bool) {
	need := m.prompt + m.prompt/4 + m.most
	for n = leastOllamaContext; n < need; n *= 2 {
		if n >= o.context {
			return o.context, need <= o.context
		}
	}
	return min(n, o.context), need <= o.context
}

// chat implements wire. A prompt that does not fit is not sent.
func (o *ollama) chat(ctx context.Context, m message) (answer, error) {
	size, ok := o.numCtx(m)
	if !ok {
		return answer{}, failed(failedLength, "the passage does not fit the context of %d tokens", o.context)
	}
	request := ollamaRequest{
		Model: m.model, Stream: true, Format: m.schema, Options: ollamaOptions{NumCtx: size, NumPredict: m.most},
		Messages: []openAIMessage{{Role: "system", Content: m.system}, {Role: "user", Content: m.user}},
	}
	if m.image != nil {
		request.Messages[1].Images = []string{m.image.base64()}
	}
	var text strings.Builder
	var last ollamaPart
	err := o.post(ctx, "/api/chat", request, func(b *body) error {
		err := eachPart(b, func(part ollamaPart) {
			text.WriteString(part.Message.Content)
			m.heard.add(part.Message.Content)
			if part.Done {
				last = part
			}
		})
		if err == nil && !last.Done {
			return b.cut()
		}
		return err
	})
	usage := models.TokenUsage{Input: last.PromptCount, Output: last.AnswerCount}
	if err != nil {
		return answer{}, err
	}
	return answer{text: text.String(), usage: usage, cut: cutByOllama(last, size, m.least)}, nil
}

// eachPart calls visit with each part of an answer, which are JSON values one after the
// other: a line each in a stream, and a single one, on as many lines as it likes, of a
// server that does not stream.
func eachPart(b *body, visit func(ollamaPart)) error {
	parts := json.NewDecoder(b)
	for n := 0; ; n++ {
		var raw json.RawMessage
		err := parts.Decode(&raw)
		var part ollamaPart
		switch {
		case errors.Is(err, io.EOF) && n > 0:
			return nil
		case errors.Is(err, io.EOF):
			return b.foreign()
		case errors.Is(err, io.ErrUnexpectedEOF):
			return b.cut()
		case isSyntax(err), err == nil && json.Unmarshal(raw, &part) != nil:
			return b.foreign()
		case err != nil:
			return err
		case part.Error != "" && tooLong.MatchString(part.Error):
			return failed(failedLength, "ollama: %s", errorText(raw))
		case part.Error != "":
			return failed(failedProvider, "ollama broke off its answer: %s", errorText(raw))
		}
		visit(part)
	}
}

// isSyntax reports whether err says that what was read is no JSON.
func isSyntax(err error) bool {
	_, is := errors.AsType[*json.SyntaxError](err)
	return is
}

// cutByOllama reports whether an answer, or silently the prompt, was cut off: the context
// is full, or the model has read fewer tokens than the passage alone can be. A count of
// none is no count: the prompt was in a cache.
func cutByOllama(last ollamaPart, size, least int) bool {
	if last.DoneReason == "length" {
		return true
	}
	return last.PromptCount > 0 && (last.PromptCount+last.AnswerCount >= size || last.PromptCount < least)
}

// embed implements wire.
func (o *ollama) embed(ctx context.Context, model string, texts []string) ([]models.Embedding, models.TokenUsage, error) {
	var out struct {
		Embeddings []models.Embedding `json:"embeddings"`
		Count      int                `json:"prompt_eval_count"`
	}
	err := o.post(ctx, "/api/embed", map[string]any{"model": model, "input": texts, "truncate": true}, readJSON(&out))
	usage := models.TokenUsage{Input: out.Count}
	switch {
	case err != nil:
		return nil, usage, err
	case len(out.Embeddings) != len(texts):
		return nil, usage, failed(failedAnswer, "ollama returned %d embeddings for %d texts", len(out.Embeddings), len(texts))
	}
	return out.Embeddings, usage, nil
}
