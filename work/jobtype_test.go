package work

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/kappagraph/kappa"
)

func handleNothing(context.Context, Claim) (json.RawMessage, error) { return nil, nil }

func TestNewJobTypes(t *testing.T) {
	t.Parallel()
	good := JobType{Name: "good", Lane: "interactive", Handler: handleNothing}
	for name, types := range map[string][]JobType{
		"twice":      {good, good},
		"no name":    {{Lane: "interactive", Handler: handleNothing}},
		"no handler": {{Name: "a", Lane: "interactive"}},
		"no lane":    {{Name: "a", Handler: handleNothing}},
		"handler":    {{Name: "a", Remote: true, Handler: handleNothing}},
		"scheduled":  {{Name: "a", Lane: "l", Handler: handleNothing, NeedsDocument: true, Schedulable: true}},
		"priority":   {{Name: "a", Lane: "l", Handler: handleNothing, Priority: MaxPriority + 1}},
	} {
		if _, err := NewJobTypes(types...); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	types, err := NewJobTypes(good, JobType{Name: "away", Remote: true})
	if err != nil {
		t.Fatal(err)
	}
	if names := types.Names(nil); !slices.Equal(names, []string{"away", "good"}) {
		t.Errorf("names %v", names)
	}
	if names := types.Handled(); !slices.Equal(names, []string{"good"}) {
		t.Errorf("handled %v", names)
	}
}

func TestCheckSubmission(t *testing.T) {
	t.Parallel()
	types, err := NewJobTypes(
		JobType{Name: "free", Lane: "l", Handler: handleNothing, Schedulable: true},
		JobType{Name: "paper", Lane: "l", Handler: handleNothing, NeedsDocument: true},
		JobType{Name: "strict", Lane: "l", Handler: handleNothing, Check: func(data json.RawMessage) error {
			if len(data) == 0 {
				return kappa.Invalid(kappa.FieldError{In: "body", Name: "data.steps", Rule: "is required"})
			}
			return nil
		}},
	)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, data, submit, schedule string
	}{
		{"free", "", "", ""},
		{"paper", "", "use POST /ingest", "needs a document"},
		{"strict", "", "data.steps: is required", "cannot be scheduled"},
		{"strict", "{}", "", "cannot be scheduled"},
		{"other", "", `must be one of free, strict, got "other"`, `must be one of free, got "other"`},
	} {
		if got := types.CheckSubmission(c.name, json.RawMessage(c.data)); !says(got, c.submit) {
			t.Errorf("submitting %s with %q: %v, want %q", c.name, c.data, got, c.submit)
		}
		if got := types.CheckSchedule(c.name, json.RawMessage(c.data)); !says(got, c.schedule) {
			t.Errorf("scheduling %s with %q: %v, want %q", c.name, c.data, got, c.schedule)
		}
	}
}

// says reports whether err is a kappa.CodeInvalid Error with a text, or nil for "".
func says(err error, text string) bool {
	if text == "" {
		return err == nil
	}
	return kappa.ErrorCode(err) == kappa.CodeInvalid && strings.Contains(kappa.ErrorMessage(err), text)
}
