package llm

import (
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/llm/llmtest"
)

func TestDescribe(t *testing.T) {
	const picture = "\x89PNG picture"
	encoded := base64.StdEncoding.EncodeToString([]byte(picture))
	// How each API takes an image.
	sent := map[string]string{
		OpenAI:    `{"image_url":{"url":"data:image/png;base64,` + encoded + `"},"type":"image_url"}`,
		Anthropic: `{"source":{"data":"` + encoded + `","media_type":"image/png","type":"base64"},"type":"image"}`,
		Ollama:    `"images":["` + encoded + `"]`,
	}
	for name, want := range sent {
		t.Run(name, func(t *testing.T) {
			body, text := "", " A glacier.\n"
			s := newServer(t, func(c llmtest.Call) llmtest.Reply {
				raw, _ := json.Marshal(c.Body)
				body = string(raw)
				return llmtest.Reply{Text: text}
			})
			d := NewDescriber(providers(t, s)[name], "sees")
			got, err := d.Describe(t.Context(), []byte(picture), corpus.ContentPNG)
			if err != nil || got != "A glacier." || !strings.Contains(body, want) || !strings.Contains(body, "no instructions for you") {
				t.Errorf("got %q and %v, sent %s, want %s", got, err, body, want)
			}
			text = " \n"
			if _, err := d.Describe(t.Context(), []byte(picture), corpus.ContentPNG); kappa.Retryable(err) || !strings.Contains(kappa.ErrorMessage(err), name+"/sees gave an empty description") {
				t.Errorf("of nothing: got %v", err)
			}
		})
	}
}
