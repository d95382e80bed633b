package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kappagraph/kappa/internal/pgtest"
)

// described is an operation of the OpenAPI document, as far as bad requests are made of it.
type described struct {
	method, path string

	OperationID string
	Parameters  []struct {
		Name, In string
		Required bool
		Schema   jsonSchema
	}
	RequestBody struct {
		Content map[string]struct{ Schema jsonSchema }
	}
}

// jsonSchema is what is read of a schema.
type jsonSchema struct {
	Ref        string `json:"$ref"`
	Type       any
	Properties map[string]jsonSchema
	Required   []string
	Items      *jsonSchema
	Enum       []any
}

// badRequest is a request that breaks a rule. Surely says that the document shows it to be
// wrong; another one may happen to be right.
type badRequest struct {
	method, path, body, contentType, why string
	surely                               bool
}

// leftAlone are operations that would end the test when a bad request is taken for a good
// one, those that are limited by how often they are used, and one that takes any object.
var leftAlone = []string{"PUT /auth/me", "POST /auth/oauth/token", "POST /auth/oauth/clients/personal", "POST /auth/register", "GET /worker/websocket", "POST /dataclips"}

// TestDescribedBadRequests_Slow sends many bad requests to every operation; TestContract
// sends one to each.
func TestDescribedBadRequests_Slow(t *testing.T) {
	pgtest.SlowTier(t)
	t.Parallel()
	r := newReplay(t)
	r.sections(t, []contractSection{{"logging in", loginExchanges()}})
	r.sendBadRequests(t, 60)
}

// sendBadRequests sends up to so many to each operation that the OpenAPI document
// describes: each is answered, with a problem where the document shows it to be wrong, and
// none breaks the server.
func (r *replay) sendBadRequests(t *testing.T, most int) {
	t.Helper()
	r.t = t
	_, document, err := r.ask("GET", "/openapi.json", nil, "-")
	check(t, err)
	operations, schemas := readOperations(t, document)
	random := rand.New(rand.NewPCG(1, 18))
	sent := 0
	for _, op := range operations {
		requests := op.badRequests(schemas)
		random.Shuffle(len(requests), func(i, j int) { requests[i], requests[j] = requests[j], requests[i] })
		for _, b := range requests[:min(most, len(requests))] {
			r.sendBad(b)
			sent++
		}
	}
	if sent < 150 {
		t.Errorf("only %d requests were sent", sent)
	}
	t.Logf("%d bad requests to %d operations", sent, len(operations))
}

// sendBad sends a bad request and returns the status of the answer, 0 for one that is not as
// it should be. Streams are not read.
func (r *replay) sendBad(b badRequest) (status int) {
	r.t.Helper()
	req, err := http.NewRequestWithContext(r.t.Context(), b.method, r.server.url+b.path, strings.NewReader(b.body))
	check(r.t, err)
	req.Header.Set("Authorization", "Bearer "+r.kept["token"])
	if b.contentType != "" {
		req.Header.Set("Content-Type", b.contentType)
	}
	name := fmt.Sprintf("%s %.150s (%s) with %.200q", b.method, b.path, b.why, b.body)
	resp, err := (&http.Client{Timeout: 2 * time.Minute}).Do(req)
	if err != nil {
		r.t.Errorf("%s: %v", name, err)
		return 0
	}
	defer resp.Body.Close()
	if strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") {
		return resp.StatusCode
	}
	body, err := io.ReadAll(resp.Body)
	status = resp.StatusCode
	switch {
	case err != nil:
		status = 0
		r.t.Errorf("%s: the answer broke off: %v", name, err)
	case resp.StatusCode == http.StatusServiceUnavailable && notSetUp.Match(body):
	case resp.StatusCode >= 500 && resp.StatusCode != http.StatusNotImplemented:
		status = 0
		r.t.Errorf("%s: status %d %.300s", name, resp.StatusCode, body)
	case b.surely && (resp.StatusCode < 400 || resp.StatusCode >= 500):
		status = 0
		r.t.Errorf("%s: status %d %.300s, want a refusal", name, resp.StatusCode, body)
	}
	escaped, _, _ := strings.Cut(b.path, "?")
	if err := r.valid.Check(b.method, escaped, resp, body); err != nil {
		status = 0
		r.t.Errorf("%s: %v", name, err)
	}
	return status
}

// notSetUp are answers about what servers of tests do not have.
var notSetUp = regexp.MustCompile(`"detail":"(this server has no |No model is configured)`)

func readOperations(t *testing.T, document []byte) ([]described, map[string]jsonSchema) {
	t.Helper()
	var d struct {
		Paths      map[string]map[string]described
		Components struct{ Schemas map[string]jsonSchema }
	}
	check(t, json.Unmarshal(document, &d))
	var list []described
	for path, methods := range d.Paths {
		for method, op := range methods {
			op.method, op.path = strings.ToUpper(method), path
			if !slices.Contains(leftAlone, op.method+" "+path) {
				list = append(list, op)
			}
		}
	}
	slices.SortFunc(list, func(a, b described) int { return strings.Compare(a.path+a.method, b.path+b.method) })
	return list, d.Components.Schemas
}

// badValues are texts for parameters, with whether a number, or true and false, is wanted.
var badValues = []string{
	"%00", "%ff%fe", "..%2F..%2Fetc", "-1", "99999999999999999999", "1.5", "NaN", "%E2%80%AE", "x%0Ay", "''%3B--", "{}", "%F0%9F%8C%8B", strings.Repeat("a", 5000),
}

var pathPlace = regexp.MustCompile(`\{\w+\}`)

// badRequests returns what breaks the rules of an operation, in a fixed order.
func (op described) badRequests(schemas map[string]jsonSchema) (list []badRequest) {
	path := pathPlace.ReplaceAllString(op.path, "x_1")
	add := func(why, path, contentType, body string, surely bool) {
		list = append(list, badRequest{method: op.method, path: path, contentType: contentType, body: body, why: why, surely: surely})
	}
	if pathPlace.MatchString(op.path) {
		for _, v := range badValues {
			add("a bad name", pathPlace.ReplaceAllLiteralString(op.path, v), "", "", false)
		}
	}
	for _, p := range op.Parameters {
		if p.In != "query" {
			continue
		}
		for _, v := range badValues {
			add(p.Name+" out of range", path+"?"+p.Name+"="+v, "", "", false)
		}
		if kinds := p.Schema.kinds(); slices.Equal(kinds, []string{"integer"}) || slices.Equal(kinds, []string{"number"}) {
			add(p.Name+" is no number", path+"?"+p.Name+"=many", "", "", true)
		}
		add(p.Name+" twice", path+"?"+p.Name+"=1&"+p.Name+"=2", "", "", false)
	}
	add("an unknown parameter", path+"?"+url.QueryEscape("no such")+"=1", "", "", false)
	for _, contentType := range slices.Sorted(maps.Keys(op.RequestBody.Content)) {
		schema := op.RequestBody.Content[contentType].Schema.resolved(schemas)
		switch {
		case contentType == "application/json":
			list = append(list, badBodies(op.method, path, schema, schemas)...)
		default:
			for _, body := range []string{"", "%zz", "a=b", "ontology=%00&text=x", "--b\r\n\r\n--b--", strings.Repeat("a=b&", 5000)} {
				add("a bad form", path, contentType, body, false)
			}
		}
	}
	return list
}

// badBodies returns bodies in JSON that break the rules of a schema.
func badBodies(method, path string, schema jsonSchema, schemas map[string]jsonSchema) (list []badRequest) {
	add := func(why, body string, surely bool) {
		list = append(list, badRequest{method: method, path: path, contentType: "application/json", body: body, why: why, surely: surely})
	}
	add("not JSON", `{"a":`, true)
	add("a list", `[1]`, true)
	add("invalid UTF-8", "{\"a\":\"\xff\xfe\"}", false)
	add("deep", strings.Repeat(`{"a":`, 5000)+"1"+strings.Repeat("}", 5000), false)
	add("unknown members", `{"no such":1}`, len(schema.Required) > 0)
	add("a member twice", `{"a":1,"a":2}`, true)
	if len(schema.Required) > 0 {
		add("nothing", `{}`, true)
	}
	for _, name := range slices.Sorted(maps.Keys(schema.Properties)) {
		member := schema.Properties[name].resolved(schemas)
		for _, value := range []string{`"x"`, `1e400`, `-1`, `99999999999999999999`, `0.5`, `true`, `[]`, `[[]]`, `{}`, `{"a":{}}`, `""`, `"\u0000"`, `"\ud800"`, `"` + strings.Repeat("x", 20_000) + `"`} {
			add(name, `{`+quoted(name)+`:`+value+`}`, member.refuses(value))
		}
	}
	return list
}

func quoted(text string) string {
	q, _ := json.Marshal(text)
	return string(q)
}

func (s jsonSchema) resolved(schemas map[string]jsonSchema) jsonSchema {
	if name, ok := strings.CutPrefix(s.Ref, "#/components/schemas/"); ok {
		return schemas[name]
	}
	return s
}

// kinds are the types that a value may have; none for any.
func (s jsonSchema) kinds() (kinds []string) {
	switch t := s.Type.(type) {
	case string:
		return []string{t}
	case []any:
		for _, kind := range t {
			kinds = append(kinds, fmt.Sprint(kind))
		}
	}
	return kinds
}

// refuses reports whether a value is of a type that is none of the schema's.
func (s jsonSchema) refuses(value string) bool {
	kinds := s.kinds()
	if len(kinds) == 0 {
		return false
	}
	kind := map[byte]string{'"': "string", '[': "array", '{': "object", 't': "boolean"}[value[0]]
	if kind == "" {
		return !slices.Contains(kinds, "integer") && !slices.Contains(kinds, "number")
	}
	return !slices.Contains(kinds, kind)
}
