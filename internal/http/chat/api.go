// Package chat is the part of the HTTP API that chat clients know: the routes of OpenAI's API
// and of Ollama's that list models and answer a conversation. A model is an ontology, and an
// answer is what its documents say, with numbered sources.
package chat

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	nethttp "net/http"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/gin-gonic/gin"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/internal/http"
)

// Config is what an API needs.
type Config struct {
	Model func() http.AnswerModel // that answers now
	Now   func() time.Time
}

// API answers chat clients.
type API struct {
	cfg Config
	ask func(ctx context.Context, method, path string, body any) (json.RawMessage, error)
}

// New returns the resource.
func New(cfg Config) *API { return &API{cfg: cfg} }

// lines is the type of an answer that comes as lines of JSON.
const lines = "application/x-ndjson"

const (
	maxConversation = 4 << 20 // bytes, of which only questions are heeded
	readWithin      = 30 * time.Second
	answerWithin    = 2 * time.Minute // until the first part; after it, each has its own time
	partWithin      = 30 * time.Second
)

// Register adds the routes.
func (a *API) Register(r *http.Router) error {
	a.ask = r.Ask
	openAI := func(method, path, id, summary string) http.Route {
		return http.Route{Method: method, Path: path, Permission: access.GraphRead, ByRow: true, ID: id, Summary: summary, Refusal: openAIRefusal, AnswerWithin: answerWithin, Document: document}
	}
	ollama := func(method, path, id, summary string) http.Route {
		route := openAI(method, path, id, summary)
		route.Refusal = ollamaRefusal
		return route
	}
	r.RegisterRaw(openAI("GET", "/v1/models", "chat.models", "List the ontologies as OpenAI's API lists models"), a.listOpenAI)
	r.RegisterRaw(openAI("GET", "/v1/models/{model}", "chat.model", "Show an ontology as OpenAI's API shows a model"), a.showOpenAI)
	r.RegisterRaw(openAI("POST", "/v1/chat/completions", "chat.completions", "Answer a conversation from the documents of an ontology, as OpenAI's API does"), a.completeOpenAI)
	r.RegisterRaw(ollama("GET", "/tags", "chat.tags", "List the ontologies as Ollama lists models, at /api/tags"), a.listOllama)
	r.RegisterRaw(ollama("POST", "/chat", "chat.chat", "Answer a conversation from the documents of an ontology, as Ollama does at /api/chat"), a.chatOllama)
	return nil
}

// document completes the description of a route: its bodies are those of the other protocol.
func document(op *huma.Operation) {
	object := &huma.Schema{Type: huma.TypeObject}
	http.Respond(op, "200", http.JSONType, "As the clients of that API expect it", object)
	http.Respond(op, "default", http.JSONType, "A refusal, in the words of that API", object)
	if strings.Contains(op.Path, "{model}") {
		op.Parameters = []*huma.Param{{Name: "model", In: "path", Required: true, Description: "The name of an ontology, or kappa", Schema: &huma.Schema{Type: huma.TypeString}}}
	}
	if op.Method == nethttp.MethodPost {
		text := &huma.MediaType{Schema: &huma.Schema{Type: huma.TypeString}}
		op.Responses["200"].Content[http.EventStreamType], op.Responses["200"].Content[lines] = text, text
		op.RequestBody = &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{http.JSONType: {Schema: &huma.Schema{
			Type: huma.TypeObject, Required: []string{"model", "messages"}, Properties: map[string]*huma.Schema{
				"model":    {Type: huma.TypeString, Description: "An ontology, or kappa for all documents; with :passages behind it no model is called"},
				"messages": {Type: huma.TypeArray, Items: object, Description: "The conversation; the last question of the user is answered"},
				"stream":   {Type: huma.TypeBoolean},
			},
		}}}}
	}
}

// read reads the body of a request.
func read(c *gin.Context, into any) error {
	body, err := http.LimitBody(c, maxConversation, readWithin)
	if err != nil {
		return err
	}
	data, err := io.ReadAll(body)
	http.BodyRead(c)
	if err != nil {
		return http.BodyError(err)
	}
	err = json.Unmarshal(data, into)
	if mismatch, ok := errors.AsType[*json.UnmarshalTypeError](err); ok && mismatch.Field != "" {
		return kappa.NewError(kappa.CodeMalformed, mismatch.Field+" has a value of another kind than it takes: "+mismatch.Value)
	}
	if err != nil && kappa.ErrorCode(err) != kappa.CodeMalformed {
		return kappa.NewError(kappa.CodeMalformed, "The body must be a JSON object with model and messages")
	}
	return err
}

// parts writes an answer that comes in parts.
type parts struct {
	c  *gin.Context
	rc *nethttp.ResponseController
}

// begin begins an answer of a content type, after which errors can no longer be answered.
func begin(c *gin.Context, contentType string) parts {
	http.AnswerBegins(c.Request.Context())
	c.Header("Content-Type", contentType)
	c.Header("Cache-Control", "no-cache, no-store, no-transform")
	c.Header("X-Accel-Buffering", "no") // a proxy would keep it back
	c.Status(nethttp.StatusOK)
	return parts{c, nethttp.NewResponseController(c.Writer)}
}

// write writes a part, and sends it at once.
func (p parts) write(before string, v any, after string) error {
	_ = p.rc.SetWriteDeadline(time.Now().Add(partWithin)) // as far as supported
	if _, err := p.c.Writer.WriteString(before + strings.TrimRight(string(http.EncodeJSON(v)), "\n") + after); err != nil {
		return err
	}
	return p.rc.Flush()
}
