package chat

import (
	"crypto/sha256"
	"encoding/hex"
	nethttp "net/http"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/internal/http"
)

// ollamaRefusal is a refusal as Ollama's clients read it.
func ollamaRefusal(_ int, detail string) any { return gin.H{"error": detail} }

type ollamaDetails struct {
	Parent       string   `json:"parent_model"`
	Format       string   `json:"format"`
	Family       string   `json:"family"`
	Families     []string `json:"families"`
	Size         string   `json:"parameter_size"`
	Quantization string   `json:"quantization_level"`
}

type ollamaModel struct {
	Name     string        `json:"name"`
	Model    string        `json:"model"`
	Modified time.Time     `json:"modified_at"`
	Size     int64         `json:"size"`
	Digest   string        `json:"digest"`
	Details  ollamaDetails `json:"details"`
}

func (a *API) listOllama(c *gin.Context) error {
	names, err := a.models(c.Request.Context())
	if err != nil {
		return err
	}
	list := make([]ollamaModel, len(names))
	for i, n := range names {
		digest := sha256.Sum256([]byte(n))
		list[i] = ollamaModel{Name: n, Model: n, Modified: a.cfg.Now(), Digest: hex.EncodeToString(digest[:]), Details: ollamaDetails{Format: "graph", Family: "kappa", Families: []string{"kappa"}}}
	}
	http.WriteJSON(c, nethttp.StatusOK, gin.H{"models": list})
	return nil
}

type ollamaRequest struct {
	Model    string    `json:"model"`
	Messages []message `json:"messages"`
	Stream   *bool     `json:"stream"` // true without it
}

// ollamaPart is an answer, or a part of one. Durations are in nanoseconds.
type ollamaPart struct {
	Model   string        `json:"model"`
	Created time.Time     `json:"created_at"`
	Message openAIMessage `json:"message"`
	Reason  string        `json:"done_reason,omitempty"`
	Done    bool          `json:"done"`
	*ollamaUsage
}

type ollamaUsage struct {
	Total      time.Duration `json:"total_duration"`
	Prompt     int           `json:"prompt_eval_count"`
	Completion int           `json:"eval_count"`
}

// end makes p the last part.
func (p *ollamaPart) end(since, now time.Time, used models.TokenUsage) {
	p.Created, p.Done, p.Reason = now, true, "stop"
	p.ollamaUsage = &ollamaUsage{Total: now.Sub(since), Prompt: used.Input, Completion: used.Output}
}

func (a *API) chatOllama(c *gin.Context) error {
	var in ollamaRequest
	if err := read(c, &in); err != nil {
		return err
	}
	ctx, since := c.Request.Context(), a.cfg.Now()
	r, err := a.find(ctx, in.Model, in.Messages, http.OriginOf(c))
	if err != nil {
		return err
	}
	part := ollamaPart{Model: in.Model, Message: openAIMessage{Role: "assistant"}}
	if in.Stream != nil && !*in.Stream {
		var text strings.Builder
		used, err := r.tell(ctx, func(s string) error { text.WriteString(s); return nil })
		if err != nil {
			return err
		}
		part.Message.Content = text.String()
		part.end(since, a.cfg.Now(), used)
		http.WriteJSON(c, nethttp.StatusOK, part)
		return nil
	}
	out := begin(c, lines)
	used, err := r.tell(ctx, func(s string) error {
		part.Message.Content, part.Created = s, a.cfg.Now()
		return out.write("", part, "\n")
	})
	if err != nil {
		_ = out.write("", ollamaRefusal(0, refusalOf(err)), "\n")
		return nil
	}
	part.Message.Content = ""
	part.end(since, a.cfg.Now(), used)
	_ = out.write("", part, "\n")
	return nil
}
