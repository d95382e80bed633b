package http

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
)

// Resource is a part of the API: a package below this one, with its own Config and
// its own interfaces for what it needs. It may be a Runner, a Drainer and a Stopper
// besides.
type Resource interface {
	// Register adds the routes and the metrics of the resource. It returns an error
	// when the resource lacks something; see CheckConfig. New calls it once.
	Register(r *Router) error
}

// Runner is a Resource that does something besides answering requests.
type Runner interface {
	// Run works beside Server.Run until ctx ends, which is after the last request. It
	// returns when all that it started is gone.
	Run(ctx context.Context)
}

// Drainer is a Resource that is notified that the server is going to stop.
type Drainer interface {
	// Drain may be called more than once. Requests come and are answered all the same.
	Drain()
}

// Stopper is a Resource with answers that do not end by themselves, such as event
// streams.
type Stopper interface {
	// Stop ends them soon and does not wait for that. It is called once.
	Stop()
}

// each calls f with every resource of a kind.
func each[T any](resources []Resource, f func(T)) {
	for _, resource := range resources {
		if r, ok := resource.(T); ok {
			f(r)
		}
	}
}

// CheckConfig returns an error that names every interface and every pointer of a
// struct that is not set, and every number of its field Limits that is negative.
// Functions are optional, and so are those that are named. name is that of the package.
func CheckConfig(name string, config any, optional ...string) error {
	var broken []error
	fields := reflect.ValueOf(config)
	for i := range fields.NumField() {
		switch f := fields.Field(i); f.Kind() {
		case reflect.Interface, reflect.Pointer:
			if f.IsNil() && !slices.Contains(optional, fields.Type().Field(i).Name) {
				broken = append(broken, fmt.Errorf("%s: %s must be set", name, fields.Type().Field(i).Name))
			}
		default: // has a default, or may be empty
		}
	}
	return errors.Join(append(broken, checkLimits(name, fields.FieldByName("Limits")))...)
}

func checkLimits(name string, limits reflect.Value) error {
	var broken []error
	for i := 0; limits.IsValid() && i < limits.NumField(); i++ {
		if limits.Field(i).Int() < 0 {
			broken = append(broken, fmt.Errorf("%s: limit %s must not be negative, got %v", name, limits.Type().Field(i).Name, limits.Field(i)))
		}
	}
	return errors.Join(broken...)
}
