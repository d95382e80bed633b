package mcp

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/kappagraph/kappa"
)

// checked returns the arguments of a call with those that were not given at their standard
// value. An argument that is null is not given. What is wrong with the others is said in one
// error, of which each part names an argument and what it may be.
func checked(s *jsonschema.Schema, raw json.RawMessage) (json.RawMessage, error) {
	given := map[string]any{}
	if len(raw) > 0 {
		if err := json.Unmarshal(raw, &given); err != nil || given == nil {
			return nil, kappa.NewError(kappa.CodeInvalid, "the arguments must be an object, such as "+example(s))
		}
	}
	maps.DeleteFunc(given, func(_ string, v any) bool { return v == nil })
	var wrong []kappa.FieldError
	for _, name := range slices.Sorted(maps.Keys(given)) {
		p := s.Properties[name]
		rule := "is no argument of this tool; it takes " + names(s)
		if p != nil {
			rule = broken(p, given[name])
		}
		if rule != "" {
			wrong = append(wrong, kappa.FieldError{In: "body", Name: name, Rule: rule})
		}
	}
	for _, name := range s.Required {
		if _, ok := given[name]; !ok {
			wrong = append(wrong, kappa.FieldError{In: "body", Name: name, Rule: "must be given: " + s.Properties[name].Description})
		}
	}
	if len(wrong) > 0 {
		return nil, kappa.Invalid(wrong...)
	}
	for name, p := range s.Properties {
		if _, ok := given[name]; !ok && p.Default != nil {
			given[name] = p.Default
		}
	}
	return json.Marshal(given)
}

// example is how a call may look.
func example(s *jsonschema.Schema) string {
	shown, err := json.Marshal(s.Examples[0])
	if err != nil {
		return "{}"
	}
	return string(shown)
}

// names lists the arguments of a tool.
func names(s *jsonschema.Schema) string {
	if len(s.Properties) == 0 {
		return "none"
	}
	return strings.Join(slices.Sorted(maps.Keys(s.Properties)), ", ")
}

// typeNames are the types of JSON in words.
var typeNames = map[string]string{"string": "a text", "integer": "a whole number", "number": "a number", "boolean": "true or false", "array": "a list", "object": "an object"}

// broken says what a value must be that it is not; "" when it may be as it is.
func broken(p *jsonschema.Schema, v any) string {
	if !isOf(p.Type, v) {
		return fmt.Sprintf("must be %s, got %s", typeNames[p.Type], shortLine(shown(v), 60))
	}
	switch v := v.(type) {
	case string:
		if p.MinLength != nil && strings.TrimSpace(v) == "" {
			return "must not be empty: " + p.Description
		}
		if len(p.Enum) > 0 && v != "" && !slices.Contains(p.Enum, any(v)) {
			return fmt.Sprintf("must be one of %s, got %q", listed(p.Enum), shortLine(v, 60))
		}
	case float64:
		if p.Minimum != nil && v < *p.Minimum || p.Maximum != nil && v > *p.Maximum {
			return "must be " + between(p.Minimum, p.Maximum) + ", got " + strconv.FormatFloat(v, 'g', -1, 64)
		}
	case []any:
		if p.MinItems != nil && len(v) < *p.MinItems {
			return "must not be empty: " + p.Description
		}
		for _, item := range v {
			if rule := broken(p.Items, item); rule != "" {
				return "each " + rule
			}
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if rule := broken(p.AdditionalProperties, v[name]); rule != "" {
				return name + " " + rule
			}
		}
	}
	return ""
}

// isOf says whether a value of JSON has a type.
func isOf(kind string, v any) bool {
	switch v := v.(type) {
	case string:
		return kind == "string"
	case float64:
		return kind == "number" || kind == "integer" && v == math.Trunc(v) && math.Abs(v) <= 1<<53
	case bool:
		return kind == "boolean"
	case []any:
		return kind == "array"
	case map[string]any:
		return kind == "object"
	}
	return false
}

// shown is a value as it was given.
func shown(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		return "something else"
	}
	return string(raw)
}

func listed(values []any) string {
	all := make([]string, len(values))
	for i, v := range values {
		all[i] = fmt.Sprint(v)
	}
	return strings.Join(all, ", ")
}

// between says between what a number must be.
func between(from, to *float64) string {
	number := func(n *float64) string { return strconv.FormatFloat(*n, 'g', -1, 64) }
	switch {
	case to == nil:
		return "at least " + number(from)
	case from == nil:
		return "at most " + number(to)
	}
	return number(from) + " to " + number(to)
}
