package kappa

import (
	"fmt"
	"reflect"
	"slices"
)

// Require panics unless cfg, a struct that a constructor was given, has all its parts: the
// exported fields that are functions, interfaces or pointers, but for those that may be
// missing. What is missing is a mistake of whoever wires the program, and would come to
// light much later: as a part that does nothing, or an answer that says less.
func Require(cfg any, mayBeMissing ...string) {
	v := reflect.ValueOf(cfg)
	for i := range v.NumField() {
		field := v.Type().Field(i)
		switch field.Type.Kind() {
		case reflect.Func, reflect.Interface, reflect.Pointer:
			if field.IsExported() && v.Field(i).IsNil() && !slices.Contains(mayBeMissing, field.Name) {
				panic(fmt.Sprintf("%s.%s is missing", v.Type(), field.Name))
			}
		default: // a setting, whose zero is one too
		}
	}
}
