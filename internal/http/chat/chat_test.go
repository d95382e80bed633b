package chat

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/api"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/internal/http/apitest"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/ontologies"
	"github.com/kappagraph/kappa/knowledge/questions"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// graph answers the routes that a conversation is answered by.
type graph struct {
	names []string
	asked []api.AskRequest
	found questions.AskAnswer
	fails error
}

type askInput struct{ Body api.AskRequest }

func (g *graph) Register(r *http.Router) error {
	http.Register(r, http.Route{Method: "GET", Path: "/ontology/", Permission: access.OntologiesRead, ID: "graph.ontologies", Summary: "List"}, func(context.Context, *struct{}) (api.OntologyList, error) {
		list := api.OntologyList{Ontologies: []ontologies.Ontology{}}
		for _, n := range g.names {
			list.Ontologies = append(list.Ontologies, ontologies.Ontology{Name: n})
		}
		return list, nil
	})
	http.Register(r, http.Route{Method: "POST", Path: "/query/ask", Permission: access.GraphRead, ByRow: true, ID: "query.ask", Summary: "Ask"}, func(_ context.Context, in *askInput) (questions.AskAnswer, error) {
		g.asked = append(g.asked, in.Body)
		return g.found, g.fails
	})
	return nil
}

// passage is one of a file, whose sentence is the part of text between two bars.
func passage(name, text string) questions.AskPassage {
	before, rest, _ := strings.Cut(text, "|")
	sentence, after, _ := strings.Cut(rest, "|")
	p := questions.AskPassage{Text: before + sentence + after, Name: name, Filename: name, Document: "docs", DocumentID: "sha256:ab", Span: corpus.Span{Start: 100, End: 100 + len(text) - 2}, MissingWords: []string{}, AlsoIn: []string{}}
	start := 100 + len(before)
	p.Sentence = &questions.AskPart{Text: sentence, Span: corpus.Span{Start: start, End: start + len(sentence)}}
	return p
}

func newGraph(passages ...questions.AskPassage) *graph {
	return &graph{names: []string{"docs", "laws:eu"}, found: questions.AskAnswer{Question: "q", Found: len(passages) > 0, Passages: passages, Index: knowledge.PassageIndexState{Ready: true}}}
}

// fakeModel answers with two sentences.
func fakeModel(fails error) http.AnswerModel {
	return http.AnswerModel{Answer: func(_ context.Context, _ string, _ []questions.AskPassage, tell func(questions.AnswerSentence) error) (questions.AnswerEnd, error) {
		for _, s := range []questions.AnswerSentence{{Text: "A lane is a group ![x](http://evil).", Passages: []int{1}}, {Text: "It has slots.", Passages: []int{1, 2}}} {
			if err := tell(s); err != nil {
				return questions.AnswerEnd{}, err
			}
		}
		return questions.AnswerEnd{Answered: true, TokenUsage: models.TokenUsage{Input: 7, Output: 3}}, fails
	}}
}

func serve(t testing.TB, g *graph, m http.AnswerModel) *http.Server {
	t.Helper()
	return apitest.Serve(t, g, New(Config{Model: func() http.AnswerModel { return m }, Now: func() time.Time { return time.Unix(1_700_000_000, 0).UTC() }}))
}

func post(path, body string) apitest.Request {
	return apitest.Request{Method: "POST", Path: path, Body: body}
}

const question = `{"model":"docs","messages":[{"role":"user","content":"What is a lane?"}]}`

func TestConversation(t *testing.T) {
	for _, c := range []struct {
		name, messages, asked string
		thread                []string
	}{
		{"a question", `{"role":"system","content":"be short"},{"role":"user","content":" What is a lane? "}`, "What is a lane?", nil},
		{"those before", `{"role":"user","content":"What is a lane?"},{"role":"assistant","content":"A group."},{"role":"user","content":""},{"role":"user","content":"and a slot?"}`, "and a slot?", []string{"What is a lane?"}},
		{"in parts", `{"role":"user","content":[{"type":"text","text":"What is"},{"type":"text","text":"a lane?"}]}`, "What is\na lane?", nil},
		{"a long one before is left out", `{"role":"user","content":"` + strings.Repeat("x", 2001) + `"},{"role":"user","content":"What is a lane?"}`, "What is a lane?", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := newGraph(passage("a.md", "|A lane is a group.|"))
			resp, body := apitest.Call(t, serve(t, g, http.AnswerModel{}), post("/v1/chat/completions", `{"model":"docs","temperature":0.3,"messages":[`+c.messages+`]}`))
			if resp.StatusCode != 200 || len(g.asked) != 1 {
				t.Fatalf("%d %s", resp.StatusCode, body)
			}
			q := g.asked[0].Asks()
			if q.Text != c.asked || strings.Join(q.Thread, "|") != strings.Join(c.thread, "|") || len(q.Ontologies) != 1 || q.Ontologies[0] != "docs" {
				t.Errorf("asked %+v", q)
			}
		})
	}
}

func TestRefusals(t *testing.T) {
	for _, c := range []struct {
		name, body string
		status     int
		says       string
	}{
		{"no JSON", `{`, 400, "The body must be a JSON object"},
		{"a list", `[]`, 400, "The body must be a JSON object"},
		{"messages of another kind", `{"model":"docs","messages":"x"}`, 400, "messages has a value of another kind than it takes: string"},
		{"no model", `{"messages":[{"role":"user","content":"x"}]}`, 422, "must be an ontology, or kappa"},
		{"an unknown model", `{"model":"gpt-9","messages":[{"role":"user","content":"x"}]}`, 404, `There is no model "gpt-9"`},
		{"no message", `{"model":"docs","messages":[]}`, 422, "the last one must be of the role user"},
		{"null", `{"model":"docs","messages":null}`, 422, "the last one must be of the role user"},
		{"the assistant has the last word", `{"model":"docs","messages":[{"role":"user","content":"x"},{"role":"assistant","content":"y"}]}`, 422, "the last one must be of the role user"},
		{"a picture", `{"model":"docs","messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"x"}}]}]}`, 400, "only text is read"},
		{"two answers", `{"model":"docs","n":2,"messages":[{"role":"user","content":"x"}]}`, 422, "n: must be 1"},
		{"too long", `{"model":"docs","messages":[{"role":"user","content":"` + strings.Repeat("x", 2001) + `"}]}`, 422, "messages: the question "},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := serve(t, newGraph(), http.AnswerModel{})
			resp, body := apitest.Call(t, s, post("/v1/chat/completions", c.body))
			var refusal struct {
				Error struct{ Message, Type string }
			}
			if err := json.Unmarshal([]byte(body), &refusal); err != nil || resp.StatusCode != c.status || !strings.Contains(refusal.Error.Message, c.says) || refusal.Error.Type != "invalid_request_error" {
				t.Errorf("%d %s (%v)", resp.StatusCode, body, err)
			}
			if c.name == "two answers" {
				return // Ollama has no n
			}
			resp, body = apitest.Call(t, s, post("/api/chat", c.body))
			var other struct{ Error string }
			if err := json.Unmarshal([]byte(body), &other); err != nil || resp.StatusCode != c.status || !strings.Contains(other.Error, c.says) {
				t.Errorf("Ollama: %d %s (%v)", resp.StatusCode, body, err)
			}
		})
	}
	t.Run("without a key", func(t *testing.T) {
		resp, body := apitest.Call(t, serve(t, newGraph(), http.AnswerModel{}), apitest.Request{Method: "GET", Path: "/v1/models", Header: map[string]string{"Authorization": "Bearer nobody"}})
		if resp.StatusCode != 401 || !strings.Contains(body, `"type":"authentication_error"`) {
			t.Errorf("%d %s", resp.StatusCode, body)
		}
	})
}

func TestModels(t *testing.T) {
	g := newGraph()
	ids := func(s *http.Server) string {
		_, body := apitest.Call(t, s, apitest.Request{Method: "GET", Path: "/v1/models"})
		var list struct{ Data []struct{ ID string } }
		_ = json.Unmarshal([]byte(body), &list)
		var names []string
		for _, m := range list.Data {
			names = append(names, m.ID)
		}
		return strings.Join(names, " ")
	}
	if got := ids(serve(t, g, http.AnswerModel{})); got != "kappa docs laws:eu" {
		t.Errorf("without a model that answers: %s", got)
	}
	s := serve(t, g, fakeModel(nil))
	if got := ids(s); got != "kappa docs laws:eu kappa:passages docs:passages laws:eu:passages" {
		t.Errorf("with one: %s", got)
	}
	if resp, body := apitest.Call(t, s, apitest.Request{Method: "GET", Path: "/v1/models/laws:eu"}); resp.StatusCode != 200 || !strings.Contains(body, `"id":"laws:eu"`) {
		t.Errorf("%d %s", resp.StatusCode, body)
	}
	if resp, body := apitest.Call(t, s, apitest.Request{Method: "GET", Path: "/v1/models/none"}); resp.StatusCode != 404 || !strings.Contains(body, "model_not_found") {
		t.Errorf("%d %s", resp.StatusCode, body)
	}
	if _, body := apitest.Call(t, s, apitest.Request{Method: "GET", Path: "/api/tags"}); strings.Count(body, `"name":`) != 6 {
		t.Errorf("tags %s", body)
	}
	for model, asked := range map[string]string{"kappa": "", "kappa:latest": "", "docs:latest": "docs", "laws:eu": "laws:eu", "laws:eu:passages": "laws:eu"} {
		g.asked = nil
		apitest.Call(t, s, post("/v1/chat/completions", strings.Replace(question, "docs", model, 1)))
		if len(g.asked) != 1 || strings.Join(g.asked[0].Asks().Ontologies, " ") != asked {
			t.Errorf("%s asks %+v", model, g.asked)
		}
	}
}

func TestPassagesAreTheAnswer(t *testing.T) {
	g := newGraph(passage("a_[b].md", "Before. |A **lane** is a [group](http://evil/?q) <img src=x>.| After."), passage("c.md", "|x|"))
	resp, body := apitest.Call(t, serve(t, g, http.AnswerModel{}), post("/v1/chat/completions", question))
	var got completion
	if err := json.Unmarshal([]byte(body), &got); err != nil || resp.StatusCode != 200 {
		t.Fatalf("%d %s (%v)", resp.StatusCode, body, err)
	}
	text := got.Choices[0].Message.Content
	for _, want := range []string{`[1] Before. **A lane is a \[group\](http://evil/?q) \<img src=x>.** After.`, `- \[1\] [a\_\[b\].md](http://`, "/console/documents/sha256:ab?ontology=docs&bytes=108-"} {
		if !strings.Contains(text, want) {
			t.Errorf("%s\nlacks %s", text, want)
		}
	}
	if len(got.Citations) != 2 || got.Usage.Total != 0 || *got.Choices[0].Reason != "stop" || got.Object != "chat.completion" {
		t.Errorf("%+v", got)
	}
	g.found = questions.AskAnswer{Absent: []string{"lane"}, Index: knowledge.PassageIndexState{Ready: true}}
	if _, body := apitest.Call(t, serve(t, g, fakeModel(nil)), post("/v1/chat/completions", question)); !strings.Contains(body, "The documents say nothing of “lane”.") {
		t.Errorf("nothing found: %s", body)
	}
}

func TestModelAnswers(t *testing.T) {
	g := newGraph(passage("a.md", "|A lane is a group.|"), passage("b.md", "|It has slots.|"))
	t.Run("at once", func(t *testing.T) {
		_, body := apitest.Call(t, serve(t, g, fakeModel(nil)), post("/v1/chat/completions", question))
		var got completion
		_ = json.Unmarshal([]byte(body), &got)
		if text := got.Choices[0].Message.Content; !strings.HasPrefix(text, `A lane is a group !\[x\](http://evil). [1] It has slots. [1][2]`) || !strings.Contains(text, "b.md") || got.Usage.Total != 10 {
			t.Errorf("%s", body)
		}
	})
	t.Run("for free", func(t *testing.T) {
		_, body := apitest.Call(t, serve(t, g, fakeModel(nil)), post("/v1/chat/completions", strings.Replace(question, "docs", "docs:passages", 1)))
		if strings.Contains(body, "evil") || !strings.Contains(body, "**A lane is a group.**") {
			t.Errorf("a model was called: %s", body)
		}
	})
	t.Run("who may not have it paid for gets the passages", func(t *testing.T) {
		accounts := apitest.NewAccounts()
		accounts.Grant(map[access.Permission]access.Reach{access.GraphRead: access.ReachAll, access.OntologiesRead: access.ReachAll})
		s := apitest.ServeWith(t, http.Config{Auth: accounts}, g, New(Config{Model: func() http.AnswerModel { return fakeModel(nil) }, Now: time.Now}))
		if _, body := apitest.Call(t, s, post("/v1/chat/completions", question)); strings.Contains(body, "evil") || !strings.Contains(body, "**A lane is a group.**") {
			t.Errorf("a model was called: %s", body)
		}
	})
	t.Run("in parts", func(t *testing.T) {
		_, body := apitest.Call(t, serve(t, g, fakeModel(nil)), post("/v1/chat/completions", strings.Replace(question, "{", `{"stream":true,"stream_options":{"include_usage":true},`, 1)))
		if n := strings.Count(body, "data: "); n != 7 || !strings.HasSuffix(body, "data: [DONE]\n\n") || !strings.Contains(body, `"total_tokens":10`) || !strings.Contains(body, `"finish_reason":"stop"`) {
			t.Errorf("%d events: %s", n, body)
		}
		_, body = apitest.Call(t, serve(t, g, fakeModel(nil)), post("/api/chat", question))
		if lines := strings.Split(strings.TrimSpace(body), "\n"); len(lines) != 4 || !strings.Contains(lines[3], `"done":true`) || !strings.Contains(lines[3], `"eval_count":3`) || strings.Contains(lines[0], "eval_count") {
			t.Errorf("%d lines: %s", len(lines), body)
		}
	})
	t.Run("a model that fails", func(t *testing.T) {
		fails := kappa.NewError(kappa.CodeUpstream, "openai: away")
		s := serve(t, g, fakeModel(fails))
		if resp, body := apitest.Call(t, s, post("/v1/chat/completions", question)); resp.StatusCode != 502 || !strings.Contains(body, "openai: away") || !strings.Contains(body, "server_error") {
			t.Errorf("%d %s", resp.StatusCode, body)
		}
		_, body := apitest.Call(t, s, post("/v1/chat/completions", strings.Replace(question, "{", `{"stream":true,`, 1)))
		if !strings.Contains(body, "openai: away") || strings.Contains(body, "[DONE]") {
			t.Errorf("%s", body)
		}
		if _, body = apitest.Call(t, s, post("/api/chat", question)); !strings.HasSuffix(body, `{"error":"openai: away"}`+"\n") {
			t.Errorf("%s", body)
		}
	})
}
