package jobs

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/artifacts"
	"github.com/kappagraph/kappa/work"
)

// typed completes a job type whose jobs have data of type D: read reads it, with its
// defaults, and says which rule it breaks; work does a job of it and returns the result.
// A job that was stopped ends with the cause of that, whatever work says.
func typed[D any](t work.JobType, read func(raw json.RawMessage) (D, error), handle func(ctx context.Context, c work.Claim, data D) (any, error)) work.JobType {
	t.Check = func(raw json.RawMessage) error {
		_, err := read(raw)
		return err
	}
	t.Handler = func(ctx context.Context, c work.Claim) (json.RawMessage, error) {
		data, err := read(c.Data)
		if err != nil {
			return nil, err
		}
		result, err := handle(ctx, c, data)
		if err != nil {
			return nil, ended(ctx, err)
		}
		return json.Marshal(result)
	}
	return t
}

// ended returns the cause of ctx's end instead of an error that followed from it.
func ended(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// dataOf returns a reader of data that has defaults, and is checked unless check is nil.
// An example of the data is part of what it says of data that is none.
func dataOf[D any](defaults D, example string, check func(D) error) func(raw json.RawMessage) (D, error) {
	return func(raw json.RawMessage) (D, error) {
		data := defaults
		if err := readData(raw, &data, example); err != nil {
			return data, err
		}
		if check == nil {
			return data, nil
		}
		return data, check(data)
	}
}

// readData decodes the data of a job into v, which has the defaults. It returns a
// CodeInvalid Error that names the member that does not decode; example is what the data
// may look like.
func readData(raw json.RawMessage, v any, example string) error {
	if len(raw) == 0 {
		return nil
	}
	err := json.Unmarshal(raw, v)
	if err == nil {
		return nil
	}
	var wrong *json.UnmarshalTypeError
	if !errors.As(err, &wrong) || wrong.Field == "" {
		return kappa.Invalid(kappa.FieldError{In: "body", Name: "data", Rule: "must be an object such as " + example})
	}
	kind, known := map[reflect.Kind]string{
		reflect.Int: "a whole number", reflect.Int64: "a whole number", reflect.Float64: "a number", reflect.Bool: "true or false", reflect.Slice: "a list",
	}[wrong.Type.Kind()]
	if !known {
		kind = "text"
	}
	return kappa.Invalid(dataField(wrong.Field[strings.LastIndex(wrong.Field, ".")+1:], "must be "+kind+", got "+wrong.Value))
}

// resume decodes the checkpoint of an earlier attempt into state, and reports whether
// there is one.
func resume(c work.Claim, state any) (bool, error) {
	if len(c.Checkpoint) == 0 || bytes.Equal(c.Checkpoint, []byte("null")) {
		return false, nil
	}
	if err := json.Unmarshal(c.Checkpoint, state); err != nil {
		return false, fmt.Errorf("decode the checkpoint: %w", err)
	}
	return true, nil
}

// artifactSaver keeps the result of a job under its claim, once.
type artifactSaver interface {
	SaveArtifact(ctx context.Context, c work.Claim, a artifacts.NewArtifact) (id int, err error)
}

// resultOf is what a job has made, as an artifact keeps it.
type resultOf struct {
	label      artifacts.Label
	epoch      int64 // of the graph that it was made from
	parameters any
	payload    any
}

// keepArtifact keeps a result under its label, with what it was made from. It returns the
// number of the artifact.
func keepArtifact(ctx context.Context, c work.Claim, to artifactSaver, retry work.Retrying, r resultOf) (*int, error) {
	a := artifacts.NewArtifact{Label: r.label, GraphEpoch: r.epoch}
	var err error
	if a.Parameters, err = json.Marshal(r.parameters); err != nil {
		return nil, fmt.Errorf("encode the parameters of an artifact: %w", err)
	}
	if a.Payload, err = json.Marshal(r.payload); err != nil {
		return nil, fmt.Errorf("encode an artifact: %w", err)
	}
	if name := []rune(*a.Name); len(name) > artifacts.MaxName {
		a.Name = new(string(name[:artifacts.MaxName]))
	}
	id := 0
	err = retry(ctx, "keep the artifact", func(ctx context.Context) (err error) {
		id, err = to.SaveArtifact(ctx, c, a)
		return err
	})
	if err != nil {
		return nil, err
	}
	return &id, nil
}
