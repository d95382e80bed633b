package programs

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/check"
)

// The types of parameters.
const (
	ParameterString  = "string"
	ParameterNumber  = "number"
	ParameterInteger = "integer"
	ParameterBoolean = "boolean"
	ParameterStrings = "strings" // a list of texts
)

// QueryParameter is what may differ from one run of a query to the next. In its definition
// the text "$name" stands for the value; a text that begins with a $ of its own is written
// with two.
type QueryParameter struct {
	Name        string          `json:"name" doc:"A letter or _, then letters, digits and _"`
	Type        string          `json:"type" doc:"string, number, integer, boolean or strings"`
	Default     json.RawMessage `json:"default,omitempty" doc:"Without one the parameter must be given"`
	Description *string         `json:"description,omitempty"`
}

// Required reports whether a run must give the parameter.
func (p QueryParameter) Required() bool { return len(p.Default) == 0 || string(p.Default) == "null" }

// checkParameters adds every rule that parameters break.
func checkParameters(r *check.Rules, parameters []QueryParameter) {
	r.Add("body", "parameters", check.Range(len(parameters), 0, MaxQueryParameters))
	seen := map[string]bool{}
	for i, p := range parameters[:min(len(parameters), MaxQueryParameters)] {
		at := "parameters[" + strconv.Itoa(i) + "]"
		switch {
		case !isQueryWord(p.Name):
			r.Add("body", at+".name", "must be a letter or _, then letters, digits and _, 64 at most, got "+check.Quote(p.Name))
		case seen[p.Name]:
			r.Add("body", at+".name", "must be there once, got "+p.Name+" again")
		}
		seen[p.Name] = true
		r.Add("body", at+".type", check.OneOf(p.Type, ParameterString, ParameterNumber, ParameterInteger, ParameterBoolean, ParameterStrings))
		if !p.Required() {
			_, rule := p.read(p.Default)
			r.Add("body", at+".default", rule)
		}
		if p.Description != nil {
			r.Add("body", at+".description", check.OptionalText(p.Description, maxParameterTextHelp))
		}
	}
}

// read returns a value of the parameter's type, or the rule that it breaks.
func (p QueryParameter) read(value json.RawMessage) (v any, rule string) {
	v, err := decodeJSON(value)
	if err != nil {
		return nil, "must be JSON"
	}
	switch p.Type {
	case ParameterString:
		text, ok := v.(string)
		if !ok {
			return nil, "must be text"
		}
		return text, checkParameterText(text)
	case ParameterBoolean:
		if _, ok := v.(bool); !ok {
			return nil, "must be true or false"
		}
		return v, ""
	case ParameterStrings:
		return v, checkParameterList(v)
	}
	number, ok := v.(json.Number)
	f, err := number.Float64()
	switch {
	case !ok:
		return nil, "must be a number"
	case err != nil:
		return nil, "must be below 1e309 in size"
	case p.Type == ParameterInteger && (f != math.Trunc(f) || math.Abs(f) > 1<<53):
		return nil, "must be a whole number"
	case p.Type == ParameterInteger:
		return json.Number(strconv.FormatInt(int64(f), 10)), ""
	}
	return json.Number(strconv.FormatFloat(f, 'g', -1, 64)), ""
}

func checkParameterText(text string) string {
	switch {
	case strings.ContainsRune(text, 0):
		return "must not contain a NUL character"
	case utf8.RuneCountInString(text) > maxParameterText:
		return "must have at most " + strconv.Itoa(maxParameterText) + " characters"
	}
	return ""
}

func checkParameterList(v any) string {
	list, ok := v.([]any)
	if !ok || slices.ContainsFunc(list, func(e any) bool { _, text := e.(string); return !text }) {
		return "must be a list of texts"
	}
	if len(list) > maxParameterList {
		return "must have at most " + strconv.Itoa(maxParameterList) + " texts"
	}
	for _, e := range list {
		if rule := checkParameterText(e.(string)); rule != "" {
			return rule
		}
	}
	return ""
}

// Bind returns the request that q stands for with these values. It reports every value that
// is missing, is of another type or belongs to no parameter.
func (q SavedQuery) Bind(values map[string]json.RawMessage) (json.RawMessage, error) {
	known, err := BindParameters(q.Parameters, values)
	if err != nil {
		return nil, err
	}
	bound, _, err := bind(q.Definition, known)
	return bound, err
}

// BindParameters returns what each parameter is, its default without a value. It reports
// every value that is missing, is of another type or belongs to no parameter.
func BindParameters(parameters []QueryParameter, values map[string]json.RawMessage) (map[string]any, error) {
	var r check.Rules
	known := map[string]any{}
	for _, p := range parameters {
		value, given := values[p.Name]
		switch {
		case !given && p.Required():
			r.Add("body", "parameters."+p.Name, "is required")
			continue
		case !given:
			value = p.Default
		}
		v, rule := p.read(value)
		r.Add("body", "parameters."+p.Name, rule)
		known[p.Name] = v
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if !slices.ContainsFunc(parameters, func(p QueryParameter) bool { return p.Name == name }) && len(r) < MaxQueryParameters {
			r.Add("body", "parameters."+check.Quote(name), "is no parameter of this query")
		}
	}
	return known, r.Err()
}

// BindSamples returns a request that q may stand for: with the defaults of its parameters,
// and for others with a value of their type, which the route may refuse at these places. It
// reports parameters that are used and not declared, or declared and not used.
func (q SavedQuery) BindSamples() (request json.RawMessage, places []string, err error) {
	known := map[string]any{}
	for _, p := range q.Parameters {
		if !p.Required() {
			known[p.Name], _ = p.read(p.Default)
			continue
		}
		known[p.Name] = map[string]any{
			ParameterString: "a", ParameterNumber: json.Number("1"), ParameterInteger: json.Number("1"), ParameterBoolean: true, ParameterStrings: []any{"a"},
		}[p.Type]
	}
	bound, uses, err := bind(q.Definition, known)
	if err != nil {
		return nil, nil, err
	}
	var r check.Rules
	for i, p := range q.Parameters {
		if len(uses[p.Name]) == 0 {
			r.Add("body", "parameters["+strconv.Itoa(i)+"]", "$"+p.Name+" is not used in the definition")
		}
		if p.Required() {
			places = append(places, uses[p.Name]...)
		}
	}
	return bound, places, r.Err()
}

// bind puts values in the places of parameters, and says where each was. It reports those
// that are not known.
func bind(definition json.RawMessage, known map[string]any) (bound json.RawMessage, uses map[string][]string, err error) {
	v, err := decodeJSON(definition)
	if err != nil {
		return nil, nil, kappa.Invalid(kappa.FieldError{In: "body", Name: "definition", Rule: "must be an object"})
	}
	b := binder{known: known, uses: map[string][]string{}}
	v = b.value(v, "")
	if err := b.broken.Err(); err != nil {
		return nil, nil, err
	}
	bound, err = json.Marshal(v)
	return bound, b.uses, err
}

// binder walks over a definition.
type binder struct {
	known  map[string]any
	uses   map[string][]string // where each parameter is, as in a.b[2]
	broken check.Rules
}

// value returns what v becomes, which is at a place.
func (b *binder) value(v any, at string) any {
	switch v := v.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			v[name] = b.value(v[name], strings.TrimPrefix(at+"."+name, "."))
		}
	case []any:
		for i, e := range v {
			v[i] = b.value(e, at+"["+strconv.Itoa(i)+"]")
		}
	case string:
		return b.text(v, at)
	}
	return v
}

func (b *binder) text(text, at string) any {
	name, ok := strings.CutPrefix(text, "$")
	switch {
	case !ok:
		return text
	case strings.HasPrefix(name, "$"):
		return name
	case !isQueryWord(name):
		return text // as a price
	}
	value, ok := b.known[name]
	if !ok {
		b.broken.Add("body", "definition."+at, "$"+name+" is not declared in parameters; a text that begins with $ is written with $$")
		return text
	}
	b.uses[name] = append(b.uses[name], at)
	return value
}

// decodeJSON reads one value, numbers as they are written.
func decodeJSON(text []byte) (v any, err error) {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	if err := dec.Decode(&v); err != nil {
		return nil, err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("more than one value")
	}
	return v, nil
}
