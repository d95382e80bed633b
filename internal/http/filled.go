package http

import (
	"encoding/json"
	"reflect"
	"strings"
	"sync"
)

// form is what is to know of a type to fill its values: where lists are in it.
type form struct {
	fields []fieldForm // of a struct: those that have lists in them
	elem   *form       // of a list, a pointer or a map, when its elements have lists in them
	list   bool        // it is a list that is not null
}

// fieldForm is the form of a field, by its number.
type fieldForm struct {
	number int
	*form
}

// forms has the form of each type that was answered with, nil for one without lists.
var forms sync.Map

// filled returns v with [] in place of each list that is nil, so that no answer has null for a
// list: apart from lists whose field says nullable:"true", and those that are left out. What it
// fills is a copy: an answer may share its parts with others.
func filled(v any) any {
	value := reflect.ValueOf(v)
	if !value.IsValid() {
		return v
	}
	f := formOf(value.Type())
	if f == nil {
		return v
	}
	if value, changed := f.fill(value); changed {
		return value.Interface()
	}
	return v
}

func formOf(t reflect.Type) *form {
	if f, known := forms.Load(t); known {
		return f.(*form) //nolint:forcetypeassert // nothing else is stored
	}
	f := newForm(t, map[reflect.Type]*form{})
	forms.Store(t, f)
	return f
}

var marshaler = reflect.TypeFor[json.Marshaler]()

// newForm returns the form of a type, nil without lists. begun has the types around it.
func newForm(t reflect.Type, begun map[reflect.Type]*form) *form {
	if f, ok := begun[t]; ok {
		return f // it is within itself, and so has a list or a pointer
	}
	if t.Implements(marshaler) || reflect.PointerTo(t).Implements(marshaler) {
		return nil
	}
	f := &form{}
	begun[t] = f
	defer delete(begun, t)
	switch t.Kind() {
	case reflect.Struct:
		return f.ofStruct(t, begun)
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 { // bytes are a text
			return nil
		}
		f.list, f.elem = true, newForm(t.Elem(), begun)
		return f
	case reflect.Pointer, reflect.Map:
		if f.elem = newForm(t.Elem(), begun); f.elem == nil {
			return nil
		}
		return f
	default:
		return nil
	}
}

func (f *form) ofStruct(t reflect.Type, begun map[reflect.Type]*form) *form {
	for i := range t.NumField() {
		field := t.Field(i)
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		if !field.IsExported() || name == "-" && options == "" {
			continue
		}
		inner := newForm(field.Type, begun)
		if inner != nil && inner.list && (strings.Contains(options, "omitempty") || field.Tag.Get("nullable") == "true") {
			inner = &form{elem: inner.elem}
		}
		if inner != nil && (inner.list || inner.elem != nil || inner.fields != nil) {
			f.fields = append(f.fields, fieldForm{i, inner})
		}
	}
	if len(f.fields) == 0 {
		return nil
	}
	return f
}

// fill returns a value with its lists filled, and whether it is another one.
func (f *form) fill(v reflect.Value) (reflect.Value, bool) {
	switch v.Kind() {
	case reflect.Struct:
		return f.fillStruct(v)
	case reflect.Slice:
		if v.IsNil() {
			return reflect.MakeSlice(v.Type(), 0, 0), f.list
		}
		return f.fillList(v)
	case reflect.Pointer:
		if f.elem == nil || v.IsNil() {
			return v, false
		}
		elem, changed := f.elem.fill(v.Elem())
		if !changed {
			return v, false
		}
		p := reflect.New(v.Type().Elem())
		p.Elem().Set(elem)
		return p, true
	case reflect.Map:
		return f.fillMap(v)
	default:
		return v, false
	}
}

func (f *form) fillStruct(v reflect.Value) (reflect.Value, bool) {
	filled, changed := v, false
	for _, inner := range f.fields {
		value, is := inner.fill(v.Field(inner.number))
		if !is {
			continue
		}
		if !changed {
			filled, changed = reflect.New(v.Type()).Elem(), true
			filled.Set(v)
		}
		filled.Field(inner.number).Set(value)
	}
	return filled, changed
}

func (f *form) fillList(v reflect.Value) (reflect.Value, bool) {
	if f.elem == nil {
		return v, false
	}
	filled, changed := v, false
	for i := range v.Len() {
		value, is := f.elem.fill(v.Index(i))
		if !is {
			continue
		}
		if !changed {
			filled, changed = reflect.MakeSlice(v.Type(), v.Len(), v.Len()), true
			reflect.Copy(filled, v)
		}
		filled.Index(i).Set(value)
	}
	return filled, changed
}

func (f *form) fillMap(v reflect.Value) (reflect.Value, bool) {
	filled, changed := v, false
	if v.Len() == 0 {
		return v, false
	}
	for each := v.MapRange(); each.Next(); {
		value, is := f.elem.fill(each.Value())
		if !is {
			continue
		}
		if !changed {
			filled, changed = reflect.MakeMapWithSize(v.Type(), v.Len()), true
			for other := v.MapRange(); other.Next(); {
				filled.SetMapIndex(other.Key(), other.Value())
			}
		}
		filled.SetMapIndex(each.Key(), value)
	}
	return filled, changed
}
