package e2e

import (
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/client"
)

// Two ontologies that share concepts. The second one says more about them, and is found by
// the words that only it has.
const (
	openText = `Kafka is a message broker. Kafka uses a commit log. A consumer reads the commit log. The commit log stores messages.
The message broker requires a consumer.`
	hiddenText = `Kafka uses ZooKeeper. ZooKeeper stores the commit log. Kafka depends on a zebrafish quorum. The zebrafish quorum elects
the consumer. A consumer prevents the message broker. Kafka replaces the commit log. ZooKeeper is also known as Zookie.
Kafka uses a commit log. A consumer reads the commit log. Kafka is a message broker.`
)

var hiddenWords = regexp.MustCompile(`(?i)zookeeper|zookie|zebrafish|hush|PREVENTS|REPLACES|DEPENDS_ON|elects`)

// confinedQuestion is a question within an ontology.
type confinedQuestion struct{ method, path, body string }

// confinedQuestions are the questions that can be asked within the ontology open/notes.
func confinedQuestions(document string) []confinedQuestion {
	const name = "open/notes"
	in := "ontology=" + url.QueryEscape(name)
	list := []confinedQuestion{
		{"POST", "/query/search", `{"query":"Kafka","ontology":"open/notes","include_evidence":true,"min_similarity":0.2}`},
		{"POST", "/query/search", `{"query":"ZooKeeper quorum","ontology":"open/notes","include_evidence":true,"min_similarity":0.2}`},
		{"POST", "/query/search", `{"query":"zebrafish","ontology":"open/notes"}`},
		{"POST", "/query/ask", `{"question":"What does Kafka use?","ontology":"open/notes","limit":20}`},
		{"POST", "/query/ask", `{"question":"Who elects the consumer of the commit log?","ontology":"open/notes","limit":20}`},
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
	}
	for _, path := range []string{"/documents", "/sources", "/concepts", "/edges", "/graph/export"} {
		list = append(list, confinedQuestion{"GET", path + "?" + in, ""})
	}
	for _, format := range []string{"graphml", "gexf", "dot"} {
		list = append(list, confinedQuestion{"GET", "/graph/export?" + in + "&format=" + format, ""})
	}
	return list
}

// measured are figures of the whole graph, which the filter does not narrow, and what differs
// between two answers to one request.
var measured = regexp.MustCompile(`"(grounding_strength|grounding|grounding_display|confidence_level|confidence_score|request_id|epoch|graph_epoch|page_rank|score|similarity|best_similarity|exported_at|generated_at|created_at|seconds|took_ms|computation_time_ms)":("[^"]*"|[-0-9.e+]+|null)`)

// TestConfinedToAnOntology: what is asked within an ontology is answered as if there were no
// other one, in every byte.
func TestConfinedToAnOntology(t *testing.T) {
	t.Parallel()
	s := startServer(t, nil)
	ingestText(t, s, "open/notes", "open.txt", openText)
	documents, err := s.client.Documents(t.Context(), kappa.PageQuery{Ontology: "open/notes", Limit: 10})
	check(t, err)
	questions := confinedQuestions(url.PathEscape(documents.Documents[0].DocumentID))
	_, bearer, err := s.client.NewAPIKey(t.Context(), kappa.NewAPIKey{Name: "test"})
	check(t, err)
	before := make([]string, len(questions))
	for i, q := range questions {
		before[i] = confinedAnswer(t, s.url, bearer, q)
		if !strings.HasPrefix(before[i], "200 ") {
			t.Fatalf("%s %s: %s", q.method, q.path, before[i])
		}
	}
	ingestText(t, s, "hush/secrets", "hush.txt", hiddenText)
	for i, q := range questions {
		after := confinedAnswer(t, s.url, bearer, q)
		if found := hiddenWords.FindString(strings.ReplaceAll(after, "zebrafish\"", "")); found != "" && !strings.Contains(q.body, found) {
			t.Errorf("%s %s %s shows %q:\n%s", q.method, q.path, q.body, found, after)
		}
		if was, is := measured.ReplaceAllString(before[i], ""), measured.ReplaceAllString(after, ""); was != is {
			t.Errorf("%s %s %s was answered\n%s\nand is, when there is another ontology,\n%s", q.method, q.path, q.body, was, is)
		}
	}
}

// TestGrantedOneOntology: who is granted one ontology alone finds nothing of another one in any
// byte of any answer, to reads of the OpenAPI document and to questions: by the role of the
// account, as a member of a group that has the role, and of one that is granted the ontology.
func TestGrantedOneOntology(t *testing.T) {
	t.Parallel()
	s := startServer(t, nil)
	ingestText(t, s, "open/notes", "open.txt", openText)
	ingestText(t, s, "hush/secrets", "hush.txt", hiddenText)
	for _, name := range []string{"guest", "nothing"} {
		_, err := s.client.CreateRole(t.Context(), kappa.NewRole{Name: name, DisplayName: name})
		check(t, err)
	}
	for _, resource := range []string{"ontologies", "jobs", "artifacts"} {
		_, err := s.client.Grant(t.Context(), kappa.NewRoleGrant{Role: "guest", Resource: resource, Action: "read", Scope: new(kappa.ScopeFilter), ScopeFilter: []byte(`{"ontology":"open/notes"}`)})
		check(t, err)
	}
	groupOf := func(name, resource, id string) person {
		p := newPerson(t, name, "nothing", s)
		group, err := s.client.CreateGroup(t.Context(), kappa.NewGroup{Name: name + "-group"})
		check(t, err)
		_, err = s.client.Share(t.Context(), kappa.NewResourceGrant{ResourceType: resource, ResourceID: id, PrincipalType: kappa.PrincipalGroup, PrincipalID: group.ID, Permission: kappa.AccessRead})
		check(t, err)
		_, err = s.client.AddGroupMember(t.Context(), group.ID, p.user.ID)
		check(t, err)
		return p
	}
	for name, p := range map[string]person{
		"by the role of the account":              newPerson(t, "ada", "guest", s),
		"by a group with the role":                groupOf("bea", kappa.GrantRole, "guest"),
		"by a group that is granted the ontology": groupOf("cid", kappa.GrantOntology, "open/notes"),
	} {
		t.Run(name, func(t *testing.T) { grantedOneOntology(t, s, tokenOf(t, s.url, p)) })
	}
}

// grantedOneOntology asks everything with a token that reads open/notes alone.
func grantedOneOntology(t *testing.T, s *testServer, bearer string) {
	t.Helper()
	questions := confinedQuestions("sha256:0")
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
		asked := regexp.MustCompile(`"(instance|detail|input)":"[^"]*"`).ReplaceAllString(answer, "") // what was asked for is said again
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
	for _, q := range []string{"", "/node", "/files"} {
		theirs := answerAbout(t, s.url, bearer, "get", "/ontology/{name}"+q, "hush%2Fsecrets")
		none := answerAbout(t, s.url, bearer, "get", "/ontology/{name}"+q, "no%2Fsuch")
		if strings.ReplaceAll(theirs, "hush/secrets", "") != strings.ReplaceAll(none, "no/such", "") {
			t.Errorf("a foreign ontology is answered %s, and none %s", theirs, none)
		}
	}
}

// ingestText ingests a text and waits until it is stored.
func ingestText(t *testing.T, s *testServer, ontology, filename, text string) {
	t.Helper()
	submitted, err := s.client.Submit(t.Context(), client.Document{Body: []byte(text), Filename: filename, Ontology: ontology, AutoApprove: true})
	check(t, err)
	await(t, s.client, submitted.JobID, kappa.StatusCompleted)
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
