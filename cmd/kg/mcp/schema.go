package mcp

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// The tags of an argument beside its name and its description: bounds:"1..50", of which either
// end may be left out, standard:"10" is the value of one that is not given, and oneof:"out in"
// lists all that there are.
const (
	tagBounds   = "bounds"
	tagStandard = "standard"
	tagOneOf    = "oneof"
)

// schemaOf describes what a type holds, with an example. It panics when they are
// described wrongly, which the first test sees.
func schemaOf[T any](example string) *jsonschema.Schema {
	s, err := jsonschema.For[T](nil)
	if err != nil {
		panic(fmt.Sprintf("mcp: %T: %v", *new(T), err))
	}
	var shown any
	if err := json.Unmarshal([]byte(example), &shown); err != nil {
		panic(fmt.Sprintf("mcp: the example of %T: %v", *new(T), err))
	}
	s.Examples = []any{shown}
	for _, f := range reflect.VisibleFields(reflect.TypeFor[T]()) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if p := s.Properties[name]; p != nil {
			describe(p, f.Tag)
		}
	}
	return s
}

// argumentsOf describes the arguments of a tool: those that it cannot do without are not empty.
func argumentsOf[In any](example string) *jsonschema.Schema {
	s, one := schemaOf[In](example), 1
	for _, name := range s.Required {
		switch p := s.Properties[name]; p.Type {
		case "string":
			p.MinLength = &one
		case "array":
			p.MinItems = &one
		}
	}
	return s
}

// describe adds to an argument what its tags say. It has one type: no argument may be null,
// and one that is, is taken as not given.
func describe(p *jsonschema.Schema, tag reflect.StructTag) {
	for _, kind := range p.Types {
		if kind != "null" {
			p.Type = kind
		}
	}
	p.Types = nil
	from, to, _ := strings.Cut(tag.Get(tagBounds), "..")
	p.Minimum, p.Maximum = bound(from), bound(to)
	if v := tag.Get(tagStandard); v != "" {
		p.Default = json.RawMessage(v)
	}
	values := p
	if p.Type == "array" {
		values = p.Items
	}
	for v := range strings.FieldsSeq(tag.Get(tagOneOf)) {
		values.Enum = append(values.Enum, v)
	}
}

// bound reads an end of bounds; nil is none.
func bound(s string) *float64 {
	if s == "" {
		return nil
	}
	n, err := strconv.ParseFloat(s, 64)
	if err != nil {
		panic("mcp: " + s + " is no bound")
	}
	return &n
}
