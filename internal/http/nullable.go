package http

import (
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// allowNull documents that an object that a pointer points to may be null. huma
// does so for scalars only.
func (r *Router) allowNull() {
	r.eachMember(func(_ string, schema *huma.Schema, member string, f reflect.StructField, omitted bool) {
		if p := schema.Properties[member]; p.Ref != "" && f.Type.Kind() == reflect.Pointer && !omitted {
			schema.Properties[member] = &huma.Schema{AnyOf: []*huma.Schema{{Ref: p.Ref}, {Type: "null"}}}
		}
	})
}

// forbidNull documents that the lists of answers are never null, as filled has them. An
// optional list of a request may be: it counts as absent. huma has all lists nullable, as
// they are in Go.
func (r *Router) forbidNull() {
	asked := r.schemasOfRequests()
	r.eachMember(func(name string, schema *huma.Schema, member string, f reflect.StructField, omitted bool) {
		if f.Tag.Get("nullable") != "true" && (!asked[name] || !omitted) {
			notNull(schema.Properties[member])
		}
	})
	for _, op := range r.operations() {
		for _, response := range op.Responses {
			for _, content := range response.Content {
				notNull(content.Schema)
			}
		}
	}
}

// notNull makes a list, and the lists in it, not nullable.
func notNull(s *huma.Schema) {
	for ; s != nil && s.Type == huma.TypeArray; s = s.Items {
		s.Nullable = false
	}
	if s != nil {
		if values, ok := s.AdditionalProperties.(*huma.Schema); ok {
			notNull(values)
		}
	}
}

// eachMember calls f with each member of each schema that is made of a struct.
func (r *Router) eachMember(f func(name string, schema *huma.Schema, member string, field reflect.StructField, omitted bool)) {
	registry := r.document().Components.Schemas
	for name, schema := range registry.Map() {
		t := registry.TypeFromRef("#/components/schemas/" + name)
		if t == nil || t.Kind() != reflect.Struct {
			continue
		}
		for _, field := range reflect.VisibleFields(t) {
			member, options, _ := strings.Cut(field.Tag.Get("json"), ",")
			if schema.Properties[member] != nil {
				f(name, schema, member, field, strings.Contains(options, "omitempty"))
			}
		}
	}
}

// operations returns every operation of the document.
func (r *Router) operations() []*huma.Operation {
	var list []*huma.Operation
	for _, p := range r.document().Paths {
		for _, op := range []*huma.Operation{p.Get, p.Put, p.Post, p.Delete, p.Patch} {
			if op != nil {
				list = append(list, op)
			}
		}
	}
	return list
}

// schemasOfRequests returns the names of the schemas that bodies of requests have.
func (r *Router) schemasOfRequests() map[string]bool {
	found := map[string]bool{}
	for _, op := range r.operations() {
		if op.RequestBody != nil {
			for _, content := range op.RequestBody.Content {
				r.addSchemas(found, content.Schema)
			}
		}
	}
	return found
}

// addSchemas adds the names of the schemas that a schema refers to.
func (r *Router) addSchemas(found map[string]bool, s *huma.Schema) {
	if s == nil {
		return
	}
	if name, ok := strings.CutPrefix(s.Ref, "#/components/schemas/"); ok && !found[name] {
		found[name] = true
		r.addSchemas(found, r.document().Components.Schemas.SchemaFromRef(s.Ref))
	}
	parts := append([]*huma.Schema{s.Items}, s.AnyOf...)
	for _, p := range s.Properties {
		parts = append(parts, p)
	}
	if values, ok := s.AdditionalProperties.(*huma.Schema); ok {
		parts = append(parts, values)
	}
	for _, p := range parts {
		r.addSchemas(found, p)
	}
}
