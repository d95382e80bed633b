package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/knowledge/questions"
	"github.com/kappagraph/kappa/work"
)

// Two ontologies that share concepts. The second one says more about them, and is found by
// the words that only it has.
const (
	openText = `Kafka is a message broker. Kafka uses a commit log. A consumer reads the commit log. The commit log stores messages.
The message broker requires a consumer.`
	hiddenText = `Kafka uses ZooKeeper. ZooKeeper stores the commit log. Kafka depends on a zebrafish quorum. The zebrafish quorum elects
the consumer. A consumer prevents the message broker. Kafka replaces the commit log. ZooKeeper is also known as Zookie.
Kafka uses a commit log. A consumer reads the commit log. Kafka is a message broker. The commit log is also known as the zebrafish ledger.
A consumer is a zebrafish reader of messages. Consumer (also called zebrafish client) reads messages.`
)

var hiddenWords = regexp.MustCompile(`(?i)zookeeper|zookie|zebrafish|hush|PREVENTS|REPLACES|DEPENDS_ON|elects`)

// confinedQuestion is a question within an ontology.
type confinedQuestion struct{ method, path, body string }

// confinedQuestions are the questions that can be asked within the ontology open/notes. ids
// are the concepts of it; without any, those that start from a concept are left out.
func confinedQuestions(document string, ids ...string) []confinedQuestion {
	const name = "open/notes"
	in := "ontology=" + url.QueryEscape(name)
	list := []confinedQuestion{
		{"POST", "/query/search", `{"query":"Kafka","ontology":"open/notes","include_evidence":true,"min_similarity":0.2}`},
		{"POST", "/query/search", `{"query":"ZooKeeper quorum","ontology":"open/notes","include_evidence":true,"min_similarity":0.2}`},
		{"POST", "/query/search", `{"query":"zebrafish","ontology":"open/notes"}`},
		{"POST", "/query/ask", `{"question":"What does Kafka use?","ontology":"open/notes","limit":20}`},
		{"POST", "/query/ask", `{"question":"Who elects the consumer of the commit log?","ontology":"open/notes","limit":20}`},
		{"POST", "/search", `{"query":"Kafka commit log","ontology":"open/notes","limit":100}`},
		{"POST", "/search", `{"query":"consumer z","typing":true,"ontology":"open/notes","limit":100}`},
		{"POST", "/search", `{"query":"ZooKeepr quorum","ontology":"open/notes","limit":100}`},
		{"POST", "/query/sources/search", `{"query":"Kafka commit log","ontology":"open/notes","min_similarity":0.05}`},
		{"POST", "/query/documents/search", `{"query":"Kafka commit log","ontology":"open/notes","min_similarity":0.05}`},
		{"POST", "/graph/centrality", `{"ontology":"open/notes"}`},
		{"POST", "/graph/communities", `{"ontology":"open/notes"}`},
		{"GET", "/ontology/" + url.PathEscape(name) + "/about", ""},
		{"GET", "/ontology/" + url.PathEscape(name), ""},
		{"GET", "/ontology/" + url.PathEscape(name) + "/node", ""},
		{"GET", "/ontology/" + url.PathEscape(name) + "/files", ""},
		{"GET", "/catalog/children?parent=" + url.QueryEscape(name), ""},
		{"GET", "/documents/" + document + "/concepts?" + in, ""},
		{"GET", "/documents/" + document + "/content?" + in, ""},
		{"GET", "/documents/" + document + "/quotes?" + in, ""},
		{"GET", "/documents/" + document + "/versions?" + in, ""},
		{"GET", "/documents/" + document + "/versions/1?" + in, ""},
		{"GET", "/documents/" + document + "/compare?version=1&with=1&" + in, ""},
		{"GET", "/changes?since=0&" + in, ""},
		{"POST", "/query/ask", `{"question":"What does Kafka use?","ontology":"open/notes","limit":20,"as_of":"2100-01-01T00:00:00Z"}`},
	}
	for _, path := range []string{"/documents", "/sources", "/concepts", "/edges", "/graph/export"} {
		list = append(list, confinedQuestion{"GET", path + "?" + in, ""})
	}
	for _, format := range []string{"graphml", "gexf", "dot"} {
		list = append(list, confinedQuestion{"GET", "/graph/export?" + in + "&format=" + format, ""})
	}
	for i, from := range ids {
		to, at := ids[(i+1)%len(ids)], `","ontology":"open/notes"`
		list = append(
			list,
			confinedQuestion{"GET", "/query/concept/" + from + "?include_evidence=true&include_diversity=true&" + in, ""},
			confinedQuestion{"GET", "/edges?include_evidence=true&from_concept_id=" + from + "&" + in, ""},
			confinedQuestion{"POST", "/query/related", `{"concept_id":"` + from + at + `,"max_depth":3,"include_weak":true,"include_evidence":true}`},
			confinedQuestion{"POST", "/query/connect", `{"from_id":"` + from + `","to_id":"` + to + at + `,"include_weak":true,"include_evidence":true}`},
			confinedQuestion{"POST", "/query/connect-by-search", `{"from_query":"` + from + `","to_query":"consumer` + at + `,"include_weak":true,"include_evidence":true}`},
			confinedQuestion{"POST", "/query/connect-by-search", `{"from_query":"message broker","to_query":"commit log` + at + `,"include_evidence":true}`},
			confinedQuestion{"POST", "/query/enriched-path", `{"from_id":"` + from + `","to_id":"` + to + at + `,"include_weak":true,"include_evidence":true,"per_node":20}`},
			confinedQuestion{"POST", "/query/neighborhood", `{"concept_id":"` + from + at + `,"max_hops":4,"include_weak":true,"include_evidence":true}`},
			confinedQuestion{"POST", "/query/polarity-axis", `{"positive_pole_id":"` + from + `","negative_pole_id":"` + to + at + `,"max_hops":3}`},
			confinedQuestion{"POST", "/query/ask", `{"question":"What does a consumer read?","ontology":"open/notes","limit":20,"include_evidence":true}`},
		)
	}
	return list
}

// measured are figures of the whole graph, which the filter does not narrow, and what differs
// between two answers to one request.
var measured = regexp.MustCompile(`"(avg_grounding|epistemic_status|grounding_strength|grounding|grounding_display|confidence_level|confidence_score|request_id|epoch|graph_epoch|page_rank|score|answers|similarity|best_similarity|exported_at|generated_at|created_at|until|as_of|seconds|took_ms|computation_time_ms)":("[^"]*"|[-0-9.e+]+|null)`)

// TestConfinedToAnOntology: what is asked within an ontology is answered as if there were no
// other one, in every byte.
func TestConfinedToAnOntology(t *testing.T) {
	t.Parallel()
	s := startServer(t, nil)
	ingestText(t, s, "open/notes", "open.txt", openText)
	documents, err := s.client.Documents.List(t.Context(), corpus.PageQuery{Ontology: "open/notes", Limit: 10})
	check(t, err)
	asked := confinedQuestions(url.PathEscape(documents.Documents[0].DocumentID), conceptsOf(t, s, "open/notes")...)
	_, bearer, err := s.client.Account.NewAPIKey(t.Context(), access.NewAPIKey{Name: "test"})
	check(t, err)
	before := make([]string, len(asked))
	for i, q := range asked {
		before[i] = confinedAnswer(t, s.url, bearer, q)
		if !strings.HasPrefix(before[i], "200 ") {
			t.Fatalf("%s %s: %s", q.method, q.path, before[i])
		}
	}
	ingestText(t, s, "hush/secrets", "hush.txt", hiddenText)
	for i, q := range asked {
		after := confinedAnswer(t, s.url, bearer, q)
		if found := hiddenWords.FindString(strings.ReplaceAll(after, "zebrafish\"", "")); found != "" && !strings.Contains(q.body, found) {
			t.Errorf("%s %s %s shows %q:\n%s", q.method, q.path, q.body, found, after)
		}
		if was, is := measured.ReplaceAllString(before[i], ""), measured.ReplaceAllString(after, ""); was != is {
			t.Errorf("%s %s %s was answered\n%s\nand is, when there is another ontology,\n%s", q.method, q.path, q.body, was, is)
		}
	}
	for _, id := range conceptsOf(t, s, "hush/secrets") {
		if !hiddenWords.MatchString(id) {
			continue // both have it
		}
		_, err := s.client.Concepts.Ask(t.Context(), questions.ConceptQuery{ConceptID: id, Ontology: "open/notes"})
		if kappa.ErrorCode(err) != kappa.CodeNotFound || !strings.Contains(err.Error(), "not found") {
			t.Errorf("within an ontology that does not show it, %s: %v", id, err)
		}
	}
}

// conceptsOf returns the ids of the concepts of an ontology.
func conceptsOf(t *testing.T, s *testServer, ontology string) []string {
	t.Helper()
	list, err := s.client.Concepts.List(t.Context(), questions.ConceptFilter{Ontology: ontology, Limit: 100})
	check(t, err)
	var ids []string
	for _, c := range list.Concepts {
		ids = append(ids, c.ConceptID)
	}
	if len(ids) < 3 {
		t.Fatalf("%s has the concepts %v", ontology, ids)
	}
	return ids
}

// TestGrantedOneOntology: who is granted one ontology alone finds nothing of another one in any
// byte of any answer, to reads of the OpenAPI document and to questions: by the role of the
// account, as a member of a group that has the role, and of one that is granted the ontology.
func TestGrantedOneOntology(t *testing.T) {
	t.Parallel()
	s := startServer(t, nil)
	ingestText(t, s, "open/notes", "open.txt", openText)
	ingestText(t, s, "hush/secrets", "hush.txt", hiddenText)
	for _, name := range []string{"guest", "reports", "nothing"} {
		_, err := s.client.Roles.Create(t.Context(), access.NewRole{Name: name, DisplayName: name})
		check(t, err)
	}
	for _, resource := range []string{"ontologies", "jobs", "artifacts"} {
		_, err := s.client.Roles.Grant(t.Context(), access.NewRoleGrant{Role: "guest", Resource: resource, Action: "read", Scope: new(access.ScopeFilter), ScopeFilter: []byte(`{"ontology":"open/notes"}`)})
		check(t, err)
	}
	for _, resource := range []string{"graph", "sources"} {
		_, err := s.client.Roles.Grant(t.Context(), access.NewRoleGrant{Role: "guest", Resource: resource, Action: "read", Scope: new(access.ScopeFilter), ScopeFilter: []byte(`{"ontology":"open/notes"}`)})
		check(t, err)
	}
	for _, resource := range []string{"jobs", "artifacts"} { // which do not go with an ontology
		_, err := s.client.Roles.Grant(t.Context(), access.NewRoleGrant{Role: "reports", Resource: resource, Action: "read", Scope: new(access.ScopeFilter), ScopeFilter: []byte(`{"ontology":"open/notes"}`)})
		check(t, err)
	}
	groupOf := func(name, role, resource, id string) person {
		p := newPerson(t, name, role, s)
		group, err := s.client.Groups.Create(t.Context(), access.NewGroup{Name: name + "-group"})
		check(t, err)
		_, err = s.client.Groups.Share(t.Context(), access.NewResourceGrant{ResourceType: resource, ResourceID: id, PrincipalType: access.PrincipalGroup, PrincipalID: group.ID, Permission: access.AccessRead})
		check(t, err)
		_, err = s.client.Groups.AddMember(t.Context(), group.ID, p.user.ID)
		check(t, err)
		return p
	}
	for name, p := range map[string]person{
		"by the role of the account":              newPerson(t, "ada", "guest", s),
		"by a group with the role":                groupOf("bea", "nothing", access.GrantRole, "guest"),
		"by a group that is granted the ontology": groupOf("cid", "reports", access.GrantOntology, "open/notes"),
	} {
		t.Run(name, func(t *testing.T) { grantedOneOntology(t, s, tokenOf(t, s.url, p)) })
	}
}

// grantedOneOntology asks everything with a token that reads open/notes alone.
func grantedOneOntology(t *testing.T, s *testServer, bearer string) {
	t.Helper()
	documents, err := s.client.Documents.List(t.Context(), corpus.PageQuery{Ontology: "open/notes", Limit: 10})
	check(t, err)
	asked := confinedQuestions(url.PathEscape(documents.Documents[0].DocumentID), conceptsOf(t, s, "open/notes")...)
	for _, q := range asked {
		if !strings.HasPrefix(confinedAnswer(t, s.url, bearer, q), "200 ") && !strings.HasPrefix(q.path, "/catalog/") {
			t.Errorf("%s %s %s, which the grant is for: %s", q.method, q.path, q.body, confinedAnswer(t, s.url, bearer, q))
		}
	}
	questions := withoutOntology(asked)
	for _, q := range asked { // of the ontology that is not granted
		q.path, q.body = strings.ReplaceAll(q.path, "open%2Fnotes", "hush%2Fsecrets"), strings.ReplaceAll(q.body, "open/notes", "hush/secrets")
		questions = append(questions, q)
		if answer := confinedAnswer(t, s.url, bearer, q); strings.HasPrefix(answer, "200 ") {
			t.Errorf("%s %s %s, which the grant is not for: %s", q.method, q.path, q.body, answer)
		}
	}
	for _, id := range conceptsOf(t, s, "hush/secrets") {
		if hiddenWords.MatchString(id) {
			questions = append(questions, confinedQuestion{"GET", "/query/concept/" + id, ""},
				confinedQuestion{"POST", "/query/related", `{"concept_id":"` + id + `"}`}, confinedQuestion{"POST", "/query/neighborhood", `{"concept_id":"` + id + `"}`})
		}
	}
	for _, model := range []string{"kappa", "open/notes", "hush/secrets"} {
		conversation := `{"model":"` + model + `","stream":false,"messages":[{"role":"user","content":"What does Kafka use?"}]}`
		questions = append(questions, confinedQuestion{"POST", "/v1/chat/completions", conversation}, confinedQuestion{"POST", "/chat", conversation})
	}
	for path, methods := range openAPIPaths(t, s.url) {
		if _, reads := methods["get"]; reads && !strings.HasSuffix(path, "/stream") && path != "/events" && !strings.HasPrefix(path, "/docs") && path != "/openapi.json" {
			for _, name := range []string{"open%2Fnotes", "hush%2Fsecrets"} {
				questions = append(questions, confinedQuestion{"GET", regexp.MustCompile(`\{[^}]*\}`).ReplaceAllString(path, name), ""})
			}
		}
	}
	answered := 0
	for _, q := range questions {
		answer := confinedAnswer(t, s.url, bearer, q)
		if strings.HasPrefix(answer, "200 ") {
			answered++
		}
		asked := strings.ReplaceAll(saidAgain.ReplaceAllString(answer, ""), "hush/secrets", "")
		if found := hiddenWords.FindString(asked); found != "" {
			t.Errorf("%s %s %s shows %q:\n%s", q.method, q.path, q.body, found, answer)
		}
	}
	if answered < 10 {
		t.Errorf("only %d of %d were answered", answered, len(questions))
	}
	if answer := confinedAnswer(t, s.url, bearer, confinedQuestion{"GET", "/ontology/", ""}); !strings.Contains(answer, "open/notes") {
		t.Errorf("what is granted is not shown: %s", answer)
	}
	confinedAgent(t, s, bearer)
	for _, q := range []string{"", "/node", "/files"} {
		theirs := answerAbout(t, s.url, bearer, "get", "/ontology/{name}"+q, "hush%2Fsecrets")
		none := answerAbout(t, s.url, bearer, "get", "/ontology/{name}"+q, "no%2Fsuch")
		if strings.ReplaceAll(theirs, "hush/secrets", "") != strings.ReplaceAll(none, "no/such", "") {
			t.Errorf("a foreign ontology is answered %s, and none %s", theirs, none)
		}
	}
}

// saidAgain is what was asked for, in the answer to a question.
var saidAgain = regexp.MustCompile(`"(instance|detail|input|value|query|question|asked|written|msg|from_query|to_query|ontology)":"[^"]*"|"(absent|missing_words)":\[[^]]*\]`)

// withoutOntology returns the questions as somebody asks them who may read one ontology alone.
func withoutOntology(questions []confinedQuestion) []confinedQuestion {
	var list []confinedQuestion
	for _, q := range questions {
		q.path = strings.NewReplacer("?ontology=open%2Fnotes", "?", "&ontology=open%2Fnotes", "").Replace(q.path)
		q.body = strings.NewReplacer(`,"ontology":"open/notes"`, "", `"ontology":"open/notes"`, "").Replace(q.body)
		list = append(list, q)
	}
	return list
}

// confinedAgent calls every tool of an agent that acts for somebody who may read open/notes alone.
func confinedAgent(t *testing.T, s *testServer, access string) {
	t.Helper()
	agent, err := mcp.NewClient(&mcp.Implementation{Name: "agent", Version: "1"}, nil).Connect(t.Context(),
		&mcp.StreamableClientTransport{Endpoint: s.url + "/mcp", HTTPClient: &http.Client{Transport: bearer(access)}, DisableStandaloneSSE: true}, nil)
	check(t, err)
	defer agent.Close()
	tools, err := agent.ListTools(t.Context(), nil)
	check(t, err)
	ids := append(conceptsOf(t, s, "open/notes"), conceptsOf(t, s, "hush/secrets")...)
	var edges []questions.ListedEdge
	for _, ontology := range []string{"open/notes", "hush/secrets"} {
		list, err := s.client.Edges.List(t.Context(), questions.EdgeFilter{Ontology: ontology, Limit: 100})
		check(t, err)
		edges = append(edges, list.Edges...)
	}
	answered, called := map[string]bool{}, map[string]bool{}
	for _, tool := range tools.Tools {
		schema, err := json.Marshal(tool.InputSchema)
		check(t, err)
		var names struct{ Properties map[string]any }
		check(t, json.Unmarshal(schema, &names))
		for i, id := range ids {
			for _, ontology := range []string{"", "open/notes", "hush/secrets"} {
				arguments := map[string]any{}
				for name, value := range map[string]any{
					"ontology": ontology, "id": id, "query": "Kafka quorum", "question": "Who elects the consumer?", "from": id, "to": ids[(i+1)%len(ids)], "type": "USES",
					"positive_id": id, "negative_id": ids[(i+1)%len(ids)], "depth": 3, "include_weak": true, "quotes": 5, "min_similarity": 0.2,
				} {
					kind, has := names.Properties[name].(map[string]any)
					if has && kind["type"] == "boolean" {
						value = true
					}
					if has && value != "" {
						arguments[name] = value
					}
				}
				if edge := edges[i%len(edges)]; tool.Name == "edge" {
					arguments["from"], arguments["type"], arguments["to"] = edge.FromID, edge.Type, edge.ToID
				}
				same := fmt.Sprint(tool.Name, arguments)
				if called[same] { // a tool that takes neither
					continue
				}
				called[same] = true
				result, err := agent.CallTool(t.Context(), &mcp.CallToolParams{Name: tool.Name, Arguments: arguments})
				if err != nil { // refused by the tool's schema: it writes
					continue
				}
				text := result.Content[0].(*mcp.TextContent).Text
				answered[tool.Name] = answered[tool.Name] || !result.IsError
				said := []string{"hush/secrets", "elects"} // again, as it was asked
				for _, name := range []string{"id", "from", "to", "positive_id", "negative_id", "type"} {
					if word, is := arguments[name].(string); is && word != "" {
						said = append(said, word)
					}
				}
				for _, word := range said {
					text = strings.ReplaceAll(text, word, "")
				}
				if found := hiddenWords.FindString(text); found != "" {
					t.Errorf("the tool %s %v shows %q:\n%s", tool.Name, arguments, found, text)
				}
			}
		}
	}
	for _, name := range []string{"search", "concept", "related", "connect", "polarity", "edge", "ontologies", "about", "ask", "documents"} {
		if !answered[name] {
			t.Errorf("the tool %s answered nothing of what is granted", name)
		}
	}
}

// ingestText ingests a text and waits until it is stored.
func ingestText(t *testing.T, s *testServer, ontology, filename, text string) {
	t.Helper()
	submitted, err := s.client.Documents.Submit(t.Context(), client.Document{Body: []byte(text), Filename: filename, Ontology: ontology, AutoApprove: true})
	check(t, err)
	await(t, s.client, submitted.JobID, work.StatusCompleted)
}

// confinedAnswer returns the status and the body of an answer.
func confinedAnswer(t *testing.T, url, bearer string, q confinedQuestion) string {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), q.method, url+q.path, strings.NewReader(q.body))
	check(t, err)
	req.Header.Set("Authorization", "Bearer "+bearer)
	if q.body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := http.DefaultClient.Do(req)
	check(t, err)
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, 4<<20))
	check(t, err)
	return strconv.Itoa(resp.StatusCode) + " " + string(body)
}
