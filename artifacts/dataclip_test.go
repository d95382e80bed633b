package artifacts_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/kappagraph/kappa/artifacts"
)

func TestDataclipReferences(t *testing.T) {
	one, two := artifacts.NewDataclipID(), artifacts.NewDataclipID()
	if one == two || !artifacts.IsDataclipID(one) {
		t.Fatalf("ids: %s, %s", one, two)
	}
	want := []string{one, two}
	slices.Sort(want)
	for data, want := range map[string][]string{
		``:                        nil,
		`{"dataclips": 1}`:        nil,
		`{"dataclips": {"a": 1}}`: nil,
		`{"plan": {"dataclips": {"a": "` + one + `"}}}`:                                                       nil,
		`{"dataclips": {"a": "` + one + `", "b": {"c": "` + two + `"}}}`:                                      {one},
		`{"dataclips": {"a": "` + one + `", "b": "` + two + `", "c": "` + one + `", "d": "clip_1", "e": {}}}`: want,
	} {
		if got := artifacts.DataclipReferences(json.RawMessage(data)); !slices.Equal(got, want) {
			t.Errorf("%s refers to %q, want %q", data, got, want)
		}
	}
}
