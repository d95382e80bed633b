package programs

import (
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/kappagraph/kappa/internal/check"
)

// WorkingIDs stands for the ids of the concepts of the graph that is being built. As
// the id of one concept, it has the question asked for each of them.
const WorkingIDs = "$W_IDS"

// member is a member of the params of an api operation.
type member struct {
	name     string
	kind     string // ParameterString and so on
	required bool
	most     float64 // of a number; its least is least
	least    float64
	working  bool // may be WorkingIDs
}

func textMember(name string) member { return member{name: name, kind: ParameterString} }

func wholeMember(name string, least, most int) member {
	return member{name: name, kind: ParameterInteger, least: float64(least), most: float64(most)}
}

func shareMember(name string) member {
	return member{name: name, kind: ParameterNumber, most: 1}
}

func flagMember(name string) member { return member{name: name, kind: ParameterBoolean} }

func listMember(name string) member { return member{name: name, kind: ParameterStrings} }

// needed has a member be required.
func (m member) needed() member { m.required = true; return m }

// orWorking lets a member be WorkingIDs.
func (m member) orWorking() member { m.working = true; return m }

// MaxIDs is how many concepts one statement may name.
const MaxIDs = 100

// endpoints are the questions that a statement may ask, and what each takes. The first
// six are those of other servers.
var endpoints = map[string][]member{
	"/search/concepts": {textMember("query").needed(), shareMember("min_similarity"), wholeMember("limit", 1, check.MaxSearchLimit), textMember("ontology"), wholeMember("offset", 0, check.MaxOffset)},
	"/search/sources":  {textMember("query").needed(), shareMember("min_similarity"), wholeMember("limit", 1, check.MaxSearchLimit), textMember("ontology")},
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

// Endpoints returns the questions that a statement may ask, by name.
func Endpoints() []string { return slices.Sorted(maps.Keys(endpoints)) }

// endpoint reads the params of an api operation.
func (r *reader) endpoint(s *Statement, name string, params map[string]any, at string) {
	members, ok := endpoints[name]
	if !ok {
		r.fail("V020", at+".endpoint", "no program may ask "+check.Quote(name)+"; known are "+strings.Join(Endpoints(), ", "))
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
		if !slices.ContainsFunc(members, func(m member) bool { return m.name == given }) {
			r.warn("V022", at+".params."+check.Quote(given), check.Quote(given)+" is not known to "+name+", and is ignored")
		}
	}
}

// member returns the rule that a value breaks, and how, or "" for both.
func (r *reader) member(m member, value any) (rule, broken string) {
	if text, ok := value.(string); ok {
		switch name, isParameter := strings.CutPrefix(text, "$"); {
		case text == WorkingIDs && m.working:
			return "", ""
		case text == WorkingIDs:
			return "V032", "cannot be " + WorkingIDs
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
func (r *reader) reference(m member, name string) (rule, broken string) {
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
func (m member) bounds(v any) string {
	switch v := v.(type) {
	case json.Number:
		f, _ := v.Float64()
		if f < m.least || f > m.most {
			return "must be " + strconv.FormatFloat(m.least, 'g', -1, 64) + " to " + strconv.FormatFloat(math.Floor(m.most*1000)/1000, 'f', -1, 64) + ", got " + v.String()
		}
	case string:
		return check.Name(v, check.MaxQuery)
	case []any:
		return check.Range(len(v), 1, MaxIDs)
	}
	return ""
}

// BindParams returns the params of an api operation with the values of parameters. It returns
// a kappa.CodeInvalid Error for a value that a member does not take.
func (s Statement) BindParams(values map[string]any) (map[string]any, error) {
	bound := maps.Clone(s.Params)
	var broken check.Rules
	for _, m := range endpoints[s.Endpoint] {
		text, ok := bound[m.name].(string)
		name, reference := strings.CutPrefix(text, "$")
		if !ok || !reference || !isQueryWord(name) || text == WorkingIDs {
			continue
		}
		text2, _ := json.Marshal(values[name]) //nolint:errchkjson // was read from JSON
		v, rule := QueryParameter{Type: m.kind}.read(text2)
		if rule == "" {
			rule = m.bounds(v)
		}
		broken.Add("body", m.name, rule)
		bound[m.name] = v
	}
	return bound, broken.Err()
}
