package library

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/kappagraph/kappa/internal/http/apitest"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// Find finds one passage, whose text is what was asked for.
func (f *fake) Find(_ context.Context, q questions.FindQuery) (questions.FindAnswer, error) {
	return questions.FindAnswer{Hits: []questions.FoundHit{{Kind: questions.FoundPassage, Text: fmt.Sprintf("%s/%t/%v/%v/%v", q.Text, q.Typing, q.Find, q.Ontologies, q.Classes)}}, Next: new(q.After(1))}, q.Validate()
}

func TestFind(t *testing.T) {
	s := serve(t, &fake{})
	resp, body := apitest.Call(t, s, apitest.Request{Method: "POST", Path: "/search", Body: `{"query":"a lane","typing":true,"find":["passage"],"ontology":"o","classes":["code"],"limit":1}`})
	if resp.StatusCode != 200 || !strings.Contains(body, `"text":"a lane/true/[passage]/[o]/[code]"`) {
		t.Errorf("%d %s", resp.StatusCode, body)
	}
	next := questions.FindQuery{Text: "a lane", Limit: 20}.After(20)
	if resp, body := apitest.Call(t, s, apitest.Request{Method: "POST", Path: "/search", Body: `{"query":"a lane","cursor":"` + next + `"}`}); resp.StatusCode != 200 {
		t.Errorf("%d %s", resp.StatusCode, body)
	}
	for _, bad := range []string{
		`{}`, `{"query":""}`, `{"query":"a","limit":0}`, `{"query":"a","limit":101}`, `{"query":"a","find":["edge"]}`, `{"query":"a","classes":["poem"]}`, `{"query":"a","cursor":"AAAA"}`,
		`{"query":"another","cursor":"` + next + `"}`, `{"query":"a lane","find":["passage"],"cursor":"` + next + `"}`, `{"query":"a","facets":true}`,
	} {
		resp, body := apitest.Call(t, s, apitest.Request{Method: "POST", Path: "/search", Body: bad})
		apitest.WantProblem(t, resp, body, 422)
	}
}

// TestBadInput wants an answer or a refusal to whatever is sent to be looked for.
func TestBadInput(t *testing.T) {
	s := serve(t, &fake{})
	texts := map[string]string{
		"empty": `""`, "blank": `" \t\n"`, "100 kB": `"` + strings.Repeat("a ", 50_000) + `"`, "control characters": `"a\u0001b"`, "NUL": `"a\u0000b"`, "broken UTF-8": "\"a\xff\"", "half a surrogate": `"a\ud800b"`,
		"a number": `7`, "a huge number": `1e999`, "null": `null`, "a list": `["a"]`, "an object": `{"a":"b"}`, "never ends": `"a`, "right to left": `"\u202ea"`, "marks": `"\u200b\ufeff"`,
		"a thousand quotes": `"` + strings.Repeat(`\"`, 1000) + `"`, "a regular expression": `"(a+)+$"`, "deep": strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000),
	}
	answered := map[string]bool{"right to left": true, "a thousand quotes": true, "a regular expression": true}
	for _, route := range []struct{ path, member string }{{"/query/ask", "question"}, {"/search", "query"}, {"/query/documents/search", "query"}, {"/query/sources/search", "query"}} {
		for name, text := range texts {
			resp, body := apitest.Call(t, s, apitest.Request{Method: "POST", Path: route.path, Body: `{"` + route.member + `":` + text + `}`})
			if ok := resp.StatusCode == 200; ok != answered[name] || !ok && (resp.StatusCode < 400 || resp.StatusCode >= 500) {
				t.Errorf("%s of %s: %d %.300s", route.path, name, resp.StatusCode, body)
			}
		}
		for _, limit := range []string{"1e999", "99999999999999999999999", "-1", "1.5", `"1"`, "9223372036854775807"} {
			resp, body := apitest.Call(t, s, apitest.Request{Method: "POST", Path: route.path, Body: `{"` + route.member + `":"a","limit":` + limit + `}`})
			if resp.StatusCode < 400 || resp.StatusCode >= 500 {
				t.Errorf("%s with the limit %s: %d %.300s", route.path, limit, resp.StatusCode, body)
			}
		}
	}
}
