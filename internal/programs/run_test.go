package programs_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kappagraph/kappa"
	programrunner "github.com/kappagraph/kappa/internal/programs"
	"github.com/kappagraph/kappa/knowledge/programs"
)

// fake answers questions with what is written for their routes, and remembers them.
type fake struct {
	answers map[string]string // by method and path, without the query
	errs    map[string]error  // likewise
	asked   []string
	wide    int // concepts of every search, in place of an answer
	sleep   time.Duration
	only    string // the ontology that the caller may read; "" = all
}

func (f *fake) ask(ctx context.Context, method, path string, body any) (json.RawMessage, error) {
	text, _ := json.Marshal(body)
	f.asked = append(f.asked, method+" "+path+" "+string(text))
	select {
	case <-time.After(f.sleep):
	case <-ctx.Done():
		return nil, kappa.NewError(kappa.CodeUnavailable, "the request was cancelled")
	}
	key, _, _ := strings.Cut(method+" "+path, "?")
	if f.wide > 0 && key == "POST /query/search" {
		var hits []string
		for i := range f.wide {
			hits = append(hits, fmt.Sprintf(`{"concept_id":"c_%d_%d"}`, len(f.asked), i))
		}
		return json.RawMessage(`{"results":[` + strings.Join(hits, ",") + `]}`), nil
	}
	if err := f.errs[key]; err != nil {
		return nil, err
	}
	if answer, ok := f.answers[key]; ok {
		return json.RawMessage(answer), nil
	}
	return nil, kappa.NewError(kappa.CodeNotFound, "not found")
}

// concepts stores every concept, within the ontology that its id begins with; b alone is narrowed.
type concepts struct{}

func (concepts) NewestConcepts(_ context.Context, ontology string, most int) ([]programs.NewestConcept, error) {
	return []programs.NewestConcept{{ConceptID: "newest_" + fmt.Sprint(most) + ontology, Ontology: ontology}}, nil
}

// within lets a caller read one ontology alone, if it is set.
func (f *fake) within(ontology string) (string, error) {
	switch {
	case f.only == "" || ontology == f.only:
		return ontology, nil
	case ontology == "":
		return f.only, nil
	}
	return "", kappa.NewError(kappa.CodeForbidden, "Permission denied")
}

func (concepts) ConceptsByID(_ context.Context, ids []string, within string) (list []programs.NewestConcept, err error) {
	for _, id := range ids {
		ontology, _, _ := strings.Cut(id, "_")
		if id != "gone" && (within != "b" || ontology == within) {
			list = append(list, programs.NewestConcept{ConceptID: id, Label: strings.ToUpper(id), Ontology: ontology})
		}
	}
	return list, nil
}

// statement returns a statement that asks a question.
func statement(op, endpoint, params string) string {
	return `{"op":"` + op + `","operation":{"type":"api","endpoint":"` + endpoint + `","params":` + params + `}}`
}

func cypher(op, query string) string {
	text, _ := json.Marshal(query)
	return `{"op":"` + op + `","operation":{"type":"cypher","query":` + string(text) + `}}`
}

// read returns the program of these statements.
func read(t *testing.T, statements ...string) programs.Run {
	t.Helper()
	p, report := programs.Read(json.RawMessage(`{"version":1,"params":[{"name":"q","type":"string"},{"name":"n","type":"number"}],"statements":[` + strings.Join(statements, ",") + `]}`))
	if !report.Valid {
		t.Fatalf("%+v", report.Errors)
	}
	return programs.Run{Program: p, Values: map[string]any{"q": "a_1", "n": json.Number("3")}}
}

func run(t *testing.T, f *fake, deck ...programs.Run) (programs.Chain, error) {
	t.Helper()
	return programrunner.New(concepts{}).Run(t.Context(), deck, programrunner.Caller{Ask: f.ask, Within: f.within})
}

// graph names the nodes and links of a graph.
func graph(g programs.Graph) string {
	var parts []string
	for _, n := range g.Nodes {
		parts = append(parts, n.ConceptID)
	}
	for _, l := range g.Links {
		parts = append(parts, l.FromID+"-"+l.Type+">"+l.ToID)
	}
	return strings.Join(parts, " ")
}

const (
	hits          = `{"results":[{"concept_id":"a_1"},{"concept_id":"b_2"},{"concept_id":"gone"}]}`
	details       = `{"concept_id":"a_1","relationships":[{"to_id":"b_2","rel_type":"CAUSES"},{"to_id":"c_3","rel_type":"IS"}]}`
	near          = `{"results":[{"concept_id":"b_2","path_types":["CAUSES"],"via":{"concept_id":"a_1","forward":true}},{"concept_id":"d_4","path_types":["IS","USES"],"via":{"concept_id":"b_2","forward":false}}]}`
	around        = `{"nodes":[{"concept_id":"a_1"},{"concept_id":"b_2"}],"edges":[{"from_concept_id":"b_2","to_concept_id":"a_1","relationship_type":"USES","confidence":0.5}]}`
	paths         = `{"paths":[{"nodes":[{"id":"a_1"},{"id":"b_2"},{"id":"c_3"}],"relationships":["CAUSES","IS"],"forward":[true,false]}]}`
	listed        = `{"concepts":[{"concept_id":"a_1"},{"concept_id":"e_5"}]}`
	relationships = `{"edges":[{"from_concept_id":"a_1","to_concept_id":"b_2","relationship_type":"CAUSES","confidence":1,"category":"causation"},{"from_concept_id":"b_2","to_concept_id":"c_3","relationship_type":"IS"}]}`
	statuses      = `{"types":[{"relationship_type":"CAUSES","epistemic_status":"AFFIRMATIVE"},{"relationship_type":"IS","epistemic_status":"CONTESTED"}]}`
)

func answers() map[string]string {
	return map[string]string{
		"POST /query/search": hits, "GET /query/concept/a_1": details, "POST /query/related": near, "POST /query/neighborhood": around, "POST /query/connect": paths,
		"POST /query/connect-by-search": paths, "GET /concepts": listed, "GET /edges": relationships, "GET /vocabulary/epistemic-status": statuses,
		"POST /query/sources/search": `{"results":[{"concepts":[{"concept_id":"a_1"},{"concept_id":"f_6"}]},{"concepts":[{"concept_id":"a_1"}]}]}`,
	}
}

// TestQuestions asks each question that a program may ask.
func TestQuestions(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ statement, want, asked string }{
		"search":                        {statement("+", "/search/concepts", `{"query":"$q","limit":"$n"}`), "a_1 b_2", `POST /query/search {"include_grounding":false,"limit":3,"query":"a_1"}`},
		"sources":                       {statement("+", "/search/sources", `{"query":"x"}`), "a_1 f_6", `POST /query/sources/search {"include_full_text":false,"query":"x"}`},
		"details":                       {statement("+", "/concepts/details", `{"concept_id":"$q"}`), "a_1 b_2 c_3 a_1-CAUSES>b_2 a_1-IS>c_3", `GET /query/concept/a_1?include_grounding=false null`},
		"details of what is not there":  {statement("+", "/concepts/details", `{"concept_id":"z_9"}`), "", `GET /query/concept/z_9?include_grounding=false null`},
		"related":                       {statement("+", "/concepts/related", `{"concept_id":"a_1","max_depth":2}`), "b_2 d_4 d_4-USES>b_2", `POST /query/related {"concept_id":"a_1","include_grounding":false,"max_depth":2}`},
		"batch":                         {statement("+", "/concepts/batch", `{"concept_ids":["a_1","z_9"]}`), "a_1", `GET /query/concept/z_9?include_grounding=false null`},
		"statuses":                      {statement("+", "/vocabulary/status", `{"relationship_type":"IS"}`), "vocab:IS", `GET /vocabulary/epistemic-status? null`},
		"neighborhood":                  {statement("+", "/query/neighborhood", `{"concept_id":"a_1"}`), "a_1 b_2 b_2-USES>a_1", `POST /query/neighborhood {"concept_id":"a_1","include_grounding":false}`},
		"connect":                       {statement("+", "/query/connect", `{"from_id":"a_1","to_id":"c_3"}`), "a_1 b_2 c_3 a_1-CAUSES>b_2 c_3-IS>b_2", `POST /query/connect {"from_id":"a_1","include_grounding":false,"to_id":"c_3"}`},
		"connect by search":             {statement("+", "/query/connect-by-search", `{"from_query":"a","to_query":"c"}`), "a_1 b_2 c_3 a_1-CAUSES>b_2 c_3-IS>b_2", `POST /query/connect-by-search {"from_query":"a","include_grounding":false,"to_query":"c"}`},
		"concepts":                      {statement("+", "/concepts", `{"ontology":"a&b","limit":5}`), "a_1 e_5", `GET /concepts?limit=5&ontology=a%26b null`},
		"edges":                         {statement("+", "/edges", `{"relationship_type":"IS"}`), "a_1 b_2 c_3 a_1-CAUSES>b_2 b_2-IS>c_3", `GET /edges?relationship_type=IS null`},
		"Cypher: the newest":            {cypher("+", "MATCH (c:Concept) WHERE c.created_at_epoch IS NOT NULL AND c.ontology = $q RETURN c ORDER BY c.created_at_epoch DESC LIMIT 7"), "newest_7a_1", ""},
		"Cypher: concepts":              {cypher("+", `MATCH (x:Concept) WHERE x.ontology = 'Bob\'s' RETURN x LIMIT 2`), "a_1 e_5", `GET /concepts?limit=2&ontology=Bob%27s null`},
		"Cypher: by their ids":          {cypher("+", `MATCH (x:Concept) WHERE x.concept_id IN ["a_1", 'z_9'] RETURN x`), "a_1", `GET /query/concept/z_9?include_grounding=false null`},
		"Cypher: relationships":         {cypher("+", `MATCH (a:Concept)-[r:IS|:CAUSES]->(b:Concept) RETURN a, r, b LIMIT 3`), "a_1 b_2 c_3 a_1-CAUSES>b_2 b_2-IS>c_3", `GET /edges?limit=3&relationship_type=CAUSES null`},
		"Cypher: limited relationships": {cypher("+", `MATCH (a:Concept)-[r]->(b:Concept) RETURN a, r, b LIMIT 1`), "a_1 b_2 a_1-CAUSES>b_2", `GET /edges?limit=1 null`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := &fake{answers: answers()}
			chain, err := run(t, f, read(t, c.statement))
			if err != nil || chain.Aborted != nil || graph(chain.Result) != c.want || c.asked != "" && f.asked[len(f.asked)-1] != c.asked {
				t.Errorf("%s, %v, %+v; want %s\nasked %s, want %s", graph(chain.Result), err, chain.Aborted, c.want, f.asked, c.asked)
			}
		})
	}
}

func TestWorkingGraph(t *testing.T) {
	t.Parallel()
	f := &fake{answers: answers()}
	chain, err := run(t, f, read(t,
		statement("!", "/search/concepts", `{"query":"x"}`),
		statement("+", "/query/neighborhood", `{"concept_id":"$W_IDS"}`),
		cypher("+", "MATCH (c:Concept)-[r]->(t:Concept) WHERE c.concept_id IN $W_IDS RETURN c, r, t"),
		statement("-", "/concepts/details", `{"concept_id":"z_9"}`),
		`{"op":"+","label":"look","operation":{"type":"conditional","condition":{"test":"has_relationship","type":"USES"},"then":[`+statement("&", "/concepts", `{}`)+`],"else":[`+statement("&", "/concepts/details", `{"concept_id":"z_9"}`)+`]}}`,
	))
	if err != nil || graph(chain.Result) != "a_1" || chain.Aborted != nil {
		t.Fatalf("%s, %v, %+v", graph(chain.Result), err, chain.Aborted)
	}
	var steps []string
	for _, s := range chain.Programs[0].Log {
		branch := ""
		if s.Branch != nil {
			branch = *s.Branch
		}
		steps = append(steps, fmt.Sprintf("%d%s%s%s:%d/%d=%d/%d", s.Statement, s.Op, s.Type, branch, s.Nodes, s.Links, s.Size.Nodes, s.Size.Links))
	}
	if text := strings.Join(steps, " "); text != "0!api:2/0=2/0 1+api:0/1=2/1 2+cypher:1/2=3/3 3-api:0/0=3/3 4+conditionalthen:0/0=3/3 4&api:2/3=1/0" {
		t.Error(text)
	}
}

// TestAborts ends programs early, each for another reason.
func TestAborts(t *testing.T) {
	t.Parallel()
	busy := kappa.NewError(kappa.CodeUnavailable, "busy")
	for name, c := range map[string]struct {
		fake       *fake
		statements []string
		reason     string
		graph      string
	}{
		"an assertion":        {&fake{answers: answers()}, []string{statement("+", "/concepts", `{}`), statement("!", "/concepts/details", `{"concept_id":"z_9"}`), statement("+", "/search/concepts", `{"query":"x"}`)}, "the assertion failed", "a_1 e_5"},
		"a busy server":       {&fake{answers: answers(), errs: map[string]error{"POST /query/search": busy}}, []string{statement("+", "/concepts", `{}`), statement("+", "/search/concepts", `{"query":"x"}`)}, "busy", "a_1 e_5"},
		"a value of no range": {&fake{answers: answers()}, []string{statement("+", "/concepts", `{}`), statement("+", "/query/neighborhood", `{"concept_id":"$q","max_hops":"$n"}`), statement("+", "/search/concepts", `{"query":"$q","min_similarity":"$n"}`)}, "min_similarity: must be 0 to 1, got 3", "a_1 e_5 b_2 b_2-USES>a_1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			chain, err := run(t, c.fake, read(t, c.statements...))
			a := chain.Programs[0].Aborted
			if err != nil || a == nil || !strings.Contains(a.Reason, c.reason) || a.Statement != len(chain.Programs[0].Log) || graph(chain.Result) != c.graph {
				t.Errorf("%+v, %v, %s", a, err, graph(chain.Result))
			}
		})
	}
}

// TestLimits has each limit end a run.
func TestLimits(t *testing.T) {
	t.Parallel()
	many := func(n int, s string) []string {
		var list []string
		for range n {
			list = append(list, s)
		}
		return list
	}
	t.Run("concepts", func(t *testing.T) {
		t.Parallel()
		chain, err := run(t, &fake{wide: 100}, read(t, many(51, statement("+", "/search/concepts", `{"query":"x"}`))...))
		if a := chain.Aborted; err != nil || a == nil || a.Statement != 50 || !strings.Contains(a.Reason, "more than 5000 concepts") || len(chain.Result.Nodes) != 5000 {
			t.Errorf("%+v, %v, %d nodes", a, err, len(chain.Result.Nodes))
		}
	})
	t.Run("questions", func(t *testing.T) {
		t.Parallel()
		f := &fake{wide: 100, answers: answers()}
		s := append(many(6, statement("+", "/search/concepts", `{"query":"x"}`)), statement("+", "/query/neighborhood", `{"concept_id":"$W_IDS"}`))
		chain, err := run(t, f, read(t, s...))
		if a := chain.Aborted; err != nil || a == nil || a.Statement != 6 || !strings.Contains(a.Reason, "more than 500 questions") || len(f.asked) != 500 {
			t.Errorf("%+v, %v, asked %d", a, err, len(f.asked))
		}
	})
	t.Run("bytes", func(t *testing.T) {
		t.Parallel()
		f := &fake{answers: map[string]string{"GET /vocabulary/epistemic-status": `{"types":[{"relationship_type":"` + strings.Repeat("A", 3<<20) + `"}]}`}}
		chain, err := run(t, f, read(t, many(9, statement("+", "/vocabulary/status", `{}`))...))
		if a := chain.Aborted; err != nil || a == nil || a.Statement != 1 || !strings.Contains(a.Reason, "8.0 MB") {
			t.Errorf("%+v, %v", a, err)
		}
	})
	t.Run("time", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			began := time.Now()
			chain, err := run(t, &fake{sleep: 25 * time.Second, wide: 1}, read(t, many(9, statement("+", "/search/concepts", `{"query":"x"}`))...))
			if a := chain.Aborted; err != nil || a == nil || a.Statement != 2 || !strings.Contains(a.Reason, "longer than 60 seconds") || time.Since(began) != programs.MaxTime || len(chain.Result.Nodes) != 2 {
				t.Errorf("%+v, %v after %s, %d nodes", a, err, time.Since(began), len(chain.Result.Nodes))
			}
		})
	})
}

// TestRefusal has a caller who may not ask a question get nothing of what was built.
func TestRefusal(t *testing.T) {
	t.Parallel()
	f := &fake{answers: answers(), errs: map[string]error{"POST /query/search": kappa.NewError(kappa.CodeForbidden, "Permission denied")}}
	chain, err := run(t, f, read(t, statement("+", "/concepts", `{}`), statement("?", "/search/concepts", `{"query":"x"}`)))
	if kappa.ErrorCode(err) != kappa.CodeForbidden || len(chain.Result.Nodes) > 0 {
		t.Errorf("%v, %s", err, graph(chain.Result))
	}
}

// TestNarrowed has a caller who may read one ontology alone, b.
func TestNarrowed(t *testing.T) {
	t.Parallel()
	newest := "MATCH (c:Concept) WHERE c.created_at_epoch IS NOT NULL RETURN c ORDER BY c.created_at_epoch DESC LIMIT 7"
	for name, c := range map[string]struct{ statement, want string }{
		"what a question names":      {statement("+", "/search/concepts", `{"query":"x"}`), "b_2"},
		"the newest":                 {cypher("+", newest), "newest_7b"},
		"the newest of another":      {cypher("+", strings.Replace(newest, "NULL", "NULL AND c.ontology = 'a'", 1)), "forbidden"},
		"concepts of another":        {statement("+", "/concepts", `{"ontology":"a"}`), "forbidden"},
		"relationships need an end":  {cypher("+", "MATCH (c:Concept)-[r]->(t:Concept) RETURN c, r, t"), "b_2"},
		"concepts within one's own":  {statement("+", "/concepts/batch", `{"concept_ids":["a_1"],"ontology":"b"}`), ""},
		"a condition sees no others": {`{"op":"+","operation":{"type":"conditional","condition":{"test":"has_ontology","ontology":"a"},"then":[` + cypher("+", newest) + `],"else":[` + statement("+", "/concepts", `{}`) + `]}}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			chain, err := run(t, &fake{answers: answers(), only: "b"}, read(t, c.statement))
			if got := graph(chain.Result); c.want == "forbidden" && kappa.ErrorCode(err) != kappa.CodeForbidden || c.want != "forbidden" && (err != nil || got != c.want) {
				t.Errorf("%s, %v", got, err)
			}
		})
	}
}

func TestChain(t *testing.T) {
	t.Parallel()
	f := &fake{answers: answers()}
	first, second := read(t, statement("+", "/concepts", `{}`)), read(t, statement("+", "/query/neighborhood", `{"concept_id":"a_1"}`))
	chain, err := run(t, f, first, second)
	if err != nil || chain.Aborted != nil || len(chain.Programs) != 2 || graph(chain.Programs[0].Result) != "a_1 e_5" || graph(chain.Result) != "a_1 e_5 b_2 b_2-USES>a_1" {
		t.Errorf("%v, %+v", err, chain)
	}
	chain, err = run(t, f, first, read(t, statement("!", "/concepts/details", `{"concept_id":"z_9"}`)), second)
	if a := chain.Aborted; err != nil || a == nil || *a.Program != 1 || len(chain.Programs) != 2 || graph(chain.Result) != "a_1 e_5" {
		t.Errorf("%v, %+v", err, chain)
	}
}
