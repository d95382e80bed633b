package chat

import (
	nethttp "net/http"
	"slices"
	"strings"

	"github.com/gin-gonic/gin"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/internal/check"
	"github.com/kappagraph/kappa/internal/http"
)

// openAIRefusal is a refusal as OpenAI's clients read it.
func openAIRefusal(status int, detail string) any {
	kind, code := "invalid_request_error", ""
	switch {
	case status == nethttp.StatusUnauthorized:
		kind, code = "authentication_error", "invalid_api_key"
	case status == nethttp.StatusNotFound:
		code = "model_not_found"
	case status == nethttp.StatusTooManyRequests:
		kind, code = "rate_limit_error", "rate_limit_exceeded"
	case status >= nethttp.StatusInternalServerError:
		kind = "server_error"
	}
	var named *string
	if code != "" {
		named = &code
	}
	return gin.H{"error": gin.H{"message": detail, "type": kind, "param": nil, "code": named}}
}

type openAIModel struct {
	ID      string `json:"id"`
	Object  string `json:"object"`
	Created int64  `json:"created"`
	OwnedBy string `json:"owned_by"`
}

func (a *API) openAIModel(name string) openAIModel {
	return openAIModel{ID: name, Object: "model", Created: a.cfg.Now().Unix(), OwnedBy: "kappa"}
}

func (a *API) listOpenAI(c *gin.Context) error {
	names, err := a.models(c.Request.Context())
	if err != nil {
		return err
	}
	list := make([]openAIModel, len(names))
	for i, n := range names {
		list[i] = a.openAIModel(n)
	}
	http.WriteJSON(c, nethttp.StatusOK, gin.H{"object": "list", "data": list})
	return nil
}

func (a *API) showOpenAI(c *gin.Context) error {
	names, err := a.models(c.Request.Context())
	if err != nil {
		return err
	}
	if name := c.Param("model"); slices.Contains(names, name) {
		http.WriteJSON(c, nethttp.StatusOK, a.openAIModel(name))
		return nil
	}
	return kappa.NewError(kappa.CodeNotFound, "There is no model "+check.Quote(c.Param("model"))+"; GET /v1/models lists them")
}

type openAIRequest struct {
	Model         string    `json:"model"`
	Messages      []message `json:"messages"`
	Stream        bool      `json:"stream"`
	N             *int      `json:"n"`
	StreamOptions struct {
		IncludeUsage bool `json:"include_usage"`
	} `json:"stream_options"`
}

type openAIUsage struct {
	Prompt     int `json:"prompt_tokens"`
	Completion int `json:"completion_tokens"`
	Total      int `json:"total_tokens"`
}

func openAIUsageOf(u models.TokenUsage) openAIUsage {
	return openAIUsage{Prompt: u.Input, Completion: u.Output, Total: u.Total()}
}

type openAIMessage struct {
	Role    string `json:"role,omitempty"`
	Content string `json:"content"`
}

type openAIChoice struct {
	Index   int            `json:"index"`
	Message *openAIMessage `json:"message,omitempty"`
	Delta   any            `json:"delta,omitempty"`
	Reason  *string        `json:"finish_reason"`
}

// completion is an answer, or a part of one.
type completion struct {
	ID        string         `json:"id"`
	Object    string         `json:"object"`
	Created   int64          `json:"created"`
	Model     string         `json:"model"`
	Choices   []openAIChoice `json:"choices"`
	Usage     *openAIUsage   `json:"usage,omitempty"`
	Citations []string       `json:"citations,omitempty"` // the links of [1], [2] …
}

func (a *API) completeOpenAI(c *gin.Context) error {
	var in openAIRequest
	if err := read(c, &in); err != nil {
		return err
	}
	if in.N != nil && *in.N != 1 {
		return kappa.Invalid(kappa.FieldError{In: "body", Name: "n", Rule: "must be 1: a question has one answer"})
	}
	ctx := c.Request.Context()
	r, err := a.find(ctx, in.Model, in.Messages, http.OriginOf(c))
	if err != nil {
		return err
	}
	answer := completion{ID: "chatcmpl-" + http.RequestID(ctx), Created: a.cfg.Now().Unix(), Model: in.Model}
	if in.Stream {
		return streamOpenAI(c, r, answer, in.StreamOptions.IncludeUsage)
	}
	var text strings.Builder
	used, err := r.tell(ctx, func(part string) error { text.WriteString(part); return nil })
	if err != nil {
		return err
	}
	usage := openAIUsageOf(used)
	answer.Object, answer.Usage, answer.Citations = "chat.completion", &usage, r.links()
	answer.Choices = []openAIChoice{{Message: &openAIMessage{"assistant", text.String()}, Reason: new("stop")}}
	http.WriteJSON(c, nethttp.StatusOK, answer)
	return nil
}

// streamOpenAI tells an answer in parts. What fails in between is told as such, and ends it.
func streamOpenAI(c *gin.Context, r reply, part completion, withUsage bool) error {
	part.Object = "chat.completion.chunk"
	out := begin(c, http.EventStreamType)
	send := func(choices []openAIChoice, usage *openAIUsage, citations []string) error {
		part.Choices, part.Usage, part.Citations = choices, usage, citations
		return out.write("data: ", part, "\n\n")
	}
	// When the client has gone, this fails and so does what follows.
	_ = send([]openAIChoice{{Delta: openAIMessage{Role: "assistant"}}}, nil, nil)
	used, err := r.tell(c.Request.Context(), func(text string) error {
		return send([]openAIChoice{{Delta: openAIMessage{Content: text}}}, nil, nil)
	})
	if err != nil {
		_ = out.write("data: ", openAIRefusal(nethttp.StatusBadGateway, refusalOf(err)), "\n\n")
		return nil
	}
	_ = send([]openAIChoice{{Delta: struct{}{}, Reason: new("stop")}}, nil, r.links())
	if withUsage {
		usage := openAIUsageOf(used)
		_ = send([]openAIChoice{}, &usage, nil)
	}
	_, _ = c.Writer.WriteString("data: [DONE]\n\n")
	return nil
}

// refusalOf is what a client is told of an error within an answer.
func refusalOf(err error) string {
	if message := kappa.ErrorMessage(err); message != "" {
		return message
	}
	return "the answer could not be finished"
}
