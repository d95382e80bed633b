package e2e

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/cmd/kg/exit"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// oddQuestions are what is no question.
var oddQuestions = map[string]string{
	"empty": "", "blank": " \t\n", "100 kB": strings.Repeat("lane ", 20_000), "only small words": "what is it that they are of the and to",
	"control characters": "lane\x01\x02\x1b[31m wakes\x7f", "NUL": "lane\x00wakes", "right to left": "\u202elane\u202c \u200fwakes", "nothing that is seen": "\u200b\u200f\u202e\ufeff",
	"a thousand quotes": strings.Repeat("\"", 1000), "regular expression": "(a+)+$ .* [^lane]{1000,} (?:(?:lane)*)*", "signs": "!!! ??? --- ::: /// \\\\\\ %%% $$$",
	"half a character": "lane \xe4\xb8", "SQL": "'; DROP TABLE kg_api.jobs; --", "a flag": "--limit",
}

// TestOddQuestions wants an answer or a refusal to what is no question, in each way to ask; and answers
// to a hundred questions at once.
func TestOddQuestions(t *testing.T) {
	t.Parallel()
	s := startServer(t, nil)
	ingestText(t, s, "docs", "handbook.md", handbook)
	ingestText(t, s, "docs", "guide.md", guide)
	agent := agentOf(t, s)
	ways := map[string]func(text string) error{
		"POST /query/ask": func(text string) error {
			_, err := s.client.Graph.Ask(t.Context(), questions.Question{Text: text, Limit: 3})
			return err
		},
		"POST /search": func(text string) error {
			_, err := s.client.Graph.Find(t.Context(), questions.FindQuery{Text: text, Limit: 3})
			return err
		},
		"POST /search while typing": func(text string) error {
			_, err := s.client.Graph.Find(t.Context(), questions.FindQuery{Text: text, Typing: true, Limit: 3})
			return err
		},
		"search of documents": func(text string) error {
			_, err := s.client.Documents.Search(t.Context(), corpus.SourceQuery{Query: text, Limit: 3})
			return err
		},
		"search of chunks": func(text string) error {
			_, err := s.client.Sources.Search(t.Context(), corpus.SourceQuery{Query: text, Limit: 3})
			return err
		},
	}
	for name, text := range oddQuestions {
		for way, ask := range ways {
			switch code := kappa.ErrorCode(ask(text)); code {
			case "", kappa.CodeInvalid, kappa.CodeMalformed, kappa.CodeTooLarge:
			default:
				t.Errorf("%s, %s: %s", way, name, code)
			}
		}
		for _, command := range []string{"ask", "find"} {
			if _, said, code := tryKG(t, s, 80, command, "--limit", "3", "--", text); code != exit.OK && code != exit.Misused && (code != exit.Failed || strings.Contains(said, "internal")) {
				t.Errorf("kg %s, %s: %d, %s", command, name, code, said)
			}
		}
		for tool, argument := range map[string]string{"ask": "question", "find": "query"} {
			result, err := agent.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: map[string]any{argument: text, "limit": 3}})
			if err != nil || len(result.Content) == 0 || result.IsError && strings.Contains(result.Content[0].(*mcp.TextContent).Text, "internal") {
				t.Errorf("the tool %s, %s: %+v, %v", tool, name, result, err)
			}
		}
	}
	var all sync.WaitGroup
	for i := range 100 {
		all.Go(func() {
			text := fmt.Sprintf("%s (%d)", everyForm[i%len(everyForm)], i)
			if answer, err := s.client.Graph.Ask(t.Context(), questions.Question{Text: text, Limit: 3}); err != nil || len(answer.Passages) == 0 && !strings.Contains(text, "telephone") { // nothing has a word of that
				t.Errorf("%s, one of a hundred: %d passages, %v", text, len(answer.Passages), err)
			}
		})
	}
	all.Wait()
}
