package e2e

import (
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"strings"
	"testing"
)

// A shape says in short what an answer must have at least:
//
//	str int num bool ts obj null any   a value; ts is an instant with milliseconds in UTC
//	'word'                             this text
//	{a:int b:{c:str}}                  an object with these members, and perhaps others
//	{*:int}                            an object with members of any name, each like this
//	[T] [+T]                           a list, which must not be empty with +
//	T?                                 the same, or null
type shape struct {
	kind     string // a word from above, "text", "object" or "list"
	text     string
	members  map[string]*shape
	element  *shape
	notEmpty bool
	nullable bool
}

// parseShape reads a shape; it panics when it is none.
func parseShape(text string) *shape {
	p := &shapeParser{rest: strings.TrimSpace(text)}
	s := p.value()
	if p.skip(); p.rest != "" {
		panic("shape: unexpected " + p.rest)
	}
	return s
}

type shapeParser struct{ rest string }

func (p *shapeParser) skip() { p.rest = strings.TrimLeft(p.rest, " \t\n") }

// take removes a prefix and reports whether it was there.
func (p *shapeParser) take(prefix string) bool {
	p.skip()
	rest, ok := strings.CutPrefix(p.rest, prefix)
	p.rest = rest
	return ok
}

var shapeWord = regexp.MustCompile(`^[a-zA-Z_0-9*]+`)

func (p *shapeParser) word() string {
	p.skip()
	word := shapeWord.FindString(p.rest)
	if word == "" {
		panic("shape: no word at " + p.rest)
	}
	p.rest = p.rest[len(word):]
	return word
}

func (p *shapeParser) value() *shape {
	s := &shape{}
	switch {
	case p.take("{"):
		s.kind, s.members = "object", map[string]*shape{}
		for !p.take("}") {
			name := p.word()
			if !p.take(":") {
				panic("shape: no : after " + name)
			}
			s.members[name] = p.value()
		}
	case p.take("["):
		s.kind, s.notEmpty = "list", p.take("+")
		s.element = p.value()
		if !p.take("]") {
			panic("shape: no ] at " + p.rest)
		}
	case p.take("'"):
		text, rest, ok := strings.Cut(p.rest, "'")
		if !ok {
			panic("shape: no ' at the end of " + p.rest)
		}
		s.kind, s.text, p.rest = "text", text, rest
	default:
		s.kind = p.word()
	}
	if strings.HasPrefix(p.rest, "?") {
		s.nullable, p.rest = true, p.rest[1:]
	}
	return s
}

var instantWithMilliseconds = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$`)

// check adds to problems where a value at a place differs.
func (s *shape) check(place string, v any, problems *[]string) {
	wrong := func(format string, values ...any) {
		*problems = append(*problems, place+": "+fmt.Sprintf(format, values...))
	}
	if v == nil && (s.nullable || s.kind == "null" || s.kind == "any") {
		return
	}
	switch s.kind {
	case "object":
		object, ok := v.(map[string]any)
		if !ok {
			wrong("%s, want an object", shown(v))
			return
		}
		s.checkMembers(place, object, problems)
	case "list":
		list, ok := v.([]any)
		if !ok {
			wrong("%s, want a list", shown(v))
			return
		}
		if s.notEmpty && len(list) == 0 {
			wrong("is empty: the test sees none")
		}
		for i, element := range list {
			s.element.check(fmt.Sprintf("%s[%d]", place, i), element, problems)
		}
	default:
		if !s.fits(v) {
			wrong("%s, want %s", shown(v), strings.TrimSpace(s.kind+" "+s.text))
		}
	}
}

func (s *shape) checkMembers(place string, object map[string]any, problems *[]string) {
	for name, member := range s.members {
		if name == "*" {
			for key, value := range object {
				member.check(place+"."+key, value, problems)
			}
			continue
		}
		value, ok := object[name]
		if !ok {
			*problems = append(*problems, place+"."+name+": is missing")
			continue
		}
		member.check(place+"."+name, value, problems)
	}
}

// fits reports whether a value is what the word says.
func (s *shape) fits(v any) bool {
	text, isText := v.(string)
	number, isNumber := v.(json.Number)
	switch s.kind {
	case "str":
		return isText
	case "text":
		return isText && text == s.text
	case "ts":
		return isText && instantWithMilliseconds.MatchString(text)
	case "int":
		return isNumber && !strings.ContainsAny(number.String(), ".eE")
	case "num":
		f, err := number.Float64()
		return isNumber && err == nil && !math.IsInf(f, 0)
	case "bool":
		_, ok := v.(bool)
		return ok
	case "obj":
		_, ok := v.(map[string]any)
		return ok
	case "any":
		return true
	}
	panic("shape: there is no " + s.kind)
}

func shown(v any) string { return fmt.Sprintf("%.60v (%T)", v, v) }

// shapeProblems returns where a body in JSON differs from a shape.
func shapeProblems(text string, body []byte) []string {
	decoder := json.NewDecoder(strings.NewReader(string(body)))
	decoder.UseNumber()
	var v any
	if err := decoder.Decode(&v); err != nil {
		return []string{err.Error()}
	}
	var problems []string
	parseShape(text).check("answer", v, &problems)
	return problems
}

func TestShapes(t *testing.T) {
	const good = `{"a":1,"b":"x","c":["y"],"d":null,"e":"2026-01-31T08:00:00.123Z","f":{"g":1,"h":2},"i":0.5}`
	if problems := shapeProblems("{a:int b:'x' c:[+str] d:obj? e:ts f:{*:int} i:num}", []byte(good)); problems != nil {
		t.Error(problems)
	}
	for shape, problem := range map[string]string{
		"{a:str}": "answer.a: 1 (json.Number), want str", "{z:int}": "answer.z: is missing", "{i:int}": "answer.i: 0.5", "{d:str}": "answer.d: <nil>",
		"{b:ts}": "answer.b: x", "{c:[int]}": "answer.c[0]: y", "{f:{*:str}}": "want str", "[str]": "want a list", "{b:'y'}": "want text y",
	} {
		if problems := shapeProblems(shape, []byte(good)); len(problems) == 0 || !strings.Contains(strings.Join(problems, "; "), problem) {
			t.Errorf("%s: %q, want %q", shape, problems, problem)
		}
	}
	if problems := shapeProblems("{a:[+any]}", []byte(`{"a":[]}`)); len(problems) != 1 {
		t.Errorf("an empty list: %q", problems)
	}
}
