package kappa

import (
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// ProgramWorkingIDs stands for the ids of the concepts of the graph that is being built. As
// the id of one concept, it has the question asked for each of them.
const ProgramWorkingIDs = "$W_IDS"

// programMember is a member of the params of an api operation.
type programMember struct {
	name     string
	kind     string // ParameterString and so on
	required bool
	most     float64 // of a number; its least is least
	least    float64
	working  bool // may be ProgramWorkingIDs
}

func textMember(name string) programMember { return programMember{name: name, kind: ParameterString} }

func wholeMember(name string, least, most int) programMember {
	return programMember{name: name, kind: ParameterInteger, least: float64(least), most: float64(most)}
}

func shareMember(name string) programMember {
	return programMember{name: name, kind: ParameterNumber, most: 1}
}

func flagMember(name string) programMember { return programMember{name: name, kind: ParameterBoolean} }

func listMember(name string) programMember { return programMember{name: name, kind: ParameterStrings} }

// needed has a member be required.
func (m programMember) needed() programMember { m.required = true; return m }

// orWorking lets a member be ProgramWorkingIDs.
func (m programMember) orWorking() programMember { m.working = true; return m }

// MaxProgramIDs is how many concepts one statement may name.
const MaxProgramIDs = 100

// programEndpoints are the questions that a statement may ask, and what each takes. The first
// six are those of other servers.
var programEndpoints = map[string][]programMember{
	"/search/concepts": {textMember("query").needed(), shareMember("min_similarity"), wholeMember("limit", 1, MaxSearchLimit), textMember("ontology"), wholeMember("offset", 0, maxOffset)},
	"/search/sources":  {textMember("query").needed(), shareMember("min_similarity"), wholeMember("limit", 1, MaxSearchLimit), textMember("ontology")},
	"/concepts/details": {
		textMember("concept_id").needed().orWorking(), textMember("ontology"), flagMember("include_diversity"), flagMember("include_grounding"),
	},
	"/concepts/related":  {textMember("concept_id").needed().orWorking(), wholeMember("max_depth", 1, 5), listMember("relationship_types"), textMember("ontology")},
	"/concepts/batch":    {listMember("concept_ids").needed().orWorking(), textMember("ontology"), flagMember("include_details")},
	"/vocabulary/status": {textMember("status_filter"), textMember("relationship_type")},

	"/query/neighborhood": {
		textMember("concept_id").needed().orWorking(), wholeMember("max_hops", 1, 5), listMember("relationship_types"), wholeMember("limit", 1, 1000), flagMember("include_weak"), textMember("ontology"),
	},
	"/query/connect": {
		textMember("from_id").needed(), textMember("to_id").needed(), wholeMember("max_hops", 1, 10), flagMember("include_weak"), textMember("ontology"),
	},
	"/query/connect-by-search": {
		textMember("from_query").needed(), textMember("to_query").needed(), wholeMember("max_hops", 1, 10), shareMember("threshold"), flagMember("include_weak"), textMember("ontology"),
	},
	"/concepts": {textMember("ontology"), textMember("label_contains"), wholeMember("limit", 1, 500)},
	"/edges": {
		textMember("from_concept_id"), textMember("to_concept_id"), textMember("relationship_type"), textMember("ontology"), shareMember("min_confidence"), wholeMember("limit", 1, 500),
	},
}

// ProgramEndpoints returns the questions that a statement may ask, by name.
func ProgramEndpoints() []string { return slices.Sorted(maps.Keys(programEndpoints)) }

// endpoint reads the params of an api operation.
func (r *programReader) endpoint(s *ProgramStatement, name string, params map[string]any, at string) {
	members, ok := programEndpoints[name]
	if !ok {
		r.fail("V020", at+".endpoint", "no program may ask "+quote(name)+"; known are "+strings.Join(ProgramEndpoints(), ", "))
		return
	}
	s.Endpoint, s.Params = name, map[string]any{}
	for _, m := range members {
		value, given := params[m.name]
		if !given || value == nil {
			if m.required {
				r.fail("V021", at+".params."+m.name, m.name+" is required")
			}
			continue
		}
		s.Params[m.name] = value
		if rule, broken := r.member(m, value); broken != "" {
			r.fail(rule, at+".params."+m.name, m.name+" "+broken)
		}
	}
	for _, given := range slices.Sorted(maps.Keys(params)) {
		if !slices.ContainsFunc(members, func(m programMember) bool { return m.name == given }) {
			r.warn("V022", at+".params."+quote(given), quote(given)+" is not known to "+name+", and is ignored")
		}
	}
}

// member returns the rule that a value breaks, and how, or "" for both.
func (r *programReader) member(m programMember, value any) (rule, broken string) {
	if text, ok := value.(string); ok {
		switch name, isParameter := strings.CutPrefix(text, "$"); {
		case text == ProgramWorkingIDs && m.working:
			return "", ""
		case text == ProgramWorkingIDs:
			return "V032", "cannot be " + ProgramWorkingIDs
		case isParameter && isQueryWord(name):
			return r.reference(m, name)
		}
	}
	text, _ := json.Marshal(value) //nolint:errchkjson // was read from JSON
	v, broken := QueryParameter{Type: m.kind}.read(text)
	if broken != "" {
		return "V023", broken
	}
	return "V024", m.bounds(v)
}

// reference checks a parameter that stands for a member.
func (r *programReader) reference(m programMember, name string) (rule, broken string) {
	i := slices.IndexFunc(r.program.Parameters, func(p QueryParameter) bool { return p.Name == name })
	if i < 0 {
		return "V032", "uses $" + name + ", which params does not declare"
	}
	p := r.program.Parameters[i]
	if (p.Type == ParameterString) != (m.kind == ParameterString) {
		return "V023", "takes a " + m.kind + ", and $" + name + " is a " + p.Type
	}
	return "", ""
}

// bounds returns the rule that a value of the right type breaks, or "".
func (m programMember) bounds(v any) string {
	switch v := v.(type) {
	case json.Number:
		f, _ := v.Float64()
		if f < m.least || f > m.most {
			return "must be " + strconv.FormatFloat(m.least, 'g', -1, 64) + " to " + strconv.FormatFloat(math.Floor(m.most*1000)/1000, 'f', -1, 64) + ", got " + v.String()
		}
	case string:
		return checkName(v, maxQueryCharacters)
	case []any:
		return checkRange(len(v), 1, MaxProgramIDs)
	}
	return ""
}

// BindParams returns the params of an api operation with the values of parameters. It returns
// a CodeInvalid Error for a value that a member does not take.
func (s ProgramStatement) BindParams(values map[string]any) (map[string]any, error) {
	bound := maps.Clone(s.Params)
	var broken rules
	for _, m := range programEndpoints[s.Endpoint] {
		text, ok := bound[m.name].(string)
		name, reference := strings.CutPrefix(text, "$")
		if !ok || !reference || !isQueryWord(name) || text == ProgramWorkingIDs {
			continue
		}
		text2, _ := json.Marshal(values[name]) //nolint:errchkjson // was read from JSON
		v, rule := QueryParameter{Type: m.kind}.read(text2)
		if rule == "" {
			rule = m.bounds(v)
		}
		broken.add("body", m.name, rule)
		bound[m.name] = v
	}
	return bound, broken.err()
}
