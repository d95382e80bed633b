package programs_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/kappagraph/kappa/knowledge/programs"
)

func TestNewSavedQuery(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		query programs.NewSavedQuery
		want  string
	}{
		"a search":                {programs.NewSavedQuery{Name: "ice", Type: "search", Definition: json.RawMessage(`{"query":"ice"}`)}, ""},
		"a program without name":  {programs.NewSavedQuery{Type: "program", Definition: json.RawMessage(`{}`)}, ""},
		"a search without a name": {programs.NewSavedQuery{Type: "search", Definition: json.RawMessage(`{}`)}, "name: must not be empty"},
		"Cypher":                  {programs.NewSavedQuery{Name: "a", Type: "cypher", Definition: json.RawMessage(`{}`)}, "definition_type: cypher is not supported"},
		"another type":            {programs.NewSavedQuery{Name: "a", Type: "x", Definition: json.RawMessage(`{}`)}, "definition_type: must be one of search"},
		"a list":                  {programs.NewSavedQuery{Name: "a", Type: "search", Definition: json.RawMessage(`[]`)}, "definition: must be an object"},
		"too deep":                {programs.NewSavedQuery{Name: "a", Type: "search", Definition: json.RawMessage(`{"a":` + strings.Repeat("[", 70) + strings.Repeat("]", 70) + `}`)}, "definition: must be nested at most 64 deep"},
		"too large":               {programs.NewSavedQuery{Name: "a", Type: "search", Definition: json.RawMessage(`{"a":"` + strings.Repeat("x", 64<<10) + `"}`)}, "definition: must be at most"},
		"metadata that is a list": {programs.NewSavedQuery{Name: "a", Type: "search", Definition: json.RawMessage(`{}`), Metadata: json.RawMessage(`[]`)}, "metadata: must be an object"},
		"a parameter twice": {programs.NewSavedQuery{Name: "a", Type: "search", Definition: json.RawMessage(`{}`), Parameters: []programs.QueryParameter{
			{Name: "q", Type: "string"}, {Name: "q", Type: "string"},
		}}, "parameters[1].name: must be there once"},
		"a default of another type": {programs.NewSavedQuery{Name: "a", Type: "search", Definition: json.RawMessage(`{}`), Parameters: []programs.QueryParameter{
			{Name: "q", Type: "integer", Default: json.RawMessage(`1.5`)},
		}}, "parameters[0].default: must be a whole number"},
		"too many parameters": {programs.NewSavedQuery{Name: "a", Type: "search", Definition: json.RawMessage(`{}`), Parameters: make([]programs.QueryParameter, 51)}, "parameters: must be at most 50"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if err := c.query.Validate(); c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
}

func TestBind(t *testing.T) {
	t.Parallel()
	q := programs.SavedQuery{
		Definition: json.RawMessage(`{"query":"$q","limit":"$n","types":["A","$q"],"price":"$$q costs $5","half":0.50}`),
		Parameters: []programs.QueryParameter{{Name: "q", Type: "string"}, {Name: "n", Type: "integer", Default: json.RawMessage("7")}},
	}
	for name, c := range map[string]struct{ values, want, broken string }{
		"with its default":           {`{"q":"ice"}`, `{"half":0.50,"limit":7,"price":"$q costs $5","query":"ice","types":["A","ice"]}`, ""},
		"with both":                  {`{"q":"$n","n":3.0}`, `{"half":0.50,"limit":3,"price":"$q costs $5","query":"$n","types":["A","$n"]}`, ""}, // a value is never read again
		"with none":                  {`{}`, "", "parameters.q: is required"},
		"null is no text":            {`{"q":null}`, "", "parameters.q: must be text"},
		"a number for a text":        {`{"q":7}`, "", "parameters.q: must be text"},
		"a text for a number":        {`{"q":"a","n":"7"}`, "", "parameters.n: must be a number"},
		"half a number":              {`{"q":"a","n":7.5}`, "", "parameters.n: must be a whole number"},
		"a number beyond all bounds": {`{"q":"a","n":1e400}`, "", "parameters.n: must be below"},
		"an object":                  {`{"q":{"$ne":1}}`, "", "parameters.q: must be text"},
		"one that is not declared":   {`{"q":"a","x":1}`, "", `parameters."x": is no parameter of this query`},
		"a NUL":                      {`{"q":"a\u0000"}`, "", "parameters.q: must not contain a NUL"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var values map[string]json.RawMessage
			if err := json.Unmarshal([]byte(c.values), &values); err != nil {
				t.Fatal(err)
			}
			got, err := q.Bind(values)
			if c.broken == "" && (err != nil || string(got) != c.want) || c.broken != "" && (err == nil || !strings.Contains(err.Error(), c.broken)) {
				t.Errorf("%s, %v; want %s %s", got, err, c.want, c.broken)
			}
		})
	}
}

func TestBindSamples(t *testing.T) {
	t.Parallel()
	q := programs.SavedQuery{
		Definition: json.RawMessage(`{"query":"$q","limit":"$n","types":"$list"}`),
		Parameters: []programs.QueryParameter{{Name: "q", Type: "string"}, {Name: "n", Type: "integer", Default: json.RawMessage("7")}, {Name: "list", Type: "strings"}},
	}
	request, places, err := q.BindSamples()
	slices.Sort(places)
	if err != nil || string(request) != `{"limit":7,"query":"a","types":["a"]}` || fmt.Sprint(places) != "[query types]" {
		t.Errorf("%s, %v, %v", request, places, err)
	}
	q.Parameters = append(q.Parameters[:1], programs.QueryParameter{Name: "other", Type: "string"})
	if _, _, err := q.BindSamples(); err == nil || !strings.Contains(err.Error(), "definition.limit: $n is not declared") || !strings.Contains(err.Error(), "definition.types: $list") {
		t.Errorf("%v", err)
	}
}
