package programs

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/check"
)

// maxIssues is how many issues a report has.
const maxIssues = 50

// Read reads a program, and reports all that is wrong with it. One that is not valid
// must not be run.
func Read(text json.RawMessage) (Program, Report) {
	r := reader{report: Report{Errors: []Issue{}, Warnings: []Issue{}}}
	r.read(text)
	r.report.Valid = len(r.report.Errors) == 0
	return r.program, r.report
}

// reader reads a program.
type reader struct {
	program   Program
	report    Report
	statement *int // that is being read
	count     int  // of statements, with those of branches
}

func (r *reader) read(text json.RawMessage) {
	if rule := check.Object(text, MaxBytes); rule != "" {
		r.fail("V000", "", "a program "+rule)
		return
	}
	if place, rule := check.Data(text); rule != "" {
		r.fail("V000", strings.TrimPrefix(strings.TrimPrefix(place, "data"), "."), rule)
		return
	}
	v, err := decodeJSON(text)
	if err != nil {
		r.fail("V000", "", "a program must be an object")
		return
	}
	p, _ := r.object(v, "", "version", "metadata", "params", "statements")
	if version, ok := p["version"].(json.Number); !ok || version != "1" {
		r.fail("V001", "version", "must be 1")
	}
	r.metadata(p["metadata"])
	r.parameters(p["params"])
	list, ok := p["statements"].([]any)
	switch {
	case !ok:
		r.fail("V000", "statements", "must be a list of statements")
	case len(list) == 0:
		r.fail("V002", "statements", "must have at least one")
	}
	for i, e := range list {
		r.statement = new(i)
		r.program.Statements = append(r.program.Statements, r.step(e, "statements["+strconv.Itoa(i)+"]", 0))
	}
	if r.statement = nil; r.count > MaxStatements {
		r.fail("V006", "statements", "must be at most "+strconv.Itoa(MaxStatements)+" with those of branches, got "+strconv.Itoa(r.count))
	}
}

// fail adds an error.
func (r *reader) fail(rule, field, message string) {
	r.report.Errors = r.issue(r.report.Errors, rule, "error", field, message)
}

// warn adds a warning.
func (r *reader) warn(rule, field, message string) {
	r.report.Warnings = r.issue(r.report.Warnings, rule, "warning", field, message)
}

func (r *reader) issue(list []Issue, rule, severity, field, message string) []Issue {
	if len(list) >= maxIssues {
		return list
	}
	issue := Issue{Rule: rule, Severity: severity, Statement: r.statement, Message: message}
	if field != "" {
		issue.Field = &field
	}
	return append(list, issue)
}

// object returns the members of an object, and warns of those that are not known.
func (r *reader) object(v any, at string, known ...string) (map[string]any, bool) {
	object, ok := v.(map[string]any)
	if !ok {
		r.fail("V000", at, "must be an object")
	}
	for _, name := range slices.Sorted(maps.Keys(object)) {
		if !slices.Contains(known, name) {
			r.warn("V009", strings.TrimPrefix(at+"."+check.Quote(name), "."), check.Quote(name)+" is not known, and is ignored")
		}
	}
	return object, ok
}

// text returns an optional text, "" without.
func (r *reader) text(v any, at string, most int) string {
	if v == nil {
		return ""
	}
	text, ok := v.(string)
	if !ok {
		r.fail("V000", at, "must be text")
		return ""
	}
	if text != "" {
		if rule := check.LongText(text, most); rule != "" {
			r.fail("V000", at, rule)
		}
	}
	return text
}

func (r *reader) metadata(v any) {
	if v == nil {
		return
	}
	m, _ := r.object(v, "metadata", "name", "description", "author", "created")
	r.program.Name = r.text(m["name"], "metadata.name", MaxSavedQueryName)
	if rule := check.OptionalName(r.program.Name, MaxSavedQueryName); rule != "" {
		r.fail("V000", "metadata.name", rule)
	}
	r.program.Description = r.text(m["description"], "metadata.description", check.MaxQuery)
	if author := m["author"]; author != nil {
		if rule := check.OneOf(r.text(author, "metadata.author", MaxSavedQueryName), "human", "agent", "system"); rule != "" {
			r.fail("V000", "metadata.author", rule)
		}
	}
}

// parameters reads what the program declares.
func (r *reader) parameters(v any) {
	list, ok := v.([]any)
	if v != nil && !ok {
		r.fail("V000", "params", "must be a list")
	}
	for i, e := range list[:min(len(list), MaxQueryParameters+1)] {
		at := "params[" + strconv.Itoa(i) + "]"
		m, _ := r.object(e, at, "name", "type", "default", "description")
		p := QueryParameter{Name: r.text(m["name"], at+".name", MaxSavedQueryName), Type: r.text(m["type"], at+".type", MaxSavedQueryName)}
		if value, given := m["default"]; given {
			p.Default, _ = json.Marshal(value) //nolint:errchkjson // was read from JSON
		}
		if p.Type != ParameterString && p.Type != ParameterNumber {
			r.fail("V000", at+".type", check.OneOf(p.Type, ParameterString, ParameterNumber))
			p.Type = ParameterString
		}
		r.program.Parameters = append(r.program.Parameters, p)
	}
	var broken check.Rules
	checkParameters(&broken, r.program.Parameters)
	for _, b := range broken {
		rule := "V000"
		if strings.HasPrefix(b.Rule, "must be there once") {
			rule = "V004"
		}
		r.fail(rule, strings.Replace(b.Name, "parameters", "params", 1), b.Rule)
	}
}

// step reads a statement that is within so many conditions.
func (r *reader) step(v any, at string, depth int) Statement {
	r.count++
	m, ok := r.object(v, at, "op", "operation", "label", "block")
	s := Statement{Index: *r.statement}
	if !ok || r.count > MaxStatements {
		return s
	}
	s.Label = r.text(m["label"], at+".label", check.MaxQuery)
	op, _ := m["op"].(string)
	if rule := check.OneOf(op, Union, Difference, Intersect, Optional, Assert); rule != "" {
		r.fail("V003", at+".op", rule)
	}
	s.Op = op
	at += ".operation"
	o, ok := m["operation"].(map[string]any)
	if !ok {
		r.fail("V000", at, "must be an object")
		return s
	}
	s.Type, _ = o["type"].(string)
	switch s.Type {
	case Cypher:
		r.cypher(&s, o, at)
	case API:
		r.api(&s, o, at)
	case Conditional:
		r.conditional(&s, o, at, depth+1)
	default:
		r.fail("V000", at+".type", check.OneOf(s.Type, Cypher, API, Conditional))
	}
	return s
}

func (r *reader) cypher(s *Statement, o map[string]any, at string) {
	r.object(o, at, "type", "query", "limit")
	query, ok := o["query"].(string)
	if !ok {
		r.fail("V000", at+".query", "must be text")
		return
	}
	var limit *int
	if v := o["limit"]; v != nil {
		n, ok := r.whole(v, at+".limit")
		if !ok {
			return
		}
		limit = &n
	}
	cypher, rule, message := ParseCypher(query, limit)
	if message != "" {
		if rule == "" {
			rule = "V024"
		}
		r.fail(rule, at+".query", message)
		return
	}
	if cypher.Parameter != "" {
		if rule, broken := r.reference(textMember("ontology"), cypher.Parameter); broken != "" {
			r.fail(rule, at+".query", "the ontology "+broken)
		}
	}
	s.Cypher = cypher
}

// whole reads a whole number that fits 32 bits.
func (r *reader) whole(v any, at string) (int, bool) {
	number, _ := v.(json.Number)
	n, err := strconv.ParseInt(number.String(), 10, 32)
	if err != nil {
		r.fail("V000", at, "must be a whole number")
	}
	return int(n), err == nil
}

func (r *reader) api(s *Statement, o map[string]any, at string) {
	r.object(o, at, "type", "endpoint", "params")
	params, ok := o["params"].(map[string]any)
	if o["params"] != nil && !ok {
		r.fail("V000", at+".params", "must be an object")
		return
	}
	name, _ := o["endpoint"].(string)
	r.endpoint(s, name, params, at)
}

func (r *reader) conditional(s *Statement, o map[string]any, at string, depth int) {
	if depth > MaxNesting {
		r.fail("V007", at, "conditions may be within each other "+strconv.Itoa(MaxNesting)+" deep")
		return
	}
	r.object(o, at, "type", "condition", "then", "else")
	s.Condition = r.condition(o["condition"], at+".condition")
	s.Then = r.branch(o["then"], at+".then", depth)
	if len(s.Then) == 0 {
		r.fail("V005", at+".then", "must have at least one statement")
	}
	if o["else"] != nil {
		s.Else = r.branch(o["else"], at+".else", depth)
	}
}

func (r *reader) branch(v any, at string, depth int) (steps []Statement) {
	list, ok := v.([]any)
	if !ok && v != nil {
		r.fail("V000", at, "must be a list of statements")
	}
	for i, e := range list {
		steps = append(steps, r.step(e, at+"["+strconv.Itoa(i)+"]", depth))
	}
	return steps
}

func (r *reader) condition(v any, at string) Condition {
	m, ok := r.object(v, at, "test", "value", "ontology", "type")
	if !ok {
		return Condition{}
	}
	c := Condition{}
	c.Test, _ = m["test"].(string)
	switch c.Test {
	case "has_results", "empty":
	case "count_gte", "count_lte":
		c.Value, ok = r.whole(m["value"], at+".value")
		if ok && c.Value < 0 {
			r.fail("V024", at+".value", "must be at least 0")
		}
	case "has_ontology":
		c.Name = r.name(m["ontology"], at+".ontology")
	case "has_relationship":
		c.Name = r.name(m["type"], at+".type")
	default:
		r.fail("V000", at+".test", check.OneOf(c.Test, "has_results", "empty", "count_gte", "count_lte", "has_ontology", "has_relationship"))
	}
	return c
}

// name reads a name that must be there.
func (r *reader) name(v any, at string) string {
	name := r.text(v, at, kappa.MaxOntologyName)
	if rule := check.Name(name, kappa.MaxOntologyName); rule != "" {
		r.fail("V000", at, rule)
	}
	return name
}
