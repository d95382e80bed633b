package graph

import (
	"strings"
	"testing"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/internal/http/apitest"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/ontologies"
	"github.com/kappagraph/kappa/knowledge/questions"
)

func TestReadingRoutes(t *testing.T) {
	t.Run("lists are never null", func(t *testing.T) {
		s := newServer(t, &fake{})
		for path, want := range map[string]string{
			"/ontology/":         `{"count":0,"ontologies":[]}`,
			"/concepts":          `{"concepts":[],"total":7,"offset":0,"limit":50,"next_cursor":null}`,
			"/database/epoch":    `{"epoch":7}`,
			"/database/stats":    `"nodes":{"concepts":0`,
			"/query/concept/a_1": `"instances":[],"relationships":[]`,
		} {
			if resp, body := apitest.Call(t, s, apitest.Request{Method: "GET", Path: path}); resp.StatusCode != 200 || !strings.Contains(body, want) {
				t.Errorf("%s: %d %s, want %s", path, resp.StatusCode, body, want)
			}
		}
		for path, body := range map[string]string{
			"/query/search": `{"query":"a"}`, "/query/related": `{"concept_id":"a_1"}`, "/query/connect": `{"from_id":"a_1","to_id":"b_1"}`,
		} {
			_, answer := apitest.Call(t, s, apitest.Request{Method: "POST", Path: path, Body: body})
			if !strings.Contains(answer, `"results":[]`) && !strings.Contains(answer, `"paths":[]`) {
				t.Errorf("%s: %s", path, answer)
			}
		}
	})
	t.Run("who may read some ontologies is shown those", func(t *testing.T) {
		accounts := apitest.NewAccounts()
		accounts.GrantRows(map[access.Permission]access.Reach{}, map[access.Permission]access.RowSet{
			access.OntologiesRead: {IDs: []string{"2"}, Filters: []access.RowFilter{{"ontology": "notes"}}},
		})
		f := &fake{ontologies: []ontologies.Ontology{{ID: "1", Name: "secrets"}, {ID: "2", Name: "letters"}, {ID: "3", Name: "notes"}}}
		s := apitest.ServeWith(t, http.Config{Auth: accounts}, apiOf(f))
		_, body := apitest.Call(t, s, apitest.Request{Method: "GET", Path: "/ontology/"})
		if strings.Contains(body, "secrets") || !strings.Contains(body, `"count":2`) || !strings.Contains(body, "letters") || !strings.Contains(body, "notes") {
			t.Error(body)
		}
	})
	t.Run("every failure behind them is a problem", func(t *testing.T) {
		s := newServer(t, &fake{err: kappa.NewError(kappa.CodeUnavailable, "the database is busy")})
		for _, path := range []string{"/ontology/", "/concepts", "/database/epoch", "/database/stats", "/query/concept/a_1"} {
			resp, body := apitest.Call(t, s, apitest.Request{Method: "GET", Path: path})
			apitest.WantProblem(t, resp, body, 503)
		}
	})
	t.Run("a name in the path is decoded once, and + stays", func(t *testing.T) {
		s := newServer(t, &fake{})
		for path, want := range map[string]string{
			"/query/concept/sha256%3Aab": `"concept_id":"sha256:ab"`,
			"/query/concept/a%2Fb+c":     `got \"a/b+c\"`,
			"/query/concept/a%2525":      `got \"a%25\"`,
		} {
			if _, body := apitest.Call(t, s, apitest.Request{Method: "GET", Path: path}); !strings.Contains(body, want) {
				t.Errorf("%s: %s, want %s", path, body, want)
			}
		}
	})
}

// TestConceptList holds what clients read of a list of concepts, and what they ask for.
func TestConceptList(t *testing.T) {
	ontology := "energy"
	f := &fake{listed: []questions.ListedConcept{{
		ConceptHit:  questions.ConceptHit{ConceptID: "battery_1", Label: "battery", Documents: []string{ontology}},
		SearchTerms: []string{}, Ontology: &ontology, CreationMethod: knowledge.CreatedByIngestion, HasEmbedding: true,
	}}}
	query := "?ontology=energy&label_contains=bat&creation_method=llm_extraction&offset=3&limit=500"
	resp, body := apitest.Call(t, newServer(t, f), apitest.Request{Method: "GET", Path: "/concepts" + query})
	if want := (questions.ConceptFilter{Ontology: ontology, LabelContains: "bat", CreationMethod: "llm_extraction", Limit: 500, Offset: 3}); resp.StatusCode != 200 || f.filter != want {
		t.Errorf("%d, asked for %+v, want %+v", resp.StatusCode, f.filter, want)
	}
	for _, want := range []string{
		`{"concepts":[{"concept_id":"battery_1","label":"battery","description":null,`, `"search_terms":[]`, `"ontology":"energy"`,
		`"creation_method":"llm_extraction"`, `"has_embedding":true`, `"matched_existing":false`, `],"total":7,"offset":3,"limit":500,"next_cursor":null}`,
	} {
		if !strings.Contains(body, want) {
			t.Errorf("%s\nlacks %s", body, want)
		}
	}
}

func TestBadInput(t *testing.T) {
	search := func(body string) apitest.Request {
		return apitest.Request{Method: "POST", Path: "/query/search", Body: body}
	}
	related := func(body string) apitest.Request {
		return apitest.Request{Method: "POST", Path: "/query/related", Body: body}
	}
	connect := func(body string) apitest.Request {
		return apitest.Request{Method: "POST", Path: "/query/connect", Body: body}
	}
	get := func(path string) apitest.Request { return apitest.Request{Method: "GET", Path: path} }
	f := &fake{}
	apitest.Refuses(t, newServer(t, f), map[string]apitest.Refusal{
		"a missing member":               apitest.Refused(search(`{}`), 422, "query: is required", "body.query"),
		"a required member that is null": apitest.Refused(search(`{"query":null}`), 422, "query: must be text", "body.query"),
		"an empty phrase":                apitest.Refused(search(`{"query":" "}`), 422, "query: must not be empty", "body.query"),
		"no body":                        apitest.Refused(search(""), 400, "A JSON body is required", ""),
		"a limit of 0":                   apitest.Refused(search(`{"query":"a","limit":0}`), 422, "limit: must be at least 1, got 0", "body.limit"),
		"a limit of 101":                 apitest.Refused(search(`{"query":"a","limit":101}`), 422, "limit: must be at most 100", "body.limit"),
		"a similarity above 1":           apitest.Refused(search(`{"query":"a","min_similarity":2}`), 422, "min_similarity: must be between 0 and 1, got 2", "body.min_similarity"),
		"a NUL in an ontology":           apitest.Refused(search(`{"query":"a","ontology":"\u0000"}`), 422, "ontology: must not contain control characters", "body.ontology"),
		"a number in a list of text":     apitest.Refused(related(`{"concept_id":"a_1","relationship_types":["A",2]}`), 422, "relationship_types[1]: must be text", "body.relationship_types.1"),
		"a depth of 6":                   apitest.Refused(related(`{"concept_id":"a_1","max_depth":6}`), 422, "max_depth: must be at most 5, got 6", "body.max_depth"),
		"a filter by no status":          apitest.Refused(related(`{"concept_id":"a_1","exclude_epistemic_status":["MIXED"]}`), 422, "exclude_epistemic_status[0]: must be one of", "body.exclude_epistemic_status.0"),
		"no hops of diversity":           apitest.Refused(search(`{"query":"a","diversity_max_hops":0}`), 422, "diversity_max_hops: must be at least 1, got 0", "body.diversity_max_hops"),
		"too many hops of diversity":     apitest.Refused(get("/query/concept/a_1?diversity_max_hops=4"), 422, "diversity_max_hops: must be at most 3, got 4", "query.diversity_max_hops"),
		"11 hops":                        apitest.Refused(connect(`{"from_id":"a_1","to_id":"b_1","max_hops":11}`), 422, "max_hops: must be at most 10, got 11", "body.max_hops"),
		"an unknown concept":             apitest.Refused(connect(`{"from_id":"a_1","to_id":"no_such"}`), 404, "Concept 'no_such' not found", ""),
		"a concept with a NUL":           apitest.Refused(get("/query/concept/a%00"), 422, "id: must consist of letters", "path.id"),
		"a concept with a quote":         apitest.Refused(get("/query/concept/a%27b"), 422, "id: must consist of letters A to Z and a to z, digits, _, : and -", "path.id"),
		"a path from a broken id":        apitest.Refused(connect(`{"from_id":"a'})-[x]-(y_1","to_id":"b_1"}`), 422, "from_id: must consist of", "body.from_id"),
		"deeply nested JSON":             apitest.Refused(search(strings.Repeat("[", 100_000)), 400, "not valid JSON", ""),
		"a JSON body of more than 1 MiB": apitest.Refused(search(`{"query":"`+strings.Repeat("a", 1<<20)+`"}`), 413, "1.0 MB", ""),

		"an order of concepts that is not known": apitest.Refused(get("/concepts?sort=age"), 422, "sort: must be evidence", "query.sort"),
		"501 concepts":                           apitest.Refused(get("/concepts?limit=501"), 422, "limit: must be at most 500, got 501", "query.limit"),
	}, func() int { return len(f.searches) })
}

func TestMembersThatAreNullAreAbsent(t *testing.T) {
	f := &fake{}
	resp, body := apitest.Call(t, newServer(t, f), apitest.Request{Method: "POST", Path: "/query/search", Body: `{"query":"a","limit":null,"offset":null}`})
	if resp.StatusCode != 200 || len(f.searches) != 1 {
		t.Fatalf("%d %s", resp.StatusCode, body)
	}
	if q := f.searches[0]; q.Limit != 10 || q.Offset != 0 || q.MinSimilarity != nil || q.IncludeEvidence {
		t.Errorf("query %+v has other defaults", q)
	}
}
