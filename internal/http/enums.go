package http

import (
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/webhooks"
	"github.com/kappagraph/kappa/work"
)

// enum is a schema of its own for a type that has few values, so that programs that are made
// from the document know them by one name.
type enum struct {
	name   string
	values []any
}

// enums are the types of answers that have few values. Requests say them by their own rules.
func enums() map[reflect.Type]enum {
	return map[reflect.Type]enum{
		reflect.TypeFor[work.Status]():        {"JobStatus", anyOf(work.Statuses())},
		reflect.TypeFor[work.Act]():           {"JobActKind", anyOf(work.Acts())},
		reflect.TypeFor[work.LimitScope]():    {"LimitScope", anyOf(work.LimitScopes())},
		reflect.TypeFor[work.PauseScope]():    {"PauseScope", anyOf(work.PauseScopes())},
		reflect.TypeFor[models.Slot]():        {"ModelSlot", anyOf(models.Slots())},
		reflect.TypeFor[corpus.ContentType](): {"DocumentType", anyOf(corpus.ContentTypes())},
		reflect.TypeFor[webhooks.Event]():     {"WebhookEvent", anyOf(webhooks.Events())},
		reflect.TypeFor[webhooks.Status]():    {"DeliveryStatus", anyOf(webhooks.Statuses())},
	}
}

func anyOf[T any](list []T) []any {
	values := make([]any, len(list))
	for i, v := range list {
		values[i] = v
	}
	return values
}

// nameEnums gives the members of answers whose type has few values the schema of that.
func (r *Router) nameEnums() {
	known, asked := enums(), r.schemasOfRequests()
	schemas := r.document().Components.Schemas.Map()
	r.eachMember(func(name string, schema *huma.Schema, member string, f reflect.StructField, _ bool) {
		t := f.Type
		if t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		e, ok := known[t]
		if !ok || asked[name] {
			return
		}
		schemas[e.name] = &huma.Schema{Type: huma.TypeString, Enum: e.values}
		ref := &huma.Schema{Ref: "#/components/schemas/" + e.name}
		if p := schema.Properties[member]; p.Nullable {
			ref = &huma.Schema{AnyOf: []*huma.Schema{ref, {Type: "null"}}, Description: p.Description}
		}
		schema.Properties[member] = ref
	})
}
