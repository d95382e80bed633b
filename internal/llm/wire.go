package llm

import (
	"context"
	"encoding/base64"
	"encoding/json"

	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/corpus/models"
)

// The providers.
const (
	OpenAI    = "openai"
	Anthropic = "anthropic"
	Ollama    = "ollama"
)

// wire is the API of one provider.
type wire interface {
	// chat has a model answer one message.
	chat(ctx context.Context, m message) (answer, error)
	// embed returns the embeddings of texts, in their order.
	embed(ctx context.Context, model string, texts []string) ([]models.Embedding, models.TokenUsage, error)
}

// message is what a model is to answer.
type message struct {
	model  string
	system string
	user   string
	image  *image          // that user is about; nil for none
	schema json.RawMessage // of the answer, which is JSON then; nil: any text
	most   int             // tokens of the answer
	// prompt is about how many tokens system and user are, and least how many they are
	// at the least, by the passage alone: Ollama cuts what is longer than its context,
	// and says nothing.
	prompt, least int
	heard         *heard // gets the answer as it comes; nil: nobody waits for it
}

// heard passes an answer on while it comes. What somebody has heard cannot be taken back,
// so that the call is not made again then.
type heard struct {
	tell func(part string)
	some bool
}

// add passes a part on.
func (h *heard) add(part string) {
	if h != nil && part != "" {
		h.some = true
		h.tell(part)
	}
}

// final reports whether a part was passed on.
func (h *heard) final() bool { return h != nil && h.some }

// image is an image that is sent along.
type image struct {
	kind corpus.ContentType
	body []byte
}

// base64 returns the image as the APIs take it.
func (i *image) base64() string { return base64.StdEncoding.EncodeToString(i.body) }

// answer is what a model answered.
type answer struct {
	text  string
	usage models.TokenUsage
	// cut says that the answer, or what was asked, was longer than the model takes.
	cut bool
}
