package programs_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/kappagraph/kappa/knowledge/programs"
)

// oneStatement returns a program with one statement, whose operation is given.
func oneStatement(operation string) string {
	return `{"version":1,"statements":[{"op":"+","operation":` + operation + `}]}`
}

// nested returns a statement within so many conditions.
func nested(depth int) string {
	statement := `{"op":"+","operation":{"type":"api","endpoint":"/search/concepts","params":{"query":"a"}}}`
	for range depth {
		statement = `{"op":"+","operation":{"type":"conditional","condition":{"test":"empty"},"then":[` + statement + `]}}`
	}
	return statement
}

func TestReadProgram(t *testing.T) {
	t.Parallel()
	search := `{"type":"api","endpoint":"/search/concepts","params":{"query":"ice","limit":5}}`
	for name, c := range map[string]struct {
		program string
		want    string // rule@field of each error, or "" for a valid program
	}{
		"a search":                    {oneStatement(search), ""},
		"every question of others":    {oneStatement(`{"type":"api","endpoint":"/concepts/related","params":{"concept_id":"a_1","max_depth":2,"relationship_types":["CAUSES"]}}`), ""},
		"about the working graph":     {oneStatement(`{"type":"api","endpoint":"/concepts/details","params":{"concept_id":"$W_IDS"}}`), ""},
		"the newest":                  {oneStatement(`{"type":"cypher","query":"MATCH (c:Concept) WHERE c.created_at_epoch IS NOT NULL RETURN c ORDER BY c.created_at_epoch DESC","limit":20}`), ""},
		"relationships":               {oneStatement(`{"type":"cypher","query":"MATCH (c:Concept)-[r:SUPPORTS|IMPLIES]->(t:Concept) WHERE c.concept_id IN $W_IDS RETURN c, r, t LIMIT 50"}`), ""},
		"conditions as deep as may":   {`{"version":1,"statements":[` + nested(3) + `]}`, ""},
		"a parameter":                 {`{"version":1,"params":[{"name":"q","type":"string"}],"statements":[{"op":"!","operation":{"type":"api","endpoint":"/search/concepts","params":{"query":"$q"}}}]}`, ""},
		"no object":                   {`[]`, "V000@"},
		"cut off":                     {`{"version":1`, "V000@"},
		"null":                        {`null`, "V000@"},
		"another version":             {strings.Replace(oneStatement(search), `"version":1`, `"version":2`, 1), "V001@version"},
		"a version that is text":      {strings.Replace(oneStatement(search), `"version":1`, `"version":"1"`, 1), "V001@version"},
		"no statements":               {`{"version":1,"statements":[]}`, "V002@statements"},
		"statements that are none":    {`{"version":1,"statements":{}}`, "V000@statements"},
		"another operator":            {strings.Replace(oneStatement(search), `"+"`, `"|"`, 1), "V003@statements[0].op"},
		"a parameter twice":           {`{"version":1,"params":[{"name":"q","type":"string"},{"name":"q","type":"number"}],"statements":[` + nested(0) + `]}`, "V004@params[1].name"},
		"a parameter of another type": {`{"version":1,"params":[{"name":"q","type":"list"}],"statements":[` + nested(0) + `]}`, "V000@params[0].type"},
		"a default of another type":   {`{"version":1,"params":[{"name":"q","type":"number","default":"a"}],"statements":[` + nested(0) + `]}`, "V000@params[0].default"},
		"an empty branch":             {oneStatement(`{"type":"conditional","condition":{"test":"empty"},"then":[]}`), "V005@statements[0].operation.then"},
		"too many statements":         {`{"version":1,"statements":[` + strings.TrimSuffix(strings.Repeat(nested(0)+",", 101), ",") + `]}`, "V006@statements"},
		"conditions too deep":         {`{"version":1,"statements":[` + nested(4) + `]}`, "V007@statements[0].operation.then[0].operation.then[0].operation.then[0].operation"},
		"deep beyond all measure":     {`{"version":1,"statements":` + strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000) + `}`, "V000@"},
		"a statement that writes":     {oneStatement(`{"type":"cypher","query":"MATCH (c:Concept) DETACH DELETE c"}`), "V010@statements[0].operation.query"},
		"one that only names it":      {oneStatement(`{"type":"cypher","query":"MATCH (c:Concept) WHERE c.ontology = 'CREATE' RETURN c"}`), ""},
		"Cypher that is not known":    {oneStatement(`{"type":"cypher","query":"MATCH (n) RETURN n"}`), "V031@statements[0].operation.query"},
		"a statement behind one":      {oneStatement(`{"type":"cypher","query":"MATCH (c:Concept) RETURN c UNION MATCH (s:Source) RETURN s"}`), "V031@statements[0].operation.query"},
		"a text that goes on":         {oneStatement(`{"type":"cypher","query":"MATCH (c:Concept) WHERE c.ontology = 'a' OR c.x = 'b' RETURN c"}`), "V031@statements[0].operation.query"},
		"another variable":            {oneStatement(`{"type":"cypher","query":"MATCH (c:Concept) RETURN d"}`), "V031@statements[0].operation.query"},
		"a huge limit of Cypher":      {oneStatement(`{"type":"cypher","query":"MATCH (c:Concept) RETURN c LIMIT 999999999"}`), "V024@statements[0].operation.query"},
		"an endpoint of its own":      {oneStatement(`{"type":"api","endpoint":"/admin/backup","params":{}}`), "V020@statements[0].operation.endpoint"},
		"a path out of one":           {oneStatement(`{"type":"api","endpoint":"/search/concepts/../../users","params":{"query":"a"}}`), "V020@statements[0].operation.endpoint"},
		"a member that is missing":    {oneStatement(`{"type":"api","endpoint":"/search/concepts","params":{}}`), "V021@statements[0].operation.params.query"},
		"one of another type":         {oneStatement(`{"type":"api","endpoint":"/search/concepts","params":{"query":7}}`), "V023@statements[0].operation.params.query"},
		"a huge limit":                {oneStatement(`{"type":"api","endpoint":"/search/concepts","params":{"query":"a","limit":1e18}}`), "V023@statements[0].operation.params.limit"},
		"a limit over the bound":      {oneStatement(`{"type":"api","endpoint":"/search/concepts","params":{"query":"a","limit":101}}`), "V024@statements[0].operation.params.limit"},
		"a parameter nobody declares": {oneStatement(`{"type":"api","endpoint":"/search/concepts","params":{"query":"$q"}}`), "V032@statements[0].operation.params.query"},
		"a text for a number":         {`{"version":1,"params":[{"name":"q","type":"string"}],"statements":[{"op":"+","operation":{"type":"api","endpoint":"/search/concepts","params":{"query":"a","limit":"$q"}}}]}`, "V023@statements[0].operation.params.limit"},
		"the graph as a phrase":       {oneStatement(`{"type":"api","endpoint":"/search/concepts","params":{"query":"$W_IDS"}}`), "V032@statements[0].operation.params.query"},
		"another operation":           {oneStatement(`{"type":"shell","query":"ls"}`), "V000@statements[0].operation.type"},
		"another test":                {oneStatement(`{"type":"conditional","condition":{"test":"always"},"then":[` + nested(0) + `]}`), "V000@statements[0].operation.condition.test"},
		"a count that is text":        {oneStatement(`{"type":"conditional","condition":{"test":"count_gte","value":"9"},"then":[` + nested(0) + `]}`), "V000@statements[0].operation.condition.value"},
		"a NUL":                       {oneStatement(`{"type":"api","endpoint":"/search/concepts","params":{"query":"a\u0000"}}`), "V000@statements[0].operation.params.query"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, report := programs.Read(json.RawMessage(c.program))
			var got []string
			for _, e := range report.Errors {
				field := ""
				if e.Field != nil {
					field = *e.Field
				}
				got = append(got, e.Rule+"@"+field)
				if (e.Statement == nil) == strings.HasPrefix(field, "statements[") && e.Rule != "V000" {
					t.Errorf("%s is of statement %v", field, e.Statement)
				}
			}
			if text := strings.Join(got, " "); text != c.want || report.Valid != (c.want == "") || (report.Err() == nil) != report.Valid {
				t.Errorf("found %q, valid %t, %v; want %q", text, report.Valid, report.Err(), c.want)
			}
		})
	}
}

func TestReadProgramWarns(t *testing.T) {
	t.Parallel()
	_, report := programs.Read(json.RawMessage(`{"version":1,"colour":"red","statements":[{"op":"+","lable":"x","operation":{"type":"api","endpoint":"/search/concepts","params":{"query":"a","limt":5}}}]}`))
	var fields []string
	for _, w := range report.Warnings {
		fields = append(fields, *w.Field)
	}
	slices.Sort(fields)
	if text := strings.Join(fields, " "); !report.Valid || text != `"colour" statements[0]."lable" statements[0].operation.params."limt"` {
		t.Errorf("valid %t, warned of %s", report.Valid, text)
	}
}

// graphOf returns a graph with these concepts and links, each a letter or from>to.
func graphOf(names string) (g programs.Graph) {
	for name := range strings.FieldsSeq(names) {
		from, to, link := strings.Cut(name, ">")
		if link {
			g.Links = append(g.Links, programs.Link{FromID: from, Type: "IS", ToID: to})
		} else {
			g.Nodes = append(g.Nodes, programs.Node{ConceptID: name})
		}
	}
	return g
}

func namesOf(g programs.Graph) string {
	var names []string
	for _, n := range g.Nodes {
		names = append(names, n.ConceptID)
	}
	for _, l := range g.Links {
		names = append(names, l.FromID+">"+l.ToID)
	}
	return strings.Join(names, " ")
}

func TestProgramOperators(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		graph, op, result, want string
		nodes, links            int
		ok                      bool
	}{
		{"a", "+", "b a a a>b a>b", "a b a>b", 1, 1, true},
		{"a", "+", "b a>c", "a b", 1, 0, true}, // a relationship without its end is none
		{"a b c a>b b>c", "-", "b x", "a c", 1, 2, true},
		{"a b c a>b b>c", "-", "", "a b c a>b b>c", 0, 0, true},
		{"a b c a>b b>c", "&", "b a", "a b a>b", 1, 1, true},
		{"a b a>b", "&", "", "", 2, 1, true},
		{"a", "?", "b", "a b", 1, 0, true},
		{"a", "?", "", "a", 0, 0, true},
		{"a", "!", "b", "a b", 1, 0, true},
		{"a", "!", "", "a", 0, 0, false},
		{"a", "!", "a", "a", 0, 0, true}, // it found something, if nothing new
	} {
		g := graphOf(c.graph)
		nodes, links, ok := g.Apply(c.op, graphOf(c.result))
		if names := namesOf(g); names != c.want || nodes != c.nodes || links != c.links || ok != c.ok {
			t.Errorf("%q %s %q: %q, %d nodes, %d links, %t; want %q, %d, %d, %t", c.graph, c.op, c.result, names, nodes, links, ok, c.want, c.nodes, c.links, c.ok)
		}
	}
}

func FuzzReadProgram(f *testing.F) {
	f.Add(oneStatement(`{"type":"cypher","query":"MATCH (c:Concept)-[r]->(t:Concept) WHERE c.ontology = 'a' RETURN c, r, t LIMIT 5"}`))
	f.Add(`{"version":1,"params":[{"name":"q","type":"number","default":1}],"statements":[` + nested(3) + `]}`)
	f.Fuzz(func(t *testing.T, text string) {
		p, report := programs.Read(json.RawMessage(text))
		if report.Valid && (len(p.Statements) == 0 || report.Err() != nil) {
			t.Errorf("a valid program of %d statements, %v", len(p.Statements), report.Err())
		}
		if fmt.Sprint(report.Valid) == "true" && len(text) > programs.MaxBytes {
			t.Error("too large")
		}
	})
}
