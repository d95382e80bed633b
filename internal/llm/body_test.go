package llm

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/kappagraph/kappa/internal/llm/llmtest"
	"github.com/kappagraph/kappa/knowledge"
)

// A server that does not stream although it is asked to is read as well as one that does,
// whatever it calls its answer.
func TestServersThatDoNotStream(t *testing.T) {
	for name, kind := range map[string]string{
		"as JSON": "application/json", "with a character set": "application/json; charset=utf-8", "as text": "text/plain", "as a stream": "text/event-stream",
	} {
		t.Run(name, func(t *testing.T) {
			answer := func(c llmtest.Call) llmtest.Reply {
				return llmtest.Reply{Text: llmtest.Read(c.Passage()), Whole: true, Type: kind, Input: 77}
			}
			eachProvider(t, answer, func(t *testing.T, e *Extractor, s *llmtest.Server) {
				got, err := e.Extract(t.Context(), knowledge.Passage{Text: "Ada wrote to Babbage about the Engine."})
				if err != nil || labels(got) != "Ada Babbage Engine" || got.Tokens <= 77 || s.Chats() != 1 {
					t.Errorf("%+v, %v, after %d calls", got, err, s.Chats())
				}
			})
		})
	}
	for name, c := range map[string]struct {
		reply llmtest.Reply
		text  string
	}{
		"one that refuses": {llmtest.Reply{Refused: true}, "refused to read the passage"},
		"one that says no": {llmtest.Reply{Raw: `{"error": {"message": "no such thing", "type": "x"}}`}, "no such thing"},
	} {
		t.Run(name, func(t *testing.T) {
			c.reply.Whole = true
			eachProvider(t, func(llmtest.Call) llmtest.Reply { return c.reply }, func(t *testing.T, e *Extractor, _ *llmtest.Server) {
				if e.provider.name == Ollama {
					return // whose models do not say that they refuse, and whose errors are texts
				}
				if _, err := e.Extract(t.Context(), knowledge.Passage{Text: "Some text."}); err == nil || !strings.Contains(err.Error(), c.text) {
					t.Errorf("%v, want %q", err, c.text)
				}
			})
		})
	}
}

// What an error shows of an answer is short, on one line, and without keys, wherever they
// stand in it.
func TestBeginning(t *testing.T) {
	read := func(text string) string {
		b := newTransport("p", "http://x", nil, signature{}).newBody(200, "Text/HTML; charset=utf-8", strings.NewReader(text), secrets{canary})
		_, _ = b.whole()
		return b.foreign().Error()
	}
	if got, want := read("<p>\n\n\tkey:\x1b[2J "+canary+strings.Repeat(" x", 99)), "p did not answer as its API does; it sent (200, text/html): <p> key:[2J [key]"+strings.Repeat(" x", 41)+" …"; got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	for at := 3500; at < 4200; at++ { // around the end of what is kept
		if got := read(strings.Repeat(" ", at) + canary); strings.Contains(got, "canar") {
			t.Fatalf("a key at byte %d is shown: %q", at, got)
		}
	}
}

// What a provider says of an error can be stored and shown.
func TestErrorTextIsText(t *testing.T) {
	for _, body := range []string{`{"error": {"message": "a\u0000b"}}`, "a\x00b", "a\xffb"} {
		if text := errorText([]byte(body)); !utf8.ValidString(text) || strings.Contains(text, "\x00") || !strings.HasPrefix(text, "a") {
			t.Errorf("%q became %q", body, text)
		}
	}
}
