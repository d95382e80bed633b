package e2e

import (
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/artifacts"
	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/knowledge/programs"
	"github.com/kappagraph/kappa/work"
)

// foreign is an object of somebody else, and the id of one that does not exist.
type foreign struct{ theirs, none string }

// shared are the paths whose objects belong to nobody: whoever may use the route may see
// them all, and to all others the answer is the same before anything is read.
var shared = []string{
	"/admin/", "/catalog/", "/concepts/", "/documents/", "/edges/", "/epochs/", "/grants/", "/groups/", "/ontology/", "/projection/", "/query/", "/rbac/", "/resources/", "/sources/", "/v1/models/", "/vocabulary/", "/webhooks/",
}

// TestForeignObjectsDoNotExist: on every route of the OpenAPI document that takes the id of
// something that belongs to somebody, a foreign one is answered as one that does not exist.
func TestForeignObjectsDoNotExist(t *testing.T) {
	t.Parallel()
	s := startServer(t, nil)
	ctx := t.Context()
	ada, bob := newPerson(t, "ada", access.RoleContributor, s), newPerson(t, "bob", access.RoleContributor, s)
	job, err := ada.at[0].Jobs.Submit(ctx, work.NewJob{Type: work.TypeNoop, AutoApprove: true})
	check(t, err)
	var artifact artifacts.Artifact
	answerWith(t, s.url, tokenOf(t, s.url, ada), "POST", "/artifacts", `{"artifact_type":"report","representation":"cli","parameters":{},"payload":{}}`, &artifact)
	var clip artifacts.Dataclip
	answerWith(t, s.url, tokenOf(t, s.url, ada), "POST", "/dataclips", `{"a":1}`, &clip)
	var query programs.SavedQuery
	answerWith(t, s.url, tokenOf(t, s.url, ada), "POST", "/query-definitions", `{"name":"a","definition_type":"search","definition":{"query":"ice"}}`, &query)
	key, _, err := ada.at[0].Account.NewAPIKey(ctx, access.NewAPIKey{Name: "ci"})
	check(t, err)
	clients, err := ada.at[0].Account.OAuthClients(ctx)
	check(t, err)
	resp, err := http.PostForm(s.url+"/auth/session", url.Values{"username": {"ada"}, "password": {testPassword + "ada"}})
	check(t, err)
	check(t, resp.Body.Close())
	sessions, err := ada.at[0].Account.Sessions(ctx)
	check(t, err)
	objects := map[string]foreign{
		"/jobs/{id}":              {job.JobID, "job_0123456789ab"},
		"/jobs/actions/{id}":      {job.JobID, "job_0123456789ab"},
		"/artifacts/{id}":         {strconv.Itoa(artifact.ID), "4711"},
		"/auth/keys/":             {key.ID, "kgk_0123456789ab"},
		"/auth/oauth/":            {clients[0].ClientID, "kg-cli-ada-00000000"},
		"/auth/sessions/":         {sessions[0].ID, "kgs_000000000000000000000000"},
		"/query-definitions/{id}": {strconv.FormatInt(int64(query.ID), 10), "4711"},
		"/programs/{id}":          {strconv.FormatInt(int64(query.ID), 10), "4711"},
		"/dataclips/{id}":         {clip.ID, "dc_000000000000000000000000"},
		"/users/{id}":             {strconv.Itoa(ada.user.ID), "4711"},
		"/admin/workers/j":        {job.JobID, "job_0123456789ab"},
	}
	bearer := tokenOf(t, s.url, bob)
	asked := 0
	for path, methods := range openAPIPaths(t, s.url) {
		for method := range methods {
			if !strings.Contains(path, "{") {
				continue
			}
			object, owned := foreign{}, false
			for prefix, o := range objects {
				if strings.HasPrefix(path, prefix) {
					object, owned = o, true
				}
			}
			if !owned {
				if !hasPrefix(path, shared) {
					t.Errorf("%s %s: whose are the objects of this route?", method, path)
				}
				continue
			}
			asked++
			theirs, none := answerAbout(t, s.url, bearer, method, path, object.theirs), answerAbout(t, s.url, bearer, method, path, object.none)
			if theirs != none {
				t.Errorf("%s %s: a foreign one is answered %s, and none %s", method, path, theirs, none)
			}
			if !strings.HasPrefix(theirs, "404 ") && !strings.HasPrefix(theirs, `403 {"type":"about:blank","title":"Forbidden","status":403,"detail":"Permission denied: `) {
				t.Errorf("%s %s: a foreign one is answered %s", method, path, theirs)
			}
		}
	}
	if asked < 20 {
		t.Errorf("only %d routes were asked", asked)
	}
	theirs, none := answerAbout(t, s.url, bearer, "get", "/events?jobs={id}", job.JobID), answerAbout(t, s.url, bearer, "get", "/events?jobs={id}", "job_0123456789ab")
	if theirs != none || !strings.HasPrefix(theirs, "404 ") {
		t.Errorf("a stream of a foreign job is answered %s, of none %s", theirs, none)
	}
	if mine, err := ada.at[0].Jobs.Get(ctx, job.JobID); err != nil || mine.Status != work.StatusCompleted && mine.Status != work.StatusApproved && mine.Status != work.StatusProcessing {
		t.Errorf("the job that nobody may touch is %s (%v)", mine.Status, err)
	}
}

func hasPrefix(path string, prefixes []string) bool {
	for _, prefix := range prefixes {
		if strings.HasPrefix(path, prefix) {
			return true
		}
	}
	return false
}

// openAPIPaths returns the paths of the OpenAPI document with their methods.
func openAPIPaths(t *testing.T, url string) map[string]map[string]json.RawMessage {
	t.Helper()
	resp, err := http.Get(url + "/openapi.json")
	check(t, err)
	defer resp.Body.Close()
	var document struct {
		Paths map[string]map[string]json.RawMessage `json:"paths"`
	}
	check(t, json.NewDecoder(resp.Body).Decode(&document))
	return document.Paths
}

// tokenOf returns a bearer token of a person.
func tokenOf(t *testing.T, url string, p person) string {
	t.Helper()
	anonymous, err := client.New(client.Config{BaseURL: url})
	check(t, err)
	defer anonymous.Close()
	_, text, err := p.at[0].Account.NewAPIKey(t.Context(), access.NewAPIKey{Name: "test"})
	check(t, err)
	return text
}

// answerWith sends a body and decodes the answer, which must be a success.
func answerWith(t *testing.T, url, bearer, method, path, body string, out any) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url+path, strings.NewReader(body))
	check(t, err)
	req.Header.Set("Authorization", "Bearer "+bearer)
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	check(t, err)
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	check(t, err)
	if resp.StatusCode >= http.StatusBadRequest {
		t.Fatalf("%s %s: %d %s", method, path, resp.StatusCode, answer)
	}
	check(t, json.Unmarshal(answer, out))
}

var varying = regexp.MustCompile(`"(instance|request_id)":"[^"]*"`)

// answerAbout returns the status and the body of an answer about an object, without what
// says which one was asked for.
func answerAbout(t *testing.T, url, bearer, method, path, id string) string {
	t.Helper()
	path = regexp.MustCompile(`\{[^}]*\}`).ReplaceAllString(path, id)
	req, err := http.NewRequestWithContext(t.Context(), strings.ToUpper(method), url+path, bodyFor(method, path))
	check(t, err)
	req.Header.Set("Authorization", "Bearer "+bearer)
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	check(t, err)
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	check(t, err)
	return strconv.Itoa(resp.StatusCode) + " " + strings.ReplaceAll(varying.ReplaceAllString(string(body), ""), id, "ID")
}

// bodyFor returns a body that the route takes.
func bodyFor(method, path string) io.Reader {
	switch {
	case method == "put" && strings.HasPrefix(path, "/users/"):
		return strings.NewReader(`{"password":"a long enough one"}`)
	case strings.HasSuffix(path, "/reset-password"):
		return strings.NewReader(`{"new_password":"a long enough one"}`)
	case strings.HasSuffix(path, "/priority"):
		return strings.NewReader(`{"priority":1}`)
	case method == "get":
		return http.NoBody
	}
	return strings.NewReader(`{}`)
}
