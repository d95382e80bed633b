package http

import (
	"bytes"
	"encoding/json"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/gin-gonic/gin"

	"github.com/kappagraph/kappa"
)

const (
	maxMemberDepth   = 128 // below it members are not checked; nothing that is read is so deep
	maxBrokenMembers = 10  // in one answer
)

// checkMembers refuses a JSON body whose members encoding/json would mix up: one that
// comes twice, of which the last would count, and one that differs from a known one in
// case only, which would count as that one. It also names the number that no
// 64-bit float holds. readJSON comes before it; a body that is not JSON is left to
// what follows.
func (r *Router) checkMembers(op *huma.Operation) gin.HandlerFunc {
	schemas := r.document().Components.Schemas
	return func(c *gin.Context) {
		body, err := io.ReadAll(c.Request.Body)
		if err != nil {
			r.fail(c, bodyError(err))
			return
		}
		c.Request.Body = io.NopCloser(bytes.NewReader(body))
		check := memberCheck{dec: json.NewDecoder(bytes.NewReader(body)), schemas: schemas}
		check.dec.UseNumber()
		check.value(nil, op.RequestBody.Content["application/json"].Schema)
		if err := kappa.Invalid(check.broken...); err != nil {
			r.fail(c, err)
		}
	}
}

// refuseUnknown has the objects of a body refuse members that are not described: a misspelt
// one would be lost, and the answer be another one than was asked for. An object that
// describes no members takes any.
func (r *Router) refuseUnknown(body *huma.Schema) {
	seen := map[*huma.Schema]bool{}
	var refuse func(schema *huma.Schema)
	refuse = func(schema *huma.Schema) {
		if schema != nil && schema.Ref != "" {
			schema = r.document().Components.Schemas.SchemaFromRef(schema.Ref)
		}
		if schema == nil || seen[schema] {
			return
		}
		seen[schema] = true
		if schema.AdditionalProperties == true && len(schema.Properties) > 0 {
			schema.AdditionalProperties = false
		}
		for _, member := range schema.Properties {
			refuse(member)
		}
		refuse(schema.Items)
		if values, isMap := schema.AdditionalProperties.(*huma.Schema); isMap {
			refuse(values)
		}
	}
	refuse(body)
}

// memberCheck walks over the tokens of a body.
type memberCheck struct {
	dec     *json.Decoder
	schemas huma.Registry
	broken  []kappa.FieldError
}

// memberPlace is where a value is in a body; nil is the body itself. It becomes a
// text only when a rule is broken.
type memberPlace struct {
	parent *memberPlace
	name   string // of a member
	index  int    // of an element, -1 for a member
	depth  int
}

// member returns the place of a member.
func (p *memberPlace) member(name string) *memberPlace {
	return &memberPlace{parent: p, name: name, index: -1, depth: p.deep() + 1}
}

// element returns the place of an element.
func (p *memberPlace) element(index int) *memberPlace {
	return &memberPlace{parent: p, index: index, depth: p.deep() + 1}
}

// deep returns how many objects and lists are around the place.
func (p *memberPlace) deep() int {
	if p == nil {
		return 0
	}
	return p.depth
}

// String returns the place in the form a.b[2].
func (p *memberPlace) String() string {
	switch {
	case p == nil:
		return ""
	case p.index >= 0:
		return p.parent.String() + "[" + strconv.Itoa(p.index) + "]"
	case p.parent == nil:
		return Printable(p.name)
	}
	return p.parent.String() + "." + Printable(p.name)
}

// value checks the next value, which schema describes; nil describes any. It returns
// false when the check is over.
func (m *memberCheck) value(at *memberPlace, schema *huma.Schema) bool {
	token, err := m.dec.Token()
	if err != nil || at.deep() > maxMemberDepth || len(m.broken) >= maxBrokenMembers {
		return false
	}
	if schema != nil && schema.Ref != "" {
		schema = m.schemas.SchemaFromRef(schema.Ref)
	}
	switch token := token.(type) {
	case json.Delim:
		if token == '{' {
			return m.object(at, schema)
		}
		return m.list(at, schema)
	case json.Number:
		if v, _ := strconv.ParseFloat(token.String(), 64); math.IsInf(v, 0) && at != nil {
			m.breaks(at, "must be below 1e309 in size, got "+Printable(token.String()))
		}
	}
	return true
}

func (m *memberCheck) list(at *memberPlace, schema *huma.Schema) bool {
	var items *huma.Schema
	if schema != nil {
		items = schema.Items
	}
	for i := 0; m.dec.More(); i++ {
		if !m.value(at.element(i), items) {
			return false
		}
	}
	_, err := m.dec.Token()
	return err == nil
}

func (m *memberCheck) object(at *memberPlace, schema *huma.Schema) bool {
	seen := map[string]bool{}
	for m.dec.More() {
		token, err := m.dec.Token()
		name, ok := token.(string)
		if err != nil || !ok {
			return false
		}
		place := at.member(name)
		if seen[name] {
			m.breaks(place, "must be given once")
		}
		seen[name] = true
		known, meant := member(schema, name)
		if meant != "" {
			m.breaks(place, "is not a known field; did you mean "+meant+"?")
		}
		if !m.value(place, known) {
			return false
		}
	}
	_, err := m.dec.Token()
	return err == nil
}

// member returns what describes the member of an object, nil for one that is not
// known. meant is the known member that differs from it in case only, or "".
func member(schema *huma.Schema, name string) (known *huma.Schema, meant string) {
	if schema == nil {
		return nil, ""
	}
	if known, ok := schema.Properties[name]; ok {
		return known, ""
	}
	for other := range schema.Properties {
		if strings.EqualFold(other, name) {
			return nil, other
		}
	}
	return nil, ""
}

func (m *memberCheck) breaks(at *memberPlace, rule string) {
	m.broken = append(m.broken, kappa.FieldError{In: "body", Name: at.String(), Rule: rule})
}
