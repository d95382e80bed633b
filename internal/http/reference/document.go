package reference

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Reference is what an OpenAPI document says, in the order in which people read it.
type Reference struct {
	Title, Version, Description string
	Tags                        []Tag
	Schemas                     []Schema
}

// Tag is a part of the API.
type Tag struct {
	Name, Description string
	Operations        []Operation
}

// Operation is one method of one path.
type Operation struct {
	ID, Method, Path, Summary, Permission string
	Description                           string // in Markdown; "" when the summary says it all
	Parameters                            []Member
	Bodies                                []Content
	Answers                               []Answer
}

// Member is a parameter, or a member of an object.
type Member struct {
	Name, In, Description, Default string
	Type                           Type
	Required                       bool
}

// Content is a body of a content type.
type Content struct {
	ContentType string
	Type        Type
}

// Answer is what an operation answers with a status.
type Answer struct {
	Status, Description string
	Contents            []Content
}

// Schema is an object with a name.
type Schema struct {
	Name    string
	Type    Type
	Members []Member
}

// Type says in words what a value is. Name is that of the schema in it, "" without one;
// it stands between Before and After.
type Type struct{ Before, Name, After string }

func (t Type) String() string { return t.Before + t.Name + t.After }

// The parts of an OpenAPI document that are read.
type (
	document struct {
		Info struct{ Title, Version, Description string }
		Tags []struct{ Name, Description string }

		Paths      map[string]map[string]operation
		Components struct{ Schemas map[string]schema }
	}
	operation struct {
		OperationID, Summary string
		Description          string
		Permission           string `json:"x-permission"`
		Tags                 []string
		Parameters           []parameter
		RequestBody          struct{ Content map[string]media }
		Responses            map[string]response
	}
	parameter struct {
		Name, In, Description string
		Required              bool
		Schema                schema
	}
	media    struct{ Schema schema }
	response struct {
		Description string
		Content     map[string]media
	}
	schema struct {
		Ref                  string `json:"$ref"`
		Type                 any
		Format, Description  string
		Default              any
		Enum                 []any
		Items                *schema
		AnyOf, OneOf         []schema
		Properties           map[string]schema
		Required             []string
		AdditionalProperties json.RawMessage
	}
)

// Read reads an OpenAPI document.
func Read(text []byte) (Reference, error) {
	var d document
	if err := json.Unmarshal(text, &d); err != nil {
		return Reference{}, fmt.Errorf("read the OpenAPI document: %w", err)
	}
	r := Reference{Title: d.Info.Title, Version: d.Info.Version, Description: d.Info.Description}
	for _, tag := range d.Tags {
		t := Tag{Name: tag.Name, Description: tag.Description}
		if slices.ContainsFunc(r.Tags, func(other Tag) bool { return other.Name == t.Name }) {
			continue
		}
		for path, methods := range d.Paths {
			for method, op := range methods {
				if slices.Contains(op.Tags, t.Name) {
					t.Operations = append(t.Operations, op.read(method, path))
				}
			}
		}
		slices.SortFunc(t.Operations, func(a, b Operation) int {
			return cmp.Or(strings.Compare(a.Path, b.Path), strings.Compare(a.Method, b.Method))
		})
		r.Tags = append(r.Tags, t)
	}
	for _, name := range slices.Sorted(maps.Keys(d.Components.Schemas)) {
		s := d.Components.Schemas[name]
		r.Schemas = append(r.Schemas, Schema{Name: name, Type: s.inWords(), Members: s.members()})
	}
	return r, nil
}

func (op operation) read(method, path string) Operation {
	out := Operation{ID: op.OperationID, Method: strings.ToUpper(method), Path: path, Summary: op.Summary, Description: op.Description, Permission: op.Permission, Bodies: contents(op.RequestBody.Content)}
	for _, p := range op.Parameters {
		out.Parameters = append(out.Parameters, Member{
			Name: p.Name, In: p.In, Description: cmp.Or(p.Description, p.Schema.Description), Default: shown(p.Schema.Default), Type: p.Schema.inWords(), Required: p.Required,
		})
	}
	for _, status := range slices.Sorted(maps.Keys(op.Responses)) {
		if status == "default" {
			continue // a problem document, everywhere
		}
		out.Answers = append(out.Answers, Answer{Status: status, Description: op.Responses[status].Description, Contents: contents(op.Responses[status].Content)})
	}
	return out
}

func contents(of map[string]media) (list []Content) {
	for _, contentType := range slices.Sorted(maps.Keys(of)) {
		list = append(list, Content{ContentType: contentType, Type: of[contentType].Schema.inWords()})
	}
	return list
}

func (s schema) members() (list []Member) {
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		p := s.Properties[name]
		list = append(list, Member{Name: name, Description: p.Description, Default: shown(p.Default), Type: p.inWords(), Required: slices.Contains(s.Required, name)})
	}
	return list
}

func shown(value any) string {
	if value == nil {
		return ""
	}
	text, _ := json.Marshal(value)
	return string(text)
}

// inWords says what a value is: "list of Job", "text or null".
func (s schema) inWords() Type {
	if name, ok := strings.CutPrefix(s.Ref, "#/components/schemas/"); ok {
		return Type{Name: name}
	}
	if choices := append(s.AnyOf, s.OneOf...); len(choices) > 0 {
		t := choices[0].inWords()
		for _, other := range choices[1:] {
			t.After += " or " + other.inWords().String()
		}
		return t
	}
	var words []string
	switch kind := s.Type.(type) {
	case string:
		words = []string{kind}
	case []any:
		for _, k := range kind {
			words = append(words, fmt.Sprint(k))
		}
	}
	t := Type{}
	for i, word := range words {
		if i > 0 {
			t.After += " or "
		}
		switch {
		case word == "array" && s.Items != nil:
			element := s.Items.inWords()
			t.Before, t.Name, t.After = "list of "+element.Before, element.Name, element.After+t.After
		case word == "object" && len(s.AdditionalProperties) > 1 && s.AdditionalProperties[0] == '{':
			var value schema
			_ = json.Unmarshal(s.AdditionalProperties, &value)
			element := value.inWords()
			t.Before, t.Name, t.After = "object of "+element.Before, element.Name, element.After+t.After
		default:
			t.After += s.word(word)
		}
	}
	if len(words) == 0 {
		t.After = "anything"
	}
	return t
}

func (s schema) word(kind string) string {
	switch {
	case kind == "string" && s.Format == "date-time":
		return "instant"
	case kind == "string" && s.Format == "binary":
		return "bytes"
	case kind == "string":
		return "text"
	case kind == "integer":
		return "whole number"
	}
	return kind
}
