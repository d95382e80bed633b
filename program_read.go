package kappa

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// maxProgramIssues is how many issues a report has.
const maxProgramIssues = 50

// ReadProgram reads a program, and reports all that is wrong with it. One that is not valid
// must not be run.
func ReadProgram(text json.RawMessage) (Program, ProgramReport) {
	r := programReader{report: ProgramReport{Errors: []ProgramIssue{}, Warnings: []ProgramIssue{}}}
	r.read(text)
	r.report.Valid = len(r.report.Errors) == 0
	return r.program, r.report
}

// programReader reads a program.
type programReader struct {
	program   Program
	report    ProgramReport
	statement *int // that is being read
	count     int  // of statements, with those of branches
}

func (r *programReader) read(text json.RawMessage) {
	if rule := checkObject(text, MaxProgramBytes); rule != "" {
		r.fail("V000", "", "a program "+rule)
		return
	}
	if place, rule := checkData(text); rule != "" {
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
	if r.statement = nil; r.count > MaxProgramStatements {
		r.fail("V006", "statements", "must be at most "+strconv.Itoa(MaxProgramStatements)+" with those of branches, got "+strconv.Itoa(r.count))
	}
}

// fail adds an error.
func (r *programReader) fail(rule, field, message string) {
	r.report.Errors = r.issue(r.report.Errors, rule, "error", field, message)
}

// warn adds a warning.
func (r *programReader) warn(rule, field, message string) {
	r.report.Warnings = r.issue(r.report.Warnings, rule, "warning", field, message)
}

func (r *programReader) issue(list []ProgramIssue, rule, severity, field, message string) []ProgramIssue {
	if len(list) >= maxProgramIssues {
		return list
	}
	issue := ProgramIssue{Rule: rule, Severity: severity, Statement: r.statement, Message: message}
	if field != "" {
		issue.Field = &field
	}
	return append(list, issue)
}

// object returns the members of an object, and warns of those that are not known.
func (r *programReader) object(v any, at string, known ...string) (map[string]any, bool) {
	object, ok := v.(map[string]any)
	if !ok {
		r.fail("V000", at, "must be an object")
	}
	for _, name := range slices.Sorted(maps.Keys(object)) {
		if !slices.Contains(known, name) {
			r.warn("V009", strings.TrimPrefix(at+"."+quote(name), "."), quote(name)+" is not known, and is ignored")
		}
	}
	return object, ok
}

// text returns an optional text, "" without.
func (r *programReader) text(v any, at string, most int) string {
	if v == nil {
		return ""
	}
	text, ok := v.(string)
	if !ok {
		r.fail("V000", at, "must be text")
		return ""
	}
	if text != "" {
		if rule := checkLongText(text, most); rule != "" {
			r.fail("V000", at, rule)
		}
	}
	return text
}

func (r *programReader) metadata(v any) {
	if v == nil {
		return
	}
	m, _ := r.object(v, "metadata", "name", "description", "author", "created")
	r.program.Name = r.text(m["name"], "metadata.name", MaxSavedQueryName)
	if rule := checkOptionalName(r.program.Name, MaxSavedQueryName); rule != "" {
		r.fail("V000", "metadata.name", rule)
	}
	r.program.Description = r.text(m["description"], "metadata.description", maxQueryCharacters)
	if author := m["author"]; author != nil {
		if rule := checkOneOf(r.text(author, "metadata.author", MaxSavedQueryName), "human", "agent", "system"); rule != "" {
			r.fail("V000", "metadata.author", rule)
		}
	}
}

// parameters reads what the program declares.
func (r *programReader) parameters(v any) {
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
			r.fail("V000", at+".type", checkOneOf(p.Type, ParameterString, ParameterNumber))
			p.Type = ParameterString
		}
		r.program.Parameters = append(r.program.Parameters, p)
	}
	var broken rules
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
func (r *programReader) step(v any, at string, depth int) ProgramStatement {
	r.count++
	m, ok := r.object(v, at, "op", "operation", "label", "block")
	s := ProgramStatement{Index: *r.statement}
	if !ok || r.count > MaxProgramStatements {
		return s
	}
	s.Label = r.text(m["label"], at+".label", maxQueryCharacters)
	op, _ := m["op"].(string)
	if rule := checkOneOf(op, ProgramUnion, ProgramDifference, ProgramIntersect, ProgramOptional, ProgramAssert); rule != "" {
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
	case ProgramCypher:
		r.cypher(&s, o, at)
	case ProgramAPI:
		r.api(&s, o, at)
	case ProgramConditional:
		r.conditional(&s, o, at, depth+1)
	default:
		r.fail("V000", at+".type", checkOneOf(s.Type, ProgramCypher, ProgramAPI, ProgramConditional))
	}
	return s
}

func (r *programReader) cypher(s *ProgramStatement, o map[string]any, at string) {
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
func (r *programReader) whole(v any, at string) (int, bool) {
	number, _ := v.(json.Number)
	n, err := strconv.ParseInt(number.String(), 10, 32)
	if err != nil {
		r.fail("V000", at, "must be a whole number")
	}
	return int(n), err == nil
}

func (r *programReader) api(s *ProgramStatement, o map[string]any, at string) {
	r.object(o, at, "type", "endpoint", "params")
	params, ok := o["params"].(map[string]any)
	if o["params"] != nil && !ok {
		r.fail("V000", at+".params", "must be an object")
		return
	}
	name, _ := o["endpoint"].(string)
	r.endpoint(s, name, params, at)
}

func (r *programReader) conditional(s *ProgramStatement, o map[string]any, at string, depth int) {
	if depth > MaxProgramNesting {
		r.fail("V007", at, "conditions may be within each other "+strconv.Itoa(MaxProgramNesting)+" deep")
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

func (r *programReader) branch(v any, at string, depth int) (steps []ProgramStatement) {
	list, ok := v.([]any)
	if !ok && v != nil {
		r.fail("V000", at, "must be a list of statements")
	}
	for i, e := range list {
		steps = append(steps, r.step(e, at+"["+strconv.Itoa(i)+"]", depth))
	}
	return steps
}

func (r *programReader) condition(v any, at string) ProgramCondition {
	m, ok := r.object(v, at, "test", "value", "ontology", "type")
	if !ok {
		return ProgramCondition{}
	}
	c := ProgramCondition{}
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
		r.fail("V000", at+".test", checkOneOf(c.Test, "has_results", "empty", "count_gte", "count_lte", "has_ontology", "has_relationship"))
	}
	return c
}

// name reads a name that must be there.
func (r *programReader) name(v any, at string) string {
	name := r.text(v, at, MaxOntologyName)
	if rule := checkName(name, MaxOntologyName); rule != "" {
		r.fail("V000", at, rule)
	}
	return name
}
